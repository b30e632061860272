/// PSRDADA headers: each keyword with a value that changes the meaning; orders of axes compared with brute
/// force; hand-made encodings, bits and bytes; start times.

#include "sensors/dada/header.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/dada/keywords.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/option_error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace dada_header_test {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Keys = std::map<std::string, std::string>;

/// Real samples of two channels and two polarisations; an empty value omits a keyword.
std::string dada_text(const Keys& changes, const std::string& data) {
  Keys keys{{"HDR_SIZE", "1024"}, {"NBIT", "8"},  {"NDIM", "1"},
            {"NPOL", "2"},        {"NCHAN", "2"}, {"TSAMP", "1000"},
            {"FREQ", "1400"},     {"BW", "2"},    {"UTC_START", "2024-01-01-00:00:00"}};
  for (const auto& [key, value] : changes) keys[key] = value;
  std::string text;
  for (const auto& [key, value] : keys)
    if (!value.empty()) text += key + " " + value + "\n";
  text.resize(1024, '\0');
  return text + data;
}

struct Outcome {
  std::string error;
  std::vector<float> values;
  std::int64_t utc_ns = 0;
  FrameType type;
  std::vector<std::string> warnings, description;
  std::uint64_t left_over = 0;
};

Outcome read(const std::string& text, std::size_t samples, const DadaReading& reading = {}) {
  const test::TemporaryFolder folder;
  Outcome outcome;
  try {
    const std::string path = folder.file("a.dada", text);
    const SampleLayout layout = layout_of(read_dada_header(path, reading), samples);
    outcome.type = layout.type;
    outcome.warnings = layout.warnings;
    outcome.description = layout.description;
    SampleFileSource source({.pieces = {{path, layout}}});
    source.start();
    for (const test::KeptFrame& frame : test::take_all(source)) {
      if (outcome.values.empty()) outcome.utc_ns = frame.header.utc_ns;
      const std::size_t had = outcome.values.size();
      outcome.values.resize(had + frame.bytes.size() / sizeof(float));
      std::memcpy(outcome.values.data() + had, frame.bytes.data(), frame.bytes.size());
    }
    outcome.left_over = test::value_of(source.counters().details, "bytes_left_over");
  } catch (const ConfigError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

/// 16 different bytes.
std::string sixteen() {
  std::string data;
  for (int i = 0; i < 16; ++i) data += static_cast<char>(7 * i + 3);
  return data;
}

/// Every significant keyword, with a value that changes the result.
const Keys& telling_values() {
  static const Keys values{{"HEADER", "OTHER"},
                           {"HDR_SIZE", "1028"},
                           {"NBIT", "16"},
                           {"NDIM", "2"},
                           {"NPOL", "1"},
                           {"NCHAN", "1"},
                           {"NANT", "4"},
                           {"NBEAM", "3"},
                           {"ORDER", "TPF"},
                           {"INNER_T", "4"},
                           {"INSTRUMENT", "CASPSR"},
                           {"ENCODING", "OffsetBinary"},
                           {"ENDIAN", "NETWORK"},
                           {"TSAMP", "2000"},
                           {"FREQ", "1500"},
                           {"BW", "-2"},
                           {"UTC_START", "2024-01-02-00:00:00"},
                           {"MJD_START", "60311.5"},
                           {"PICOSECONDS", "500000000"},
                           {"OBS_OFFSET", "4000"},
                           {"OBS_OVERLAP", "4"},
                           {"FILE_SIZE", "32"},
                           {"RESOLUTION", "2048"},
                           {"BYTES_PER_SECOND", "8000"},
                           {"OS_FACTOR", "8/7"}};
  return values;
}

TEST(DadaKeywords, obeyed_ones_change_the_result_or_cause_a_named_warning) {
  const Outcome plain = read(dada_text({}, sixteen()), 4);
  ASSERT_EQ(plain.error, "");
  ASSERT_THAT(plain.warnings, IsEmpty());
  ASSERT_EQ(plain.values.size(), 16U);
  std::size_t tried = 0;
  for (const HeaderKeyword& keyword : dada_keywords().rows) {
    if (keyword.use != KeywordUse::obeyed && keyword.use != KeywordUse::refused) continue;
    ++tried;
    SCOPED_TRACE(keyword.name);
    const auto telling = telling_values().find(std::string(keyword.name));
    ASSERT_NE(telling, telling_values().end()) << "no value is tried";
    Keys changes{*telling};
    // If its unit is given, the offset is not a multiple of it.
    if (keyword.name == "RESOLUTION") changes["OBS_OFFSET"] = "4000";
    const Outcome changed = read(dada_text(changes, sixteen()), 4);
    if (keyword.use == KeywordUse::refused) {
      EXPECT_THAT(changed.error, HasSubstr(keyword.name));
    }
    const bool is_reported = changed.error.find(keyword.name) != std::string::npos ||
                             std::ranges::any_of(changed.warnings, [&](const std::string& line) {
                               return line.find(keyword.name) != std::string::npos;
                             });
    const bool is_changed =
        changed.error.empty() &&
        (changed.values != plain.values || changed.utc_ns != plain.utc_ns ||
         changed.type.to_string() != plain.type.to_string() || changed.type.rate_hz != plain.type.rate_hz ||
         changed.type.axes[1].coordinates != plain.type.axes[1].coordinates);
    EXPECT_TRUE(is_reported || is_changed) << changed.error;
  }
  EXPECT_EQ(tried, telling_values().size());
}

TEST(DadaKeywords, carry_descriptions_and_warn_of_unknown_ones_once) {
  for (const HeaderKeyword& keyword : dada_keywords().rows) {
    if (keyword.use != KeywordUse::carried) continue;
    const Outcome outcome =
        read(dada_text({{std::string(keyword.name), "some value # comment"}}, sixteen()), 4);
    EXPECT_THAT(outcome.description, ElementsAre(std::string(keyword.name) + ": some value"));
    EXPECT_THAT(outcome.warnings, IsEmpty()) << keyword.name;
  }
  const Outcome unknown = read(dada_text({{"WEATHER", "fine"}}, sixteen()), 4);
  EXPECT_THAT(unknown.description, ElementsAre("WEATHER: fine"));
  EXPECT_THAT(unknown.warnings, ElementsAre(HasSubstr("'WEATHER'")));
  EXPECT_THAT(read(dada_text({{"INSTRUMENT", "takt"}}, sixteen()), 4).description,
              ElementsAre("INSTRUMENT: takt"));
}

/// The offset of a value in a file, by the definition of an order: the fastest axis is the last letter.
std::size_t place_in_file(const std::string& order, std::size_t t, std::size_t f, std::size_t p,
                          std::size_t inner, std::size_t channels, std::size_t polarisations) {
  std::size_t place = 0, step = 1, times = static_cast<std::size_t>(std::ranges::count(order, 'T'));
  for (std::size_t i = order.size(); i-- > 0;) {
    if (order[i] == 'T') {
      // The last T counts within a heap, the first one heaps.
      const bool is_inner = times == 2;
      place += (is_inner ? t % inner : t / inner) * step;
      step *= is_inner ? inner : 1;
      --times;
    } else if (order[i] == 'F') {
      place += f * step;
      step *= channels;
    } else if (order[i] == 'P') {
      place += p * step;
      step *= polarisations;
    }
  }
  return place;
}

TEST(DadaOrder, values_of_every_supported_order_are_placed_correctly) {
  constexpr std::size_t channels = 3, polarisations = 2, times = 8;
  for (const char* order : {"TFP", "TPF", "TAFTP", "TPFT", "TFPT", "TFTP", "TPTF", "TTFP", "tafpt"}) {
    std::string capitals = order;
    for (char& letter : capitals) letter = static_cast<char>(std::toupper(letter));
    const std::size_t inner = std::ranges::count(capitals, 'T') == 2 ? 4 : 1;
    for (const std::size_t parts : {1, 2}) {
      std::string data(channels * polarisations * times * parts, '\0');
      for (std::size_t t = 0; t < times; ++t)
        for (std::size_t f = 0; f < channels; ++f)
          for (std::size_t p = 0; p < polarisations; ++p)
            for (std::size_t part = 0; part < parts; ++part) {
              const std::size_t place = place_in_file(capitals, t, f, p, inner, channels, polarisations);
              data[place * parts + part] = static_cast<char>(40 * f + 10 * p + t + (part == 1 ? -100 : 0));
            }
      Keys keys{{"NCHAN", "3"}, {"ORDER", order}, {"NDIM", std::to_string(parts)}};
      if (inner > 1) keys["INNER_T"] = "4";
      // Frames of six samples split heaps; the last one holds two samples.
      const Outcome outcome = read(dada_text(keys, data + "x"), 6);
      ASSERT_EQ(outcome.error, "") << order;
      EXPECT_EQ(outcome.left_over, 1U) << order;
      ASSERT_EQ(outcome.values.size(), 2 * 6 * channels * polarisations * parts);
      for (std::size_t t = 0; t < times; ++t)
        for (std::size_t f = 0; f < channels; ++f)
          for (std::size_t p = 0; p < polarisations; ++p) {
            const std::size_t frame = t / 6, s = t % 6;
            const std::size_t run = parts == 2 ? f * 6 + s : s * channels + f;
            const std::size_t at = ((frame * 6 * channels + run) * polarisations + p) * parts;
            ASSERT_EQ(outcome.values[at],
                      40.0F * static_cast<float>(f) + 10.0F * static_cast<float>(p) + static_cast<float>(t))
                << order << " " << t << " " << f << " " << p;
          }
    }
  }
}

TEST(DadaOrder, heaps_of_meerkat_are_recognised_by_the_instrument) {
  std::string data;
  for (int p = 0; p < 2; ++p)
    for (int f = 0; f < 2; ++f)
      for (int t = 0; t < 256; ++t) {
        data += static_cast<char>(10 * f + p);
        data += static_cast<char>(t - 128);
      }
  const Outcome outcome = read(dada_text({{"INSTRUMENT", "MKBF"}, {"NDIM", "2"}}, data), 256);
  ASSERT_EQ(outcome.values.size(), 2048U);
  for (std::size_t f = 0; f < 2; ++f)
    for (std::size_t t = 0; t < 256; ++t)
      for (std::size_t p = 0; p < 2; ++p) {
        const std::size_t at = ((f * 256 + t) * 2 + p) * 2;
        ASSERT_EQ(outcome.values[at], static_cast<float>(10 * f + p));
        ASSERT_EQ(outcome.values[at + 1], static_cast<float>(t) - 128);
      }
}

TEST(DadaOrder, an_order_that_is_not_supported_is_refused_by_name_and_the_user_can_replace_it) {
  for (const char* order : {"FTP", "PFT", "SFPT", "TSPF", "TFPB", "FT", "TFPTT", "TF", "TFFP"})
    EXPECT_THAT(read(dada_text({{"ORDER", order}}, sixteen()), 4).error,
                HasSubstr("ORDER " + std::string(order)))
        << order;
  EXPECT_THAT(read(dada_text({{"ORDER", "TAFTP"}}, sixteen()), 4).error, HasSubstr("INNER_T"));
  EXPECT_THAT(read(dada_text({{"ORDER", "TAFP"}, {"NANT", "2"}}, sixteen()), 4).error, HasSubstr("NANT 2"));
  EXPECT_EQ(read(dada_text({{"ORDER", "FTP"}}, sixteen()), 4, {.order = "TFP"}).error, "");
  EXPECT_EQ(read(dada_text({{"ORDER", "PFT"}}, sixteen()), 4, {.order = "TPFT", .heap_samples = 2}).error,
            "");
  // Axes of size 1 may be in any place.
  EXPECT_EQ(read(dada_text({{"ORDER", "FPT"}, {"NCHAN", "1"}, {"NPOL", "1"}}, sixteen()), 4).error, "");
}

Keys one_value(const std::string& bits) {
  return {{"NPOL", "1"}, {"NCHAN", "1"}, {"NBIT", bits}};
}

TEST(DadaNumbers, of_all_encodings_bits_and_byte_orders_are_decoded) {
  const auto values = [](Keys keys, const std::string& data, std::size_t samples,
                         const DadaReading& reading = {}) {
    const Outcome outcome = read(dada_text(keys, data), samples, reading);
    EXPECT_EQ(outcome.error, "");
    return outcome.values;
  };
  Keys keys = one_value("8");
  EXPECT_THAT(values(keys, "\x7f\x80", 2), ElementsAre(127, -128));
  keys["ENCODING"] = "OFFSET_BINARY";
  EXPECT_THAT(values(keys, {"\x7f\x80\x00", 3}, 3), ElementsAre(-1, 0, -128));
  keys["NBIT"] = "16";
  EXPECT_THAT(values(keys, {"\x01\x80\x00\x00", 4}, 2), ElementsAre(1, -32768));
  keys["ENDIAN"] = "BIG";
  EXPECT_THAT(values(keys, {"\x80\x01\x00\x00", 4}, 2), ElementsAre(1, -32768));
  keys["ENCODING"] = "TwosComplement";
  EXPECT_THAT(values(keys, "\xff\xfe\x7f\xff", 2), ElementsAre(-2, 32767));
  keys["NBIT"] = "32";
  EXPECT_THAT(values(keys, "\xff\xff\xff\xfe", 1), ElementsAre(-2));
  keys["ENCODING"] = "";
  EXPECT_THAT(values(keys, {"\x3f\xc0\x00\x00", 4}, 1), ElementsAre(1.5F));
  keys["ENDIAN"] = "LITTLE";
  EXPECT_THAT(values(keys, {"\x00\x00\xc0\x3f", 4}, 1), ElementsAre(1.5F));
  keys["ENCODING"] = "OffsetBinary";
  EXPECT_THAT(values(keys, {"\x05\x00\x00\x80", 4}, 1), ElementsAre(5));
  // Samples share bytes. 0x1b is 00 01 10 11 from the high bits on.
  keys = one_value("2");
  keys["ENCODING"] = "OffsetBinary";
  EXPECT_THAT(values(keys, "\x1b", 4), ElementsAre(1, 0, -1, -2));
  EXPECT_THAT(values(keys, "\x1b", 4, {.is_high_first = true}), ElementsAre(-2, -1, 0, 1));
  keys["ENCODING"] = "TwosComplement";
  EXPECT_THAT(values(keys, "\x1b", 4), ElementsAre(-1, -2, 1, 0));
  keys["NBIT"] = "4";
  EXPECT_THAT(values(keys, "\x7f", 2), ElementsAre(-1, 7));
  keys["NBIT"] = "1";
  keys["ENCODING"] = "OffsetBinary";
  EXPECT_THAT(values(keys, "\x05", 8), ElementsAre(1, -1, 1, -1, -1, -1, -1, -1));
}

TEST(DadaNumbers, ambiguous_ones_cause_a_warning_and_invalid_ones_an_error) {
  const auto told = [](Keys keys) { return read(dada_text(keys, sixteen()), 4).warnings; };
  Keys keys = one_value("4");
  EXPECT_THAT(told(keys), Contains(HasSubstr("NBIT 4 and no ENCODING")));
  EXPECT_THAT(told(keys), Contains(HasSubstr("bit_order")));
  keys = one_value("32");
  keys["ENCODING"] = "TwosComplement";
  EXPECT_THAT(told(keys), Contains(HasSubstr("are rounded")));
  const auto refusal = [](Keys keys) { return read(dada_text(keys, sixteen()), 4).error; };
  EXPECT_THAT(refusal(one_value("7")), HasSubstr("NBIT 7: expected 1, 2, 4, 8, 16 or 32"));
  EXPECT_THAT(refusal({{"ENCODING", "Gray"}}), HasSubstr("ENCODING Gray"));
  EXPECT_THAT(refusal({{"ENCODING", "Float"}}), HasSubstr("ENCODING Float"));
  EXPECT_THAT(refusal({{"NBIT", "1"}, {"NCHAN", "1"}, {"ORDER", "TPT"}, {"INNER_T", "3"}}),
              HasSubstr("NBIT 1: expected whole bytes"));
}

TEST(DadaKeywords, that_are_missing_are_reported_and_not_replaced) {
  for (const char* key : {"NDIM", "NPOL", "NCHAN"})
    EXPECT_THAT(read(dada_text({{key, ""}}, sixteen()), 4).warnings,
                Contains(HasSubstr("has no " + std::string(key) + ": read as 1")));
  for (const char* key : {"FREQ", "BW"}) {
    const Outcome outcome = read(dada_text({{key, ""}}, sixteen()), 4);
    EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("has no " + std::string(key))));
    EXPECT_THAT(outcome.type.axes[1].coordinates, IsEmpty());
  }
}

TEST(DadaStart, comes_from_the_header_or_the_user) {
  const auto start = [](Keys keys, const DadaReading& reading = {}) {
    return read(dada_text(keys, sixteen()), 4, reading).utc_ns;
  };
  // `date -u -d 2024-01-01T12:00:00 +%s`, MJD 60310.5.
  constexpr std::int64_t noon = 1'704'110'400'000'000'000;
  EXPECT_EQ(start({{"UTC_START", ""}, {"MJD_START", "60310.5"}}), noon);
  EXPECT_EQ(start({{"UTC_START", "unset"}, {"MJD_START", "60310.500011574074074074"}}), noon + 1'000'000'000);
  EXPECT_EQ(start({{"UTC_START", "2024-01-01-12:00:00"}, {"PICOSECONDS", "2500000"}}), noon + 2500);
  EXPECT_EQ(start({{"UTC_START", ""}}, {.start_ns = 7}), 7);
  const Outcome none = read(dada_text({{"UTC_START", ""}}, sixteen()), 4);
  EXPECT_THAT(none.error, HasSubstr("neither UTC_START nor MJD_START"));
  EXPECT_THAT(read(dada_text({{"UTC_START", ""}, {"MJD_START", "0.0"}}, sixteen()), 4).error,
              HasSubstr("MJD_START"));
  EXPECT_THAT(read(dada_text({{"MJD_START", "tomorrow"}}, sixteen()), 4).error,
              HasSubstr("MJD_START tomorrow"));
  EXPECT_THAT(read(dada_text({{"MJD_START", "60311"}}, sixteen()), 4).warnings,
              Contains(HasSubstr("differ by 86400 s")));
  EXPECT_THAT(read(dada_text({{"MJD_START", "60310.000001"}}, sixteen()), 4).warnings, IsEmpty());
}

TEST(DadaStart, counts_the_leap_second_between_the_start_and_the_file) {
  // From 2016-12-31T23:59:50 on, 15000 samples of 4 bytes: 15 s, and a leap second.
  const Outcome outcome =
      read(dada_text({{"UTC_START", "2016-12-31-23:59:50"}, {"OBS_OFFSET", "60000"}}, sixteen()), 4);
  EXPECT_EQ(outcome.utc_ns, parse_utc("2017-01-01T00:00:04"));
}

TEST(DadaStart, frames_across_a_leap_second_have_the_time_of_their_samples) {
  // Frames of 1 s: 23:59:59, 23:59:60 (which has the number of 00:00:00), 00:00:00.
  const test::TemporaryFolder folder;
  const std::string path = folder.file(
      "a.dada",
      dada_text({{"UTC_START", "2016-12-31-23:59:59"}, {"TSAMP", "500000"}}, std::string(24, '\1')));
  SampleFileSource source({.pieces = {{path, layout_of(read_dada_header(path), 2)}}});
  source.start();
  std::vector<std::int64_t> times;
  for (const test::KeptFrame& frame : test::take_all(source)) times.push_back(frame.header.utc_ns);
  EXPECT_THAT(times, ElementsAre(parse_utc("2016-12-31T23:59:59"), parse_utc("2017-01-01T00:00:00"),
                                 parse_utc("2017-01-01T00:00:00")));
}

TEST(DadaStart, warns_of_leap_seconds_that_the_table_does_not_know_yet) {
  // Until the last second of June 2098, and beyond it.
  const auto warnings = [](const std::string& start, const std::string& offset) {
    const test::TemporaryFolder folder;
    const std::string path =
        folder.file("a.dada", dada_text({{"UTC_START", start}, {"TSAMP", "500000"}, {"OBS_OFFSET", offset}},
                                        std::string(24, '\1')));
    SampleFileSource source({.pieces = {{path, layout_of(read_dada_header(path), 2)}}});
    source.start();
    (void)test::take_all(source);
    return source.warnings();
  };
  EXPECT_THAT(warnings("2098-06-30-23:59:50", "0"), IsEmpty());
  EXPECT_THAT(warnings("2098-06-30-23:59:58", "0"), ElementsAre(HasSubstr("leap seconds expired")));
  EXPECT_THAT(warnings("2098-06-30-23:59:50", "96"), ElementsAre(HasSubstr("leap seconds expired")));
}

TEST(DadaFiles, whose_size_contradicts_the_header_cause_a_warning) {
  EXPECT_THAT(read(dada_text({{"FILE_SIZE", "16"}}, sixteen()), 4).warnings, IsEmpty());
  EXPECT_THAT(read(dada_text({{"FILE_SIZE", "20"}}, sixteen()), 4).warnings,
              ElementsAre(HasSubstr("truncated")));
  EXPECT_THAT(read(dada_text({{"FILE_SIZE", "12"}}, sixteen()), 4).warnings,
              ElementsAre(HasSubstr("FILE_SIZE 12")));
  EXPECT_THAT(read(dada_text({{"NBIT", "8\nNBIT 16"}}, sixteen()), 4).warnings,
              ElementsAre(AnyOf(HasSubstr("NBIT twice"))));
}

}  // namespace dada_header_test
}  // namespace takt::sensors
