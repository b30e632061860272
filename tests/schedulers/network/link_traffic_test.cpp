/// Are the links of a network reserved only while they are free, and released again?

#include "schedulers/network/link_traffic.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::schedulers {
namespace {

/// The traffic of every link in each unit of time, which alone decides where a hop fits.
class Diary {
 public:
  explicit Diary(const Network& network) : network_(&network), taken_(network.links.size()) {}

  Time pass(LinkId link, Time ready, Bytes size) {
    const Time length = network_->link(link).transfer_time(size);
    while (!is_free(link, ready, length)) ++ready;
    std::vector<bool>& taken = taken_[link.index()];
    for (Time time = ready; time < ready + length; ++time) {
      const auto unit = static_cast<std::size_t>(time.count());
      if (taken.size() <= unit) taken.resize(unit + 1, false);
      taken[unit] = true;
    }
    return ready;
  }

 private:
  [[nodiscard]] bool is_free(LinkId link, Time start, Time length) const {
    const std::vector<bool>& taken = taken_[link.index()];
    for (Time time = start; time < start + length; ++time)
      if (static_cast<std::size_t>(time.count()) < taken.size() &&
          taken[static_cast<std::size_t>(time.count())])
        return false;
    return true;
  }

  const Network* network_;
  std::vector<std::vector<bool>> taken_;
};

/// A message from one processor to another one.
struct Sending {
  ProcessorId from, to;
  Bytes size;
  Time ready;
};

Sending random_message(Random& draw, std::size_t processors) {
  const auto place = [&] { return ProcessorId(draw.below(processors)); };
  return {place(), place(), Bytes{draw.below(3) == 0 ? 0 : draw.below(12)}, Time(draw.between(0, 60))};
}

TEST(LinkTraffic, agrees_with_a_table_of_every_tick) {
  Random draw(7);
  for (std::string_view text : {"delay:P=6,network=mesh:2x3,link=1+0.5", "delay:P=5,network=star:5",
                                "delay:P=4,network=ring:4,link=0+2", "delay:P=3,network=complete:3"}) {
    const logp::Machine machine = logp::parse_machine(text);
    const Platform& platform = machine.platform();
    const Routes routes(platform.network);
    LinkTraffic traffic(machine);
    Diary kept(platform.network);
    for (int round = 0; round < 60; ++round) {
      // Several messages are tried in sequence; most of these attempts are dropped.
      Diary tried = kept;
      for (std::uint64_t left = draw.below(8); left > 0; --left) {
        const Sending message = random_message(draw, machine.processor_count());
        std::vector<Hop> hops;
        const Time arrival = traffic.try_message(message.from, message.to, message.size, message.ready, hops);
        Time ready = message.ready;
        std::size_t passed = 0;
        for (LinkId link : routes.route(NodeId(platform.node_of[message.from.index()]),
                                        NodeId(platform.node_of[message.to.index()]))) {
          const Time start = tried.pass(link, ready, message.size);
          ready = start + platform.network.link(link).transfer_time(message.size);
          ASSERT_LT(passed, hops.size()) << text;
          EXPECT_EQ(hops[passed], (Hop{link, start, ready})) << text << ", round " << round;
          ++passed;
        }
        EXPECT_EQ(passed, hops.size()) << text;
        EXPECT_EQ(arrival, ready) << text;
      }
      if (draw.below(3) > 0) {
        traffic.drop();
      } else {
        traffic.keep();
        kept = tried;
      }
    }
  }
}

}  // namespace
}  // namespace takt::schedulers
