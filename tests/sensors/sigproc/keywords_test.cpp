/// Tests that each keyword of a SIGPROC header is obeyed, carried into the description, or refused by name.

#include "sensors/sigproc/keywords.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/sigproc/header.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using test::KeptFrame;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::string bytes_of(auto value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text(const std::string& word) {
  return bytes_of(static_cast<std::int32_t>(word.size())) + word;
}
std::string number(double value) {
  return bytes_of(value);
}
std::string integer(std::int32_t value) {
  return bytes_of(value);
}

/// Keywords and the bytes of their values, in this order.
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// A filterbank of 2 channels of 8 bits without these keywords.
Pairs usual(const std::set<std::string>& without = {}) {
  Pairs pairs;
  for (const auto& [keyword, value] : Pairs{{"source_name", text("B0329+54")},
                                            {"data_type", integer(1)},
                                            {"fch1", number(1500)},
                                            {"foff", number(-1)},
                                            {"nchans", integer(2)},
                                            {"nbits", integer(8)},
                                            {"nifs", integer(1)},
                                            {"tstart", number(58000)},
                                            {"tsamp", number(1e-3)}})
    if (!without.contains(keyword)) pairs.emplace_back(keyword, value);
  return pairs;
}

/// Replaces the pairs of equal names, and appends the others.
Pairs with(const Pairs& changed, Pairs pairs = usual()) {
  for (const auto& [keyword, value] : changed) {
    const auto known = std::ranges::find(pairs, keyword, &std::pair<std::string, std::string>::first);
    if (known == pairs.end())
      pairs.emplace_back(keyword, value);
    else
      known->second = value;
  }
  return pairs;
}

std::string file_of(const Pairs& pairs, const std::string& data) {
  std::string bytes = text("HEADER_START");
  for (const auto& [keyword, value] : pairs) bytes += text(keyword) + value;
  return bytes + text("HEADER_END") + data;
}

/// The result of a source for a file, or the error.
struct Read {
  std::string refusal;
  std::vector<float> values;
  FrameType type;
  std::int64_t utc_ns = 0;
  std::vector<std::string> warnings, description;
  SourceCounters counters;
  std::size_t frames = 0;
};

Read read(const Pairs& pairs, const std::string& data, std::size_t samples = 2) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.fil", file_of(pairs, data));
  Read read;
  try {
    const SigprocReading reading = read_sigproc_header(file);
    SampleFileSource source({.pieces = {{file, layout_of(reading, samples)}}});
    read.description = reading.description;
    read.type = source.type();
    source.start();
    const std::vector<KeptFrame> frames = test::take_all(source);
    read.frames = frames.size();
    for (const KeptFrame& frame : frames) {
      if (read.values.empty()) read.utc_ns = frame.header.utc_ns;
      for (std::size_t at = 0; at < frame.bytes.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, frame.bytes.data() + at, sizeof value);
        read.values.push_back(value);
      }
    }
    read.warnings = source.warnings();
    read.counters = source.counters();
  } catch (const ConfigError& error) {
    read.refusal = error.what();
  }
  return read;
}

const std::string four_bytes = "\x01\xFF\x80\x7F";

TEST(SigprocKeywords, signed_applies_to_integers_of_8_and_16_bits) {
  EXPECT_THAT(read(usual(), four_bytes).values, ElementsAre(1, 255, 128, 127));
  EXPECT_THAT(read(with({{"signed", std::string(1, '\0')}}), four_bytes).values,
              ElementsAre(1, 255, 128, 127));
  EXPECT_THAT(read(with({{"signed", "\1"}}), four_bytes).values, ElementsAre(1, -1, -128, 127));
  const Pairs wide = with({{"nbits", integer(16)}});
  EXPECT_THAT(read(wide, four_bytes, 1).values, ElementsAre(0xFF01, 0x7F80));
  EXPECT_THAT(read(with({{"signed", "\1"}}, wide), four_bytes, 1).values, ElementsAre(-255, 0x7F80));
  EXPECT_THAT(read(with({{"signed", "\1"}, {"nbits", integer(4)}}), four_bytes).refusal,
              HasSubstr("'signed'"));
  EXPECT_THAT(read(with({{"signed", "\2"}}), four_bytes).refusal,
              HasSubstr("'signed' is 2: expected 0 to 1"));
}

TEST(SigprocKeywords, that_are_required_are_named_in_errors) {
  for (const std::string keyword : {"nbits", "nchans", "fch1", "foff", "tstart", "tsamp"})
    EXPECT_THAT(read(usual({keyword}), four_bytes).refusal,
                HasSubstr("a.fil: the SIGPROC keyword '" + keyword + "' is missing"));
  for (const std::string keyword : {"source_name", "nifs", "data_type"})
    EXPECT_EQ(read(usual({keyword}), four_bytes).refusal, "") << keyword;
}

TEST(SigprocKeywords, a_time_series_has_one_channel_and_perhaps_no_frequency) {
  const Pairs series =
      with({{"data_type", integer(2)}, {"refdm", number(56.75)}}, usual({"nchans", "fch1", "foff"}));
  const Read found = read(series, four_bytes);
  EXPECT_EQ(found.type.to_string(), "float32[time=2][channel=1]");
  EXPECT_THAT(found.values, ElementsAre(1, 255, 128, 127));
  EXPECT_THAT(found.type.axes[1].coordinates, IsEmpty());
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("'fch1' is missing")));
  EXPECT_THAT(found.description, Contains("refdm: 56.75"));
  EXPECT_THAT(read(with({{"fch1", number(1400)}}, series), four_bytes).type.axes[1].coordinates,
              ElementsAre(1400e6));
}

TEST(SigprocKeywords, data_other_than_samples_are_refused) {
  EXPECT_EQ(read(with({{"data_type", integer(6)}}), four_bytes).refusal, "");
  EXPECT_THAT(read(with({{"data_type", integer(0)}}), four_bytes).warnings,
              ElementsAre(HasSubstr("data_type is 0")));
  for (const int kind : {3, 4, 5, -1, 7})
    EXPECT_THAT(read(with({{"data_type", integer(kind)}}), four_bytes).refusal, HasSubstr("'data_type'"));
}

TEST(SigprocKeywords, strings_may_be_empty) {
  const Read found = read(with({{"source_name", text("")}, {"rawdatafile", text("")}}), four_bytes);
  EXPECT_EQ(found.refusal, "");
  EXPECT_THAT(found.values, ElementsAre(1, 255, 128, 127));
}

TEST(SigprocKeywords, unknown_ones_are_skipped_with_one_warning_each) {
  const std::string sizes[] = {"",
                               "\x07",
                               integer(1234),
                               integer(0),
                               number(58000.25),
                               text("none"),
                               text("two words"),
                               number(1e-320)};
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, usual().size()})
    for (const std::string& value : sizes)
      for (const std::string& next : sizes) {
        // The second one is then parsed as the text of the first one.
        if (value.empty() && (next.empty() || next == text("none") || next == text("two words"))) continue;
        Pairs pairs = usual();
        pairs.insert(pairs.begin() + static_cast<std::ptrdiff_t>(at),
                     {{"MJD_hour", value}, {"telescop_id", next}});
        const Read found = read(pairs, four_bytes);
        ASSERT_EQ(found.refusal, "") << at << ' ' << value.size() << ' ' << next.size();
        EXPECT_THAT(found.values, ElementsAre(1, 255, 128, 127));
        EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("'MJD_hour'"), HasSubstr("'telescop_id'")));
      }
  EXPECT_THAT(read(with({{"telescop_id", integer(7)}}), four_bytes).description, Contains("telescop_id: 7"));
}

TEST(SigprocKeywords, unknown_ones_of_other_sizes_are_refused_by_name) {
  EXPECT_THAT(read(with({{"matrix", std::string(24, '\xAA')}}), four_bytes).refusal,
              HasSubstr("the keyword 'matrix' is unknown, and the size of its value cannot be inferred"));
}

TEST(SigprocKeywords, with_two_values_are_refused) {
  Pairs pairs = usual();
  pairs.emplace_back("nbits", integer(16));
  EXPECT_THAT(read(pairs, four_bytes).refusal, HasSubstr("'nbits' has the values 8 and 16"));
  pairs.back().second = integer(8);
  EXPECT_EQ(read(pairs, four_bytes).refusal, "");
}

Pairs table_of(std::vector<double> frequencies, Pairs pairs = usual({"fch1", "foff"})) {
  pairs.emplace_back("FREQUENCY_START", "");
  for (const double mhz : frequencies) pairs.emplace_back("fchannel", number(mhz));
  pairs.emplace_back("FREQUENCY_END", "");
  return pairs;
}

TEST(SigprocKeywords, a_frequency_table_replaces_first_and_step) {
  const Pairs three = with({{"nchans", integer(3)}}, table_of({1400, 1390, 1375}));
  const Read found = read(three, std::string(6, '\1'));
  EXPECT_EQ(found.refusal, "");
  EXPECT_THAT(found.type.axes.back().coordinates, ElementsAre(1400e6, 1390e6, 1375e6));
  EXPECT_THAT(read(with({{"fch1", number(0)}}, three), std::string(6, '\1')).refusal, "");
  EXPECT_THAT(read(with({{"fch1", number(1401)}}, three), "").refusal, HasSubstr("'fch1' is 1401"));
  EXPECT_THAT(read(table_of({1400, 1390, 1375}), "").refusal, HasSubstr("'fchannel' is there 3 times"));
  Pairs open = three;
  open.pop_back();
  EXPECT_THAT(read(open, "").refusal, HasSubstr("'FREQUENCY_END' is missing"));
  EXPECT_THAT(read(with({{"fchannel", number(1400)}}), "").refusal, HasSubstr("'fchannel' is outside"));
}

TEST(SigprocKeywords, steps_of_either_sign_are_obeyed) {
  EXPECT_THAT(read(with({{"foff", number(0.5)}}), four_bytes).type.axes[1].coordinates,
              ElementsAre(1500e6, 1500.5e6));
  EXPECT_THAT(read(with({{"foff", number(0)}}), four_bytes).refusal, HasSubstr("'foff' is 0"));
  EXPECT_THAT(read(with({{"fch1", number(NAN)}}), four_bytes).refusal, HasSubstr("'fch1' is nan"));
}

TEST(SigprocKeywords, nsamples_is_compared_with_the_size_of_the_file) {
  // 5 samples in frames of 2: the third frame has one sample, the fourth and the fifth have none.
  const Read cut = read(with({{"nsamples", integer(9)}}), std::string(10, '\1'));
  EXPECT_EQ(test::value_of(cut.counters.details, "samples_cut_off"), 4U);
  EXPECT_EQ(cut.counters.lost, 2U);
  EXPECT_EQ(cut.frames, 3U);
  EXPECT_THAT(
      cut.warnings,
      ElementsAre(HasSubstr("truncated: nsamples declares 9 samples, the file holds 5: 4 are missing")));
  EXPECT_THAT(read(with({{"nsamples", integer(2)}}), std::string(10, '\1')).warnings,
              ElementsAre(HasSubstr("nsamples is 2, the file holds 5 samples: all are read")));
  EXPECT_THAT(read(with({{"nsamples", integer(5)}}), std::string(10, '\1')).warnings, IsEmpty());
  EXPECT_THAT(read(with({{"nsamples", integer(0)}}), std::string(10, '\1')).warnings, IsEmpty());
  EXPECT_THAT(read(usual(), std::string(11, '\1')).warnings,
              ElementsAre(HasSubstr("ends within a sample: its last 1 of 2 bytes")));
}

TEST(SigprocKeywords, samples_of_parts_of_bytes_are_refused) {
  EXPECT_THAT(read(with({{"nchans", integer(3)}, {"nbits", integer(2)}}), four_bytes).refusal,
              HasSubstr("'nbits' is 2: samples of 3 x 1 values"));
  EXPECT_THAT(
      read(with({{"nchans", integer(2)}, {"nbits", integer(2)}, {"nifs", integer(2)}}), "\xE4\x1B").values,
      ElementsAre(0, 1, 2, 3, 3, 2, 1, 0));
}

TEST(SigprocKeywords, times_other_than_utc_cause_a_warning) {
  for (const std::string keyword : {"barycentric", "pulsarcentric"}) {
    EXPECT_THAT(read(with({{keyword, integer(1)}}), four_bytes).warnings,
                ElementsAre(HasSubstr(keyword + " is 1")));
    EXPECT_THAT(read(with({{keyword, integer(0)}}), four_bytes).warnings, IsEmpty());
  }
  EXPECT_THAT(read(with({{"tstart", number(0)}}), four_bytes).warnings,
              ElementsAre(HasSubstr("tstart is 0")));
  for (const double tsamp : {0.0, -1.0, static_cast<double>(NAN)})
    EXPECT_THAT(read(with({{"tsamp", number(tsamp)}}), four_bytes).refusal, HasSubstr("'tsamp'"));
}

/// For each obeyed keyword a value that changes the result, or is refused.
TEST(SigprocKeywords, each_of_the_table_changes_the_result_or_is_carried) {
  const std::map<std::string, std::string> values{
      {"data_type", integer(3)},  {"nbits", integer(4)},     {"signed", "\1"},
      {"nchans", integer(4)},     {"nifs", integer(2)},      {"fch1", number(1501)},
      {"foff", number(1)},        {"fchannel", number(1)},   {"tsamp", number(2e-3)},
      {"tstart", number(58001)},  {"nsamples", integer(99)}, {"FREQUENCY_START", ""},
      {"FREQUENCY_END", ""},      {"HEADER_START", ""},      {"HEADER_END", ""},
      {"source_name", text("X")}, {"rawdatafile", text("Y")}};
  const std::set<std::string> numbers{"refdm",    "src_raj", "src_dej", "az_start",
                                      "za_start", "period",  "npuls"};
  const Read before = read(usual(), four_bytes);
  for (const HeaderKeyword& keyword : sigproc_keywords().rows) {
    const std::string name(keyword.name);
    const std::string value = values.contains(name)    ? values.at(name)
                              : numbers.contains(name) ? number(1.5)
                                                       : integer(1);
    Pairs pairs = with({{name, value}});
    if (name == "FREQUENCY_END") pairs = table_of({1, 2});
    const Read after = read(pairs, four_bytes);
    if (keyword.use == KeywordUse::carried) {
      EXPECT_THAT(after.description, Contains(HasSubstr(name + ": "))) << name;
      EXPECT_EQ(after.values, before.values) << name;
      continue;
    }
    const bool differs = !after.refusal.empty() || after.values != before.values ||
                         after.type != before.type || after.utc_ns != before.utc_ns ||
                         after.warnings != before.warnings;
    EXPECT_TRUE(differs) << name;
  }
}

}  // namespace
}  // namespace takt::sensors
