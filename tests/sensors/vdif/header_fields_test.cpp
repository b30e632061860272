/// VDIF header fields: each one, with a value that changes the meaning, changes the result, is counted, or is
/// carried; leap seconds; invalid frames with random headers; truncated files.

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "sensors/option_error.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/vdif/builder.hpp"
#include "sensors/vdif/codec.hpp"
#include "sensors/vdif/keywords.hpp"
#include "sensors/vdif/recording.hpp"
#include "sensors/vdif/synthesis.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/support/compressed.hpp"

namespace takt::sensors {
namespace vdif_header_fields_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t ns_of_second = 1'000'000'000;
/// 2016-08-01, in half-year 33: the leap second of 2016-12-31 follows.
constexpr std::int64_t first_second = 1'470'009'600;

/// 100 packets/s of 64 samples of 8 bits, of four channels.
VdifFormat format_of_fields() {
  VdifFormat format;
  format.channels = 4;
  format.bits = 8;
  format.payload_bytes = 64;
  format.sample_hz = 1600;
  format.packets = 4;
  return format;
}

using Change = std::function<void(VdifHeader&)>;

/// Eight successive packets, one per part of a frame; `change` modifies each header.
std::string stream(const VdifFormat& format, const Change& change, std::int64_t second = first_second,
                   std::uint64_t packets = 8) {
  VdifSynthesis synthesis({.format = format, .signal = {.noise = 20}, .second = second, .packets = packets});
  std::string bytes;
  while (const auto packet = synthesis.next()) {
    std::vector<std::byte> frame(packet->bytes.begin(), packet->bytes.end());
    VdifHeader header = decode_vdif(frame);
    change(header);
    encode_vdif(header, frame);
    bytes.append(reinterpret_cast<const char*>(frame.data()), frame.size());
  }
  return bytes;
}

struct Outcome {
  std::vector<test::KeptFrame> frames;
  SourceCounters counters;
  std::vector<std::string> warnings;

  [[nodiscard]] std::uint64_t count(const std::string& name) const {
    return test::value_of(counters.details, name);
  }
};

Outcome read(const VdifFormat& format, const std::string& bytes) {
  const PacketFormat packets = vdif_packets(format, {}, 0);
  FrameQueue queue(256, packets.type.size());
  const auto builder = packets.make_builder(queue);
  const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
  for (std::size_t at = 0; at < all.size(); at += format.packet_bytes())
    (void)builder->take(0, all.subspan(at, std::min(format.packet_bytes(), all.size() - at)), 0);
  builder->finish(0);
  return {test::take_all(queue), builder->counters(), builder->warnings({})};
}

Outcome read_file(const std::filesystem::path& path, VdifFormat format) {
  PacketFileSource source({}, vdif_packets(format, {}, 0),
                          [=] { return std::make_unique<VdifRecording>(path, format); });
  source.start();
  Outcome outcome;
  outcome.frames = test::take_all(source);
  outcome.counters = source.counters();
  outcome.warnings = source.warnings();
  return outcome;
}

/// The required effect of a changed field.
struct Effect {
  Change change;
  std::function<void(const Outcome& changed)> expect;
};

std::function<void(const Outcome&)> refused(const char* cause) {
  return [cause](const Outcome& outcome) {
    EXPECT_EQ(outcome.count(std::string("refused_") + cause), 8U);
    EXPECT_THAT(outcome.frames, IsEmpty());
  };
}

std::function<void(const Outcome&)> warned(const char* text) {
  return [text](const Outcome& outcome) {
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr(text)));
    EXPECT_EQ(outcome.frames.size(), 2U);
  };
}

std::function<void(const Outcome&)> later_by(std::int64_t ns) {
  return [ns](const Outcome& outcome) {
    ASSERT_EQ(outcome.frames.size(), 2U);
    EXPECT_EQ(outcome.frames[0].header.utc_ns - first_second * ns_of_second, ns);
  };
}

/// The second of four channels is NaN, the others are not.
void expect_second_channel_masked(const Outcome& outcome) {
  ASSERT_EQ(outcome.frames.size(), 2U);
  const auto* const values = reinterpret_cast<const float*>(outcome.frames[0].bytes.data());
  for (std::size_t channel = 0; channel < 4; ++channel)
    for (std::size_t t = 0; t < 64; ++t)
      ASSERT_EQ(std::isnan(values[channel * 64 + t]), channel == 1) << channel << " " << t;
  EXPECT_EQ(outcome.count("channels_masked"), 8U);
  EXPECT_GT(outcome.frames[0].header.missing_parts, 0U);
}

void mask_second_channel(VdifHeader& header, std::uint32_t groups, std::uint32_t mask) {
  header.extended_version = 4;
  header.extended_data = groups << 16;
  header.sync_word = vdif_sync_word;
  header.extended_words = {mask, 0};
}

/// By field. Carried fields have their own test.
const std::map<std::string, Effect>& effects() {
  static const std::map<std::string, Effect> all{
      {"invalid", {[](VdifHeader& h) { h.is_invalid = true; }, refused("invalid")}},
      {"legacy", {[](VdifHeader& h) { h.is_legacy = true; }, refused("header")}},
      {"seconds", {[](VdifHeader& h) { h.second += 7; }, later_by(7 * ns_of_second)}},
      {"unassigned", {[](VdifHeader& h) { h.unassigned = 2; }, warned("unassigned bits")}},
      // A half-year later: 184 days and the leap second.
      {"epoch", {[](VdifHeader& h) { ++h.epoch; }, later_by(184 * 86400 * ns_of_second)}},
      {"frame", {[](VdifHeader& h) { h.frame += 100; }, refused("frame")}},
      {"version", {[](VdifHeader& h) { h.version = 3; }, warned("VDIF version 3")}},
      {"channels", {[](VdifHeader& h) { h.log2_channels = 1; }, refused("sampling")}},
      {"length", {[](VdifHeader& h) { h.frame_bytes += 8; }, refused("size")}},
      {"complex", {[](VdifHeader& h) { h.is_complex = true; }, refused("sampling")}},
      {"bits", {[](VdifHeader& h) { h.bits = 4; }, refused("sampling")}},
      {"thread", {[](VdifHeader& h) { h.thread = 5; }, refused("thread")}},
      {"station", {[](VdifHeader& h) { h.station = 7; }, refused("station")}},
      {"EDV", {[](VdifHeader& h) { h.extended_version = 9; }, warned("extended data version 9")}},
      {"EDV 1, 3 rate",
       {[](VdifHeader& h) {
          h.extended_version = 1;
          h.extended_data = 32 | 1 << 23;
          h.sync_word = vdif_sync_word;
        },
        warned("another sample rate than 1600 Hz")}},
      {"EDV 1, 3, 4 sync", {[](VdifHeader& h) { h.extended_version = 3; }, refused("header")}},
      {"EDV 4 groups",
       {[](VdifHeader& h) { mask_second_channel(h, 4, 0b1101); }, expect_second_channel_masked}},
      {"EDV 4 mask",
       {[](VdifHeader& h) { mask_second_channel(h, 4, 0xFFFFFFFD); }, expect_second_channel_masked}},
  };
  return all;
}

TEST(VdifFields, every_obeyed_field_changes_the_result_or_a_count) {
  VdifFormat format = format_of_fields();
  format.station = 1;
  const Outcome plain = read(format, stream(format, [](VdifHeader&) {}));
  ASSERT_EQ(plain.frames.size(), 2U);
  EXPECT_EQ(plain.frames[0].header.utc_ns, first_second * ns_of_second);
  EXPECT_THAT(plain.warnings, IsEmpty());
  std::size_t obeyed = 0;
  for (const HeaderKeyword& field : vdif_keywords().rows) {
    if (field.use != KeywordUse::obeyed) continue;
    ++obeyed;
    const auto effect = effects().find(std::string(field.name));
    ASSERT_NE(effect, effects().end()) << field.name << ": no value is tried";
    SCOPED_TRACE(field.name);
    effect->second.expect(read(format, stream(format, effect->second.change)));
  }
  EXPECT_EQ(obeyed, effects().size());
}

TEST(VdifFields, carried_fields_are_in_the_description_of_a_file) {
  const test::TemporaryFolder folder;
  const VdifFormat format = format_of_fields();
  const auto described = [&](const Change& change) {
    return read_vdif_format(folder.file("a.vdif", stream(format, change))).description;
  };
  EXPECT_THAT(described([](VdifHeader& h) { h.station = 0x4566; }), ElementsAre("station: Ef"));
  EXPECT_THAT(described([](VdifHeader& h) {
                h.extended_version = 1;
                std::memcpy(h.extended_words.data(), "DBBC 2\0", 8);
              }),
              ElementsAre("station: 1", "EDV 1 DAS: DBBC 2"));
  EXPECT_THAT(described([](VdifHeader& h) {
                h.extended_version = 2;
                h.extended_words = {0x1234, 5};
              }),
              Contains("EDV 2: 0x000000 0x00000000 0x00001234 0x00000005"));
  // The VLBA recording in the test data has 0x33400000 and 0xf2031583.
  const std::vector<std::string> vlba = described([](VdifHeader& h) {
    h.extended_version = 3;
    h.sync_word = vdif_sync_word;
    h.extended_words = {0x33400000, 0xf2031583};
  });
  EXPECT_THAT(vlba, Contains("EDV 3 tuning: 0x33400000"));
  EXPECT_THAT(vlba, Contains("EDV 3 unit: back end 2, IF 0, sub-band 1, sideband upper, revision 1.5, "
                             "personality 131"));
  EXPECT_THAT(described([](VdifHeader& h) {
                h.extended_version = 0;
                h.extended_words = {1, 2};
              }),
              ElementsAre("station: 1"));
}

TEST(VdifFields, a_mark_5b_frame_within_vdif_is_refused) {
  const test::TemporaryFolder folder;
  const VdifFormat format = format_of_fields();
  const std::string bytes = stream(format, [](VdifHeader& h) { h.extended_version = vdif_edv_mark5b; });
  EXPECT_EQ(read(format, bytes).count("refused_header"), 8U);
  EXPECT_THAT([&] { (void)read_vdif_format(folder.file("a.vdif", bytes)); },
              testing::ThrowsMessage<ConfigError>(HasSubstr("Mark 5B")));
}

TEST(VdifTime, counts_the_leap_seconds_since_its_epoch) {
  // The specification counts all seconds: 2000-01-01 + 514629935 s is 2016-04-22T08:45:31 UTC, after the leap
  // seconds of 2005, 2008, 2012 and 2015 (`date -u -d 2016-04-22T08:45:31 +%s`).
  EXPECT_EQ((VdifHeader{.second = 514'629'935, .epoch = 0}).unix_second(), 1'461'314'731);
  // 184 days after 2016-07-01 is the leap second, followed by 2017-01-01T00:00:00.
  constexpr std::uint32_t half_year = 184 * 86400;
  constexpr std::int64_t new_year = 1'483'228'800;
  EXPECT_EQ((VdifHeader{.second = half_year - 1, .epoch = 33}).unix_second(), new_year - 1);
  EXPECT_EQ((VdifHeader{.second = half_year, .epoch = 33}).unix_second(), new_year);
  EXPECT_EQ((VdifHeader{.second = half_year + 1, .epoch = 33}).unix_second(), new_year);
  EXPECT_EQ((VdifHeader{.second = half_year + 101, .epoch = 33}).unix_second(), new_year + 100);
  EXPECT_EQ((VdifHeader{.second = 0, .epoch = 34}).tai_second(),
            (VdifHeader{.second = half_year + 1, .epoch = 33}).tai_second());
  // Writers use the half-year of the time itself.
  EXPECT_EQ(vdif_time(new_year).epoch, 34);
  EXPECT_EQ(vdif_time(new_year).second, 0U);
}

TEST(VdifTime, a_stream_across_a_leap_second_loses_nothing_and_a_sender_may_change_its_epoch) {
  const VdifFormat format = format_of_fields();
  // Three seconds from 23:59:59 on: the second one is the leap second.
  constexpr std::int64_t new_year = 1'483'228'800;
  const std::string bytes = stream(
      format, [](VdifHeader&) {}, new_year - 1, 300);
  const Outcome outcome = read(format, bytes);
  EXPECT_EQ(outcome.count("packets_received"), 300U);
  EXPECT_EQ(outcome.count("packets_lost"), 0U);
  ASSERT_EQ(outcome.frames.size(), 75U);
  EXPECT_EQ(outcome.frames[0].header.utc_ns, (new_year - 1) * ns_of_second);
  EXPECT_EQ(outcome.frames[25].header.utc_ns, new_year * ns_of_second) << "23:59:60 as POSIX counts it";
  EXPECT_EQ(outcome.frames[50].header.utc_ns, new_year * ns_of_second);
  EXPECT_EQ(outcome.frames[74].header.utc_ns, new_year * ns_of_second + 24 * ns_of_second / 25);
  for (std::size_t i = 1; i < outcome.frames.size(); ++i)
    EXPECT_EQ(outcome.frames[i].header.first_sample - outcome.frames[i - 1].header.first_sample, 64U);
  // The same times with the epoch of 2000.
  const std::int64_t since_2000 = VdifHeader{.second = 0, .epoch = 0}.tai_second();
  const Outcome old = read(format, stream(
                                       format,
                                       [&](VdifHeader& header) {
                                         header.second =
                                             static_cast<std::uint32_t>(header.tai_second() - since_2000);
                                         header.epoch = 0;
                                       },
                                       new_year - 1, 300));
  ASSERT_EQ(old.frames.size(), 75U);
  for (std::size_t i = 0; i < old.frames.size(); ++i)
    EXPECT_EQ(old.frames[i].header.utc_ns, outcome.frames[i].header.utc_ns) << i;
}

TEST(VdifTime, shifted_packets_cross_a_leap_second) {
  const VdifFormat format = format_of_fields();
  const VdifCodec codec(format);
  VdifSynthesis synthesis({.format = format, .second = 1'483'228'799, .packets = 1});
  std::vector<std::byte> packet;
  const LanePacket first = *synthesis.next();
  packet.assign(first.bytes.begin(), first.bytes.end());
  ASSERT_TRUE(codec.shift(packet, 100));
  EXPECT_EQ(decode_vdif(packet).epoch, 33);
  EXPECT_EQ(decode_vdif(packet).second, 184U * 86400);
  ASSERT_TRUE(codec.shift(packet, 100));
  EXPECT_EQ(decode_vdif(packet).epoch, 34);
  EXPECT_EQ(decode_vdif(packet).second, 0U);
}

TEST(VdifTime, behind_the_expiry_of_the_leap_seconds_is_warned_of) {
  const VdifFormat format = format_of_fields();
  // Half-year 33 lasted until 2016; 2^30 - 1 s from its beginning are in 2050, beyond any table.
  const Outcome outcome =
      read(format, stream(format, [](VdifHeader& header) { header.second = (1U << 30) - 1; }));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("leap seconds expired")));
  const Outcome current = read(format, stream(
                                           format, [](VdifHeader&) {}, 1'900'000'000));
  EXPECT_THAT(current.warnings, IsEmpty()) << "an epoch of the same half-year needs no table";
}

TEST(VdifFiles, invalid_frames_with_headers_of_noise_make_no_threads_and_are_counted) {
  const test::TemporaryFolder folder;
  VdifFormat format = format_of_fields();
  format.threads = {0, 1};
  format.sample_hz = 1600;
  const std::string bytes = stream(
      format, [](VdifHeader&) {}, first_second, 40);
  std::mt19937 random(3);
  for (const bool is_first : {false, true}) {
    std::string damaged = bytes;
    std::size_t count = 0;
    for (std::size_t frame = is_first ? 0 : 1; frame < 80; frame += 5, ++count) {
      const std::size_t at = frame * format.packet_bytes();
      VdifHeader junk = decode_vdif(std::as_bytes(std::span(damaged)).subspan(at));
      junk.is_invalid = true;
      junk.thread = static_cast<std::uint16_t>(random() % 1024);
      junk.second = static_cast<std::uint32_t>(random() % (1U << 30));
      junk.station = static_cast<std::uint16_t>(random());
      junk.bits = static_cast<int>(random() % 32) + 1;
      junk.log2_channels = static_cast<std::uint8_t>(random() % 32);
      junk.frame_bytes = static_cast<std::uint32_t>(random() % (1U << 20)) * 8;
      encode_vdif(junk, std::as_writable_bytes(std::span(damaged)).subspan(at));
    }
    const std::string path = folder.file("a.vdif", damaged);
    VdifFormat found = read_vdif_format(path);
    EXPECT_THAT(found.threads, ElementsAre(0, 1)) << is_first;
    EXPECT_EQ(found.bits, 8);
    found.sample_hz = format.sample_hz;
    found.packets = 4;
    const Outcome outcome = read_file(path, found);
    EXPECT_EQ(outcome.count("refused_invalid"), count);
    // The stream begins with the first packets of both threads.
    EXPECT_EQ(outcome.count("packets_received") + outcome.count("packets_early"), 80 - count);
    EXPECT_EQ(outcome.frames.size(), 10U);
  }
}

TEST(VdifFiles, compressed_ones_are_read_as_plain_ones) {
  const test::TemporaryFolder folder;
  const std::string bytes = stream(format_of_fields(), [](VdifHeader&) {});
  const auto read_back = [&](const std::string& file) {
    VdifFormat found = read_vdif_format(folder.file("a.vdif", file));
    found.sample_hz = format_of_fields().sample_hz;
    found.packets = 4;
    return read_file(folder / "a.vdif", found);
  };
  const Outcome plain = read_back(bytes);
  ASSERT_FALSE(plain.frames.empty());
  for (const std::string& file : {test::gzipped(bytes), test::zstd_compressed(bytes)}) {
    const Outcome outcome = read_back(file);
    ASSERT_EQ(outcome.frames.size(), plain.frames.size());
    for (std::size_t i = 0; i < plain.frames.size(); ++i) {
      EXPECT_EQ(outcome.frames[i].header.utc_ns, plain.frames[i].header.utc_ns);
      EXPECT_EQ(outcome.frames[i].bytes, plain.frames[i].bytes);
    }
  }
}

TEST(VdifFiles, a_thread_of_one_damaged_header_is_omitted_with_a_note) {
  const test::TemporaryFolder folder;
  const VdifFormat format = format_of_fields();
  std::string bytes = stream(
      format, [](VdifHeader&) {}, first_second, 40);
  VdifHeader header = decode_vdif(std::as_bytes(std::span(bytes)).subspan(10 * format.packet_bytes()));
  header.thread = 77;
  encode_vdif(header, std::as_writable_bytes(std::span(bytes)).subspan(10 * format.packet_bytes()));
  const std::string path = folder.file("a.vdif", bytes);
  VdifFormat found = read_vdif_format(path);
  EXPECT_THAT(found.threads, ElementsAre(0));
  found.sample_hz = format.sample_hz;
  found.packets = 4;
  const Outcome outcome = read_file(path, found);
  EXPECT_EQ(outcome.count("refused_thread"), 1U);
  EXPECT_EQ(outcome.count("packets_lost"), 1U);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("thread 77")));
}

TEST(VdifFiles, a_truncated_frame_causes_a_warning) {
  const test::TemporaryFolder folder;
  const VdifFormat format = format_of_fields();
  const std::string bytes = stream(format, [](VdifHeader&) {});
  for (const std::size_t cut : {1U, 50U, 95U}) {
    const std::string path = folder.file("a.vdif", bytes.substr(0, bytes.size() - cut));
    VdifFormat found = read_vdif_format(path);
    found.sample_hz = format.sample_hz;
    found.packets = 4;
    const Outcome outcome = read_file(path, found);
    EXPECT_EQ(outcome.count("bytes_left_over"), 96 - cut);
    EXPECT_EQ(outcome.count("packets_received"), 7U);
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("ends within a frame"))) << cut;
  }
}

}  // namespace vdif_header_fields_test
}  // namespace takt::sensors
