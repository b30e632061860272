/// The emulator's SeedLink server, tested by the protocol's bytes and by takt's client with exact counts.

#include "sensors/mseed/seedlink_server.hpp"

#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/frames/channel_latency.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/mseed/seedlink_source.hpp"
#include "sensors/mseed/synthesis.hpp"
#include "sensors/transport/tcp_stream.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace mseed_seedlink_server_test {

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr std::int64_t served_second = 1'600'000'000;
const std::vector<std::string> served_channels{"NL.HGN.00.HHZ", "NL.HGN.00.HHN", "NL.WIT..HHZ"};
const std::atomic<bool> never{false}, at_once{true};

MseedSynthesisOptions served_stream() {
  return {.channels = served_channels, .second = served_second};
}

/// Sends lines and reads bytes of the protocol.
class PlainClient {
 public:
  explicit PlainClient(std::uint16_t port) {
    stream_.connect({"127.0.0.1", std::to_string(port)}, std::chrono::seconds(10));
  }
  /// Returns this many bytes of the answer, or all until the server closes the connection.
  std::string say(const std::string& line, std::size_t bytes) {
    if (!line.empty()) stream_.send(line + "\r\n");
    return read(bytes);
  }
  std::string read(std::size_t bytes) {
    while (stream_.received().size() < bytes &&
           (stream_.receive(std::chrono::seconds(10)) || !stream_.is_over()))
      continue;
    const auto got = stream_.received();
    const std::string text(reinterpret_cast<const char*>(got.data()), std::min(bytes, got.size()));
    stream_.take(text.size());
    return text;
  }

 private:
  TcpStream stream_;
};

TEST(SeedlinkServer, follows_the_protocol) {
  SeedlinkServer server({.channels = served_channels});
  MseedSynthesis stream(served_stream());
  std::vector<std::string> records;
  for (int i = 0; i < 12; ++i) {
    const LanePacket packet = *stream.next();
    records.emplace_back(reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size());
    server.put(packet);
  }
  PlainClient client(server.port());
  EXPECT_THAT(client.say("HELLO", 48), StartsWith("SeedLink v3.1 (takt)"));
  EXPECT_EQ(client.say("STATION ABC NL", 7), "ERROR\r\n");
  EXPECT_EQ(client.say("SELECT 00HH", 7), "ERROR\r\n");
  EXPECT_EQ(client.say("INFO ID", 7), "ERROR\r\n");
  EXPECT_EQ(client.say("STATION HGN NL", 4), "OK\r\n");
  EXPECT_EQ(client.say("SELECT 00??N", 4), "OK\r\n");
  EXPECT_EQ(client.say("DATA 00000G", 7), "ERROR\r\n");
  // Records 2, 5, 8, 11 belong to HHN: from the third one on.
  EXPECT_EQ(client.say("DATA 000003", 4), "OK\r\n");
  EXPECT_EQ(client.say("END", 520), "SL000005" + records[4]);
  EXPECT_EQ(client.read(520), "SL000008" + records[7]);
  EXPECT_EQ(client.read(520), "SL00000B" + records[10]);
  server.put(*stream.next());
  const LanePacket live = *stream.next();
  const std::string of_live(reinterpret_cast<const char*>(live.bytes.data()), live.bytes.size());
  server.put(live);
  EXPECT_EQ(client.read(520), "SL00000E" + of_live);
  server.finish(at_once);
  EXPECT_EQ(client.read(100), "END");
}

TEST(SeedlinkServer, a_single_station_needs_no_name_and_discarded_records_are_missed) {
  SeedlinkServer server({.channels = served_channels, .keep = 6});
  MseedSynthesis stream(served_stream());
  for (int i = 0; i < 12; ++i) server.put(*stream.next());
  PlainClient client(server.port());
  EXPECT_EQ(client.say("SELECT HHZ.D", 4), "OK\r\n");
  // 7 to 12 are available; 7 and 10 are HGN's, 9 and 12 WIT's.
  const std::string got = client.say("FETCH 000001", 4 * 520 + 3);
  ASSERT_EQ(got.size(), 4U * 520 + 3);
  EXPECT_EQ(got.substr(0, 8) + got.substr(520, 8) + got.substr(1040, 8) + got.substr(1560, 8),
            "SL000007SL000009SL00000ASL00000C");
  EXPECT_THAT(got, testing::EndsWith("END"));
  PlainClient long_winded(server.port());
  EXPECT_EQ(long_winded.say(std::string(2000, 'A'), 1), "") << "closed";
}

TEST(SeedlinkServer, a_blocked_client_misses_records_and_delays_others_briefly) {
  SeedlinkServer server(
      {.channels = served_channels, .keep = 1000, .patience = std::chrono::milliseconds(1)});
  PlainClient client(server.port());
  EXPECT_EQ(client.say("SELECT HHZ", 4), "OK\r\n");
  client.say("DATA", 0);
  server.wait_for_clients(1, never);
  MseedSynthesis stream(served_stream());
  const LanePacket packet = *stream.next();
  // 20 MB, more than the buffers of a connection.
  constexpr std::size_t put = 40'000;
  for (std::size_t i = 0; i < put; ++i) server.put(packet);
  server.finish(at_once);
  std::size_t records = 0;
  std::string last, head;
  for (; (head = client.read(8)).starts_with("SL"); ++records) {
    EXPECT_GT(head, last);
    EXPECT_EQ(client.read(512).size(), 512U);
    last = head;
  }
  EXPECT_EQ(head, "END");
  EXPECT_GT(records, 0U);
  EXPECT_LT(records, put);
}

TEST(SeedlinkServer, a_client_counts_the_faults_of_the_records) {
  SeedlinkServer server({.channels = served_channels});
  MseedSynthesis stream(served_stream());
  SeedlinkOptions options;
  options.server = "127.0.0.1:" + std::to_string(server.port());
  options.channels = served_channels;
  options.grid = {.rows = 100, .rate_hz = 100};
  options.depth = 400;
  SeedlinkSource source(options);
  source.start();
  server.wait_for_clients(1, never);
  EmulatorOptions emulator{.speed = 0, .packets = 200};
  emulator.destinations.assign(served_channels.size(), {"127.0.0.1", server.port()});
  emulator.faults = {.drop = 0.1, .duplicate = 0.1, .corrupt = 0.05};
  const EmulatorReport report = emulate(stream, server, emulator, never);
  server.finish(never);
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  const SourceCounters counters = source.counters();
  constexpr std::uint64_t each = MseedSynthesis::samples_per_record;
  EXPECT_EQ(report.packets, 600U);
  EXPECT_GT(report.faults.dropped, 0U);
  EXPECT_EQ(test::value_of(counters.details, "samples_taken"),
            each * (report.packets - report.faults.dropped - report.faults.corrupted_in_all()));
  EXPECT_EQ(test::value_of(counters.details, "samples_duplicate"), each * report.faults.duplicated);
  EXPECT_EQ(test::value_of(counters.details, "refused_damaged"), report.faults.corrupted_in_all());
  EXPECT_EQ(test::value_of(counters.details, "seedlink_version"), 3U);
  EXPECT_EQ(test::value_of(counters.details, "bytes_astray"), 0U);
  const auto holed = std::ranges::count_if(
      frames, [](const test::KeptFrame& frame) { return frame.header.missing_parts > 0; });
  EXPECT_EQ(counters.incomplete, static_cast<std::uint64_t>(holed)) << "the end cut nothing off";
  EXPECT_EQ(test::value_of(counters.details, "frames_cut_off"), 0U);
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames.front().header.utc_ns, served_second * 1'000'000'000);
  EXPECT_EQ(frames.back().header.utc_ns, (served_second + 199) * 1'000'000'000) << "the last ones are spared";
}

/// Records of a second from 2020, which arrive now: each latency is known within the duration of the test.
TEST(SeedlinkServer, a_client_measures_the_latency_of_each_channel) {
  SeedlinkServer server({.channels = served_channels});
  MseedSynthesis stream(served_stream());
  SeedlinkOptions options;
  options.server = "127.0.0.1:" + std::to_string(server.port());
  // The third channel has no record.
  options.channels = served_channels;
  options.grid = {.rows = 100, .rate_hz = 100};
  SeedlinkSource source(options);
  const std::int64_t before = utc_now_ns();
  source.start();
  server.wait_for_clients(1, never);
  for (int i = 0; i < 9; ++i) {
    const LanePacket packet = *stream.next();
    if (i % 3 != 2) server.put(packet);
  }
  server.finish(never);
  (void)test::take_all(source);
  const std::int64_t after = utc_now_ns();
  SourceCounters counters = source.counters();
  const std::vector<ChannelLatency> latencies = take_channel_latencies(counters.details);
  ASSERT_EQ(latencies.size(), 2U);
  for (const Counter& counter : counters.details) EXPECT_EQ(counter.name.find('['), std::string::npos);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(latencies[i].channel, served_channels[i]);
    EXPECT_EQ(latencies[i].records, 3U);
    // The last samples are 0.99 s, 1.99 s and 2.99 s after the first second.
    const std::int64_t first = served_second * 1'000'000'000 + 990'000'000;
    EXPECT_GE(latencies[i].longest.count(), before - first);
    EXPECT_LE(latencies[i].longest.count(), after - first);
    EXPECT_GE(latencies[i].sum.count(), 3 * (before - first) - 3'000'000'000);
    EXPECT_LE(latencies[i].sum.count(), 3 * (after - first) - 3'000'000'000);
    EXPECT_EQ(latencies[i].mean(), latencies[i].sum / 3);
  }
  // The clock of a station may be ahead.
  ChannelLatencyTally ahead;
  ahead.count(2'000, 1'000);
  std::vector<Counter> zero;
  ahead.report("A", zero);
  EXPECT_EQ(take_channel_latencies(zero).at(0).longest, Time{0});
  EXPECT_TRUE(zero.empty());
}

TEST(MseedCodec, moves_a_record_in_time) {
  MseedSynthesis stream(served_stream());
  const LanePacket packet = *stream.next();
  std::vector<std::byte> record(packet.bytes.begin(), packet.bytes.end());
  EXPECT_EQ(channel_in_header(record), "NL.HGN.00.HHZ");
  EXPECT_EQ(stream.codec().utc_of(record), served_second * 1'000'000'000);
  // Over the end of a leap year and back: a record lasts a second.
  for (const std::int64_t step : {std::int64_t{109} * 86'400, -std::int64_t{400} * 86'400}) {
    const std::int64_t before = *stream.codec().utc_of(record);
    EXPECT_TRUE(stream.codec().shift(record, step));
    EXPECT_EQ(stream.codec().utc_of(record), before + step * 1'000'000'000);
  }
  EXPECT_FALSE(stream.codec().shift(record, -std::int64_t{60} * 366 * 86'400)) << "before 1970";
}

TEST(MseedCodec, impossible_times_are_damage) {
  MseedSynthesis stream(served_stream());
  const LanePacket packet = *stream.next();
  std::vector<std::byte> record(packet.bytes.begin(), packet.bytes.end());
  EXPECT_TRUE(decode_record(record, true));
  // The year, big-endian: 2^63 ns from 1970 are less than 293 years.
  constexpr std::size_t year_at = 20;
  for (const int year : {1, 1000, 1700, 2250}) {
    record[year_at] = static_cast<std::byte>(year >> 8);
    record[year_at + 1] = static_cast<std::byte>(year);
    EXPECT_FALSE(decode_record(record, true)) << year;
  }
}

TEST(MseedCodec, records_with_excessive_sample_counts_are_damaged) {
  MseedSynthesis stream(served_stream());
  const LanePacket packet = *stream.next();
  std::vector<std::byte> record(packet.bytes.begin(), packet.bytes.end());
  // The number of samples, their offset, and, in blockette 1000 after the header, their encoding.
  constexpr std::size_t samples_at = 30, data_at = 44, encoding_at = 52;
  const auto put = [&](std::size_t at, int value) {
    record[at] = static_cast<std::byte>(value >> 8);
    record[at + 1] = static_cast<std::byte>(value);
  };
  for (const int encoding : {0, 1, 3, 4, 5, 10, 11, 12, 13, 14, 16, 30, 32}) {
    record[encoding_at] = static_cast<std::byte>(encoding);
    put(samples_at, 5000);
    EXPECT_FALSE(decode_record(record, true)) << encoding;
  }
  record[encoding_at] = std::byte{3};
  put(samples_at, 100);
  EXPECT_TRUE(decode_record(record, true)) << "integers of 32 bits";
  put(data_at, 400);
  EXPECT_FALSE(decode_record(record, true)) << "112 bytes are left";
}

TEST(MseedRecording, records_that_seedlink_3_cannot_carry_are_refused) {
  RecordWriter writer("NL.HGN.00.HHZ", 100, TraceEncoding::steim2, MseedVersion::three);
  std::vector<std::byte> records;
  writer.put(0, std::vector<float>(100, 1), records);
  writer.flush(records);
  test::TemporaryFolder folder;
  const std::string file =
      folder.file("three.mseed", {reinterpret_cast<const char*>(records.data()), records.size()});
  EXPECT_THAT([&] { MseedRecording({file}, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("expected miniSEED 2")));
}

}  // namespace mseed_seedlink_server_test
}  // namespace takt::sensors
