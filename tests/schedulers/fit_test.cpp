/// Are exactly the graphs refused whose sums of times could overflow?

#include "schedulers/fit.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "logp/machine_yaml.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void expect_refused(const char* graph, const char* machine) {
  EXPECT_THAT([&] { check_fit(generate(graph), logp::parse_machine(machine)); },
              ThrowsMessage<ConfigError>(HasSubstr("can take up to")))
      << graph << " on " << machine;
}
void expect_accepted(const char* graph, const char* machine) {
  EXPECT_NO_THROW(check_fit(generate(graph), logp::parse_machine(machine))) << graph << " on " << machine;
}

TEST(Fit, counts_messages_on_the_links_of_a_network) {
  constexpr const char* graph = "chain:depth=2,data=100000000000000000";  // 1e17 each
  expect_accepted("chain:depth=2,data=1000", "contention:P=4");
  expect_accepted(graph, "logp:P=4,L=1");
  expect_accepted("chain:depth=2,data=30000000000000000", "contention:P=4");
  expect_refused(graph, "logp:P=4,L=1,network=ring:4,link=0+10");
  // Two messages, each over 32 links of a ring of 64, or over one of a complete network.
  expect_refused(graph, "logp:P=64,L=1,network=ring:64");
  expect_accepted(graph, "logp:P=8,L=1,network=complete:8");
  expect_accepted("chain:depth=2,data=100000000000000", "logp:P=64,L=1,network=ring:64");
  expect_accepted(graph, "logp:P=64,L=1,network=ring:64,link=5");
}

// A machine with expensive messages only from 1000 bytes on: the quick estimate must include them.
TEST(Fit, counts_the_most_expensive_segment_of_a_cost) {
  const auto machine = [](const char* latency) {
    return logp::machine_from_yaml(std::string("processors: 2\ncosts: {all: {latency: ") + latency + "}}",
                                   "m.yaml");
  };
  const TaskGraph graph = generate("chain:depth=100,data=2000");
  EXPECT_NO_THROW(check_fit(graph, machine("1")));
  EXPECT_THROW(check_fit(graph, machine("[{from: 0, cost: 1}, {from: 1000, cost: 90000000000000000}]")),
               ConfigError);
}

// The time of a message on a link is not clamped to 1e17.
TEST(LargeMessages, take_their_whole_time_on_a_link) {
  // The two in the middle finish earlier on two processors, although one of them gets its data late.
  const TaskGraph graph = generate(
      "fork_join:depth=1,width=2,cost=1/150000000000000000/150000000000000000/1,"
      "data=110000000000000000/110000000000000000/1/1");
  const logp::Machine machine = logp::parse_machine("contention:P=2");
  check_fit(graph, machine);
  for (const char* name : {"mh", "heft", "ca_list"}) {
    const Schedule made = find_scheduler(name).schedule(graph, machine, {});
    Time longest{0};
    for (const Hop& hop : made.hops) longest = std::max(longest, hop.end - hop.start);
    EXPECT_EQ(longest, Time{110'000'000'000'000'000}) << name;
  }
}

}  // namespace
}  // namespace takt::schedulers
