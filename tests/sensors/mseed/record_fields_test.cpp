/// Tests that every field of a miniSEED record that changes the meaning of its samples changes the result.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/mseed/file_source.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/mseed/seedlink_source.hpp"
#include "sensors/mseed/version3.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/support/compressed.hpp"

namespace takt::sensors {
namespace mseed_record_fields_test {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A hand-made version 2 record: 32-bit integers after 64 bytes of header, blockette 1000 at byte 48.
struct HandMade {
  std::string channel = "BHZ", location = "00";
  char quality = 'D';
  int year = 2017, day = 1, hour = 0, minute = 0, second = 0, tick = 0;
  int factor = 10, multiplier = 1, activity = 0, clock = 0, flags = 0, correction = 0;
  int encoding = 3, exponent = 9;
  bool is_big = true, has_blockette = true;
  std::vector<std::int32_t> samples{1, 2, 3, 4};
  /// Changes bytes of the record, or adds blockettes from byte 56 on.
  std::function<void(std::string&)> change = {};

  [[nodiscard]] std::string bytes() const {
    std::string record(std::size_t{1} << exponent, '\0');
    const std::string head = std::string("000001") + quality + " AAA  " + location + channel + "XX";
    std::copy(head.begin(), head.end(), record.begin());
    put(record, 20, 2, year), put(record, 22, 2, day);
    record[24] = static_cast<char>(hour), record[25] = static_cast<char>(minute),
    record[26] = static_cast<char>(second);
    put(record, 28, 2, tick), put(record, 30, 2, static_cast<int>(samples.size()));
    put(record, 32, 2, factor), put(record, 34, 2, multiplier);
    record[36] = static_cast<char>(activity), record[37] = static_cast<char>(clock),
    record[38] = static_cast<char>(flags);
    put(record, 40, 4, correction), put(record, 44, 2, 64);
    if (has_blockette) {
      record[39] = 1;
      put(record, 46, 2, 48), put(record, 48, 2, 1000);
      record[52] = static_cast<char>(encoding), record[53] = is_big ? '\1' : '\0',
      record[54] = static_cast<char>(exponent);
    }
    for (std::size_t i = 0; i < samples.size(); ++i) put(record, 64 + 4 * i, 4, samples[i]);
    if (change) change(record);
    return record;
  }
  void put(std::string& record, std::size_t at, int bytes, int value) const {
    for (int i = 0; i < bytes; ++i)
      record[at + static_cast<std::size_t>(is_big ? bytes - 1 - i : i)] = static_cast<char>(value >> (8 * i));
  }
  /// A blockette of 8 bytes at byte 56, in the chain.
  [[nodiscard]] HandMade with_blockette(int type, std::array<int, 4> rest) const {
    HandMade made = *this;
    made.change = [this_one = *this, type, rest](std::string& record) {
      this_one.put(record, 50, 2, 56), this_one.put(record, 56, 2, type);
      for (std::size_t i = 0; i < rest.size(); ++i) record[60 + i] = static_cast<char>(rest[i]);
    };
    return made;
  }
};

TraceRecord decoded(const HandMade& made) {
  const std::string bytes = made.bytes();
  const auto record = decode_record(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(record);
  return record.value_or(TraceRecord{});
}

constexpr std::int64_t new_year_2017_ns = 1'483'228'800'000'000'000, tick_ns = 100'000;

TEST(RecordFields, of_the_fixed_header_change_time_rate_and_samples) {
  const TraceRecord plain = decoded({});
  EXPECT_EQ(plain.channel, "XX.AAA.00.BHZ");
  EXPECT_EQ(plain.start_ns, new_year_2017_ns);
  EXPECT_EQ(plain.rate_hz, 10);
  EXPECT_THAT(plain.samples, ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(plain.marks.any());
  EXPECT_EQ(decoded({.channel = "EHE"}).channel, "XX.AAA.00.EHE");
  EXPECT_EQ(decoded({.location = "  "}).channel, "XX.AAA..BHZ");
  EXPECT_EQ(decoded({.day = 2, .hour = 3, .minute = 4, .second = 5, .tick = 6}).start_ns,
            new_year_2017_ns + (86'400LL + 3 * 3600 + 4 * 60 + 5) * 1'000'000'000 + 6 * tick_ns);
  EXPECT_EQ(decoded({.factor = 10, .multiplier = 3}).rate_hz, 30);
  EXPECT_EQ(decoded({.factor = 10, .multiplier = -4}).rate_hz, 2.5);
  EXPECT_EQ(decoded({.factor = -10, .multiplier = 5}).rate_hz, 0.5);
  EXPECT_EQ(decoded({.factor = -10, .multiplier = -5}).rate_hz, 0.02);
  EXPECT_EQ(decoded({.correction = -50}).start_ns, new_year_2017_ns - 50 * tick_ns);
  EXPECT_EQ(decoded({.activity = 2, .correction = -50}).start_ns, new_year_2017_ns) << "applied already";
  EXPECT_THAT(decoded({.is_big = false}).samples, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(decoded({.quality = 'R'}).publication, 1);
  EXPECT_EQ(decoded({.quality = 'M'}).publication, 4);
  EXPECT_EQ(decoded({.year = 2016, .day = 366}).start_ns, new_year_2017_ns - 86'400'000'000'000);
  const std::string beyond = HandMade{.year = 2017, .day = 366}.bytes();
  EXPECT_FALSE(decode_record(std::as_bytes(std::span(beyond))));
}

TEST(RecordFields, of_blockettes_change_rate_and_time_or_are_counted) {
  const HandMade plain;
  // 12.5 as a float.
  EXPECT_EQ(decoded(plain.with_blockette(100, {0x41, 0x48, 0, 0})).rate_hz, 12.5);
  // 1.7e38 Hz and 1.2e-38 Hz, with which times would be meaningless.
  for (const std::array<int, 4>& rate : {std::array{0x7F, 0, 0, 0}, std::array{0, 0x80, 0, 0}}) {
    const std::string bytes = plain.with_blockette(100, rate).bytes();
    EXPECT_FALSE(decode_record(std::as_bytes(std::span(bytes))));
  }
  EXPECT_EQ(decoded(plain.with_blockette(1001, {0, -7, 0, 0})).start_ns, new_year_2017_ns - 7000);
  for (const BlocketteKind& kind : blockettes()) {
    if (kind.fate.starts_with("obeyed") || kind.fate.starts_with("passed over")) continue;
    EXPECT_TRUE(decoded(plain.with_blockette(kind.type, {})).marks.has(kind.mark)) << kind.type;
    EXPECT_EQ(record_marks[static_cast<std::size_t>(kind.mark)].counter, kind.fate);
  }
  EXPECT_TRUE(decoded(plain.with_blockette(777, {})).marks.has(RecordMark::passed_over));
}

TEST(RecordFields, of_flags_are_counted_by_their_meaning) {
  const auto counters_of = [](const HandMade& made) {
    RecordMarkCounts counts;
    counts.add(decoded(made).marks);
    std::vector<std::string> names;
    for (const Counter& counter : counts.report()) names.push_back(counter.name);
    return names;
  };
  EXPECT_THAT(counters_of({.activity = 0x01}), ElementsAre("records_with_calibration"));
  EXPECT_THAT(counters_of({.activity = 0x04}), ElementsAre("records_with_events"));
  EXPECT_THAT(counters_of({.activity = 0x10}), ElementsAre("records_with_leap_second"));
  EXPECT_THAT(counters_of({.activity = 0x20}), ElementsAre("records_with_leap_second"));
  EXPECT_THAT(counters_of({.clock = 0x01}), ElementsAre("records_with_recorder_errors"));
  EXPECT_THAT(counters_of({.clock = 0x20}), ElementsAre()) << "the clock was locked";
  const std::array<const char*, 8> of_quality{"records_saturated",       "records_clipped",
                                              "records_with_spikes",     "records_with_glitches",
                                              "records_padded",          "records_with_telemetry_errors",
                                              "records_filter_charging", "records_time_questionable"};
  for (std::size_t bit = 0; bit < of_quality.size(); ++bit)
    EXPECT_THAT(counters_of({.flags = 1 << bit}), ElementsAre(of_quality[bit]));
}

/// Sources of files with records.
class RecordFiles : public testing::Test {
 protected:
  std::string file(const std::vector<HandMade>& records) {
    std::string bytes;
    for (const HandMade& record : records) bytes += record.bytes();
    return folder_.file("f" + std::to_string(files_++), bytes);
  }
  /// Returns all samples that are not missing, from frames of 5 samples.
  std::vector<float> samples(MseedFileOptions options, SourceCounters* counters = nullptr,
                             std::vector<std::string>* warnings = nullptr) {
    options.rows = 5;
    MseedFileSource source(options);
    source.start();
    std::vector<float> all;
    for (const test::KeptFrame& frame : test::take_all(source)) {
      std::vector<float> values(frame.bytes.size() / sizeof(float));
      std::memcpy(values.data(), frame.bytes.data(), frame.bytes.size());
      std::ranges::copy_if(values, std::back_inserter(all), [](float value) { return !std::isnan(value); });
    }
    if (counters != nullptr) *counters = source.counters();
    if (warnings != nullptr) *warnings = source.warnings();
    return all;
  }
  static std::uint64_t count(const SourceCounters& counters, const char* name) {
    return test::value_of(counters.details, name);
  }

  const test::TemporaryFolder folder_;
  int files_ = 0;
};

/// Steim-1, the default without blockette 1000: 8-bit differences, four in each of the words 3 to 15.
HandMade steim_without_blockette(int second, int first, int exponent) {
  HandMade made{.second = second, .exponent = exponent, .has_blockette = false};
  made.samples.resize(10);
  made.change = [first, made](std::string& record) {
    std::fill(record.begin() + 48, record.end(), '\0');
    made.put(record, 44, 2, 48), made.put(record, 46, 2, 0);
    // Codes of the words 3, 4 and 5: four differences of 8 bits.
    made.put(record, 48, 4, (1 << 24) | (1 << 22) | (1 << 20));
    made.put(record, 52, 4, first), made.put(record, 56, 4, first + 9);
    for (std::size_t i = 1; i < 10; ++i) record[60 + i] = '\1';
  };
  return made;
}

TEST_F(RecordFiles, of_24_bits_are_read_and_unknown_encodings_reported) {
  for (const bool is_big : {true, false}) {
    HandMade made{.encoding = 2, .is_big = is_big, .samples = {}};
    made.samples.resize(3);
    made.change = [made](std::string& record) {
      const std::array<int, 3> values{-8'388'608, 8'388'607, -2};
      for (std::size_t i = 0; i < values.size(); ++i) made.put(record, 64 + 3 * i, 3, values[i]);
    };
    EXPECT_THAT(samples({.files = {file({made})}}), ElementsAre(-8'388'608, 8'388'607, -2));
  }
  // Steim-3, which no library supports.
  const HandMade other{.second = 1, .encoding = 19};
  SourceCounters counters;
  std::vector<std::string> warnings;
  EXPECT_THAT(samples({.files = {file({{}, other})}}, &counters, &warnings), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(count(counters, "refused_encoding"), 1U);
  EXPECT_THAT(warnings, ElementsAre("1 records have samples of encoding 19, which takt does not decode"));
  EXPECT_THAT([&] { (void)samples({.files = {file({other})}}); },
              ThrowsMessage<ConfigError>(HasSubstr("no samples: 1 records have samples of encoding 19")));
}

TEST_F(RecordFiles, that_are_damaged_and_stray_bytes_cause_warnings) {
  // More samples than fit the record.
  HandMade damaged{.second = 1};
  damaged.change = [damaged](std::string& record) { damaged.put(record, 30, 2, 500); };
  std::vector<std::string> warnings;
  const std::string mixed = folder_.file("mixed", HandMade{}.bytes() + damaged.bytes() + "no record");
  EXPECT_THAT(samples({.files = {mixed}}, nullptr, &warnings), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("9 bytes belong to no record, the first at byte 1024"),
                                    HasSubstr("1 damaged records were skipped, the first at byte 512")));
  const MseedFileSource source({.files = {file({damaged})}});
  EXPECT_THAT([&] { source.check(); },
              ThrowsMessage<ConfigError>(HasSubstr("no good miniSEED record (refused: 1 damaged)")));
}

TEST_F(RecordFiles, off_the_grid_of_samples_cause_a_warning) {
  // A record lasts 0.4 s; the second one is 0.3 samples late.
  SourceCounters counters;
  std::vector<std::string> warnings;
  EXPECT_EQ(samples({.files = {file({{}, {.tick = 4300}})}}, &counters, &warnings).size(), 8U);
  EXPECT_EQ(count(counters, "time_rounded_by"), 30'000'000U);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("by up to 0.3 samples (30 ms)")));
}

TEST_F(RecordFiles, with_a_wrong_last_steim_sample_are_counted) {
  HandMade wrong = steim_without_blockette(0, 0, 9);
  wrong.change = [make = wrong.change](std::string& record) {
    make(record);
    record[59] = '\7';
  };
  SourceCounters counters;
  std::vector<std::string> warnings;
  EXPECT_EQ(samples({.files = {file({wrong})}}, &counters, &warnings).size(), 10U);
  EXPECT_EQ(count(counters, "records_with_wrong_last_sample"), 1U);
  EXPECT_THAT(warnings, Contains("of the records used, 1 end with another sample than declared (Steim)"));
}

TEST_F(RecordFiles, without_blockette_1000_extend_to_the_next_one_or_the_end) {
  for (const int exponent : {7, 9, 12}) {
    std::vector<float> expected(30);
    std::iota(expected.begin(), expected.end(), 0.F);
    SourceCounters counters;
    EXPECT_EQ(samples({.files = {file({steim_without_blockette(0, 0, exponent),
                                       steim_without_blockette(1, 10, exponent),
                                       steim_without_blockette(2, 20, exponent)})}},
                      &counters),
              expected)
        << exponent;
    EXPECT_EQ(count(counters, "bytes_left_over"), 0U);
    expected.resize(10);
    EXPECT_EQ(samples({.files = {file({steim_without_blockette(0, 0, exponent)})}}), expected) << exponent;
  }
}

TEST_F(RecordFiles, of_logs_are_skipped_and_counted) {
  HandMade log{.channel = "LOG", .factor = 0, .multiplier = 0, .encoding = 0};
  SourceCounters counters;
  EXPECT_THAT(samples({.files = {file({log, {}, log})}}, &counters), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(count(counters, "records_of_logs"), 2U);
  EXPECT_THAT(
      [&] {
        (void)samples({.files = {file({log, log})}});
      },
      ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("no samples: all 2 records are logs"), HasSubstr("XX.AAA.00.LOG"))));
}

TEST_F(RecordFiles, of_another_rate_are_counted_and_read_by_another_source) {
  const std::string path = file({{}, {.second = 10, .factor = 5, .samples = {7, 8}}});
  SourceCounters counters;
  std::vector<std::string> warnings;
  EXPECT_THAT(samples({.files = {path}}, &counters, &warnings), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(count(counters, "refused_rate"), 1U);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 records have 5 samples/s instead of 10 and were skipped")));
  EXPECT_THAT(samples({.files = {path}, .rate_hz = 5}), ElementsAre(7, 8));
  EXPECT_THAT([&] { (void)samples({.files = {path}, .rate_hz = 7}); },
              ThrowsMessage<ConfigError>(HasSubstr("has 7 samples/s")));
  const std::string two = file({{}, {.channel = "LHZ", .factor = 1}});
  EXPECT_THAT([&] { (void)samples({.files = {two}}); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("expected channels of one rate (channels), or the rate to read (rate)")));
  EXPECT_THAT(samples({.files = {two}, .channels = {"XX.AAA.00.L*"}}), ElementsAre(1, 2, 3, 4));
}

TEST_F(RecordFiles, are_chosen_by_patterns) {
  const std::string path =
      file({{.channel = "BHZ"}, {.channel = "BHE"}, {.channel = "EHZ"}, {.location = "  "}});
  const auto channels = [&](std::vector<std::string> wanted) {
    return MseedFileSource({.files = {path}, .channels = std::move(wanted)}).channels();
  };
  EXPECT_THAT(channels({"XX.AAA.00.BH?"}), ElementsAre("XX.AAA.00.BHE", "XX.AAA.00.BHZ"));
  EXPECT_THAT(channels({"XX.AAA.--.BHZ"}), ElementsAre("XX.AAA..BHZ"));
  EXPECT_THAT(channels({"*.EHZ", "XX.AAA.*.?HZ"}),
              ElementsAre("XX.AAA.00.EHZ", "XX.AAA..BHZ", "XX.AAA.00.BHZ"));
  EXPECT_THAT([&] { (void)channels({"XX.AAA.00.L*"}); },
              ThrowsMessage<ConfigError>(HasSubstr("unknown channel 'XX.AAA.00.L*'")));
}

TEST_F(RecordFiles, of_a_better_quality_replace_others_sample_by_sample) {
  // Raw samples 0 to 9 of a second, and quality-controlled ones 4 to 6.
  HandMade raw{.quality = 'R', .samples = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  HandMade better{.quality = 'Q', .tick = 4000, .samples = {40, 50, 60}};
  for (const auto& order : {std::vector{raw, better}, std::vector{better, raw}}) {
    SourceCounters counters;
    EXPECT_THAT(samples({.files = {file(order)}}, &counters), ElementsAre(0, 1, 2, 3, 40, 50, 60, 7, 8, 9));
    EXPECT_EQ(count(counters, "samples_of_older_versions"), 3U);
    EXPECT_EQ(count(counters, "samples_duplicate"), 0U);
  }
}

TEST_F(RecordFiles, that_are_repeated_are_counted_and_other_values_reported) {
  const HandMade whole{.samples = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      half{.tick = 5000, .samples = {5, 60, 7, 8, 9}}, next{.second = 1, .samples = {10, 11}};
  // In one frame, and in frames that the first record completes.
  for (const std::size_t rows : {2, 5, 100}) {
    SourceCounters counters;
    std::vector<std::string> warnings;
    EXPECT_THAT(
        samples({.files = {file({whole, whole, half, next})}, .rows = rows}, &counters, &warnings).size(),
        12U);
    EXPECT_EQ(count(counters, "samples_taken"), 12U);
    EXPECT_EQ(count(counters, "samples_duplicate"), 15U);
    EXPECT_EQ(count(counters, "samples_contradictory"), 1U);
    EXPECT_EQ(count(counters, "samples_late"), 0U);
    EXPECT_THAT(warnings, Contains(HasSubstr("1 samples were repeated with other values")));
    (void)samples({.files = {file({whole, whole, next})}, .rows = rows}, &counters, &warnings);
    EXPECT_EQ(count(counters, "samples_contradictory"), 0U);
    EXPECT_THAT(warnings, ElementsAre());
  }
}

TEST_F(RecordFiles, of_a_later_publication_replace_earlier_ones) {
  const auto record = [](std::uint8_t publication, float value) {
    std::vector<std::byte> data(4 * sizeof(float)), bytes;
    for (std::size_t i = 0; i < 4; ++i) std::memcpy(data.data() + i * sizeof(float), &value, sizeof value);
    encode_version3({.identifier = "FDSN:XX_AAA_00_B_H_Z",
                     .start_ns = new_year_2017_ns,
                     .rate_hz = 10,
                     .encoding = TraceEncoding::float32,
                     .samples = 4,
                     .publication = publication},
                    data, bytes);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (const std::string& bytes : {record(1, 1) + record(3, 3) + record(2, 2), record(3, 3) + record(1, 1)})
    EXPECT_THAT(samples({.files = {folder_.file("p" + std::to_string(files_++), bytes)}}),
                ElementsAre(3, 3, 3, 3));
}

TEST_F(RecordFiles, over_a_leap_second_omit_its_samples_and_continue_at_their_times) {
  // From 23:59:58.5 on, 10 Hz: 15 samples, 10 of the leap second 23:59:60, 5 of the new year.
  HandMade over{
      .year = 2016, .day = 366, .hour = 23, .minute = 59, .second = 58, .tick = 5000, .activity = 0x10};
  over.samples.resize(30);
  std::iota(over.samples.begin(), over.samples.end(), 0);
  HandMade behind{.tick = 5000, .samples = {100, 101}};
  std::vector<float> expected(15);
  std::iota(expected.begin(), expected.end(), 0.F);
  for (const float value : {25.F, 26.F, 27.F, 28.F, 29.F, 100.F, 101.F}) expected.push_back(value);
  SourceCounters counters;
  std::vector<std::string> warnings;
  EXPECT_EQ(samples({.files = {file({over, behind})}}, &counters, &warnings), expected);
  EXPECT_EQ(count(counters, "samples_in_leap_second"), 10U);
  EXPECT_EQ(count(counters, "samples_duplicate"), 0U);
  EXPECT_THAT(warnings, Contains(HasSubstr("10 samples within a leap second were discarded")));
  // Without the flag the next record's time reveals it.
  over.activity = 0;
  EXPECT_EQ(samples({.files = {file({over, behind})}}), expected);
  // A recorder that does not count leap seconds continues without one.
  behind.second = 1;
  EXPECT_EQ(samples({.files = {file({over, behind})}}).size(), 32U);
  // A record that begins in the leap second.
  EXPECT_THAT(samples({.files = {file({{.year = 2016,
                                        .day = 366,
                                        .hour = 23,
                                        .minute = 59,
                                        .second = 60,
                                        .tick = 7000,
                                        .samples = {1, 2, 3, 4, 5}}})}}),
              ElementsAre(4, 5));
}

TEST_F(RecordFiles, with_integers_rounded_by_float_cause_a_warning) {
  std::vector<std::string> warnings;
  SourceCounters counters;
  EXPECT_EQ(samples({.files = {file({{.samples = {1 << 24, (1 << 24) + 1, (1 << 24) + 2, -(1 << 30) - 1}}})}},
                    &counters, &warnings)
                .size(),
            4U);
  EXPECT_EQ(count(counters, "values_rounded"), 2U);
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("2 samples are rounded: float32 holds integers up to 2^24 exactly")));
}

TEST_F(RecordFiles, with_doubles_beyond_float_cause_a_warning) {
  std::string doubles;
  for (const double value : {1.5, 1e300, 0.1, 4.0}) {
    const auto bits = __builtin_bswap64(std::bit_cast<std::uint64_t>(value));
    doubles.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  std::vector<std::string> warnings;
  SourceCounters counters;
  const HandMade record{.encoding = 5, .change = [&](std::string& bytes) { bytes.replace(64, 32, doubles); }};
  (void)samples({.files = {file({record})}}, &counters, &warnings);
  EXPECT_EQ(count(counters, "values_rounded"), 1U);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no number above 3.4e38")));
}

TEST_F(RecordFiles, of_several_files_compressed_or_not_are_one_stream) {
  const HandMade first, second{.tick = 4000, .samples = {5, 6, 7, 8}};
  const std::string zipped = folder_.file("a.gz", test::gzipped(second.bytes()));
  EXPECT_THAT(samples({.files = {zipped, file({first})}}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  std::string cut = test::zstd_compressed(first.bytes() + second.bytes());
  cut.resize(cut.size() - 3);
  std::vector<std::string> warnings;
  (void)samples({.files = {folder_.file("a.zst", cut), file({first})}}, nullptr, &warnings);
  EXPECT_THAT(warnings, Contains(HasSubstr("a.zst: the zstd stream is cut short")));
}

/// A SeedLink 3 server for one client: records of any length in packets, then END.
class SizesServer {
 public:
  explicit SizesServer(std::string packets)
      : packets_(std::move(packets)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~SizesServer() {
    ::shutdown(listener_, SHUT_RDWR);
    ::close(listener_);
    thread_.join();
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void serve() const {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    std::string line;
    for (char letter = 0; ::recv(client, &letter, 1, 0) == 1;) {
      if (letter != '\n') {
        line += letter;
        continue;
      }
      const bool is_end = line.starts_with("END");
      const std::string answer = line.starts_with("HELLO") ? "SeedLink v3.1\r\nhere\r\n" : "OK\r\n";
      const std::string& sent = is_end ? packets_ : answer;
      if (::send(client, sent.data(), sent.size(), MSG_NOSIGNAL) < 0 || is_end) break;
      line.clear();
    }
    ::shutdown(client, SHUT_WR);
    for (char letter = 0; ::recv(client, &letter, 1, 0) == 1;) {
    }
    ::close(client);
  }

  const std::string packets_;
  const int listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST(SeedlinkRecords, of_128_to_4096_bytes_and_logs_share_one_connection) {
  std::string packets;
  std::vector<float> expected;
  int number = 0;
  const auto add = [&](const HandMade& record) {
    packets += fmt::format("SL{:06X}", ++number) + record.bytes();
  };
  for (const int exponent : {7, 8, 9, 10, 11, 12, 9}) {
    HandMade record{.second = number, .exponent = exponent};
    record.samples.assign(10, number + 1);
    expected.insert(expected.end(), 10, static_cast<float>(number + 1));
    add(record);
  }
  add({.second = 20, .factor = 0, .multiplier = 0, .encoding = 0});
  // A record whose blockette claims more than is available, with another packet after its 512 bytes.
  HandMade damaged{.second = 7};
  damaged.change = [](std::string& bytes) { bytes[54] = 12; };
  add(damaged);
  HandMade last{.second = 8};
  last.samples.assign(10, 80);
  expected.insert(expected.end(), 10, 80.F);
  add(last);
  SizesServer server(packets + "END");
  SeedlinkOptions options;
  options.server = server.address();
  options.channels = {"XX.AAA.00.BHZ"};
  options.grid.rate_hz = 10;
  options.grid.rows = 10;
  SeedlinkSource source(options);
  source.start();
  std::vector<float> read;
  for (const test::KeptFrame& frame : test::take_all(source)) {
    std::vector<float> values(frame.bytes.size() / sizeof(float));
    std::memcpy(values.data(), frame.bytes.data(), frame.bytes.size());
    std::ranges::copy_if(values, std::back_inserter(read), [](float value) { return !std::isnan(value); });
  }
  EXPECT_EQ(read, expected);
  const std::vector<Counter> details = source.counters().details;
  EXPECT_EQ(test::value_of(details, "records_received"), 8U);
  EXPECT_EQ(test::value_of(details, "records_of_logs"), 1U);
  EXPECT_EQ(test::value_of(details, "refused_damaged"), 1U);
  EXPECT_EQ(test::value_of(details, "bytes_astray"), 0U);
}

TEST(SeedlinkRecords, channels_must_be_named_one_by_one) {
  SeedlinkOptions options;
  options.server = "127.0.0.1:18000";
  options.channels = {"XX.AAA.00.BH?"};
  EXPECT_THAT([&] { validate(options); },
              ThrowsMessage<ConfigError>(HasSubstr("needs the names of all channels")));
  options.channels = {"XX.AAA.--.BHZ"};
  EXPECT_NO_THROW(validate(options));
}

}  // namespace mseed_record_fields_test
}  // namespace takt::sensors
