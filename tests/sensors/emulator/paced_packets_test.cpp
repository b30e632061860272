/// Tests the sending time of each packet, for any protocol and rate, on a virtual clock.

#include "sensors/emulator/paced_packets.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>

#include <gmock/gmock.h>

#include "sensors/emulator/emulator.hpp"
#include "sensors/gnuradio/codec.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/mseed/synthesis.hpp"
#include "sensors/spead/synthesis.hpp"
#include "sensors/streams/wire_synthesis.hpp"
#include "sensors/vdif/synthesis.hpp"

namespace takt::sensors {
namespace emulator_paced_packets_test {

using testing::ElementsAre;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t first_second = 1'700'000'000;
/// Largest delay of packets for batching.
constexpr double quantum_s = 0.0003;

/// A virtual clock that advances only by sleeping.
class TestClock final : public PaceClock {
 public:
  std::int64_t now_ns() override { return now_; }
  void sleep_until(std::int64_t moment_ns, const std::atomic<bool>&) override {
    now_ = std::max(now_, moment_ns);
  }

 private:
  std::int64_t now_ = 123'456'789;
};

/// Records the arrival time of each packet.
class TestOutlet final : public PacketOutlet {
 public:
  explicit TestOutlet(PaceClock& clock) : clock_(clock), began_(clock.now_ns()) {}
  void put(const LanePacket&) override {
    arrivals_s.push_back(static_cast<double>(clock_.now_ns() - began_) * 1e-9);
  }
  void flush() override {}
  [[nodiscard]] std::uint64_t datagrams() const override { return arrivals_s.size(); }
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }

  std::vector<double> arrivals_s;

 private:
  PaceClock& clock_;
  const std::int64_t began_;
};

/// Returns the sending times in seconds.
std::vector<double> sent(PacketStream& stream, EmulatorOptions options) {
  TestClock clock;
  TestOutlet outlet(clock);
  options.clock = &clock;
  if (options.destinations.empty()) options.destinations = {{}};
  (void)emulate(stream, outlet, options, std::atomic<bool>(false));
  return outlet.arrivals_s;
}

struct SlowStream {
  const char* name;
  /// Packets per second of each lane, and lanes.
  double rate;
  std::size_t lanes;
  std::function<std::unique_ptr<PacketStream>()> make;
};

std::ostream& operator<<(std::ostream& out, const SlowStream& stream) {
  return out << stream.name;
}

std::unique_ptr<PacketStream> traces(double rate_hz) {
  return std::make_unique<MseedSynthesis>(MseedSynthesisOptions{
      .channels = {"NL.HGN.00.BHZ", "NL.WIT.00.BHZ"}, .rate_hz = rate_hz, .second = first_second});
}

std::vector<SlowStream> slow_streams() {
  return {
      {"seedlink_100_hz", 1, 2, [] { return traces(100); }},
      {"seedlink_40_hz", 0.4, 2, [] { return traces(40); }},
      {"seedlink_1_hz", 0.01, 2, [] { return traces(1); }},
      {"vdif_32_khz", 1, 2,
       [] {
         VdifSynthesisOptions options;
         options.format.threads = {0, 1};
         options.format.bits = 2;
         options.format.payload_bytes = 8000;
         options.format.sample_hz = 32'000;
         options.second = first_second;
         return std::make_unique<VdifSynthesis>(options);
       }},
      {"takt_1_hz", 1, 1,
       [] {
         WireSynthesisOptions options;
         options.type = {.element = ElementType::float32, .axes = {{"time", 10, {}}}, .rate_hz = 1};
         options.second = first_second;
         return std::make_unique<WireSynthesis>(options);
       }},
      {"spead_half_hz", 0.5, 1,
       [] {
         SpeadSynthesisOptions options;
         options.format.element = ElementType::complex_int8;
         options.format.frame = {
             .element = ElementType::complex_int8, .axes = {{"time", 500, {}}}, .rate_hz = 0.5};
         options.format.payload_bytes = 1432;
         options.second = first_second;
         return std::make_unique<SpeadSynthesis>(options);
       }},
      {"gnuradio_tenth_hz", 0.1, 1,
       [] {
         GnuradioSynthesisOptions options;
         options.format.type = {
             .element = ElementType::complex_float32, .axes = {{"time", 100, {}}}, .rate_hz = 0.1};
         options.format.payload_bytes = 800;
         options.format.has_sequence = true;
         options.second = first_second;
         return std::make_unique<GnuradioSynthesis>(options);
       }},
  };
}

class SlowStreams : public testing::TestWithParam<SlowStream> {};

TEST_P(SlowStreams, leave_at_their_own_times) {
  const SlowStream& slow = GetParam();
  for (const double speed : {1.0, 0.25, 20.0}) {
    const auto stream = slow.make();
    EXPECT_DOUBLE_EQ(stream->codec().packets_per_second(), slow.rate);
    const std::vector<double> came =
        sent(*stream, {.destinations = std::vector<Destination>(slow.lanes), .speed = speed, .packets = 12});
    ASSERT_EQ(came.size(), 12 * slow.lanes);
    for (std::size_t i = 0; i < came.size(); ++i)
      EXPECT_NEAR(came[i], std::floor(static_cast<double>(i / slow.lanes)) / slow.rate / speed, 2 * quantum_s)
          << "packet " << i << " at speed " << speed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SlowStreams, testing::ValuesIn(slow_streams()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PacedPackets, a_miniseed_file_is_sent_in_real_time) {
  const std::string file = testing::TempDir() + "/paced_packets_test.mseed";
  {
    const auto stream = traces(40);
    std::ofstream out(file, std::ios::binary);
    for (int i = 0; i < 2 * 30; ++i) {
      const auto packet = stream->next();
      out.write(reinterpret_cast<const char*>(packet->bytes.data()),
                static_cast<std::streamsize>(packet->bytes.size()));
    }
  }
  for (const double speed : {1.0, 16.0}) {
    MseedRecording recording({file}, {});
    const std::vector<double> came =
        sent(recording, {.destinations = std::vector<Destination>(2), .speed = speed});
    ASSERT_EQ(came.size(), 60u);
    EXPECT_NEAR(came.back(), 29 * 2.5 / speed, 2 * quantum_s);
  }
  std::filesystem::remove(file);
}

/// The bytes of a packet are its time: nanoseconds, as an int64; an empty packet has none.
class TimedCodec final : public PacketCodec {
 public:
  explicit TimedCodec(double rate) : rate_(rate) {}
  [[nodiscard]] double packets_per_second() const override { return rate_; }
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override {
    std::int64_t utc = 0;
    if (packet.size() != sizeof utc) return {};
    std::memcpy(&utc, packet.data(), sizeof utc);
    return utc;
  }
  [[nodiscard]] std::span<const std::string_view> causes() const override { return {}; }
  std::size_t damage(std::vector<std::byte>&, std::uint64_t) const override { return 0; }

 private:
  double rate_;
};

class TimedStream final : public PacketStream {
 public:
  TimedStream(double rate, std::vector<std::int64_t> times) : codec_(rate), times_(std::move(times)) {}
  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override {
    if (number_ == times_.size()) return {};
    return LanePacket{0, std::as_bytes(std::span(times_).subspan(number_++, 1))};
  }

 private:
  TimedCodec codec_;
  std::vector<std::int64_t> times_;
  std::size_t number_ = 0;
};

/// Returns the due times, in rounded seconds, of packets with these times in seconds.
std::vector<std::int64_t> due(double rate, std::vector<std::int64_t> seconds, double speed = 1) {
  for (std::int64_t& second : seconds) second = second * second_ns + first_second * second_ns;
  TimedStream stream(rate, std::move(seconds));
  PacedPackets paced(stream, speed, 0);
  std::vector<std::int64_t> dues;
  while (const auto packet = paced.next())
    dues.push_back(std::llround(static_cast<double>(packet->due_ns) / second_ns));
  return dues;
}

TEST(PacedPackets, a_gap_in_a_recording_lasts_as_long_as_it_did) {
  EXPECT_THAT(due(1, {0, 1, 2, 3602, 3603, 3604}), ElementsAre(0, 1, 2, 3602, 3603, 3604));
  EXPECT_THAT(due(1, {0, 10, 20, 3620, 3630}, 10), ElementsAre(0, 1, 2, 362, 363));
}

TEST(PacedPackets, a_damaged_time_delays_no_packet) {
  EXPECT_THAT(due(0.1, {0, 10, 900'000, 30, 40, 50}), ElementsAre(0, 10, 10, 30, 40, 50));
  EXPECT_THAT(due(0.1, {0, 10, -900'000, 30, 40, 50}), ElementsAre(0, 10, 10, 30, 40, 50));
  EXPECT_THAT(due(0.1, {0, 10, 900'000, 800'000, 40, 50, 60, 70, 80, 90}),
              ElementsAre(0, 10, 10, 10, 40, 50, 60, 70, 80, 90));
}

TEST(PacedPackets, a_damaged_first_or_last_time_costs_the_usual_distance_at_most) {
  EXPECT_THAT(due(0.1, {-900'000, 10, 20, 30}), ElementsAre(0, 10, 20, 30));
  EXPECT_THAT(due(0.1, {900'000, 10, 20, 30}), ElementsAre(0, 0, 10, 20));
  EXPECT_THAT(due(0.1, {0, 10, 20, 900'000}), ElementsAre(0, 10, 20, 30));
}

TEST(PacedPackets, a_clock_set_back_continues_from_the_last_time) {
  EXPECT_THAT(due(0.1, {1000, 1010, 1020, 500, 510, 520}), ElementsAre(0, 10, 20, 20, 30, 40));
}

TEST(PacedPackets, extreme_times_are_only_distant) {
  const auto least = std::numeric_limits<std::int64_t>::min(),
             most = std::numeric_limits<std::int64_t>::max();
  TimedStream stream(1, {0, most, second_ns, least, 2 * second_ns, 3 * second_ns, 4 * second_ns});
  PacedPackets paced(stream, 1e-3, 0);
  std::int64_t last = 0;
  while (const auto packet = paced.next()) last = packet->due_ns;
  EXPECT_EQ(last, 4000 * second_ns);
}

TEST(PacedPackets, long_waits_are_announced) {
  TimedStream stream(1, {0, second_ns, 61 * second_ns, 62 * second_ns, 63 * second_ns});
  std::vector<Time> waits;
  (void)sent(stream, {.on_long_wait = [&](Time wait) { waits.push_back(wait); }});
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_NEAR(std::chrono::duration<double>(waits.front()).count(), 60, 2 * quantum_s);
}

}  // namespace emulator_paced_packets_test
}  // namespace takt::sensors
