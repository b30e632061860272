/// Tests that sample files are read back unchanged, and bad headers are refused.

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/sigproc/header.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace files_sample_file_test {

using test::KeptFrame;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<KeptFrame> read(const std::filesystem::path& file, const SampleLayout& layout) {
  SampleFileSource source({.pieces = {{file, layout}}, .source = 2});
  source.start();
  return test::take_all(source);
}

std::vector<float> floats(const KeptFrame& frame) {
  std::vector<float> values(frame.bytes.size() / sizeof(float));
  std::memcpy(values.data(), frame.bytes.data(), values.size() * sizeof(float));
  return values;
}

/// A hand-made header, as other programs write it.
std::string filterbank_header(int bits, int channels, int ifs) {
  std::string header;
  const auto text = [&](const std::string& word) {
    const auto length = static_cast<std::int32_t>(word.size());
    header.append(reinterpret_cast<const char*>(&length), 4).append(word);
  };
  const auto pair = [&](const std::string& word, auto value) {
    text(word);
    header.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  text("HEADER_START");
  pair("nbits", std::int32_t{bits});
  pair("nchans", std::int32_t{channels});
  pair("nifs", std::int32_t{ifs});
  pair("tsamp", 0.5);
  pair("tstart", 59759.0625);
  pair("fch1", 1500.0);
  pair("foff", -0.5);
  text("HEADER_END");
  return header;
}

SampleLayout filterbank(const std::filesystem::path& file, std::size_t samples) {
  return layout_of(read_sigproc_header(file), samples);
}

TEST(SampleFile, filterbanks_of_few_bits_begin_with_the_least_significant_one) {
  const test::TemporaryFolder folder;
  // 0b11100100: as 1 bit 0 0 1 0 0 1 1 1, as 2 bits 0 1 2 3, as 4 bits 4 14.
  const std::map<int, std::vector<float>> expected{
      {1, {0, 0, 1, 0, 0, 1, 1, 1}}, {2, {0, 1, 2, 3}}, {4, {4, 14}}, {8, {228}}};
  for (const auto& [bits, values] : expected) {
    const std::string file =
        folder.file("a.fil", filterbank_header(bits, static_cast<int>(values.size()), 1) + "\xe4");
    const std::vector<KeptFrame> frames = read(file, filterbank(file, 1));
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(floats(frames[0]), values) << bits;
  }
}

TEST(SampleFile, files_without_samples_are_refused_and_one_of_several_is_not) {
  const test::TemporaryFolder folder;
  const std::string empty = folder.file("a.fil", filterbank_header(8, 3, 1)),
                    whole = folder.file("b.fil", filterbank_header(8, 3, 1) + "abc");
  const auto check = [&](const std::vector<std::string>& files) {
    std::vector<SamplePiece> pieces;
    for (const std::string& file : files) pieces.push_back({file, filterbank(file, 2)});
    SampleFileSource({.pieces = pieces}).check();
  };
  EXPECT_THAT([&] { check({empty}); }, ThrowsMessage<ConfigError>(HasSubstr("a.fil: no samples")));
  EXPECT_THAT(
      [&] {
        check({empty, empty});
      },
      ThrowsMessage<ConfigError>(HasSubstr("a.fil and the other files: no samples")));
  EXPECT_NO_THROW(check({empty, whole}));
}

TEST(SampleFile, a_filterbank_has_its_frequencies_times_and_missing_end) {
  const test::TemporaryFolder folder;
  // 5 samples of 2 IFs of 3 channels of 8 bits, and half a sample.
  std::string bytes(33, '\0');
  std::iota(bytes.begin(), bytes.end(), char{0});
  const std::string file = folder.file("a.fil", filterbank_header(8, 3, 2) + bytes);
  const SampleLayout layout = filterbank(file, 2);
  EXPECT_EQ(layout.type.to_string(), "float32[time=2][stokes=2][channel=3]");
  EXPECT_THAT(layout.type.axes[2].coordinates, ElementsAre(1500e6, 1499.5e6, 1499e6));
  EXPECT_EQ(layout.type.rate_hz, 1);
  SampleFileSource source({.pieces = {{file, layout}}, .source = 2});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 3u);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(floats(frames[i / 12])[i % 12], static_cast<float>(i));
  for (std::size_t i = 6; i < 12; ++i) EXPECT_TRUE(std::isnan(floats(frames[2])[i]));
  // MJD 59759.0625 is 2022-06-29T01:30:00.
  EXPECT_EQ(frames[1].header.utc_ns, 1656466201'000'000'000);
  EXPECT_EQ(frames[2].header.sequence, 2u);
  EXPECT_EQ(frames[2].header.first_sample, 4u);
  EXPECT_EQ(frames[2].header.parts, 2u);
  EXPECT_EQ(frames[2].header.missing_parts, 1u);
  EXPECT_EQ(frames[2].header.missing_mask, 2u);
  EXPECT_EQ(frames[2].header.source, 2u);
  EXPECT_EQ(test::value_of(source.counters().details, "bytes_left_over"), 3u);
}

TEST(SampleFile, nan_in_files_of_floats_is_missing) {
  const test::TemporaryFolder folder;
  const auto bytes_of = [](std::vector<float> values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  const float nan = std::nanf("");
  // Frames of 2 samples of 3 channels: complete, the second sample missing, complete, and truncated.
  const std::string data = bytes_of({1, 2, 3, 4, 5, 6, 1, 2, 3, 4, nan, 6, 1, 2, 3, 4, 5, 6, nan, 2, 3});
  const std::string filterbank_path = folder.file("a.fil", filterbank_header(32, 3, 1) + data);
  SampleLayout raw = filterbank(filterbank_path, 2);
  raw.offset = 0;
  take_as_they_are(raw, false);
  for (const auto& [path, layout] :
       {std::pair(filterbank_path, filterbank(filterbank_path, 2)), {folder.file("a.raw", data), raw}}) {
    SampleFileSource source({.pieces = {{path, layout}}});
    source.start();
    const std::vector<KeptFrame> frames = test::take_all(source);
    ASSERT_EQ(frames.size(), 4u);
    std::vector<std::uint32_t> missing;
    for (const KeptFrame& frame : frames) missing.push_back(frame.header.missing_parts);
    EXPECT_THAT(missing, ElementsAre(0, 1, 0, 2));
    EXPECT_EQ(frames[1].header.missing_mask, 2u);
    EXPECT_EQ(floats(frames[1])[5], 6);
    EXPECT_EQ(source.counters().incomplete, 1u);
    EXPECT_TRUE(source.is_cut_off());
  }
}

TEST(SampleFile, the_recorded_filterbank_has_its_known_mean) {
  const std::filesystem::path file = test::test_data() / "filterbank/28.fil";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to their folder";
  const SampleLayout layout = filterbank(file, 1000);
  EXPECT_EQ(layout.type.to_string(), "float32[time=1000][channel=336]");
  double sum = 0;
  std::size_t count = 0;
  const std::vector<KeptFrame> frames = read(file, layout);
  ASSERT_EQ(frames.size(), 6u);
  for (const KeptFrame& frame : frames)
    for (const float value : floats(frame))
      if (!std::isnan(value)) {
        sum += value;
        ++count;
      }
  EXPECT_EQ(count, 336u * 5120);
  EXPECT_NEAR(sum / static_cast<double>(count), 127.422, 5e-4);
  EXPECT_NEAR(layout.row_hz, 1 / 1.26646875e-3, 1e-6);
}

TEST(SampleFile, the_recorded_dada_file_has_its_known_deviation_and_start) {
  const std::filesystem::path file = test::test_data() / "dada/sample.dada";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to their folder";
  const SampleLayout layout = layout_of(read_dada_header(file), 1000);
  EXPECT_EQ(layout.type.to_string(), "complex_float32[beamlet=1][time=1000][polarisation=2]");
  double sum = 0, squares = 0, count = 0;
  const std::vector<KeptFrame> frames = read(file, layout);
  for (const KeptFrame& frame : frames)
    for (const float value : floats(frame)) {
      sum += value;
      squares += value * value;
      ++count;
    }
  EXPECT_EQ(count, 64000);
  EXPECT_NEAR(std::sqrt(squares / count - sum / count * (sum / count)), 3.0765, 5e-5);
  // 6.4e9 bytes at 64e6 bytes/s are 100 s after 01:37:40.
  EXPECT_EQ(frames[0].header.utc_ns, parse_utc("2013-07-02T01:39:20"));
  EXPECT_EQ(frames[1].header.utc_ns - frames[0].header.utc_ns, 62'500);
  EXPECT_NEAR(layout.type.axes[0].coordinates[0], 320e6, 1);
}

std::string dada_file(const std::string& keywords, const std::string& data) {
  std::string text = "HDR_SIZE 512\n" + keywords + "UTC_START 2000-01-01-00:00:00\n";
  text.resize(512, '\0');
  return text + data;
}

TEST(SampleFile, dada_channels_become_beamlets_with_their_samples_in_one_run) {
  const test::TemporaryFolder folder;
  // [time 3][channel 2][pol 1][re, im] of 8 bits: 10 t + c, -(10 t + c).
  std::string data;
  for (int t = 0; t < 3; ++t)
    for (int c = 0; c < 2; ++c) {
      data += static_cast<char>(10 * t + c);
      data += static_cast<char>(-(10 * t + c));
    }
  const std::string file = folder.file(
      "a.dada", dada_file("NBIT 8\nNDIM 2 # complex\nNPOL 1\nNCHAN 2\nTSAMP 1000\nFREQ 100\nBW -2\n", data));
  const SampleLayout layout = layout_of(read_dada_header(file), 2);
  EXPECT_THAT(layout.type.axes[0].coordinates, ElementsAre(100.5e6, 99.5e6));
  const std::vector<KeptFrame> frames = read(file, layout);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_THAT(floats(frames[0]), ElementsAre(0, 0, 10, -10, 1, -1, 11, -11));
  const std::vector<float> last = floats(frames[1]);
  EXPECT_EQ(last[0], 20);
  EXPECT_EQ(last[4], 21);
  for (const std::size_t i : {2u, 3u, 6u, 7u}) EXPECT_TRUE(std::isnan(last[i]));
}

TEST(SampleFile, invalid_headers_are_refused_with_the_keyword) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const std::string& keywords) {
    try {
      (void)read_dada_header(folder.file("a.dada", dada_file(keywords, "")));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("NBIT 8\n"), HasSubstr("a.dada: the PSRDADA header has no TSAMP"));
  EXPECT_THAT(refusal("NBIT 7\nTSAMP 1\n"), HasSubstr("NBIT 7: expected 1, 2, 4, 8, 16 or 32"));
  EXPECT_THAT(refusal("NBIT 8\nTSAMP x\n"), HasSubstr("TSAMP x: expected a number"));
  EXPECT_THAT(refusal("NBIT 8\nTSAMP 1\nUTC_START soon\n"), HasSubstr("UTC_START: 'soon' is not a time"));
  EXPECT_EQ(refusal("NBIT 8\nTSAMP 1\n"), "accepted");
  // A header's size is checked before it is allocated.
  const auto large = folder.file("c.fil", filterbank_header(8, 2'000'000'000, 1));
  EXPECT_THAT([&] { (void)filterbank(large, 1024); }, ThrowsMessage<ConfigError>(HasSubstr("are not valid")));
  EXPECT_THAT([&] { (void)read_dada_header(folder.file("b", "text")); },
              ThrowsMessage<ConfigError>(HasSubstr("not a PSRDADA file")));
  EXPECT_EQ(parse_utc("2013-07-02-01:37:40.5"), parse_utc("2013-07-02T01:37:40") + 500'000'000);
  // `date -u -d 2013-07-02T01:37:40 +%s`
  EXPECT_EQ(parse_utc("2013-07-02 01:37:40"), 1372729060'000'000'000);
  // A second 60 is one of the table of leap seconds.
  EXPECT_EQ(parse_utc("2016-12-31T23:59:60.5"), parse_utc("2017-01-01T00:00:00.5"));
  for (const char* none : {"2018-12-31T23:59:60", "2016-12-31T12:00:60"})
    EXPECT_THAT([&] { (void)parse_utc(none); }, ThrowsMessage<ConfigError>(HasSubstr("is not a time")));
}

TEST(SampleFile, raw_integers_beyond_24_bits_are_counted_and_reported_once) {
  const test::TemporaryFolder folder;
  SampleLayout layout;
  layout.type.element = ElementType::int32;
  layout.type.axes = {{"time", 2, {}}};
  layout.rows = 2;
  layout.row_bytes = 4;
  // 2^24 + 1, 2^24 + 2, 7: float32 represents the last two exactly.
  const std::string little("\1\0\0\1\2\0\0\1\7\0\0\0", 12), big("\1\0\0\1\1\0\0\2\0\0\0\7", 12);
  for (const bool swaps : {false, true}) {
    take_as_they_are(layout, swaps);
    SampleFileSource source({.pieces = {{folder.file("a.raw", swaps ? big : little), layout}}});
    source.start();
    (void)test::take_all(source);
    EXPECT_EQ(test::value_of(source.counters().details, "values_rounded"), 1U);
    EXPECT_THAT(source.warnings(), ElementsAre(HasSubstr("integers beyond 2^24")));
  }
}

TEST(SampleFile, raw_samples_of_either_byte_order_are_decoded) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.raw", "head\x01\x02\x03\x04\x05\x06");
  SampleLayout layout;
  layout.type.element = ElementType::int16;
  layout.type.axes = {{"time", 2, {}}};
  layout.offset = 4;
  layout.rows = 2;
  layout.row_bytes = 2;
  for (const bool swaps : {false, true}) {
    take_as_they_are(layout, swaps);
    const std::vector<KeptFrame> frames = read(file, layout);
    ASSERT_EQ(frames.size(), 2u);
    std::int16_t first = 0;
    std::memcpy(&first, frames[0].bytes.data(), 2);
    EXPECT_EQ(first, swaps ? 0x0102 : 0x0201);
    // The flags follow the elements: in the last frame the second sample is missing.
    ASSERT_EQ(frames[1].bytes.size(), 6u);
    EXPECT_EQ(frames[0].bytes[5], std::byte{0});
    EXPECT_EQ(frames[1].bytes[4], std::byte{0});
    EXPECT_EQ(frames[1].bytes[5], std::byte{1});
  }
}

}  // namespace files_sample_file_test
}  // namespace takt::sensors
