/// The emulator's streams of takt's own frames: receivers count the injected faults exactly, over every
/// transport.

#include "sensors/streams/wire_synthesis.hpp"

#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/gnuradio/messages.hpp"
#include "sensors/streams/message_outlets.hpp"
#include "sensors/streams/tcp_source.hpp"
#include "sensors/streams/wire_packets.hpp"
#include "sensors/streams/zmq_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace streams_wire_synthesis_test {

constexpr std::int64_t wired_second = 1'600'000'000;
const std::atomic<bool> never_stops{false};

FrameType wired_type() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"time", 50, {}}, {"channel", 2, {}}};
  type.rate_hz = 100;
  return type;
}

EmulatorOptions wired_faults(std::uint64_t packets) {
  EmulatorOptions options{.destinations = {{"127.0.0.1", 9}}, .speed = 0, .packets = packets, .seed = 5};
  options.faults = {.drop = 0.02, .duplicate = 0.05, .corrupt = 0.05};
  return options;
}

/// Feeds datagrams to a receiver's builder, and records the numbers of complete frames.
class BuilderOutlet final : public PacketOutlet {
 public:
  explicit BuilderOutlet(FrameBuilder& builder) : builder_(builder) {}
  void put(const LanePacket& packet) override {
    ++put_;
    const bool is_taken = builder_.take(0, packet.bytes, static_cast<std::int64_t>(put_));
    if (const auto head = read_fragment(packet.bytes); head && is_taken)
      pieces[head->message].insert(head->piece);
  }
  void flush() override {}
  [[nodiscard]] std::uint64_t datagrams() const override { return put_; }
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }
  std::map<std::uint64_t, std::set<std::uint32_t>> pieces;

 private:
  FrameBuilder& builder_;
  std::uint64_t put_ = 0;
};

TEST(WireSynthesis, faults_of_pieces_are_counted_one_by_one_and_the_end_is_received) {
  // 16 + 56 + 37 + 800 bytes in pieces of 300: four of them.
  constexpr std::uint64_t frames = 500, pieces = 4;
  WireSynthesis stream({.type = wired_type(), .payload_bytes = 300, .second = wired_second});
  EXPECT_EQ(stream.codec().packets_per_second(), 400);
  const PacketFormat format = wire_packets({.type = wired_type(), .payload_bytes = 300});
  FrameQueue queue(frames + 8, format.type.size());
  const auto builder = format.make_builder(queue);
  BuilderOutlet outlet(*builder);
  const EmulatorReport report = emulate(stream, outlet, wired_faults(frames * pieces), never_stops);
  EXPECT_FALSE(builder->is_over());
  for (int i = 0; i < 3; ++i) outlet.put(stream.end());
  EXPECT_TRUE(builder->is_over()) << "whatever is missing of the last frames";
  const SourceCounters counters = builder->counters();
  const auto count = [&](const char* name) { return test::value_of(counters.details, name); };
  ASSERT_EQ(report.packets, frames * pieces);
  EXPECT_EQ(count("pieces_received") - 1,
            report.packets - report.faults.dropped - report.faults.corrupted_in_all())
      << "and the end";
  EXPECT_EQ(count("refused_header"), report.faults.corrupted[0]);
  EXPECT_EQ(count("refused_size"), report.faults.corrupted[1]);
  EXPECT_EQ(count("refused_type"), report.faults.corrupted[2]);
  for (const std::uint64_t corrupted : report.faults.corrupted) EXPECT_GT(corrupted, 0U);
  // Of the three end messages one is accepted.
  EXPECT_EQ(count("pieces_duplicate") + count("pieces_late"), report.faults.duplicated + 2);
  const auto whole = static_cast<std::uint64_t>(
      std::ranges::count_if(outlet.pieces, [](const auto& frame) { return frame.second.size() == pieces; }));
  EXPECT_LT(whole, frames);
  EXPECT_EQ(counters.ingested, whole);
  const std::vector<test::KeptFrame> got = test::take_all(queue);
  ASSERT_EQ(got.size(), whole);
  EXPECT_EQ(counters.lost, got.back().header.sequence - got.front().header.sequence + 1 - whole);
  for (const test::KeptFrame& frame : got)
    EXPECT_EQ(frame.header.utc_ns,
              wired_second * 1'000'000'000 + static_cast<std::int64_t>(frame.header.sequence) * 10'000'000);
}

/// Sends while the source is polled, and compares its counters with the injected faults.
void expect_exact_counts(Source& source, const std::function<EmulatorReport()>& send) {
  EmulatorReport report;
  std::thread sending([&] { report = send(); });
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  sending.join();
  const SourceCounters counters = source.counters();
  const std::uint64_t bad = report.faults.dropped + report.faults.corrupted_in_all();
  EXPECT_EQ(report.packets, 1000U);
  EXPECT_GT(bad, 0U);
  EXPECT_EQ(frames.size(), report.packets - bad + report.faults.duplicated);
  EXPECT_EQ(counters.lost, bad);
  EXPECT_EQ(counters.dropped, 0U);
  EXPECT_EQ(test::value_of(counters.details, "messages_received"), frames.size());
  EXPECT_EQ(test::value_of(counters.details, "frames_out_of_order"), report.faults.duplicated);
  EXPECT_EQ(report.faults.corrupted[0], 0U);
  EXPECT_EQ(test::value_of(counters.details, "refused_size"), report.faults.corrupted[1]);
  EXPECT_EQ(test::value_of(counters.details, "refused_type"), report.faults.corrupted[2]);
}

TEST(WireSynthesis, faults_of_messages_are_counted_one_by_one_over_tcp) {
  WireSynthesis stream({.type = wired_type(), .second = wired_second});
  TcpOutlet server("127.0.0.1", 0, never_stops);
  TcpSourceOptions options;
  options.type = wired_type();
  options.server = "127.0.0.1:" + std::to_string(server.port());
  options.when_full = WhenFull::block;
  TcpSource source(options);
  source.start();
  expect_exact_counts(source, [&] {
    server.wait_for_receivers(1);
    EmulatorReport report = emulate(stream, server, wired_faults(1000), never_stops);
    server.put(stream.end());
    server.finish();
    return report;
  });
}

TEST(WireSynthesis, faults_of_messages_are_counted_one_by_one_over_zeromq) {
  WireSynthesis stream({.type = wired_type(), .second = wired_second});
  const test::TemporaryFolder folder;
  const std::string endpoint = "ipc://" + (folder / "push").string();
  ZmqOutlet push(endpoint, false, never_stops);
  ZmqSourceOptions options;
  options.type = wired_type();
  options.socket = {.endpoint = endpoint, .is_pipeline = true};
  options.when_full = WhenFull::block;
  ZmqSource source(options);
  source.start();
  expect_exact_counts(source, [&] {
    EmulatorReport report = emulate(stream, push, wired_faults(1000), never_stops);
    push.put(stream.end());
    return report;
  });
}

/// All receivers get everything, however slow they are.
TEST(WireSynthesis, goes_to_all_that_subscribe) {
  WireSynthesis stream({.type = wired_type(), .second = wired_second});
  const test::TemporaryFolder folder;
  const std::string endpoint = "ipc://" + (folder / "pub").string();
  ZmqOutlet pub(endpoint, true, never_stops);
  ZmqSourceOptions options;
  options.type = wired_type();
  options.socket = {.endpoint = endpoint};
  options.when_full = WhenFull::block;
  options.depth = 2;
  ZmqSource one(options), two(options);
  one.start();
  two.start();
  EmulatorReport report;
  std::thread sending([&] {
    pub.wait_for_receivers(2);
    EmulatorOptions all{.destinations = {{}}, .speed = 0, .packets = 500};
    report = emulate(stream, pub, all, never_stops);
    pub.put(stream.end());
  });
  std::size_t second = 0;
  std::thread taking([&] { second = test::take_all(two).size(); });
  const std::size_t first = test::take_all(one).size();
  taking.join();
  sending.join();
  EXPECT_EQ(report.packets, 500U);
  EXPECT_EQ(first, 500U);
  EXPECT_EQ(second, 500U);
}

TEST(GnuradioMessages, faults_are_counted_by_the_samples_that_they_cost) {
  constexpr std::uint64_t items = 64;
  GnuradioUdpFormat format{
      .type = {.element = ElementType::complex_float32, .axes = {{"time", items, {}}}, .rate_hz = 1000},
      .payload_bytes = items * 8};
  GnuradioMessages stream({.format = format, .second = wired_second});
  const test::TemporaryFolder folder;
  const std::string endpoint = "ipc://" + (folder / "items").string();
  ZmqOutlet push(endpoint, false, never_stops);
  ZmqSourceOptions options;
  options.type = format.type;
  options.format = ZmqFormat::gnuradio_tags;
  options.socket = {.endpoint = endpoint, .is_pipeline = true};
  options.when_full = WhenFull::block;
  options.depth = 2000;
  ZmqSource source(options);
  source.start();
  const EmulatorReport report = emulate(stream, push, wired_faults(1000), never_stops);
  const auto count = [&](const char* name) { return test::value_of(source.counters().details, name); };
  const std::uint64_t bad = report.faults.dropped + report.faults.corrupted_in_all();
  const std::uint64_t samples = items * (report.packets - bad + report.faults.duplicated);
  // Items have no end: the last message is a valid one.
  for (int i = 0; i < 20'000 && count("samples_received") < samples; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  source.stop();
  (void)test::take_all(source);
  EXPECT_GT(bad, 0U);
  EXPECT_EQ(count("samples_received"), samples);
  EXPECT_EQ(count("samples_missing"), items * bad);
  EXPECT_EQ(count("refused_header"), report.faults.corrupted[0]);
  EXPECT_EQ(count("clock_jumps"), report.faults.duplicated);
}

TEST(WireSynthesis, a_step_of_the_clock_moves_frames_by_whole_ones) {
  WireSynthesis stream({.type = wired_type(), .payload_bytes = 300, .second = wired_second});
  const auto first = stream.next();
  std::vector<std::byte> piece(first->bytes.begin(), first->bytes.end());
  EXPECT_EQ(stream.codec().utc_of(piece), wired_second * 1'000'000'000);
  EXPECT_TRUE(stream.codec().shift(piece, 40));
  FrameHeader header;
  std::memcpy(static_cast<void*>(&header), piece.data() + fragment_head_bytes + wire_head_bytes,
              written_header_bytes);
  EXPECT_EQ(header.sequence, 10U) << "of four pieces each";
  EXPECT_EQ(header.utc_ns, wired_second * 1'000'000'000 + 100'000'000);
  EXPECT_FALSE(stream.codec().shift(piece, -44)) << "before the first one";
  const auto second = stream.next();
  EXPECT_EQ(stream.codec().utc_of(second->bytes), wired_second * 1'000'000'000 + 2'500'000);
}

}  // namespace streams_wire_synthesis_test
}  // namespace takt::sensors
