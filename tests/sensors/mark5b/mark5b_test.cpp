/// Mark 5B: hand-computed values and times, files with gaps, damaged and truncated frames, fields.

#include <cmath>
#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/mark5b/header.hpp"
#include "sensors/mark5b/recording.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/vdif/builder.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace mark5b_mark5b_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// 2014-06-13T05:30:01 (`date -u -d ... +%s`): MJD 56821, second 19801.
constexpr std::int64_t first_second = 1'402'637'401;

/// Two channels of two bits: 20000 samples per frame, 100 frames/s.
Mark5bFormat two_channels() {
  return {.channels = 2, .bits = 2, .sample_hz = 2e6, .near_unix_second = 1'400'000'000};
}

Mark5bHeader header_of(std::size_t frame) {
  Mark5bHeader header{.user = 0xBEAD,
                      .frame = static_cast<std::uint16_t>(frame % 100),
                      .day = 821,
                      .second = 19801 + static_cast<int>(frame / 100),
                      .fraction = static_cast<int>(frame % 100) * 100};
  header.checksum = mark5b_checksum(header);
  return header;
}

std::string frame_of(const Mark5bHeader& header, unsigned seed = 1) {
  std::string bytes(mark5b_frame_bytes, '\0');
  encode_mark5b(header, std::as_writable_bytes(std::span(bytes)));
  std::mt19937 random(seed);
  for (std::size_t at = mark5b_header_bytes; at < bytes.size(); ++at) bytes[at] = static_cast<char>(random());
  return bytes;
}

std::string frames(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += frame_of(header_of(i), static_cast<unsigned>(i));
  return bytes;
}

struct Outcome {
  std::vector<test::KeptFrame> frames;
  SourceCounters counters;
  std::vector<std::string> warnings;
  [[nodiscard]] std::uint64_t count(const char* name) const { return test::value_of(counters.details, name); }
};

Outcome read(const std::string& bytes, const Mark5bFormat& format = two_channels()) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.m5b", bytes);
  VdifFormat vdif = vdif_format(format);
  vdif.packets = 2;
  PacketFileSource source({}, vdif_packets(vdif, {}, 0),
                          [&] { return std::make_unique<Mark5bRecording>(path, format); });
  source.start();
  Outcome outcome;
  outcome.frames = test::take_all(source);
  outcome.counters = source.counters();
  outcome.warnings = source.warnings();
  return outcome;
}

TEST(Mark5b, samples_have_the_levels_of_sign_and_magnitude_and_the_time_of_their_frame) {
  const std::string bytes = frames(4);
  const Outcome outcome = read(bytes);
  ASSERT_EQ(outcome.frames.size(), 2U);
  EXPECT_THAT(outcome.warnings, IsEmpty());
  EXPECT_EQ(outcome.frames[0].header.utc_ns, first_second * 1'000'000'000);
  EXPECT_EQ(outcome.frames[1].header.utc_ns - outcome.frames[0].header.utc_ns, 20'000'000);
  // Manual, appendix A: the sign is on even, the magnitude on odd bit streams; sign 1 is above 0. Channel c
  // is on streams 2 c and 2 c + 1, and a word of 32 streams holds eight samples of two channels.
  const auto* const values = reinterpret_cast<const float*>(outcome.frames[0].bytes.data());
  for (std::size_t frame = 0; frame < 2; ++frame)
    for (std::size_t sample = 0; sample < 20'000; ++sample)
      for (std::size_t c = 0; c < 2; ++c) {
        const std::size_t bit = (sample * 2 + c) * 2;
        const auto byte =
            static_cast<unsigned char>(bytes[frame * mark5b_frame_bytes + mark5b_header_bytes + bit / 8]);
        const bool sign = (byte >> (bit % 8) & 1) != 0, magnitude = (byte >> (bit % 8 + 1) & 1) != 0;
        const float level = sign == magnitude ? 3.3165F : 1.0F;
        ASSERT_EQ(values[c * 40'000 + frame * 20'000 + sample], sign ? level : -level);
      }
}

TEST(Mark5b, a_set_bit_is_negative_for_one_bit) {
  const Mark5bFormat format{.channels = 1, .bits = 1, .sample_hz = 8e6, .near_unix_second = 1'400'000'000};
  const std::string bytes = frames(2);
  const Outcome outcome = read(bytes, format);
  ASSERT_EQ(outcome.frames.size(), 1U);
  const auto* const values = reinterpret_cast<const float*>(outcome.frames[0].bytes.data());
  for (std::size_t i = 0; i < 80'000; ++i)
    ASSERT_EQ(values[i], (static_cast<unsigned char>(bytes[mark5b_header_bytes + i / 8]) >> i % 8 & 1) != 0
                             ? -1.0F
                             : 1.0F);
}

TEST(Mark5b, headers_survive_encoding_and_have_the_checksum_of_a_recording) {
  for (std::size_t i = 0; i < 300; i += 7) {
    std::vector<std::byte> bytes(mark5b_header_bytes);
    encode_mark5b(header_of(i), bytes);
    EXPECT_EQ(decode_mark5b(bytes), header_of(i));
  }
  // CRC-16/BUYPASS of "123456" over 48 bits, verified with a table program by the catalogue's check value:
  // polynomial 0x8005, start 0, not reflected.
  Mark5bHeader digits{.day = 313, .second = 23334, .fraction = 3536};
  EXPECT_EQ(mark5b_checksum(digits), [] {
    std::uint32_t crc = 0;
    for (const unsigned char byte : std::string("123456")) {
      crc ^= static_cast<std::uint32_t>(byte) << 8;
      for (int i = 0; i < 8; ++i)
        crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x8005) & 0xFFFF : crc << 1 & 0xFFFF;
    }
    return crc;
  }());
}

TEST(Mark5b, the_thousands_of_the_day_follow_from_a_date_nearby) {
  const Mark5bHeader header{.day = 821, .second = 19801};
  const auto second_near = [&](std::int64_t near) { return tai_second(header, near); };
  // TAI was 35 s ahead of UTC in 2014, 36 s in 2016 and 37 s in 2017.
  EXPECT_EQ(second_near(1'400'000'000), first_second + 35);
  EXPECT_EQ(second_near(first_second + 499 * 86400LL), first_second + 35);
  EXPECT_EQ(second_near(first_second - 499 * 86400LL), first_second + 35);
  EXPECT_EQ(second_near(first_second + 501 * 86400LL), first_second + 1000 * 86400LL + 37);
  // 2016-12-31 is MJD 57753; its second 86400 is the leap second.
  EXPECT_EQ(tai_second({.day = 753, .second = 86400}, 1'483'228'800) + 1,
            tai_second({.day = 754, .second = 0}, 1'483'228'800));
}

TEST(Mark5bFields, each_one_changes_the_result_or_is_counted) {
  const auto changed = [](auto change) {
    std::string bytes = frame_of(header_of(0));
    Mark5bHeader header = header_of(1);
    change(header);
    bytes += frame_of(header) + frame_of(header_of(2)) + frame_of(header_of(3));
    return read(bytes);
  };
  const auto sealed = [](Mark5bHeader& header) { header.checksum = mark5b_checksum(header); };
  EXPECT_EQ(changed([](Mark5bHeader& h) { h.sync_word ^= 1; }).count("refused_header"), 1U);
  EXPECT_EQ(changed([](Mark5bHeader& h) { h.is_test_vector = true; }).count("refused_invalid"), 1U);
  EXPECT_EQ(changed([](Mark5bHeader& h) { h.frame = 200; }).count("refused_frame"), 1U);
  EXPECT_EQ(changed([](Mark5bHeader& h) { h.checksum ^= 1; }).count("refused_header"), 1U);
  EXPECT_EQ(changed([](Mark5bHeader& h) { h.checksum = 0; }).count("packets_received"), 4U);
  const auto lost = [](const Outcome& outcome) { return outcome.count("packets_received") < 4; };
  EXPECT_TRUE(lost(changed([&](Mark5bHeader& h) { h.day = 822, sealed(h); })));
  EXPECT_TRUE(lost(changed([&](Mark5bHeader& h) { h.second += 9, sealed(h); })));
  EXPECT_THAT(changed([&](Mark5bHeader& h) { h.fraction += 7, sealed(h); }).warnings,
              Contains(HasSubstr("fraction of a second of 1 ")));
  const test::TemporaryFolder folder;
  EXPECT_THAT(read_mark5b_description(folder.file("a.m5b", frames(1))), ElementsAre("user: 0xbead"));
  EXPECT_EQ(mark5b_keywords().rows.size(), 8U) << "a field that this test does not change";
}

TEST(Mark5b, gaps_damaged_frames_and_the_rest_of_a_truncated_frame_are_counted) {
  std::string bytes = frames(3) + frame_of(header_of(7));
  // A Mark 5 recorder fills lost data with this pattern.
  std::string fill;
  while (fill.size() < mark5b_frame_bytes) fill += "\x44\x33\x22\x11";
  bytes += fill + frame_of(header_of(8)) + frame_of(header_of(9)).substr(0, 5000);
  const Outcome outcome = read(bytes);
  EXPECT_EQ(outcome.count("packets_received"), 5U);
  EXPECT_EQ(outcome.count("refused_header"), 1U);
  EXPECT_EQ(outcome.count("refused_size"), 1U);
  EXPECT_EQ(outcome.count("packets_lost"), 4U);
  EXPECT_EQ(outcome.count("bytes_left_over"), 5000U);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("ends within a frame")));
}

TEST(Mark5b, invalid_formats_are_refused) {
  const test::TemporaryFolder folder;
  EXPECT_THAT([&] { (void)read_mark5b_description(folder.file("a", "no Mark 5B file at all")); },
              ThrowsMessage<ConfigError>(HasSubstr("0xABADDEED")));
  EXPECT_THAT([] { (void)vdif_format({.channels = 3}); },
              ThrowsMessage<OptionError>(HasSubstr("3 channels")));
  EXPECT_THAT([] { (void)vdif_format({.bits = 4}); }, ThrowsMessage<OptionError>(HasSubstr("4 bits")));
}

}  // namespace mark5b_mark5b_test
}  // namespace takt::sensors
