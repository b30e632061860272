/// Tests the contents of GUPPI raw files by their cards and by the reader.

#include "sensors/guppi/sink.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/guppi/recording.hpp"
#include "sensors/option_error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace guppi_sink_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// `date -u -d 2022-06-29T01:30:00 +%s`, and 250 000 001 ns.
constexpr std::int64_t start_ns = 1'656'466'200'250'000'001;

/// 3 channels in descending order of frequency, 4 samples, 2 polarisations, 25 frames/s.
FrameType voltages() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"beamlet", 3, {1401e6, 1400.5e6, 1400e6}}, {"time", 4, {}}, {"polarisation", 2, {}}};
  type.rate_hz = 25;
  return type;
}

constexpr std::size_t floats = 3 * 4 * 2 * 2;

std::vector<float> counting_from(float first) {
  std::vector<float> values(floats);
  std::iota(values.begin(), values.end(), first);
  return values;
}

void write_frame(Sink& sink, FrameHeader header, const std::vector<float>& values) {
  header.utc_ns = start_ns + static_cast<std::int64_t>(header.sequence) * 40'000'000;
  sink.write({&header, std::as_bytes(std::span(values))});
}

struct Block {
  std::map<std::string, std::string> cards;
  std::string samples;
};

/// Parses the blocks of a file by hand, with the words after the equals sign.
std::vector<Block> blocks_of(const std::string& bytes, std::size_t block_bytes = floats) {
  std::vector<Block> blocks(1);
  for (std::size_t at = 0; at + 80 <= bytes.size();) {
    const std::string card = bytes.substr(at, 80);
    at += 80;
    if (card == "END" + std::string(77, ' ')) {
      blocks.back().samples = bytes.substr(at, block_bytes);
      at += block_bytes;
      blocks.emplace_back();
      continue;
    }
    EXPECT_EQ(card.substr(8, 2), "= ") << card;
    std::string value = card.substr(10, card.find(" / ") - 10);
    value.erase(0, std::min(value.find_first_not_of(' '), value.size()));
    value.erase(value.find_last_not_of(' ') + 1);
    blocks.back().cards[card.substr(0, std::min<std::size_t>(card.find(' '), 8))] = value;
  }
  EXPECT_TRUE(blocks.back().cards.empty()) << "nothing follows the last block";
  blocks.pop_back();
  return blocks;
}

struct ReadBack {
  FrameType type;
  std::vector<std::string> warnings, description;
  std::vector<test::KeptFrame> frames;

  [[nodiscard]] std::vector<float> values(std::size_t frame) const {
    std::vector<float> values(frames[frame].bytes.size() / sizeof(float));
    std::memcpy(values.data(), frames[frame].bytes.data(), values.size() * sizeof(float));
    return values;
  }
};

ReadBack read_back(const std::filesystem::path& file) {
  SampleFileSource source({.pieces = read_guppi(file, 4)});
  ReadBack back{.type = source.type(), .description = source.description()};
  source.start();
  back.frames = test::take_all(source);
  back.warnings = source.warnings();
  return back;
}

TEST(GuppiSink, cards_and_samples_are_those_of_the_format) {
  const test::TemporaryFolder folder;
  GuppiSink sink({.output = {.path = folder / "a.raw"}, .source_name = "B0329+54", .telescope = "GBT"},
                 voltages());
  sink.open();
  write_frame(sink, {.sequence = 5}, counting_from(-20));
  write_frame(sink, {.sequence = 6}, counting_from(-10));
  sink.close();
  const std::vector<Block> blocks = blocks_of(test::read_file(folder / "a.raw"));
  ASSERT_EQ(blocks.size(), 2U);
  const std::map<std::string, std::string> expected{
      {"OBSNCHAN", "3"},
      {"NPOL", "4"},
      {"NBITS", "8"},
      {"BLOCSIZE", "48"},
      {"TBIN", "0.01"},
      // Channels are in descending order.
      {"OBSFREQ", "1400.5"},
      {"OBSBW", "-1.5"},
      {"CHAN_BW", "-0.5"},
      // 2022-06-29 is day 59759; 01:30:00 and five frames of 40 ms after the start.
      {"STT_IMJD", "59759"},
      {"STT_SMJD", "5400"},
      {"STT_OFFS", "0.450000001"},
      {"STTVALID", "1"},
      {"PKTIDX", "0"},
      {"PKTSIZE", "48"},
      {"PIPERBLK", "1"},
      {"OVERLAP", "0"},
      {"DIRECTIO", "0"},
      {"NPKT", "1"},
      {"NDROP", "0"},
      {"DROPBLK", "0.0"},
      {"SRC_NAME", "'B0329+54'"},
      {"TELESCOP", "'GBT     '"},
      {"BACKEND", "'takt    '"}};
  EXPECT_EQ(blocks[0].cards, expected);
  EXPECT_EQ(blocks[1].cards.at("PKTIDX"), "1");
  // [channel][time][polarisation][real, imaginary], two's complement.
  for (std::size_t i = 0; i < floats; ++i)
    EXPECT_EQ(static_cast<signed char>(blocks[0].samples[i]), static_cast<int>(i) - 20);
  EXPECT_EQ(static_cast<signed char>(blocks[1].samples[0]), -10);
}

TEST(GuppiSink, the_reader_finds_values_times_and_frequencies_again) {
  const test::TemporaryFolder folder;
  for (const int bits : {8, 16}) {
    FrameType type = voltages();
    if (bits == 16) type.axes = {{"beamlet", 6, {}}, type.axes[1], {"polarisation", 1, {}}};
    GuppiSink sink({.output = {.path = folder / "a.raw", .overwrite = true}, .bits = bits}, type);
    sink.open();
    for (std::uint64_t k = 0; k < 3; ++k)
      write_frame(sink, {.sequence = k}, counting_from(static_cast<float>(bits == 16 ? 1000 * k : 10 * k)));
    sink.close();
    const ReadBack back = read_back(folder / "a.raw");
    EXPECT_EQ(back.type.to_string(), type.to_string());
    EXPECT_DOUBLE_EQ(back.type.rate_hz, type.rate_hz);
    EXPECT_EQ(back.type.axes[0].coordinates, type.axes[0].coordinates);
    if (bits == 8)
      EXPECT_THAT(back.warnings, IsEmpty());
    else
      EXPECT_THAT(back.warnings, ElementsAre(HasSubstr("has no OBSFREQ"))) << "none were known";
    ASSERT_EQ(back.frames.size(), 3U);
    for (std::uint64_t k = 0; k < 3; ++k) {
      EXPECT_EQ(back.frames[k].header.utc_ns, start_ns + static_cast<std::int64_t>(k) * 40'000'000);
      EXPECT_EQ(back.values(k), counting_from(static_cast<float>(bits == 16 ? 1000 * k : 10 * k)));
    }
    EXPECT_THAT(back.description, Contains("BACKEND: takt"));
  }
}

TEST(GuppiSink, values_are_scaled_rounded_and_clipped) {
  const test::TemporaryFolder folder;
  GuppiSink sink({.output = {.path = folder / "a.raw"}, .scale = 10}, voltages());
  sink.open();
  std::vector<float> values(floats);
  values[0] = 1.26F;
  values[1] = -12.8F;
  values[2] = 12.8F;
  values[3] = -1e30F;
  values[4] = std::numeric_limits<float>::quiet_NaN();
  write_frame(sink, {}, values);
  sink.close();
  const std::string samples = blocks_of(test::read_file(folder / "a.raw"))[0].samples;
  EXPECT_EQ(samples.substr(0, 6), "\x0D\x80\x7F\x80" + std::string(2, '\0'));
  EXPECT_EQ(test::value_of(sink.counters(), "values_clipped"), 3U);
}

TEST(GuppiSink, lost_frames_are_blocks_marked_in_the_header) {
  const test::TemporaryFolder folder;
  for (const Missing value : {Missing::zero, Missing::hold}) {
    GuppiSink sink({.output = {.path = folder / "a.raw", .overwrite = true}, .missing = {value, true}},
                   voltages());
    sink.open();
    write_frame(sink, {}, counting_from(1));
    std::vector<float> holed = counting_from(11);
    holed[2] = std::numeric_limits<float>::quiet_NaN();
    write_frame(sink, {.sequence = 2, .parts = 24, .missing_parts = 1}, holed);
    write_frame(sink, {.sequence = 0, .epoch = 1}, counting_from(21));
    sink.close();
    const std::vector<Block> blocks = blocks_of(test::read_file(folder / "a.raw"));
    ASSERT_EQ(blocks.size(), 3U);
    EXPECT_EQ(blocks[1].cards.at("NDROP") + blocks[1].cards.at("NPKT"), "10");
    EXPECT_EQ(blocks[1].cards.at("DROPBLK"), "1.0");
    EXPECT_EQ(blocks[1].cards.at("PKTIDX"), "1");
    // The last sample of the first channel was 13 to 16.
    EXPECT_EQ(blocks[1].samples.substr(0, 4),
              value == Missing::zero ? std::string(4, '\0') : "\x0D\x0E\x0F\x10");
    EXPECT_EQ(blocks[2].cards.at("NDROP"), "0");
    // One of 24 samples, both of its parts.
    EXPECT_NEAR(std::stod(blocks[2].cards.at("DROPBLK")), 1 / 24.0, 1e-12);
    EXPECT_EQ(blocks[2].samples.substr(0, 4),
              value == Missing::zero ? std::string("\x0B\x0C\0\0", 4) : std::string("\x0B\x0C\x0F\x10"));
    std::string mask = std::string(24, '\0') + std::string(24, '\1') + std::string(24, '\0');
    mask[48 + 1] = '\1';
    EXPECT_EQ(test::read_file(folder / "a.raw.mask"), mask);
    EXPECT_EQ(test::value_of(sink.counters(), "frames_filled"), 1U);
    EXPECT_EQ(test::value_of(sink.counters(), "values_missing"), 2U);
    const ReadBack back = read_back(folder / "a.raw");
    ASSERT_EQ(back.frames.size(), 3U);
    EXPECT_EQ(back.frames[2].header.utc_ns, start_ns + 80'000'000);
    EXPECT_THAT(back.warnings, ElementsAre(HasSubstr("dropped packets (NDROP, DROPBLK) in 2 of 3 blocks")));
    EXPECT_EQ(read_back(folder / "a-2.raw").values(0), counting_from(21)) << "a new epoch, a new file";
  }
}

TEST(GuppiSink, files_that_follow_one_another_are_one_stream) {
  const test::TemporaryFolder folder;
  GuppiSink sink({.output = {.path = folder / "a.raw", .rotate_size = Bytes{5000}}}, voltages());
  sink.open();
  for (std::uint64_t k = 0; k < 5; ++k)
    write_frame(sink, {.sequence = k}, counting_from(static_cast<float>(k)));
  sink.close();
  // Blocks of 24 cards and 48 bytes, two of which are less than 5000 bytes.
  ASSERT_EQ(test::value_of(sink.counters(), "files"), 3U);
  std::vector<SamplePiece> pieces;
  for (const char* name : {"a.raw", "a-2.raw", "a-3.raw"}) {
    EXPECT_LE(std::filesystem::file_size(folder / name), 2U * (24 * 80 + 48));
    for (SamplePiece& piece : read_guppi(folder / name, 4)) pieces.push_back(std::move(piece));
  }
  SampleFileSource source({.pieces = pieces});
  source.start();
  const auto frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 5U);
  for (std::uint64_t k = 0; k < 5; ++k) {
    EXPECT_EQ(frames[k].header.sequence, k);
    EXPECT_EQ(frames[k].header.utc_ns, start_ns + static_cast<std::int64_t>(k) * 40'000'000);
  }
}

TEST(GuppiSink, unsupported_frames_are_refused_with_the_reason) {
  const auto refusal = [](auto change, GuppiSinkOptions options = {}) -> std::string {
    FrameType type = voltages();
    change(type);
    options.output.path = "unused";
    try {
      const GuppiSink sink(options, type);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const auto nothing = [](FrameType&) {};
  EXPECT_EQ(refusal(nothing), "");
  EXPECT_THAT(refusal([](FrameType& t) { t.element = ElementType::float32; }),
              HasSubstr("expected complex_float32[beamlet][time][polarisation]"));
  EXPECT_THAT(refusal([](FrameType& t) { std::swap(t.axes[0], t.axes[1]); }),
              HasSubstr("expected complex_float32[beamlet][time][polarisation]"));
  EXPECT_THAT(refusal([](FrameType& t) { t.rate_hz = 0; }), HasSubstr("its rate is not known"));
  EXPECT_THAT(refusal([](FrameType& t) { t.has_gaps = true; }), HasSubstr("expected contiguous frames"));
  EXPECT_THAT(refusal([](FrameType& t) { t.axes[2].size = 4; }), HasSubstr("more than two polarisations"));
  EXPECT_THAT(refusal([](FrameType& t) {
                t.axes[0] = {"beamlet", 1, {}};
                t.axes[2].size = 1;
              }),
              HasSubstr("one channel and one polarisation"));
  EXPECT_THAT(refusal([](FrameType& t) {
                t.axes[0].coordinates = {1e6, 2e6, 4e6};
              }),
              HasSubstr("not evenly spaced"));
  EXPECT_THAT(refusal([](FrameType& t) {
                t.axes[0].coordinates = {-1e6, 0, 1e6};
              }),
              HasSubstr("around 0 Hz"));
  const auto option = [](GuppiSinkOptions options) {
    options.output.path = "unused";
    try {
      const GuppiSink sink(options, voltages());
    } catch (const OptionError& error) {
      return error.option();
    }
    return std::string();
  };
  EXPECT_EQ(option({.bits = 9}), "bits");
  EXPECT_EQ(option({.missing = {Missing::nan, false}}), "flags");
  EXPECT_EQ(option({.source_name = "Barnard's star"}), "source_name");
  EXPECT_EQ(option({.telescope = std::string(68, 'a')}), "telescope");
  EXPECT_EQ(option({.backend = "a\nb"}), "backend");
}

TEST(GuppiSink, one_channel_of_two_polarisations_keeps_its_frequency) {
  const test::TemporaryFolder folder;
  FrameType type = voltages();
  type.axes[0] = {"beamlet", 1, {1420.4e6}};
  GuppiSink sink({.output = {.path = folder / "a.raw"}}, type);
  sink.open();
  std::vector<float> values = counting_from(0);
  values.resize(16);
  write_frame(sink, {}, values);
  sink.close();
  const ReadBack back = read_back(folder / "a.raw");
  EXPECT_EQ(back.type.to_string(), type.to_string());
  EXPECT_THAT(back.type.axes[0].coordinates, ElementsAre(1420.4e6));
  EXPECT_EQ(back.values(0), values);
  // 100 samples/s.
  EXPECT_EQ(blocks_of(test::read_file(folder / "a.raw"), 16)[0].cards.at("OBSBW"), "0.0001");
}

TEST(GuppiSink, an_existing_file_is_kept_and_a_full_disk_reported) {
  const test::TemporaryFolder folder;
  const std::string there = folder.file("a.raw", "somebody else's");
  GuppiSink sink({.output = {.path = there}}, voltages());
  EXPECT_THAT([&] { sink.open(); }, ThrowsMessage<ConfigError>(HasSubstr("the file exists")));
  EXPECT_EQ(test::read_file(there), "somebody else's");
  GuppiSink full({.output = {.path = "/dev/full"}}, voltages());
  full.open();
  EXPECT_THAT([&] { write_frame(full, {}, counting_from(0)); },
              ThrowsMessage<WorkError>(HasSubstr("No space left on device")));
}

}  // namespace guppi_sink_test
}  // namespace takt::sensors
