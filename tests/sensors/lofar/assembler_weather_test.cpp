/// Tests that every packet is either placed or in exactly one count, for any network behaviour. Streams that
/// are randomly delayed, thinned, duplicated and cut, compared with the set of arrived packets.

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "tests/sensors/lofar/station_support.hpp"

namespace takt::sensors {
namespace {

using test::Delivery;
using test::expected_frame;
using test::KeptFrame;
using test::payload_of;
using test::Station;
using test::station_payload;

/// The network's effects on a stream, by seed.
struct Weather {
  unsigned seed;
  std::size_t lanes;
  std::size_t packets;
  std::size_t window;
  double drop;
  double duplicate;
};

class LofarAssemblerInWeather : public testing::TestWithParam<Weather> {};

/// Packets are delayed by at most `window` packets: sorted by number plus a random delay, each is at most
/// that far behind the newest one.
std::vector<Delivery> deliveries_of(const Weather& weather, std::int64_t numbers, std::int64_t calm) {
  std::mt19937_64 random(weather.seed);
  const auto chance = [&](double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; };
  std::vector<std::pair<std::int64_t, Delivery>> order;
  for (std::int64_t number = 0; number < numbers; ++number)
    for (std::size_t lane = 0; lane < weather.lanes; ++lane) {
      if (number >= calm && chance(weather.drop)) continue;
      const int copies = number >= calm && chance(weather.duplicate) ? 2 : 1;
      for (int copy = 0; copy < copies; ++copy) {
        const auto delay = number < calm ? 0 : static_cast<std::int64_t>(random() % (weather.window + 1));
        order.push_back({number + delay, {lane, number}});
      }
    }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Delivery> deliveries;
  for (const auto& [when, delivery] : order) deliveries.push_back(delivery);
  return deliveries;
}

TEST_P(LofarAssemblerInWeather, frames_and_counts_depend_on_the_set_of_arrived_packets) {
  const Weather& weather = GetParam();
  const auto packets = static_cast<std::int64_t>(weather.packets);
  const std::vector<Delivery> deliveries = deliveries_of(weather, 40 * packets + 3, 20);
  Station station(weather.lanes, weather.packets, weather.window);
  std::set<std::pair<std::size_t, std::int64_t>> came;
  std::map<std::size_t, std::int64_t> last;
  for (const Delivery& delivery : deliveries) {
    station.deliver(delivery);
    came.insert({delivery.lane, delivery.number});
    last[delivery.lane] = std::max(last[delivery.lane], delivery.number);
  }
  station.finish();

  std::uint64_t lost = 0;
  std::int64_t newest = 0;
  for (const auto& [lane, number] : last) {
    newest = std::max(newest, number);
    for (std::int64_t n = 0; n < number; ++n) lost += !came.contains({lane, n});
  }
  const LofarCounts& counts = station.counts();
  EXPECT_EQ(counts.received.value(), came.size());
  EXPECT_EQ(counts.duplicate.value(), deliveries.size() - came.size());
  EXPECT_EQ(counts.lost.value(), lost);
  EXPECT_EQ(counts.late.value(), 0u);
  EXPECT_EQ(counts.early.value(), 0u);
  EXPECT_EQ(counts.implausible.value(), 0u);

  const std::vector<KeptFrame> frames = station.frames();
  std::size_t next = 0;
  for (std::int64_t first = 0; first <= newest; first += packets) {
    const test::Bytes expected = expected_frame(station.format(), came, first);
    std::uint32_t missing = 0;
    for (std::int64_t number = first; number < first + packets; ++number)
      for (std::size_t lane = 0; lane < weather.lanes; ++lane) missing += !came.contains({lane, number});
    if (missing == weather.lanes * weather.packets) continue;  // a frame without any packet is lost
    ASSERT_LT(next, frames.size());
    EXPECT_EQ(frames[next].header.sequence, static_cast<std::uint64_t>(first / packets));
    EXPECT_EQ(frames[next].header.missing_parts, missing);
    EXPECT_EQ(frames[next].bytes, expected) << "frame " << first / packets;
    ++next;
  }
  EXPECT_EQ(next, frames.size());
  EXPECT_EQ(counts.frames.value(), frames.size());
}

INSTANTIATE_TEST_SUITE_P(AnyWeather, LofarAssemblerInWeather,
                         testing::Values(Weather{1, 1, 8, 16, 0, 0}, Weather{2, 4, 16, 64, 0.05, 0.02},
                                         Weather{3, 2, 1, 16, 0.5, 0.1}, Weather{4, 3, 7, 5, 0.3, 0.3},
                                         Weather{5, 1, 32, 3, 0.9, 0}, Weather{6, 2, 5, 100, 0.01, 0.5},
                                         Weather{7, 4, 64, 1, 0.1, 0.1}, Weather{8, 1, 3, 1, 0.2, 0.2}),
                         [](const auto& test) { return "seed" + std::to_string(test.param.seed); });

/// Delays beyond the window: makes no claim which packets are in time, but no packet goes uncounted.
TEST(LofarAssembler, every_packet_is_counted_once_under_heavy_faults) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    constexpr std::size_t window = 12;
    Weather storm{seed, 2, 4, window * 3, 0.2, 0.2};
    const std::vector<Delivery> deliveries = deliveries_of(storm, 400, 40);
    Station station(storm.lanes, storm.packets, window);
    std::set<std::pair<std::size_t, std::int64_t>> came;
    for (const Delivery& delivery : deliveries) {
      station.deliver(delivery);
      came.insert({delivery.lane, delivery.number});
    }
    station.finish();
    const LofarCounts& counts = station.counts();
    EXPECT_EQ(counts.received.value() + counts.late.value() + counts.early.value() +
                  counts.implausible.value() + counts.duplicate.value(),
              deliveries.size());
    EXPECT_GT(counts.late.value(), 0u);

    std::uint64_t filled = 0;
    for (const KeptFrame& frame : station.frames())
      for (std::size_t p = 0; p < 4; ++p)
        for (std::size_t lane = 0; lane < 2; ++lane) {
          const auto number = static_cast<std::int64_t>(frame.header.sequence * 4 + p);
          const auto at = frame.bytes.begin() + static_cast<std::ptrdiff_t>((p * 2 + lane) * station_payload);
          const test::Bytes part(at, at + station_payload);
          if (part == payload_of(station_payload, lane, static_cast<std::uint64_t>(number)))
            ++filled;
          else
            EXPECT_EQ(part, test::Bytes(station_payload, std::byte{0}));
        }
    EXPECT_EQ(filled, counts.received.value());
  }
}

/// A receiver that does not keep up: each lane's buffer holds this many packets, and drops the rest when
/// it is full. Buffers then hold distant pieces of the stream, and one lane crosses a gap before another
/// does.
TEST(LofarAssembler, overload_is_loss_and_never_a_clock_jump) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937_64 random(seed);
    Station station(4, 1 + random() % 64, 64 + random() % 256);
    const std::size_t capacity = 100 + random() % 1000;
    std::vector<std::deque<std::int64_t>> buffers(4);
    std::uint64_t delivered = 0;
    std::int64_t now = 0;
    for (int step = 0; step < 300; ++step) {
      const auto burst = static_cast<std::int64_t>(random() % (step % 10 == 0 ? 3000 : 100));
      for (const std::int64_t end = now + burst; now < end; ++now)
        for (auto& buffer : buffers)
          if (buffer.size() < capacity) buffer.push_back(now);
      for (std::uint64_t rounds = random() % 4; rounds > 0; --rounds)
        for (std::size_t lane = 0; lane < 4; ++lane)
          for (int i = 0; i < 32 && !buffers[lane].empty(); ++i) {
            station.deliver({lane, buffers[lane].front()});
            buffers[lane].pop_front();
            ++delivered;
          }
      (void)station.frames();
    }
    station.finish();
    const LofarCounts& counts = station.counts();
    EXPECT_EQ(counts.jumps.value(), 0u);
    EXPECT_EQ(counts.duplicate.value(), 0u);
    EXPECT_EQ(
        counts.received.value() + counts.late.value() + counts.early.value() + counts.implausible.value(),
        delivered);
    EXPECT_GT(counts.lost.value(), counts.received.value());
    EXPECT_LT(counts.late.value() + counts.implausible.value(), delivered / 10);
  }
}

}  // namespace
}  // namespace takt::sensors
