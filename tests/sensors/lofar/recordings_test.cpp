/// Compares the results for a real station's recordings with other programs' results.

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/lofar/file_source.hpp"
#include "sensors/lofar/recording.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using test::KeptFrame;

constexpr std::size_t packet_bytes = 7824;
constexpr std::size_t payload_bytes = 7808;

LofarFileOptions options_for(const std::vector<std::filesystem::path>& files, std::size_t packets) {
  LofarFileOptions options;
  for (const auto& file : files) options.lanes.push_back({file});
  options.format.lanes = files.size();
  options.format.packets = packets;
  return options;
}

class LofarRecordings : public testing::Test {
 protected:
  void SetUp() override {
    files_ = test::recorded_lanes();
    if (files_.empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to their folder";
  }
  std::vector<std::filesystem::path> files_;
};

// Expected numbers come with the recordings (David-McKenna/udpPacketManager, reference files).
TEST_F(LofarRecordings, headers_are_those_of_station_214) {
  LofarRecording recording(files_);
  EXPECT_EQ(recording.format().beamlets, 122u);
  EXPECT_EQ(recording.format().bits, 8);
  EXPECT_EQ(recording.format().clock_hz, 200'000'000);
  std::map<std::size_t, std::vector<LofarHeader>> headers;
  while (const auto packet = recording.next()) {
    ASSERT_EQ(packet->bytes.size(), packet_bytes);
    LofarHeader header;
    ASSERT_EQ(judge(packet->bytes, recording.format(), header), LofarVerdict::good);
    headers[packet->lane].push_back(header);
  }
  constexpr std::array<unsigned, 4> first_block{26, 26, 10, 26};
  constexpr std::array<unsigned, 4> boards{0, 1, 2, 4};
  for (std::size_t lane = 0; lane < 4; ++lane) {
    ASSERT_EQ(headers[lane].size(), 256u);
    for (std::size_t i = 0; i < 256; ++i) {
      const LofarHeader& header = headers[lane][i];
      EXPECT_EQ(header.station, 214);
      EXPECT_EQ(header.lane, lane);
      EXPECT_EQ(header.rsp_board, boards[lane]);
      EXPECT_EQ(header.second, 1656466200u);
      EXPECT_EQ(header.sequence, first_block[lane] + 16 * i);
    }
  }
}

TEST_F(LofarRecordings, lanes_are_read_side_by_side_in_order_of_time) {
  LofarRecording recording(files_);
  std::uint64_t before = 0;
  while (const auto packet = recording.next()) {
    const LofarHeader header = decode_header(packet->bytes.first<lofar_header_bytes>());
    EXPECT_GE(header.sequence, before);
    before = header.sequence;
  }
}

/// Inserted or missing bytes cost only the packets that they damage.
TEST_F(LofarRecordings, framing_that_is_lost_is_found_again) {
  const std::string whole = test::read_file(files_[0]);
  const test::TemporaryFolder folder;
  const std::size_t seam = 100 * packet_bytes;
  struct Damage {
    const char* name;
    std::string bytes;
    std::uint64_t packets, pieces;
  };
  const std::vector<Damage> damages{
      {"three bytes between packets", whole.substr(0, seam) + "abc" + whole.substr(seam), 256, 1},
      {"a thousand bytes in a packet",
       whole.substr(0, seam + 500) + std::string(1000, 'x') + whole.substr(seam + 500), 256, 1},
      {"half a packet gone", whole.substr(0, seam + 4000) + whole.substr(seam + packet_bytes), 255, 1},
      {"bytes gone twice",
       whole.substr(0, seam - 5) + whole.substr(seam, 10 * packet_bytes - 7) +
           whole.substr(seam + 10 * packet_bytes),
       254, 2},
      {"a damaged header in its place",
       whole.substr(0, seam) + std::string(16, 'x') + whole.substr(seam + 16), 255, 1}};
  for (const Damage& damage : damages) {
    LofarFileSource source(options_for({folder.file("damaged", damage.bytes)}, 1));
    source.start();
    const std::vector<KeptFrame> frames = test::take_all(source);
    std::uint64_t refused = 0;
    for (const Counter& counter : source.counters().details)
      if (counter.name.starts_with("refused_")) refused += counter.value;
    EXPECT_EQ(frames.size(), damage.packets) << damage.name;
    EXPECT_EQ(refused, damage.pieces) << damage.name;
  }
}

TEST_F(LofarRecordings, samples_have_the_known_standard_deviations_and_strongest_beamlet) {
  constexpr std::array<double, 4> known{10.4203, 2.7143, 2.3572, 1.6614};
  for (std::size_t lane = 0; lane < 4; ++lane) {
    LofarFileSource source(options_for({files_[lane]}, 256));
    source.start();
    const std::vector<KeptFrame> frames = test::take_all(source);
    ASSERT_EQ(frames.size(), 1u);
    double sum = 0;
    double squares = 0;
    std::vector<double> power(122);
    const std::size_t samples = source.type().data_size().count;
    for (std::size_t i = 0; i < samples; ++i) {
      const auto value = static_cast<double>(static_cast<std::int8_t>(frames[0].bytes[i]));
      sum += value;
      squares += value * value;
      power[i / 64 % 122] += value * value;
    }
    const auto count = static_cast<double>(samples);
    EXPECT_NEAR(std::sqrt(squares / count - sum / count * (sum / count)), known[lane], 5e-5);
    if (lane == 0) {
      EXPECT_EQ(std::max_element(power.begin(), power.end()) - power.begin(), 28);
      // Mean over 256 packets of 16 samples of 2 polarisations.
      EXPECT_NEAR(power[28] / (256 * 16 * 2), 11167, 1);
    }
  }
}

TEST_F(LofarRecordings, frames_are_the_payloads_of_all_lanes_from_the_common_start) {
  LofarFileSource source(options_for(files_, 17));
  EXPECT_EQ(source.type().to_string(), "complex_int8[packet=17][beamlet=488][time=16][polarisation=2]");
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);

  // All lanes have blocks 26 to 4090: 255 = 15 * 17 packets; two of the first three lanes have one packet
  // more.
  std::vector<std::string> lanes;
  for (const auto& file : files_) lanes.push_back(test::read_file(file));
  ASSERT_EQ(frames.size(), 16u);
  for (std::size_t k = 0; k < 15; ++k) {
    std::string expected;
    for (std::size_t p = 0; p < 17; ++p)
      for (std::size_t lane = 0; lane < 4; ++lane) {
        const std::size_t packet = k * 17 + p + (lane == 2 ? 1 : 0);
        expected += lanes[lane].substr(packet * packet_bytes + 16, payload_bytes);
      }
    expected += std::string(17 * 4, '\0');  // no part is missing
    ASSERT_EQ(frames[k].bytes.size(), expected.size());
    EXPECT_EQ(std::memcmp(frames[k].bytes.data(), expected.data(), expected.size()), 0) << "frame " << k;
    EXPECT_EQ(frames[k].header.missing_parts, 0u);
    EXPECT_EQ(frames[k].header.utc_ns,
              static_cast<std::int64_t>(1656466200'000'000'000 + (26 + 272 * k) * 5120));
  }
  EXPECT_EQ(frames[15].header.missing_parts, 4 * 17 - 3u);

  const SourceCounters counters = source.counters();
  EXPECT_EQ(counters.ingested, 16u);
  EXPECT_EQ(counters.incomplete, 0u);
  EXPECT_EQ(test::value_of(counters.details, "frames_cut_off"), 1u);
  EXPECT_EQ(counters.lost, 0u);
  EXPECT_EQ(test::value_of(counters.details, "packets_received"), 1023u);
  EXPECT_EQ(test::value_of(counters.details, "packets_early"), 1u);
  EXPECT_EQ(test::value_of(counters.details, "packets_lost"), 0u);
}

TEST_F(LofarRecordings, a_paced_replay_yields_the_same_frames) {
  LofarFileOptions options = options_for(files_, 17);
  LofarFileSource fast(options);
  options.speed = 4;
  LofarFileSource paced(options);
  fast.start();
  paced.start();
  const std::vector<KeptFrame> some = test::take_all(fast);
  const std::vector<KeptFrame> others = test::take_all(paced);
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t k = 0; k < some.size(); ++k) {
    EXPECT_EQ(some[k].bytes, others[k].bytes);
    if (k == 0) continue;
    // 17 * 16 samples of 5120 ns at 4 times the speed; each latency counts from the due time.
    EXPECT_EQ(others[k].header.ingested_ns - others[k - 1].header.ingested_ns, 17 * 16 * 5120 / 4);
  }
}

TEST_F(LofarRecordings, a_stopped_replay_hands_over_unfinished_frames) {
  LofarFileSource source(options_for(files_, 100));
  source.start();
  FrameView frame;
  ASSERT_EQ(source.poll(frame), SourceState::frame);
  source.stop();
  source.release();
  const std::vector<KeptFrame> rest = test::take_all(source);
  const SourceCounters counters = source.counters();
  EXPECT_EQ(counters.ingested, 1 + rest.size());
  EXPECT_EQ(test::value_of(counters.details, "packets_lost"), 0u);
}

TEST_F(LofarRecordings, another_format_than_the_recorded_one_is_refused_before_the_first_frame) {
  LofarFileOptions options = options_for(files_, 16);
  options.format.beamlets = 61;
  LofarFileSource source(options);
  EXPECT_THAT([&] { source.start(); }, testing::ThrowsMessage<ConfigError>(testing::HasSubstr(
                                           "122 beamlets of 8 bits with a clock of 200 MHz")));
  options = options_for(files_, 16);
  options.format.station = 1;
  LofarFileSource other(options);
  EXPECT_THROW(other.start(), ConfigError);
}

TEST_F(LofarRecordings, a_damaged_time_does_not_delay_its_lane) {
  const test::TemporaryFolder folder;
  std::string lane = test::read_file(files_[0]);
  lane[50 * packet_bytes + 11] = '\x7F';  // the second's highest byte: 2037
  lane[60 * packet_bytes + 8] = '\x01';   // 23 s earlier
  const std::filesystem::path damaged = folder.file("lane0", lane);
  LofarFileSource source(options_for({damaged, files_[1]}, 16));
  source.start();
  (void)test::take_all(source);
  const SourceCounters counters = source.counters();
  EXPECT_EQ(test::value_of(counters.details, "packets_received"), 510u);
  EXPECT_EQ(test::value_of(counters.details, "packets_implausible"), 2u);
  EXPECT_EQ(test::value_of(counters.details, "packets_lost"), 2u);
  EXPECT_EQ(test::value_of(counters.details, "packets_late"), 0u);
}

TEST_F(LofarRecordings, a_recording_cut_within_a_packet_is_read_to_its_last_whole_packet) {
  const test::TemporaryFolder folder;
  const std::filesystem::path cut =
      folder.file("cut", test::read_file(files_[1]).substr(0, 40 * packet_bytes + 100));
  LofarFileSource source(options_for({cut}, 8));
  source.start();
  EXPECT_EQ(test::take_all(source).size(), 5u);
  EXPECT_EQ(test::value_of(source.counters().details, "refused_size"), 1u);
}

/// Two lanes of two files each, with 20 packets per file.
TEST(LofarRecording, refused_packets_are_reported_with_their_files) {
  const test::TemporaryFolder folder;
  LofarFileOptions options;
  options.format = test::small_format(2, 4);
  options.lanes = {{folder / "a0", folder / "a1"}, {folder / "b0", folder / "b1"}};
  const auto write = [&](std::size_t lane, std::size_t file, bool is_damaged) {
    std::string bytes;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const std::uint64_t number = 20 * file + i;
      test::Bytes packet = test::make_packet(options.format, lane, 323'528'554'687'526 + 16 * number,
                                             test::payload_of(64, lane, number));
      // The error bit.
      if (is_damaged && i == 7) packet[1] |= std::byte{0x40};
      bytes.append(reinterpret_cast<const char*>(packet.data()), packet.size());
    }
    std::ofstream(options.lanes[lane][file], std::ios::binary) << bytes;
  };
  const auto warnings = [&] {
    LofarFileSource source(options);
    source.start();
    EXPECT_EQ(test::take_all(source).size(), 10U);
    return source.warnings();
  };
  for (const std::size_t lane : {0U, 1U})
    for (const std::size_t file : {0U, 1U}) write(lane, file, false);
  EXPECT_THAT(warnings(), testing::IsEmpty());
  write(1, 1, true);
  EXPECT_THAT(warnings(), testing::ElementsAre("b1: packets were refused: 1 by error_bit"));
  write(0, 1, true);
  EXPECT_THAT(warnings(), testing::ElementsAre("a1 and 1 other file: packets were refused: 2 by error_bit"));
}

TEST(LofarRecording, invalid_files_are_refused_with_their_path) {
  const test::TemporaryFolder folder;
  const auto refusal = [](const std::filesystem::path& path) {
    try {
      LofarRecording recording({path});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("/nowhere/lane"), testing::HasSubstr("/nowhere/lane: cannot read the file"));
  EXPECT_THAT(refusal(folder.file("empty", "")), testing::HasSubstr("too short to hold a packet"));
  EXPECT_THAT(refusal(folder.file("text", std::string(10'000, 'a'))), testing::HasSubstr("cause: version"));
}

}  // namespace
}  // namespace takt::sensors
