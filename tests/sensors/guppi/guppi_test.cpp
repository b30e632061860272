/// GUPPI raw: hand-made blocks, values and times checked one by one; gaps, damaged and truncated blocks; each
/// keyword with a value that changes the meaning.

#include <cmath>
#include <cstring>
#include <map>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/guppi/recording.hpp"
#include "sensors/option_error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace guppi_guppi_test {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Keys = std::map<std::string, std::string>;

constexpr std::size_t channels = 3, polarisations = 2, samples = 20;

/// One card of 80 characters.
std::string card(const std::string& key, const std::string& value) {
  std::string line = key;
  line.resize(8, ' ');
  line += "= " + value + " / of a test";
  line.resize(80, ' ');
  return line;
}

/// A packet is a sample of 12 bytes, 1 ms after its predecessor; PKTIDX numbers blocks in samples.
Keys usual_keys() {
  return {{"BLOCSIZE", "240"}, {"OBSNCHAN", "3"},         {"NPOL", "4"},         {"NBITS", "8"},
          {"TBIN", "0.001"},   {"OBSFREQ", "1400"},       {"OBSBW", "3"},        {"OVERLAP", "0"},
          {"PKTSIZE", "12"},   {"PKTIDX", "0"},           {"STT_IMJD", "60310"}, {"STT_SMJD", "43200"},
          {"STT_OFFS", "0"},   {"TELESCOP", "'GBT     '"}};
}

std::string header_of(const Keys& changes, std::size_t padding = 1) {
  Keys keys = usual_keys();
  for (const auto& [key, value] : changes) keys[key] = value;
  std::string text;
  for (const auto& [key, value] : keys)
    if (!value.empty()) text += card(key, value);
  text += "END";
  text.resize((text.size() + 79) / 80 * 80, ' ');
  text.resize((text.size() + padding - 1) / padding * padding, ' ');
  return text;
}

/// Real parts encode sample and polarisation, imaginary parts the channel.
float real_of(std::size_t sample, std::size_t p) {
  return static_cast<float>(sample % 100) - 50 + static_cast<float>(p);
}

std::string data_of(std::size_t first, bool is_time_first = false, std::size_t bytes = 1) {
  std::string data;
  const auto put = [&](int value) {
    data += static_cast<char>(value & 0xFF);
    if (bytes == 2) data += static_cast<char>(value >> 8 & 0xFF);
  };
  const auto sample = [&](std::size_t t, std::size_t c) {
    for (std::size_t p = 0; p < polarisations; ++p) {
      put(static_cast<int>(real_of(first + t, p)));
      put(static_cast<int>(10 * c) - 7);
    }
  };
  if (is_time_first)
    for (std::size_t t = 0; t < samples; ++t)
      for (std::size_t c = 0; c < channels; ++c) sample(t, c);
  else
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t t = 0; t < samples; ++t) sample(t, c);
  return data;
}

/// A block with this first sample.
std::string block(std::size_t first, Keys changes = {}) {
  changes.try_emplace("PKTIDX", std::to_string(first));
  return header_of(changes) + data_of(first);
}

struct Outcome {
  std::string error;
  std::vector<test::KeptFrame> frames;
  FrameType type;
  SourceCounters counters;
  std::vector<std::string> warnings, description;

  [[nodiscard]] const float* values(std::size_t frame) const {
    return reinterpret_cast<const float*>(frames[frame].bytes.data());
  }
};

Outcome read(const std::string& bytes, std::size_t in_frame = 10, const GuppiReading& reading = {}) {
  const test::TemporaryFolder folder;
  Outcome outcome;
  try {
    SampleFileSource source({.pieces = read_guppi(folder.file("a.raw", bytes), in_frame, reading)});
    outcome.type = source.type();
    source.start();
    outcome.frames = test::take_all(source);
    outcome.counters = source.counters();
    outcome.warnings = source.warnings();
    outcome.description = source.description();
  } catch (const ConfigError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

/// Checks that a frame of ten samples holds those from `first` on.
void expect_samples(const Outcome& outcome, std::size_t frame, std::size_t first) {
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t t = 0; t < 10; ++t)
      for (std::size_t p = 0; p < polarisations; ++p) {
        const float* const value = outcome.values(frame) + ((c * 10 + t) * polarisations + p) * 2;
        ASSERT_EQ(value[0], real_of(first + t, p)) << c << " " << t << " " << p;
        ASSERT_EQ(value[1], 10 * static_cast<float>(c) - 7);
      }
}

/// `date -u -d 2024-01-01T12:00:00 +%s`.
constexpr std::int64_t start_ns = 1'704'110'400'000'000'000, ms = 1'000'000;

TEST(Guppi, blocks_become_beamlets_with_the_times_of_their_packets) {
  const Outcome outcome = read(block(0) + block(20) + block(40));
  ASSERT_EQ(outcome.error, "");
  EXPECT_THAT(outcome.warnings, IsEmpty());
  EXPECT_EQ(outcome.type.to_string(), "complex_float32[beamlet=3][time=10][polarisation=2]");
  EXPECT_THAT(outcome.type.axes[0].coordinates, ElementsAre(1399e6, 1400e6, 1401e6));
  ASSERT_EQ(outcome.frames.size(), 6U);
  for (std::size_t frame = 0; frame < 6; ++frame) {
    EXPECT_EQ(outcome.frames[frame].header.utc_ns, start_ns + static_cast<std::int64_t>(frame) * 10 * ms);
    expect_samples(outcome, frame, frame * 10);
  }
  EXPECT_THAT(outcome.description, Contains("TELESCOP: GBT"));
}

TEST(Guppi, overlapping_samples_are_omitted) {
  const Keys overlap{{"OVERLAP", "10"}};
  const Outcome outcome = read(block(0, overlap) + block(10, overlap) + block(20, overlap));
  ASSERT_EQ(outcome.frames.size(), 3U);
  for (std::size_t frame = 0; frame < 3; ++frame) expect_samples(outcome, frame, frame * 10);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(Guppi, a_jump_of_the_packets_number_is_a_gap_in_time) {
  const Outcome outcome = read(block(0) + block(60) + block(80));
  ASSERT_EQ(outcome.frames.size(), 6U);
  EXPECT_EQ(outcome.frames[2].header.utc_ns, start_ns + 60 * ms);
  expect_samples(outcome, 2, 60);
  EXPECT_EQ(outcome.counters.lost, 4U);
}

TEST(Guppi, blocks_without_packet_numbers_are_contiguous) {
  for (const char* packet : {"", "0"}) {
    const Keys keys{{"PKTIDX", packet}};
    const Outcome outcome = read(block(0, keys) + block(20, keys) + block(40, keys));
    ASSERT_EQ(outcome.frames.size(), 6U);
    for (std::size_t frame = 0; frame < 6; ++frame) {
      EXPECT_EQ(outcome.frames[frame].header.utc_ns, start_ns + static_cast<std::int64_t>(frame) * 10 * ms);
      expect_samples(outcome, frame, frame * 10);
    }
    EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("blocks are taken as contiguous")));
  }
  EXPECT_THAT(read(block(0) + block(20, {{"PKTIDX", ""}})).warnings, Contains(HasSubstr("has no PKTIDX")));
}

TEST(Guppi, a_start_that_changes_with_the_packets_number_is_another_observation) {
  const Outcome outcome = read(block(20) + block(0, {{"STT_SMJD", "43202"}}));
  ASSERT_EQ(outcome.frames.size(), 4U);
  EXPECT_EQ(outcome.frames[0].header.utc_ns, start_ns + 20 * ms);
  EXPECT_EQ(outcome.frames[2].header.utc_ns, start_ns + 2000 * ms);
  // While the number continues, the start cannot change.
  const Outcome contradicting = read(block(20) + block(40, {{"STT_SMJD", "43202"}}));
  EXPECT_EQ(contradicting.frames[2].header.utc_ns, start_ns + 40 * ms);
  EXPECT_THAT(contradicting.warnings, ElementsAre(HasSubstr("change while PKTIDX continues")));
}

TEST(Guppi, dropped_packets_and_later_unknown_keywords_cause_warnings) {
  const Outcome outcome =
      read(block(0, {{"NDROP", "2"}}) + block(20) + block(40, {{"NDROP", "3"}, {"WEATHER", "'rain'"}}));
  EXPECT_THAT(outcome.warnings,
              ElementsAre(HasSubstr("'WEATHER' (rain)"),
                          HasSubstr("reports 5 dropped packets (NDROP, DROPBLK) in 2 of 3")));
}

TEST(Guppi, channels_without_a_centre_have_no_frequencies) {
  const Outcome outcome = read(block(0, {{"OBSFREQ", ""}}));
  EXPECT_THAT(outcome.type.axes[0].coordinates, IsEmpty());
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("has no OBSFREQ")));
}

TEST(Guppi, a_block_with_a_damaged_header_is_skipped_with_a_warning) {
  std::string damaged = block(20);
  damaged[83] = '\x07';
  const Outcome outcome = read(block(0) + damaged + block(40));
  ASSERT_EQ(outcome.frames.size(), 4U);
  EXPECT_EQ(outcome.frames[2].header.utc_ns, start_ns + 40 * ms);
  expect_samples(outcome, 2, 40);
  EXPECT_THAT(outcome.warnings,
              Contains(HasSubstr("1 blocks with a damaged header were skipped, the first: ")));
  const Outcome last = read(block(0) + "no header at all, and nothing after it");
  EXPECT_EQ(last.frames.size(), 2U);
  EXPECT_THAT(last.warnings, Contains(HasSubstr("no GUPPI header at byte")));
}

TEST(Guppi, a_block_with_a_damaged_card_is_skipped_where_the_next_header_is_at_its_place) {
  for (const auto& [key, value] : {std::pair{"OBSNCHAN", "x"},
                                   {"OBSNCHAN", ""},
                                   {"BLOCSIZE", ""},
                                   {"BLOCSIZE", "247"},
                                   {"PKTIDX", "two"},
                                   {"STT_SMJD", "noon"},
                                   {"NDROP", "?"}}) {
    SCOPED_TRACE(key);
    const std::string damaged = block(20, {{key, value}});
    const Outcome outcome = read(block(0) + damaged + damaged + block(60) + block(80));
    ASSERT_EQ(outcome.error, "");
    ASSERT_EQ(outcome.frames.size(), 6U);
    expect_samples(outcome, 2, 60);
    EXPECT_EQ(outcome.frames[2].header.utc_ns, start_ns + 60 * ms);
    EXPECT_EQ(outcome.counters.lost, 4U);
    EXPECT_THAT(outcome.warnings, Contains(AllOf(HasSubstr("2 blocks with a damaged header were skipped"),
                                                 HasSubstr("block at byte "), HasSubstr(key))));
  }
}

TEST(Guppi, reading_ends_at_a_damaged_header_without_another_one_after_its_block) {
  for (const std::string& rest : {header_of({{"BLOCSIZE", "x"}}) + data_of(20) + "0" + block(40),
                                  header_of({{"BLOCSIZE", "x"}}) + data_of(20)}) {
    const Outcome outcome = read(block(0) + rest);
    EXPECT_EQ(outcome.frames.size(), 2U);
    EXPECT_EQ(test::value_of(outcome.counters.details, "streams_cut_short"), 1U);
    EXPECT_THAT(outcome.warnings,
                ElementsAre(AllOf(HasSubstr("block at byte "), HasSubstr("BLOCSIZE x: expected a number"),
                                  HasSubstr("the data before it were read"))));
  }
  EXPECT_THAT(read(block(0, {{"OBSNCHAN", "x"}}) + block(20)).error, HasSubstr("OBSNCHAN x"));
}

TEST(Guppi, skipped_blocks_keep_their_time_without_packet_numbers) {
  const Keys keys{{"PKTIDX", ""}};
  const Outcome outcome =
      read(block(0, keys) + block(20, {{"PKTIDX", ""}, {"NBITS", "x"}}) + block(40, keys));
  ASSERT_EQ(outcome.frames.size(), 4U);
  EXPECT_EQ(outcome.frames[2].header.utc_ns, start_ns + 40 * ms);
}

TEST(Guppi, a_truncated_block_causes_a_warning) {
  const std::string whole = block(0) + block(20);
  const Outcome outcome = read(whole.substr(0, whole.size() - 1));
  EXPECT_EQ(outcome.frames.size(), 2U);
  EXPECT_EQ(test::value_of(outcome.counters.details, "bytes_left_over"), 239U);
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("ends within a block")));
}

TEST(Guppi, a_file_without_a_header_after_a_block_is_counted_as_cut_short) {
  // Within a card, and between two.
  for (const std::size_t bytes : {100, 160}) {
    const Outcome outcome = read(block(0) + block(20).substr(0, bytes));
    EXPECT_EQ(outcome.frames.size(), 2U);
    EXPECT_EQ(test::value_of(outcome.counters.details, "streams_cut_short"), 1U);
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("no GUPPI header at byte ")));
  }
}

TEST(Guppi, numbers_may_have_a_sign_and_a_fortran_exponent) {
  const Outcome outcome = read(block(0, {{"TBIN", "1.0D-03"}, {"OBSFREQ", "+1400.0"}}));
  EXPECT_EQ(outcome.error, "");
  EXPECT_DOUBLE_EQ(outcome.type.rate_hz, 100);
}

TEST(Guppi, samples_of_16_bits_time_first_and_padded_headers_are_read) {
  const Outcome wide =
      read(header_of({{"NBITS", "16"}, {"BLOCSIZE", "480"}, {"PKTSIZE", "24"}}) + data_of(0, false, 2));
  ASSERT_EQ(wide.frames.size(), 2U);
  expect_samples(wide, 1, 10);
  const Outcome time_first = read(header_of({{"PKTFMT", "'SIMPLE  '"}}) + data_of(0, true));
  ASSERT_EQ(time_first.frames.size(), 2U);
  expect_samples(time_first, 1, 10);
  const Keys direct{{"DIRECTIO", "1"}};
  Keys second = direct;
  second["PKTIDX"] = "20";
  const Outcome padded = read(header_of(direct, 512) + data_of(0) + header_of(second, 512) + data_of(20));
  ASSERT_EQ(padded.frames.size(), 4U);
  expect_samples(padded, 3, 30);
}

/// Every obeyed keyword, with a value that changes the result.
const Keys& telling_values() {
  static const Keys values{{"BLOCSIZE", "120"},   {"OBSNCHAN", "6"},     {"NPOL", "1"},
                           {"NBITS", "16"},       {"DATATYPE", "FLOAT"}, {"OVERLAP", "5"},
                           {"TBIN", "0.002"},     {"OBSFREQ", "1500"},   {"OBSBW", "-3"},
                           {"PKTIDX", "40"},      {"PKTSIZE", "24"},     {"PIPERBLK", "10"},
                           {"PKTFMT", "SIMPLE"},  {"DIRECTIO", "1"},     {"NANTS", "3"},
                           {"STT_IMJD", "60311"}, {"STT_SMJD", "7"},     {"STT_OFFS", "0.25"},
                           {"STTVALID", "0"},     {"NDROP", "3"},        {"DROPBLK", "0.5"}};
  return values;
}

TEST(GuppiKeywords, obeyed_ones_change_the_result_or_cause_a_warning) {
  // Not the first packet, so that its unit is relevant.
  const Outcome plain = read(block(20));
  ASSERT_EQ(plain.error, "");
  std::size_t tried = 0;
  for (const HeaderKeyword& keyword : guppi_keywords().rows) {
    if (keyword.use == KeywordUse::carried) {
      const Outcome carried = read(block(20, {{std::string(keyword.name), "'some value'"}}));
      EXPECT_THAT(carried.description, Contains(std::string(keyword.name) + ": some value"));
      EXPECT_THAT(carried.warnings, IsEmpty()) << keyword.name;
      continue;
    }
    ++tried;
    SCOPED_TRACE(keyword.name);
    const auto telling = telling_values().find(std::string(keyword.name));
    ASSERT_NE(telling, telling_values().end()) << "no value is tried";
    const Outcome changed = read(block(20, {*telling}));
    if (!changed.error.empty()) {
      EXPECT_THAT(changed.error, HasSubstr(keyword.name));
      continue;
    }
    const bool is_reported = std::ranges::any_of(changed.warnings, [&](const std::string& line) {
      return line.find(keyword.name) != std::string::npos;
    });
    const bool is_changed =
        changed.type.to_string() != plain.type.to_string() || changed.type.rate_hz != plain.type.rate_hz ||
        changed.type.axes[0].coordinates != plain.type.axes[0].coordinates ||
        changed.frames.size() != plain.frames.size() ||
        changed.frames[0].header.utc_ns != plain.frames[0].header.utc_ns ||
        changed.frames.back().header.missing_parts != plain.frames.back().header.missing_parts ||
        changed.frames[0].bytes != plain.frames[0].bytes;
    EXPECT_TRUE(is_reported || is_changed);
  }
  EXPECT_EQ(tried, telling_values().size());
  EXPECT_THAT(read(block(0, {{"WEATHER", "'fine'"}})).warnings, ElementsAre(HasSubstr("'WEATHER'")));
}

TEST(GuppiKeywords, missing_and_unsupported_ones_are_refused_by_name) {
  for (const char* key : {"BLOCSIZE", "OBSNCHAN", "NPOL", "NBITS", "TBIN", "STT_IMJD", "STT_SMJD"})
    EXPECT_THAT(read(block(0, {{key, ""}})).error, HasSubstr(key));
  EXPECT_THAT(read(block(0, {{"NBITS", "2"}})).error, HasSubstr("NBITS 2: expected 8 or 16"));
  EXPECT_THAT(read(block(0, {{"NPOL", "3"}})).error, HasSubstr("NPOL 3"));
  EXPECT_THAT(read(block(0) + block(20, {{"TBIN", "0.002"}})).error, HasSubstr("differs from the first one"));
  EXPECT_THAT(read("SIMPLE  = a FITS file").error, HasSubstr("not a GUPPI raw file"));
  EXPECT_THAT(read(block(0, {{"NPOL", "2"}}), 10).warnings, Contains(HasSubstr("NPOL 2")));
  EXPECT_THAT(read(block(0, {{"NPOL", "2"}}), 10, {.polarisations = 2}).warnings, IsEmpty());
  EXPECT_EQ(read(block(0, {{"STT_IMJD", ""}}), 10, {.start_ns = 5}).frames[0].header.utc_ns, 5);
}

TEST(GuppiKeywords, contradictory_packet_steps_cause_a_warning) {
  // hpguppi counts samples, for any PKTSIZE.
  const Keys wrong{{"PKTSIZE", "8192"}};
  const Outcome outcome = read(block(40, wrong) + block(60, wrong));
  ASSERT_EQ(outcome.frames.size(), 4U);
  EXPECT_EQ(outcome.frames[0].header.utc_ns, start_ns + 40 * ms);
  EXPECT_EQ(outcome.counters.lost, 0U);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("PKTIDX")));
  // A packet larger than the file's only block.
  EXPECT_THAT(read(block(40, wrong)).warnings, Contains(HasSubstr("larger than a block of 20")));
  // Numbers of blocks, as PIPERBLK indicates.
  const Keys packets{{"PIPERBLK", "1"}, {"PKTSIZE", "8192"}};
  Keys next = packets;
  next["PKTIDX"] = "3";
  Keys first = packets;
  first["PKTIDX"] = "2";
  const Outcome in_blocks = read(block(40, first) + block(60, next));
  EXPECT_EQ(in_blocks.frames[0].header.utc_ns, start_ns + 40 * ms);
  EXPECT_THAT(in_blocks.warnings, IsEmpty());
}

TEST(GuppiKeywords, equal_packet_steps_of_several_blocks_are_taken_as_one_block) {
  for (const Keys& wrong :
       {Keys{{"PKTSIZE", "24"}}, Keys{{"PKTSIZE", "480"}}, Keys{{"PIPERBLK", "10"}, {"PKTSIZE", ""}}}) {
    // The last step is twice as long: a gap of one block.
    const Outcome outcome =
        read(block(0, wrong) + block(20, wrong) + block(40, wrong) + block(60, wrong) + block(100, wrong));
    ASSERT_EQ(outcome.frames.size(), 10U);
    for (std::size_t frame = 0; frame < 8; ++frame)
      EXPECT_EQ(outcome.frames[frame].header.utc_ns, start_ns + static_cast<std::int64_t>(frame) * 10 * ms);
    EXPECT_EQ(outcome.frames[8].header.utc_ns, start_ns + 100 * ms);
    EXPECT_EQ(outcome.counters.lost, 2U);
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("its smallest step, 20, is taken as one block")));
  }
  // Gaps of two lengths, none of them usual.
  const Outcome gaps = read(block(0) + block(40) + block(100));
  EXPECT_EQ(gaps.frames.back().header.utc_ns, start_ns + 110 * ms);
  EXPECT_EQ(gaps.counters.lost, 6U);
}

TEST(GuppiKeywords, a_missing_fraction_of_the_start_is_0_with_a_warning) {
  const Outcome outcome = read(block(0, {{"STT_OFFS", ""}}));
  EXPECT_EQ(outcome.frames[0].header.utc_ns, start_ns);
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("has no STT_OFFS: read as 0")));
  EXPECT_THAT(read(block(0, {{"STT_OFFS", ""}}), 10, {.start_ns = 5}).warnings, IsEmpty());
}

}  // namespace guppi_guppi_test
}  // namespace takt::sensors
