/// miniSEED and SeedLink: real recordings, files written and read back, a server that drops connections.

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/mseed/file_source.hpp"
#include "sensors/mseed/record_writer.hpp"
#include "sensors/mseed/seedlink_source.hpp"
#include "sensors/mseed/sink.hpp"
#include "sensors/option_error.hpp"
#include "sensors/transport/tcp_stream.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace mseed_mseed_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::filesystem::path mseed_recording(const char* name) {
  const std::filesystem::path folder = test::test_data();
  return !folder.empty() && std::filesystem::exists(folder / "mseed" / name) ? folder / "mseed" / name
                                                                             : std::filesystem::path();
}

struct Totals {
  std::uint64_t samples = 0;
  double sum = 0;
};

/// Totals of each channel over its existing samples.
std::vector<Totals> totals_of(const std::vector<test::KeptFrame>& frames, std::size_t channels) {
  std::vector<Totals> totals(channels);
  for (const test::KeptFrame& frame : frames) {
    const auto* const values = reinterpret_cast<const float*>(frame.bytes.data());
    for (std::size_t i = 0; i < frame.bytes.size() / sizeof(float); ++i)
      if (!std::isnan(values[i])) {
        ++totals[i % channels].samples;
        totals[i % channels].sum += values[i];
      }
  }
  return totals;
}

TEST(Mseed, recordings_have_the_sums_of_other_programs) {
  const std::filesystem::path gaps = mseed_recording("gaps.mseed");
  if (gaps.empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA";
  MseedFileSource source({.files = {gaps}, .rows = 50});
  source.start();
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  const std::vector<Totals> totals = totals_of(frames, 1);
  EXPECT_EQ(totals[0].samples, 52'728U);
  EXPECT_EQ(totals[0].sum, -20'781'450);
  // The first sample: 2007-12-31T23:59:59.915, with the record's correction of -0.15 s. Frames begin at whole
  // seconds since 1970, on that sample's grid.
  const auto* const first = reinterpret_cast<const float*>(frames[0].bytes.data());
  const auto row = std::find_if(first, first + 50, [](float x) { return !std::isnan(x); }) - first;
  const double rate = source.type().rate_hz * 50;
  EXPECT_NEAR(static_cast<double>(frames[0].header.utc_ns - 1'199'145'599'915'000'000) / 1e9,
              -static_cast<double>(row) / rate, 1e-6);
  // Gaps of 2.06, 2.06 and 4.12 s: at 200 samples/s 412, 412 and 824 samples.
  const std::uint64_t last_row = frames.back().header.sequence * 50;
  std::uint64_t missing = 0;
  for (const auto& frame : frames) missing += frame.header.missing_parts;
  missing += (frames.back().header.sequence + 1 - frames.size()) * 50;
  EXPECT_GE(last_row, 52'728U);
  EXPECT_NEAR(static_cast<double>(missing) - static_cast<double>(row) -
                  static_cast<double>(test::value_of(source.counters().details, "frames_cut_off") > 0
                                          ? frames.back().header.missing_parts
                                          : 0),
              std::round(8.24 * rate) - 3, 3);
}

TEST(Mseed, channels_are_aligned_by_their_times) {
  const std::filesystem::path two = mseed_recording("CH.BALST..LH_two_channels"),
                              one = mseed_recording("test.mseed");
  if (two.empty() || one.empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA";
  MseedFileSource source({.files = {two}});
  ASSERT_EQ(source.channels().size(), 2U);
  source.start();
  std::vector<Totals> totals = totals_of(test::take_all(source), 2);
  std::ranges::sort(totals, {}, &Totals::samples);
  EXPECT_EQ(totals[0].samples, 86'343U);
  EXPECT_EQ(totals[0].sum, -64'713'856);
  EXPECT_EQ(totals[1].samples, 86'547U);
  EXPECT_EQ(totals[1].sum, 24'088'127);

  MseedFileSource single({.files = {one}});
  single.start();
  const std::vector<Totals> alone = totals_of(test::take_all(single), 1);
  EXPECT_EQ(alone[0].samples, 11'947U);
  EXPECT_EQ(alone[0].sum, 33'241'452);
}

TEST(Mseed, repeated_nan_samples_count_once) {
  const TraceGrid grid{.channels = 1, .rows = 4, .rate_hz = 1};
  FrameQueue queue(8, trace_frame_type(grid).size());
  TraceCounts counts;
  TraceJoiner joiner(grid, counts, queue);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> first{1, nan, nan}, again{5, nan, 3};
  for (const auto& samples : {first, first, again}) joiner.take(0, 1'000'000'000'000, samples, 0);
  joiner.finish(0);
  const auto frames = test::take_all(queue);
  ASSERT_EQ(frames.size(), 1U);
  const auto* const values = reinterpret_cast<const float*>(frames[0].bytes.data());
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
  // A later number does not replace an earlier one.
  EXPECT_EQ(values[2], 3);
  EXPECT_EQ(frames[0].header.missing_parts, 1U) << "the fourth, of which nothing came";
  EXPECT_EQ(counts.taken.value(), 3U);
  EXPECT_EQ(counts.duplicate.value(), 6U);
}

TEST(Mseed, damaged_files_yield_complete_records_and_count_the_rest) {
  const std::filesystem::path broken = mseed_recording("brokenlastrecord.mseed"),
                              steim = mseed_recording("steim2.mseed");
  if (broken.empty() || steim.empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA";
  MseedFileSource source({.files = {broken}});
  source.start();
  EXPECT_FALSE(test::take_all(source).empty());
  EXPECT_GT(test::value_of(source.counters().details, "bytes_left_over") +
                test::value_of(source.counters().details, "refused_damaged"),
            0U);
  // Any bytes may be wrong: nothing crashes, and nothing is read twice.
  const std::string good = test::read_file(steim);
  std::mt19937 random(4);
  test::TemporaryFolder folder;
  for (int i = 0; i < 60; ++i) {
    std::string bad = good;
    for (int k = 0; k < 8; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    if (i % 3 == 0) bad.resize(random() % bad.size());
    const std::string path = folder.file("bad.mseed", bad);
    try {
      MseedFileSource each({.files = {path}});
      each.start();
      (void)test::take_all(each);
    } catch (const ConfigError&) {
      // It contained no record, or its rates or sizes are impossible.
    }
  }
  EXPECT_THAT([&] { MseedFileSource({.files = {folder.file("a", "no records in here, none at all")}}); },
              ThrowsMessage<ConfigError>(HasSubstr("holds no miniSEED record")));
  EXPECT_THAT([&] { MseedFileSource({.files = {steim}, .channels = {"XX.NO..BHZ"}}); },
              ThrowsMessage<ConfigError>(HasSubstr("unknown channel 'XX.NO..BHZ'")));
}

FrameType traces_type(std::size_t rows, std::size_t channels, double rate) {
  return trace_frame_type({.channels = channels, .rows = rows, .rate_hz = rate});
}

/// Frames of a slow wave with noise, as integers; some samples and a frame are missing.
std::vector<std::vector<float>> made_traces(std::size_t frames, std::size_t rows, std::size_t channels) {
  std::mt19937 random(8);
  std::vector<std::vector<float>> all(frames);
  for (std::size_t k = 0; k < frames; ++k)
    for (std::size_t i = 0; i < rows * channels; ++i)
      all[k].push_back(std::round(2000 * std::sin(static_cast<float>(k * rows + i / channels) * 0.05F)) +
                       static_cast<float>(random() % 50));
  return all;
}

constexpr std::int64_t start_utc = 1'600'000'000'000'000'000;

TEST(Mseed, written_samples_are_read_back_exactly) {
  const test::TemporaryFolder folder;
  for (const TraceEncoding encoding : {TraceEncoding::steim2, TraceEncoding::int32, TraceEncoding::float32}) {
    const std::filesystem::path path = folder / ("t" + std::to_string(static_cast<int>(encoding)) + ".mseed");
    const FrameType type = traces_type(100, 2, 100);
    MseedSink sink(
        {.output = {.path = path}, .channels = {"NL.HGN.00.BHZ", "NL.HGN..BHN"}, .encoding = encoding}, type);
    sink.open();
    auto frames = made_traces(40, 100, 2);
    frames[7][55] = std::nanf("");
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (k == 20) continue;
      FrameHeader header{.sequence = k, .utc_ns = start_utc + static_cast<std::int64_t>(k) * 1'000'000'000};
      sink.write({&header, std::as_bytes(std::span(frames[k]))});
    }
    sink.close();
    MseedFileSource source({.files = {path}, .channels = {"NL.HGN.00.BHZ", "NL.HGN..BHN"}});
    source.start();
    const std::vector<test::KeptFrame> read = test::take_all(source);
    ASSERT_EQ(read.size(), 39U);
    EXPECT_EQ(source.counters().lost, 1U);
    for (const test::KeptFrame& frame : read) {
      const std::size_t k = frame.header.sequence;
      EXPECT_EQ(frame.header.utc_ns, start_utc + static_cast<std::int64_t>(k) * 1'000'000'000);
      const auto* const values = reinterpret_cast<const float*>(frame.bytes.data());
      for (std::size_t i = 0; i < 200; ++i)
        if (std::isnan(frames[k][i]))
          EXPECT_TRUE(std::isnan(values[i]));
        else
          ASSERT_EQ(values[i], frames[k][i]) << k << ' ' << i;
    }
  }
}

TEST(Mseed, records_of_fast_channels_have_their_times_to_the_microsecond) {
  const test::TemporaryFolder folder;
  for (const MseedVersion version : {MseedVersion::two, MseedVersion::three})
    for (const double rate : {100.0, 7000.0, 200e3}) {
      std::vector<std::byte> records;
      RecordWriter writer("NL.HGN.00.BHZ", rate, TraceEncoding::float32, version);
      std::vector<float> samples(3000);
      std::iota(samples.begin(), samples.end(), 0.F);
      (void)writer.put(start_utc, samples, records);
      (void)writer.flush(records);
      const std::string path =
          folder.file("a.mseed", {reinterpret_cast<const char*>(records.data()), records.size()});
      MseedFileSource source({.files = {path}, .rows = 1});
      source.start();
      const auto frames = test::take_all(source);
      ASSERT_EQ(frames.size(), 3000U) << rate;
      for (std::size_t i = 0; i < frames.size(); ++i)
        ASSERT_EQ(reinterpret_cast<const float*>(frames[i].bytes.data())[0], static_cast<float>(i)) << rate;
    }
}

TEST(Mseed, frames_do_not_depend_on_the_order_of_pieces) {
  // Property: pieces of random lengths of three channels, shuffled within the window, some duplicated,
  // produce the same frames.
  std::mt19937 random(12);
  const TraceGrid grid{.channels = 3, .rows = 16, .rate_hz = 10, .window = Time(1'000'000'000'000)};
  for (int round = 0; round < 20; ++round) {
    FrameQueue queue(200, trace_frame_type(grid).size());
    TraceCounts counts;
    TraceJoiner joiner(grid, counts, queue);
    struct Piece {
      std::size_t channel;
      std::int64_t first;
      std::vector<float> samples;
    };
    std::vector<Piece> pieces;
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (std::int64_t at = 0; at < 1600;) {
        Piece piece{channel, at, {}};
        for (std::size_t n = 1 + random() % 90; n > 0 && at < 1600; --n, ++at)
          piece.samples.push_back(static_cast<float>(at * 3 + static_cast<std::int64_t>(channel)));
        pieces.push_back(std::move(piece));
      }
    const std::size_t whole = pieces.size();
    pieces.push_back(pieces[random() % whole]);
    std::shuffle(pieces.begin(), pieces.end(), random);
    // The first one determines the start of the frames.
    std::ranges::stable_partition(pieces, [](const Piece& piece) { return piece.first == 0; });
    for (const Piece& piece : pieces)
      joiner.take(piece.channel, start_utc + piece.first * 100'000'000, piece.samples, 0);
    joiner.finish(0);
    const auto frames = test::take_all(queue);
    ASSERT_EQ(frames.size(), 100U);
    for (const auto& frame : frames) {
      const auto* const values = reinterpret_cast<const float*>(frame.bytes.data());
      for (std::size_t i = 0; i < 48; ++i)
        ASSERT_EQ(values[i], static_cast<float>(frame.header.sequence * 48 + i));
    }
    EXPECT_EQ(counts.taken.value(), 4800U);
    EXPECT_GT(counts.duplicate.value() + counts.late.value(), 0U);
  }
}

TEST(TraceJoiner, distinguishes_holes_from_the_truncated_end_of_the_stream) {
  const TraceGrid grid{.channels = 2, .rows = 10, .rate_hz = 10};
  FrameQueue queue(8, trace_frame_type(grid).size());
  TraceCounts counts;
  TraceJoiner joiner(grid, counts, queue);
  constexpr std::int64_t second = 1'000'000'000, start = 1'600'000'000 * second;
  const auto take = [&](std::size_t channel, std::int64_t first, std::size_t count) {
    joiner.take(channel, start + first * second / 10, std::vector<float>(count, 1), 0);
  };
  // Channel 0 extends to the middle of frame 3, channel 1 to the end of frame 2, with a missing sample in
  // frame 1.
  take(0, 0, 35);
  take(1, 0, 12);
  take(1, 13, 17);
  joiner.finish(0);
  EXPECT_EQ(test::take_all(queue).size(), 4U);
  EXPECT_EQ(counts.frames_incomplete.value(), 1U) << "frame 1";
  EXPECT_EQ(counts.frames_cut_off.value(), 1U) << "frame 3";
}

TEST(TraceJoiner, a_record_with_a_wrong_time_does_not_affect_others) {
  constexpr std::int64_t second = 1'000'000'000, start = 1'600'000'000 * second, year = 31'557'600 * second;
  struct Run {
    TraceCounts counts;
    std::vector<test::KeptFrame> frames;
  };
  // 30 records of each channel, 10 samples per second each; `time_of` returns the time of the n-th one.
  const auto run = [&](std::size_t channels, const auto& time_of) {
    auto result = std::make_unique<Run>();
    const TraceGrid grid{.channels = channels, .rows = 10, .rate_hz = 10};
    FrameQueue queue(128, trace_frame_type(grid).size());
    TraceJoiner joiner(grid, result->counts, queue);
    for (std::int64_t n = 0; n < 30; ++n)
      for (std::size_t channel = 0; channel < channels; ++channel)
        joiner.take(channel, time_of(n, channel), std::vector<float>(10, static_cast<float>(n)), 0);
    joiner.finish(0);
    result->frames = test::take_all(queue);
    EXPECT_EQ(result->counts.late.value(), 0U);
    EXPECT_EQ(result->counts.duplicate.value(), 0U);
    EXPECT_EQ(result->counts.taken.value() + result->counts.implausible.value(), 300 * channels);
    return result;
  };
  const auto usual = [](std::int64_t n) { return start + n * second; };

  for (const std::size_t channels : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
    for (const std::int64_t step : {-year, 10 * year}) {
      const auto damaged = run(channels, [&](std::int64_t n, std::size_t channel) {
        return usual(n) + (n == 10 && channel == channels / 2 ? step : 0);
      });
      EXPECT_EQ(damaged->counts.implausible.value(), 10U) << channels << ' ' << step;
      EXPECT_EQ(damaged->counts.jumps.value(), 0U);
      EXPECT_EQ(damaged->frames.size(), channels > 1 ? 30U : 29U);
      // At the very beginning: its own epoch.
      const auto first = run(channels, [&](std::int64_t n, std::size_t channel) {
        return usual(n) + (n == 0 && channel == 0 ? step : 0);
      });
      EXPECT_EQ(first->counts.implausible.value(), 0U);
      EXPECT_EQ(first->counts.jumps.value(), 1U) << channels << ' ' << step;
      EXPECT_EQ(first->frames.back().header.epoch, 1U);
      EXPECT_EQ(first->frames.back().header.utc_ns, usual(29));
    }
  // One of three is permanently wrong: the others continue without it.
  const auto one =
      run(3, [&](std::int64_t n, std::size_t channel) { return usual(n) + (channel == 1 ? 5 * year : 0); });
  EXPECT_EQ(one->counts.taken.value(), 600U);
  EXPECT_EQ(one->counts.jumps.value(), 0U);
  // A time on which all agree is accepted, also for a single channel and for records an hour apart.
  for (const std::size_t channels : {std::size_t{1}, std::size_t{3}}) {
    const auto outage =
        run(channels, [&](std::int64_t n, std::size_t) { return usual(n) + (n < 15 ? 0 : year); });
    EXPECT_EQ(outage->counts.taken.value(), 300 * channels);
    EXPECT_EQ(outage->counts.jumps.value(), 1U);
    const auto events = run(channels, [&](std::int64_t n, std::size_t) { return usual(n * 3600); });
    EXPECT_EQ(events->counts.taken.value(), 300 * channels);
    EXPECT_EQ(events->counts.jumps.value(), 29U);
    EXPECT_EQ(events->frames.size(), 30U);
  }
}

/// A SeedLink server of one station and two channels, which drops the first connection after some
/// packets.
class Server {
 public:
  Server() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 4), 0);
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.sin_port);
    std::vector<std::byte> packed;
    RecordWriter z("NL.HGN.00.BHZ", 100, TraceEncoding::steim2),
        n("NL.HGN.00.BHN", 100, TraceEncoding::steim2);
    frames = made_traces(60, 100, 2);
    for (std::size_t k = 0; k < frames.size(); ++k)
      for (std::size_t channel = 0; channel < 2; ++channel) {
        std::vector<float> samples;
        for (std::size_t i = channel; i < 200; i += 2) samples.push_back(frames[k][i]);
        (channel == 0 ? z : n).put(start_utc + static_cast<std::int64_t>(k) * 1'000'000'000, samples, packed);
      }
    z.flush(packed);
    n.flush(packed);
    for (std::size_t at = 0; at < packed.size(); at += 512)
      records_.emplace_back(reinterpret_cast<const char*>(packed.data()) + at, 512);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    ::shutdown(listener_, SHUT_RDWR);
    ::close(listener_);
    thread_.join();
  }

  std::uint16_t port = 0;
  std::vector<std::vector<float>> frames;
  std::vector<std::string> commands;

 private:
  void serve() {
    for (int connection = 0; connection < 2; ++connection) {
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      TcpStream stream;
      stream.adopt(socket);
      std::size_t next = 0;
      for (std::string line; (line = read_line(stream)) != "END" && !line.empty();) {
        commands.push_back(line);
        if (line == "HELLO")
          stream.send("SeedLink v3.1 (test)\r\nhere\r\n");
        else
          stream.send("OK\r\n");
        if (line.starts_with("DATA ")) next = std::stoul(line.substr(5), nullptr, 16);
      }
      const std::size_t end = connection == 0 ? records_.size() / 2 : records_.size();
      // A stray byte between packets.
      for (std::size_t i = next; i < end; ++i) {
        if (i == 1) stream.send("x");
        stream.send(fmt::format("SL{:06X}", i) + records_[i]);
      }
      if (connection == 1) stream.send("END");
    }
  }

  static std::string read_line(TcpStream& stream) {
    std::string line;
    for (int i = 0; i < 200; ++i) {
      for (const auto bytes = stream.received(); line.size() < bytes.size();) {
        const char c = std::to_integer<char>(bytes[line.size()]);
        if (c == '\n') {
          stream.take(line.size() + 1);
          line.pop_back();
          return line;
        }
        line += c;
      }
      if (!stream.receive(std::chrono::milliseconds(50)) && stream.is_over()) return {};
    }
    return {};
  }

  int listener_;
  std::vector<std::string> records_;
  std::thread thread_;
};

TEST(Seedlink, resumes_after_a_broken_connection) {
  Server server;
  SeedlinkOptions options;
  options.server = fmt::format("127.0.0.1:{}", server.port);
  options.channels = {"NL.HGN.00.BHZ", "NL.HGN.00.BHN"};
  options.grid = {.rows = 100, .rate_hz = 100};
  options.reconnect = Time(20'000'000);
  options.depth = 100;
  SeedlinkSource source(options);
  source.start();
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 60U);
  for (std::size_t k = 0; k < 60; ++k) {
    EXPECT_EQ(frames[k].header.sequence, k);
    EXPECT_EQ(frames[k].header.missing_parts, 0U) << k;
    const auto* const values = reinterpret_cast<const float*>(frames[k].bytes.data());
    ASSERT_TRUE(std::equal(server.frames[k].begin(), server.frames[k].end(), values)) << k;
  }
  EXPECT_THAT(std::vector(server.commands.begin(), server.commands.begin() + 5),
              ElementsAre("HELLO", "STATION HGN NL", "SELECT 00BHZ", "SELECT 00BHN", "DATA"));
  EXPECT_THAT(server.commands.back(), testing::StartsWith("DATA 0000"));
  EXPECT_EQ(test::value_of(source.counters().details, "reconnects"), 1U);
  EXPECT_EQ(test::value_of(source.counters().details, "bytes_astray"), 1U);
}

TEST(Seedlink, reports_an_absent_server_and_wrong_names) {
  SeedlinkOptions options;
  options.server = "127.0.0.1:1";
  options.channels = {"NL.HGN.00.BHZ"};
  SeedlinkSource source(options);
  EXPECT_THAT([&] { source.start(); }, ThrowsMessage<WorkError>(HasSubstr("cannot connect to 127.0.0.1:1")));
  options.channels = {"NL.HGN.BHZ"};
  EXPECT_THAT([&] { SeedlinkSource{options}; },
              ThrowsMessage<OptionError>(HasSubstr("'NL.HGN.BHZ' is not a channel")));
  options.channels = {"NL.HGN.00.BHZ"};
  options.server = "nowhere";
  EXPECT_THAT([&] { SeedlinkSource{options}; },
              ThrowsMessage<OptionError>(HasSubstr("'nowhere' is not an address")));
}

}  // namespace mseed_mseed_test
}  // namespace takt::sensors
