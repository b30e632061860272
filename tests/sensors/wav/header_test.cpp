/// Tests that WAV recordings are read as their chunks define.

#include "sensors/wav/header.hpp"

#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/support/compressed.hpp"

namespace takt::sensors {
namespace wav_header_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The properties of a recording; numbers are little-endian, or big-endian in RIFX.
struct Wav {
  std::string kind = "RIFF";
  std::uint64_t tag = 1, channels = 2, hz = 1000, bits = 16;
  /// Size in the chunk `data`; default: the actual size.
  std::optional<std::uint64_t> told = {};
  std::string samples, before = {}, behind = {};
  /// Replaces channels * bits / 8.
  std::uint64_t align = 0;
  std::string extension = {};

  [[nodiscard]] std::string number(std::uint64_t value, std::size_t size) const {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i)
      bytes += static_cast<char>(value >> (8 * (kind == "RIFX" ? size - 1 - i : i)));
    return bytes;
  }
  [[nodiscard]] std::string chunk(const std::string& name, const std::string& bytes) const {
    return name + number(bytes.size(), 4) + bytes + (bytes.size() % 2 == 0 ? "" : std::string(1, '\0'));
  }
  [[nodiscard]] std::string bytes() const {
    const std::uint64_t row = align != 0 ? align : channels * bits / 8;
    return kind + number(samples.size() + 36, 4) + "WAVE" + before +
           chunk("fmt ", number(tag, 2) + number(channels, 2) + number(hz, 4) + number(hz * row, 4) +
                             number(row, 2) + number(bits, 2) + extension) +
           "data" + number(told.value_or(samples.size()), 4) + samples + behind;
  }
};

/// The binary chunk of a receiver at 2024-01-02T03:04:05.600 and 7.1 MHz.
std::string auxi(const Wav& wav) {
  std::string bytes;
  for (const std::uint64_t part : {2024, 1, 2, 2, 3, 4, 5, 600}) bytes += wav.number(part, 2);
  bytes += std::string(16, '\0');
  for (const std::uint64_t hertz : {7'100'000, 122'880'000, 0, 192'000}) bytes += wav.number(hertz, 4);
  return wav.chunk("auxi", bytes + std::string(20, '\0'));
}
/// `date -u -d 2024-01-02T03:04:05 +%s`, and 600 ms.
constexpr std::int64_t auxi_utc_ns = 1'704'164'645'600'000'000;

struct Read {
  std::string refusal;
  std::vector<float> values;
  std::int64_t utc_ns = 0;
  FrameType type;
  std::vector<std::string> warnings, description;
  SourceCounters counters;
};

/// Sets a start, so that there is no warning about it, unless the test concerns it.
Read read(const Wav& wav, WavOptions options = {.utc_ns = 5}) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.wav", wav.bytes());
  options.samples = 2;
  Read read;
  try {
    SampleFileSource source({.pieces = {{file, layout_of(read_wav(file), options)}}});
    read.type = source.type();
    read.description = source.description();
    source.start();
    for (const test::KeptFrame& frame : test::take_all(source)) {
      if (read.values.empty()) read.utc_ns = frame.header.utc_ns;
      for (std::size_t at = 0; at < frame.bytes.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, frame.bytes.data() + at, sizeof value);
        if (!std::isnan(value)) read.values.push_back(value);
      }
    }
    read.warnings = source.warnings();
    read.counters = source.counters();
  } catch (const ConfigError& error) {
    read.refusal = error.what();
  }
  return read;
}

std::string bytes_of(auto value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(Wav, every_type_of_number_is_read) {
  const auto value = [](std::uint64_t tag, std::uint64_t bits, const std::string& samples) {
    const Read found = read({.tag = tag, .channels = 1, .bits = bits, .samples = samples});
    EXPECT_EQ(found.refusal, "");
    return found.values.empty() ? NAN : found.values.front();
  };
  EXPECT_EQ(value(1, 8, "\x83"), 3);
  EXPECT_EQ(value(1, 16, bytes_of(std::int16_t{-300})), -300);
  EXPECT_EQ(value(1, 24, "\xFE\xFF\xFF"), -2);
  EXPECT_EQ(value(1, 24, std::string("\1\2\3")), 0x030201);
  EXPECT_EQ(value(1, 32, bytes_of(std::int32_t{-70000})), -70000);
  EXPECT_EQ(value(3, 32, bytes_of(0.25F)), 0.25F);
  EXPECT_EQ(value(3, 64, bytes_of(-0.5)), -0.5F);
}

TEST(Wav, a_receiver_has_pairs_of_i_and_q_with_time_and_frequency) {
  Wav wav{.samples = bytes_of(std::int16_t{1}) + bytes_of(std::int16_t{-2}) + bytes_of(std::int16_t{3}) +
                     bytes_of(std::int16_t{4})};
  const Read stereo = read(wav);
  EXPECT_EQ(stereo.type.to_string(), "float32[beamlet=2][time=2][polarisation=1]");
  EXPECT_THAT(stereo.values, ElementsAre(1, 3, -2, 4));
  EXPECT_THAT(stereo.warnings, IsEmpty());
  wav.before = auxi(wav);
  const Read iq = read(wav, {});
  EXPECT_EQ(iq.type.to_string(), "complex_float32[beamlet=1][time=2][polarisation=1]");
  EXPECT_THAT(iq.values, ElementsAre(1, -2, 3, 4));
  EXPECT_EQ(iq.utc_ns, auxi_utc_ns);
  EXPECT_THAT(iq.type.axes[0].coordinates, ElementsAre(7.1e6));
  EXPECT_THAT(iq.description,
              ElementsAre("auxi ADFrequency: 122880000", "auxi IFFrequency: 0", "auxi Bandwidth: 192000"));
  EXPECT_THAT(iq.warnings, IsEmpty());
  const Read chosen = read(wav, {.is_iq = false, .utc_ns = 7, .frequency_hz = 1e6});
  EXPECT_EQ(chosen.utc_ns, 7);
  EXPECT_THAT(chosen.values, ElementsAre(1, 3, -2, 4));
  EXPECT_THAT(chosen.type.axes[0].coordinates, ElementsAre(1e6, 1e6));
  // After the samples, too.
  std::swap(wav.before, wav.behind);
  EXPECT_EQ(read(wav, {}).utc_ns, auxi_utc_ns);
  wav.channels = 1;
  EXPECT_THAT(read(wav).refusal, HasSubstr("1 channels are not pairs"));
}

/// The broadcast extension at 2024-01-02, this many samples after midnight.
std::string bext(const Wav& wav, const std::string& originator, std::uint64_t samples,
                 const std::string& date = "2024-01-02", const std::string& time = "03:04:05") {
  std::string texts = std::string(256, ' ') + originator;
  texts.resize(256 + 64, '\0');
  return wav.chunk("bext", texts + date + time + wav.number(samples & 0xFFFFFFFF, 4) +
                               wav.number(samples >> 32, 4) + std::string(256, '\0'));
}
/// `date -u -d 2024-01-02 +%s`.
constexpr std::int64_t bext_midnight_ns = 1'704'153'600'000'000'000;

TEST(Wav, a_broadcast_extension_is_the_fallback_for_the_time) {
  for (const char* kind : {"RIFF", "RIFX"}) {
    Wav wav{.kind = kind, .samples = std::string(8, '\1')};
    // UTC, if written by takt; the last second of the day at 1000 samples/s, and more than 32 bits.
    wav.before = bext(wav, "takt", 86'399'001);
    EXPECT_THAT(read(wav, {}).warnings, IsEmpty());
    EXPECT_EQ(read(wav, {}).utc_ns, bext_midnight_ns + 86'399'001'000'000);
    wav.hz = 48'000'000;
    wav.before = bext(wav, "takt", std::uint64_t{1} << 32);
    EXPECT_EQ(read(wav, {}).utc_ns, bext_midnight_ns + 89'478'485'333);
    wav.hz = 1000;
    wav.before = bext(wav, "recorder", 0);
    EXPECT_THAT(read(wav, {}).warnings, ElementsAre(HasSubstr("'bext' is taken as UTC")));
    EXPECT_EQ(read(wav, {}).utc_ns, bext_midnight_ns + (3 * 3600 + 4 * 60 + 5) * 1'000'000'000LL);
    wav.before = bext(wav, "takt", 86'400'000);
    EXPECT_THAT(read(wav, {}).warnings, ElementsAre(HasSubstr("beyond the day"), HasSubstr("no time")));
    wav.before = bext(wav, "takt", 5, "2024-13-02");
    EXPECT_THAT(read(wav, {}).warnings, ElementsAre(HasSubstr("is not a date"), HasSubstr("no time")));
    wav.before = wav.chunk("bext", "short");
    EXPECT_THAT(read(wav, {}).warnings, ElementsAre(HasSubstr("shorter than"), HasSubstr("no time")));
    // The receiver's time has priority.
    wav.before = bext(wav, "recorder", 5) + auxi(wav);
    EXPECT_EQ(read(wav, {}).utc_ns, auxi_utc_ns);
    EXPECT_THAT(read(wav, {}).warnings, IsEmpty());
  }
}

TEST(Wav, texts_of_a_broadcast_extension_are_carried) {
  Wav wav{.samples = std::string(8, '\1')};
  std::string chunk = bext(wav, "takt", 5);
  chunk.replace(8, 9, "Night sky");
  chunk.replace(8 + 288, 5, "NL-17");
  wav.before = chunk;
  EXPECT_THAT(read(wav, {}).description,
              ElementsAre("bext Description: Night sky", "bext OriginatorReference: NL-17"));
}

TEST(Wav, samples_in_pieces_are_refused) {
  Wav wav{.samples = std::string(8, '\1')};
  wav.before = wav.chunk("LIST", "wavl" + wav.chunk("slnt", wav.number(4, 4)));
  EXPECT_THAT(read(wav).refusal, HasSubstr("LIST wavl"));
}

TEST(Wav, big_endian_and_large_files_are_read) {
  Wav big{.kind = "RIFX", .samples = std::string("\0\1\0\2\0\3\0\4", 8)};
  big.before = auxi(big);
  EXPECT_THAT(read(big, {}).values, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(read(big, {}).utc_ns, auxi_utc_ns);
  for (const char* kind : {"RF64", "BW64"}) {
    Wav large{.kind = kind, .told = 0xFFFFFFFF, .samples = std::string("\1\0\2\0\3\0\4\0", 8)};
    large.before = large.chunk(
        "ds64", large.number(100, 8) + large.number(8, 8) + large.number(2, 8) + large.number(0, 4));
    large.behind = large.chunk("LIST", "INFO");
    const Read found = read(large);
    EXPECT_THAT(found.values, ElementsAre(1, 3, 2, 4));
    EXPECT_THAT(found.warnings, IsEmpty());
  }
}

TEST(Wav, extensible_formats_define_their_samples) {
  const std::string guid("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14);
  Wav wav{.tag = 0xFFFE, .channels = 1, .bits = 32, .samples = bytes_of(1.5F)};
  const auto with = [&](std::uint64_t tag) {
    wav.extension = wav.number(22, 2) + wav.number(32, 2) + wav.number(0, 4) + wav.number(tag, 2) + guid;
    return read(wav);
  };
  EXPECT_THAT(with(3).values, ElementsAre(1.5F));
  EXPECT_THAT(with(1).values, ElementsAre(static_cast<float>(0x3FC00000)));
  EXPECT_THAT(with(6).refusal, HasSubstr("wFormatTag is 6"));
  wav.extension = "";
  EXPECT_THAT(read(wav).refusal, HasSubstr("without SubFormat"));
}

TEST(Wav, unknown_sizes_extend_to_the_end_of_the_file) {
  const std::string four("\1\0\2\0\3\0\4\0", 8);
  for (const std::uint64_t told : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFF}}) {
    const Read found = read({.told = told, .samples = four});
    EXPECT_THAT(found.values, ElementsAre(1, 3, 2, 4));
    EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("has no size")));
  }
}

TEST(Wav, truncated_files_are_counted_and_reported) {
  const std::string four("\1\0\2\0\3\0\4\0", 8);
  const Read found = read({.told = 20, .samples = four});
  EXPECT_THAT(found.values, ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(test::value_of(found.counters.details, "samples_cut_off"), 3U);
  EXPECT_EQ(found.counters.lost, 2U);
  EXPECT_THAT(found.warnings,
              ElementsAre(HasSubstr("the chunk 'data' declares 5 samples, the file holds 2: 3 are missing")));
  const Read half = read({.told = 8, .samples = four.substr(0, 7)});
  EXPECT_THAT(half.warnings, ElementsAre(HasSubstr("ends within a sample"), HasSubstr("truncated")));
  EXPECT_THAT(read({.told = 4, .samples = four}).warnings, ElementsAre(HasSubstr("are not a chunk")));
}

TEST(Wav, missing_and_unknown_properties_cause_warnings) {
  const std::string four("\1\0\2\0\3\0\4\0", 8);
  EXPECT_THAT(read({.samples = four}, {}).warnings, ElementsAre(HasSubstr("no time of the first sample")));
  Wav wav{.samples = four};
  wav.before = wav.chunk("gps ", "somewhere");
  EXPECT_THAT(read(wav).warnings, ElementsAre(HasSubstr("unknown keyword 'gps'")));
  wav.before = wav.chunk("auxi", "<SDR-XML-Root/>");
  EXPECT_THAT(read(wav).warnings, ElementsAre(HasSubstr("'auxi' is not in binary form")));
}

TEST(Wav, invalid_values_are_refused_by_field) {
  const std::string four("\1\0\2\0\3\0\4\0", 8);
  EXPECT_THAT(read({.kind = "FORM", .samples = four}).refusal, HasSubstr("expected RIFF"));
  for (const std::uint64_t tag : {2, 6, 7, 0x55})
    EXPECT_THAT(read({.tag = tag, .samples = four}).refusal, HasSubstr(fmt::format("wFormatTag is {}", tag)));
  EXPECT_THAT(read({.channels = 0, .samples = four, .align = 4}).refusal, HasSubstr("nChannels"));
  EXPECT_THAT(read({.hz = 0, .samples = four}).refusal, HasSubstr("nSamplesPerSec"));
  for (const std::uint64_t bits : {0, 4, 12, 40, 64})
    EXPECT_THAT(read({.bits = bits, .samples = four}).refusal,
                HasSubstr(fmt::format("wBitsPerSample is {}", bits)));
  EXPECT_THAT(read({.tag = 3, .bits = 16, .samples = four}).refusal, HasSubstr("wBitsPerSample is 16"));
  EXPECT_THAT(read({.samples = four, .align = 6}).refusal, HasSubstr("nBlockAlign is 6: expected 4"));
  const test::TemporaryFolder folder;
  const std::string head = "RIFF" + std::string(4, '\0') + "WAVE";
  EXPECT_THAT([&] { (void)read_wav(folder.file("b.wav", head)); },
              testing::ThrowsMessage<ConfigError>(HasSubstr("no chunk 'fmt '")));
  EXPECT_THAT([&] { (void)read_wav(folder.file("z.wav", test::gzipped(head))); },
              testing::ThrowsMessage<ConfigError>(HasSubstr("cannot read a compressed WAV file")));
  const std::string whole = Wav{.samples = four}.bytes();
  EXPECT_THAT([&] { (void)read_wav(folder.file("c.wav", whole.substr(0, 36))); },
              testing::ThrowsMessage<ConfigError>(HasSubstr("no chunk 'data'")));
}

/// For each obeyed field a value that changes the result; no other chunk has an effect.
TEST(Wav, each_obeyed_field_changes_the_result) {
  const Wav usual{.samples = std::string("\1\0\2\0\3\0\4\0", 8)};
  const Read before = read(usual, {});
  const auto with = [&](auto change) {
    Wav wav = usual;
    change(wav);
    return wav;
  };
  const std::map<std::string, Wav> changed{
      {"RIFF", with([](Wav& wav) { wav.kind = "RIFX"; })},
      {"fmt", with([](Wav& wav) { wav.behind = wav.chunk("fmt ", std::string(16, '\0')); })},
      {"fmt wFormatTag", with([](Wav& wav) { wav.tag = 3; })},
      {"fmt nChannels", with([](Wav& wav) { wav.channels = 4; })},
      {"fmt nSamplesPerSec", with([](Wav& wav) { wav.hz = 2000; })},
      {"fmt nBlockAlign", with([](Wav& wav) { wav.align = 2; })},
      {"fmt wBitsPerSample", with([](Wav& wav) { wav.bits = 8; })},
      {"fmt SubFormat", with([](Wav& wav) { wav.tag = 0xFFFE; })},
      {"ds64", with([](Wav& wav) {
         wav.kind = "RF64";
         wav.told = 0xFFFFFFFF;
         wav.before = wav.chunk("ds64", wav.number(0, 8) + wav.number(4, 8));
       })},
      {"ds64 dataSize", with([](Wav& wav) {
         wav.kind = "BW64";
         wav.told = 0xFFFFFFFF;
         wav.before = wav.chunk("ds64", wav.number(0, 8) + wav.number(4, 8));
       })},
      {"data", with([](Wav& wav) { wav.told = 80; })},
      {"bext", with([](Wav& wav) { wav.before = wav.chunk("bext", "short"); })},
      {"bext Originator", with([](Wav& wav) { wav.before = bext(wav, "recorder", 0); })},
      {"bext OriginationDate", with([](Wav& wav) { wav.before = bext(wav, "takt", 5); })},
      {"bext OriginationTime", with([](Wav& wav) { wav.before = bext(wav, "takt", 0); })},
      {"bext TimeReference", with([](Wav& wav) { wav.before = bext(wav, "takt", 7); })},
      {"auxi", with([](Wav& wav) { wav.before = wav.chunk("auxi", std::string(64, '\0')); })},
      {"auxi StartTime", with([](Wav& wav) { wav.before = auxi(wav); })},
      {"auxi CenterFreq", with([](Wav& wav) { wav.before = auxi(wav); })}};
  for (const HeaderKeyword& keyword : wav_keywords().rows) {
    const std::string name(keyword.name);
    if (keyword.use == KeywordUse::obeyed) {
      ASSERT_TRUE(changed.contains(name)) << name;
      const Read after = read(changed.at(name), {});
      EXPECT_TRUE(!after.refusal.empty() || after.values != before.values || after.type != before.type ||
                  after.utc_ns != before.utc_ns || after.warnings != before.warnings)
          << name;
    } else if (name.find(' ') == std::string::npos) {
      Wav wav = usual;
      wav.before = wav.chunk((name + "   ").substr(0, 4), "any bytes");
      const Read after = read(wav, {});
      EXPECT_EQ(after.values, before.values) << name;
      EXPECT_EQ(after.warnings.size(), before.warnings.size()) << name;
    }
  }
}

}  // namespace wav_header_test
}  // namespace takt::sensors
