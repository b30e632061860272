/// Tests that SigMF recordings are read as their metadata define.

#include "sensors/sigmf/header.hpp"

#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/sigmf/keywords.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/support/compressed.hpp"

namespace takt::sensors {
namespace sigmf_header_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::vector<test::KeptFrame> frames_of(const std::filesystem::path& file, std::size_t samples,
                                       FrameType& type) {
  const SigmfHeader header = read_sigmf(file);
  SampleFileSource source({.pieces = {{header.data, layout_of(header, {.samples = samples})}}});
  type = source.type();
  source.start();
  return test::take_all(source);
}

TEST(Sigmf, samples_of_several_channels_become_beamlets) {
  const test::TemporaryFolder folder;
  folder.file("a.sigmf-meta",
              R"({"global": {"core:datatype": "ci16_be", "core:sample_rate": 1000, "core:num_channels": 2,
    "core:version": "1.0.0"}, "captures": [{"core:sample_start": 1, "core:header_bytes": 3, "core:frequency": 433.92e6,
    "core:datetime": "2023-07-02T01:37:40.5Z"}], "annotations": []})");
  // 3 bytes of header, one sample before the capture, then 5 samples: [time][channel][real, imaginary].
  std::string bytes = "xyz" + std::string(8, 'q');
  for (int value = -10; value < 10; ++value) {
    bytes += static_cast<char>(value >> 8);
    bytes += static_cast<char>(value);
  }
  folder.file("a.sigmf-data", bytes);
  FrameType type;
  const auto frames = frames_of(folder / "a.sigmf-data", 4, type);
  EXPECT_EQ(type.to_string(), "complex_float32[beamlet=2][time=4][polarisation=1]");
  EXPECT_EQ(type.axes[0].coordinates, (std::vector<double>{433.92e6, 433.92e6}));
  EXPECT_EQ(type.rate_hz, 250);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].header.utc_ns, 1'688'261'860'500'000'000);
  const auto* const values = reinterpret_cast<const float*>(frames[0].bytes.data());
  EXPECT_EQ(std::vector(values, values + 8), (std::vector<float>{-10, -9, -6, -5, -2, -1, 2, 3}));
  EXPECT_EQ(std::vector(values + 8, values + 16), (std::vector<float>{-8, -7, -4, -3, 0, 1, 4, 5}));
  EXPECT_EQ(frames[1].header.missing_parts, 3U);
  EXPECT_TRUE(std::isnan(reinterpret_cast<const float*>(frames[1].bytes.data())[2]));
}

TEST(Sigmf, every_number_type_is_read_and_unsigned_ones_are_centred) {
  const auto first = [](const std::string& type, const std::string& bytes) {
    const test::TemporaryFolder folder;
    folder.file("b.sigmf-meta", R"({"global": {"core:datatype": ")" + type + R"("}})");
    folder.file("b.sigmf-data", bytes);
    FrameType frame;
    const auto frames = frames_of(folder / "b", 1, frame);
    return frames.empty() ? std::nanf("") : *reinterpret_cast<const float*>(frames[0].bytes.data());
  };
  const auto bytes_of = [](auto value, bool is_big) {
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
    if (is_big) std::ranges::reverse(bytes);
    return bytes;
  };
  for (const bool is_big : {false, true}) {
    const std::string order = is_big ? "_be" : "_le";
    EXPECT_EQ(first("rf32" + order, bytes_of(1.5F, is_big)), 1.5F);
    EXPECT_EQ(first("rf64" + order, bytes_of(-2.25, is_big)), -2.25F);
    EXPECT_EQ(first("ri32" + order, bytes_of(std::int32_t{-70000}, is_big)), -70000);
    EXPECT_EQ(first("ru32" + order, bytes_of(std::uint32_t{0x80000007}, is_big)), 7);
    EXPECT_EQ(first("ri16" + order, bytes_of(std::int16_t{-300}, is_big)), -300);
    EXPECT_EQ(first("ru16" + order, bytes_of(std::uint16_t{32768 - 300}, is_big)), -300);
  }
  EXPECT_EQ(first("ri8", "\xFE"), -2);
  EXPECT_EQ(first("ru8", "\xFE"), 126);
}

TEST(Sigmf, invalid_metadata_are_refused_with_the_key) {
  const test::TemporaryFolder folder;
  folder.file("c.sigmf-data", "");
  const auto refused = [&](const std::string& meta, const std::string& expected) {
    const std::string path = folder.file("c.sigmf-meta", meta);
    EXPECT_THAT([&] { (void)read_sigmf(path); }, ThrowsMessage<ConfigError>(HasSubstr(expected))) << meta;
  };
  refused("no json", "not SigMF metadata");
  refused("[]", "not SigMF metadata");
  refused(R"({"global": {"core:datatype": "cu8", "core:hw": )" + std::string(100'000, '[') +
              std::string(100'000, ']') + "}}",
          "in more than 100 levels");
  refused(
      "{\"global\": {\"core:datatype\": \"cu8\",\n  \"core:hw\": {\"a\": 1}, \"core:datatype\": \"ri8\"}}",
      "c.sigmf-meta:2:24: the key 'core:datatype' is in its object twice");
  refused(test::gzipped("{}"), "cannot read compressed metadata");
  refused(R"({"global": {}})", "core:datatype is not there");
  for (const char* type : {"cf32", "xf32_le", "ci12_le", "", "c", "cf32_xx"})
    refused(R"({"global": {"core:datatype": ")" + std::string(type) + R"("}})",
            "expected a type such as cf32_le");
  refused(R"({"global": {"core:datatype": 5}})", "core:datatype is 5: expected a text");
  refused(R"({"global": {"core:datatype": "cu8", "core:sample_rate": -1}})", "core:sample_rate is -1");
  refused(R"({"global": {"core:datatype": "cu8", "core:num_channels": 1e9}})", "core:num_channels");
  refused(R"({"global": {"core:datatype": "cu8"}, "captures": [{"core:datetime": "today"}]})",
          "captures[0] core:datetime");
  refused(R"({"global": {"core:datatype": "cu8"}, "captures": {}})", "captures is not a list");
  refused(R"({"global": {"core:datatype": "cu8"}, "captures": [5]})", "captures[0] is 5: expected an object");
  EXPECT_THAT([&] { (void)read_sigmf(folder / "none"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot read")));
}

/// The result of a source for a recording of `ri8` at 1 kHz, or the error.
struct Read {
  std::string refusal;
  std::vector<float> values;
  std::vector<std::int64_t> utc_ns;
  std::vector<int> epochs;
  std::vector<std::uint64_t> first_samples;
  FrameType type;
  std::vector<std::string> warnings, description;
  SourceCounters counters;
};

struct Recording {
  /// Additional members of the objects, after the common ones.
  std::string global = {}, captures = R"({"core:sample_start": 0, "core:datetime": "2024-01-01T00:00:00Z"})",
              annotations = {};
  std::string data = "\1\2\3\4\5\6\7\10";
  SigmfOptions options{.samples = 4};
  std::map<std::string, std::string> more_files = {};
  std::string rate = R"("core:sample_rate": 1000)", datatype = "ri8";
};

std::string metadata_of(const Recording& recording) {
  return R"({"global": {"core:version": "1.2.0", "core:datatype": ")" + recording.datatype + "\"" +
         (recording.rate.empty() ? "" : ", " + recording.rate) +
         (recording.global.empty() ? "" : ", " + recording.global) + R"(}, "captures": [)" +
         recording.captures + R"(], "annotations": [)" + recording.annotations + "]}";
}

Read read_file(const std::filesystem::path& file, const SigmfOptions& options, const std::string& name = {}) {
  Read read;
  try {
    const SigmfHeader header = read_sigmf(file, name);
    SampleFileSource source({.pieces = {{header.data, layout_of(header, options)}}});
    read.type = source.type();
    read.description = source.description();
    source.check();
    source.start();
    for (const test::KeptFrame& frame : test::take_all(source)) {
      read.utc_ns.push_back(frame.header.utc_ns);
      read.epochs.push_back(frame.header.epoch);
      read.first_samples.push_back(frame.header.first_sample);
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

Read read(const Recording& recording) {
  const test::TemporaryFolder folder;
  folder.file("a.sigmf-meta", metadata_of(recording));
  folder.file("a.sigmf-data", recording.data);
  for (const auto& [name, bytes] : recording.more_files) folder.file(name, bytes);
  return read_file(folder / "a.sigmf-meta", recording.options);
}

/// 2024-01-01T00:00:00, `date -u -d 2024-01-01 +%s`.
constexpr std::int64_t begin_ns = 1'704'067'200'000'000'000, millisecond = 1'000'000;

TEST(Sigmf, later_captures_have_headers_of_their_own) {
  const Read found = read({.captures = R"({"core:sample_start": 0, "core:header_bytes": 2,
      "core:datetime": "2024-01-01T00:00:00Z"}, {"core:sample_start": 3, "core:header_bytes": 5,
      "core:datetime": "2024-01-01T00:00:00.003Z"})",
                           .data = "HH\1\2\3JUNKY\4\5\6\7\10"});
  EXPECT_THAT(found.values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(found.epochs, ElementsAre(0, 0));
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST(Sigmf, captures_across_a_leap_second_are_contiguous) {
  // 4 s before the end of 2016, whose last minute has 61 s; eight samples of a second.
  const std::string first = R"({"core:sample_start": 0, "core:datetime": "2016-12-31T23:59:56Z"})",
                    rate = R"("core:sample_rate": 1)";
  const auto later = [&](const char* fields) {
    return read({.captures = first + R"(, {"core:sample_start": 6)" + fields + "}", .rate = rate});
  };
  const Read with_time = later(R"(, "core:datetime": "2017-01-01T00:00:01Z")");
  EXPECT_THAT(with_time.epochs, ElementsAre(0, 0));
  EXPECT_THAT(with_time.warnings, IsEmpty());
  EXPECT_THAT(later(R"(, "core:datetime": "2017-01-01T00:00:02Z")").epochs, ElementsAre(0, 0, 1));
  const Read chosen = read({.captures = first + R"(, {"core:sample_start": 6})",
                            .options = {.samples = 4, .capture = 1},
                            .rate = rate});
  EXPECT_THAT(chosen.utc_ns, ElementsAre(1'483'228'801'000'000'000)) << "2017-01-01T00:00:01";
}

TEST(Sigmf, a_gap_between_captures_begins_a_new_epoch) {
  const std::string first = R"({"core:sample_start": 0, "core:datetime": "2024-01-01T00:00:00Z"}, )";
  const Read gap =
      read({.captures = first + R"({"core:sample_start": 5, "core:datetime": "2024-01-01T00:00:01Z"})"});
  EXPECT_THAT(gap.values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(gap.epochs, ElementsAre(0, 0, 1));
  EXPECT_THAT(gap.utc_ns, ElementsAre(begin_ns, begin_ns + 4 * millisecond, begin_ns + 1000 * millisecond));
  EXPECT_THAT(gap.first_samples, ElementsAre(0, 4, 5));
  EXPECT_EQ(gap.counters.incomplete, 1U);
  EXPECT_THAT(gap.warnings, ElementsAre(HasSubstr("captures[1] is not contiguous")));
  // Half a sample, or the last digit of the fraction, is no gap.
  for (const char* time : {"00.0054Z", "00.01Z"})
    EXPECT_THAT(read({.captures = first + R"({"core:sample_start": 5, "core:datetime": "2024-01-01T00:00:)" +
                                  time + "\"}"})
                    .epochs,
                ElementsAre(0, 0))
        << time;
  const Read counted =
      read({.captures = R"({"core:sample_start": 0, "core:global_index": 100, "core:datetime":
      "2024-01-01T00:00:00Z"}, {"core:sample_start": 4, "core:global_index": 150})"});
  EXPECT_THAT(counted.epochs, ElementsAre(0, 1));
  EXPECT_THAT(counted.first_samples, ElementsAre(100, 150));
  EXPECT_THAT(counted.utc_ns, ElementsAre(begin_ns, begin_ns + 50 * millisecond));
}

TEST(Sigmf, captures_of_several_frequencies_are_read_one_at_a_time) {
  const std::string captures = R"({"core:sample_start": 0, "core:frequency": 1e8, "core:datetime":
      "2024-01-01T00:00:00Z"}, {"core:sample_start": 5, "core:frequency": 2e8, "core:datetime": "2024-01-01T00:00:09Z"})";
  EXPECT_THAT(read({.captures = captures}).refusal, HasSubstr("captures[1] core:frequency is 200000000 Hz"));
  const Read first = read({.captures = captures, .options = {.samples = 4, .capture = 0}});
  EXPECT_THAT(first.values, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(first.type.axes[0].coordinates, ElementsAre(1e8));
  const Read second = read({.captures = captures, .options = {.samples = 4, .capture = 1}});
  EXPECT_THAT(second.values, ElementsAre(6, 7, 8));
  EXPECT_THAT(second.type.axes[0].coordinates, ElementsAre(2e8));
  EXPECT_THAT(second.utc_ns, ElementsAre(begin_ns + 9000 * millisecond));
  EXPECT_THAT(read({.captures = captures, .options = {.samples = 4, .capture = 2}}).refusal,
              HasSubstr("2 does not exist: expected 0 to 1"));
}

TEST(Sigmf, a_capture_without_a_time_follows_the_samples_before_it) {
  const std::string captures = R"({"core:sample_start": 0, "core:frequency": 1e8, "core:datetime":
      "2024-01-01T00:00:00Z"}, {"core:sample_start": 5, "core:frequency": 2e8})";
  const Read second = read({.captures = captures, .options = {.samples = 4, .capture = 1}});
  EXPECT_THAT(second.utc_ns, ElementsAre(begin_ns + 5 * millisecond));
  EXPECT_THAT(second.warnings, IsEmpty());
  const Read first = read({.captures = R"({"core:sample_start": 0}, {"core:sample_start": 5, "core:datetime":
      "2024-01-01T00:00:00Z"})",
                           .options = {.samples = 8, .capture = 0}});
  EXPECT_THAT(first.utc_ns, ElementsAre(0));
  EXPECT_THAT(first.warnings, ElementsAre(HasSubstr("captures[0] has no time")));
}

TEST(Sigmf, a_collection_is_refused_as_one) {
  EXPECT_THAT([] { (void)read_sigmf("a.sigmf-collection"); },
              ThrowsMessage<ConfigError>(HasSubstr("a collection: expected one of its recordings")));
}

TEST(Sigmf, captures_out_of_order_are_refused) {
  EXPECT_THAT(read({.captures = R"({"core:sample_start": 4}, {"core:sample_start": 2})"}).refusal,
              HasSubstr("captures[1] core:sample_start is 2"));
  EXPECT_THAT(read({.global = R"("core:offset": 9)", .captures = R"({"core:sample_start": 4})"}).refusal,
              HasSubstr("core:offset 9 or more"));
  const Read split = read({.global = R"("core:offset": 100)", .captures = R"({"core:sample_start": 102})"});
  EXPECT_THAT(split.values, ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_THAT(split.first_samples, ElementsAre(102, 106));
  EXPECT_THAT(split.warnings, Contains(HasSubstr("2 samples before it are skipped")));
}

TEST(Sigmf, a_file_shorter_than_its_description_is_truncated) {
  for (const Recording& recording :
       {Recording{.annotations = R"({"core:sample_start": 2, "core:sample_count": 10})"},
        Recording{.captures = R"({"core:sample_start": 0, "core:datetime": "2024-01-01T00:00:00Z"},
            {"core:sample_start": 12})"}}) {
    const Read found = read(recording);
    EXPECT_THAT(found.values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_EQ(test::value_of(found.counters.details, "samples_cut_off"), 4U);
    EXPECT_EQ(found.counters.lost, 1U);
    EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("truncated")));
  }
  EXPECT_THAT(read({.annotations = R"({"core:sample_start": 2, "core:sample_count": 6})"}).warnings,
              IsEmpty());
}

TEST(Sigmf, integers_rounded_by_float32_are_counted_and_reported_once) {
  // 2^24 + 1, 5, 2^24 + 2 as ri32_le.
  const Read found = read({.data = std::string("\1\0\0\1\5\0\0\0\2\0\0\1", 12), .datatype = "ri32_le"});
  EXPECT_EQ(test::value_of(found.counters.details, "values_rounded"), 1U);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("values are rounded")));
  EXPECT_THAT(read({.data = std::string("\2\0\0\1", 4), .datatype = "ri32_le"}).warnings, IsEmpty());
}

/// Digest of `\1\2\3\4\5\6\7\10`, by `sha512sum`.
const std::string sum_of_data =
    "1818cc2acd207880a07afc360fd0da87e51ccf17e7c604c4eb16be5788322724c298e1fcc66eb293926993141ef0863c09eda383"
    "188cf5df"
    "49b910aacac17ec5";

TEST(Sigmf, a_checksum_of_other_samples_is_refused_before_the_run) {
  const std::string right = R"("core:sha512": ")" + sum_of_data + "\"";
  EXPECT_EQ(read({.global = right}).refusal, "");
  EXPECT_THAT(read({.global = right, .data = "\1\2\3\4\5\6\7\7"}).refusal, HasSubstr("core:sha512"));
  EXPECT_THAT(read({.global = right, .data = "\1\2", .options = {.samples = 4, .verify = false}}).values,
              ElementsAre(1, 2));
  EXPECT_THAT(read({.global = R"("core:sha512": "12")"}).refusal, HasSubstr("128 hexadecimal digits"));
}

TEST(Sigmf, the_metadata_name_the_file_of_samples) {
  const Recording named{.global = R"("core:dataset": "b.cdif", "core:trailing_bytes": 2)",
                        .more_files = {{"b.cdif", "\11\12\13\14"}}};
  EXPECT_THAT(read(named).values, ElementsAre(9, 10));
  EXPECT_THAT(read({.global = R"("core:dataset": "c.cdif")"}).refusal,
              HasSubstr("'c.cdif': expected it next to the metadata (core:dataset)"));
  for (const char* name : {"../b.cdif", "/etc/passwd", "", ".."})
    EXPECT_THAT(read({.global = R"("core:dataset": ")" + std::string(name) + "\""}).refusal,
                HasSubstr("core:dataset"));
  EXPECT_THAT(read({.global = R"("core:trailing_bytes": 9)"}).refusal, HasSubstr("core:trailing_bytes is 9"));
}

TEST(Sigmf, extensions_that_are_not_optional_are_refused_by_name) {
  const auto with = [](const std::string& more) {
    return read({.global = R"("core:extensions": [{"name": "antenna", "version": "1.0.0")" + more + "}]"});
  };
  EXPECT_THAT(with(R"(, "optional": false)").refusal, HasSubstr("'antenna' is required"));
  EXPECT_EQ(with(R"(, "optional": true)").refusal, "");
  EXPECT_THAT(with("").refusal, HasSubstr("core:extensions"));
}

TEST(Sigmf, missing_and_unknown_keys_cause_warnings) {
  EXPECT_THAT(read({.captures = R"({"core:sample_start": 0})"}).warnings,
              ElementsAre(HasSubstr("no core:datetime")));
  EXPECT_THAT(read({.captures = ""}).warnings, ElementsAre(HasSubstr("no core:datetime")));
  EXPECT_THAT(read({.rate = ""}).warnings, ElementsAre(HasSubstr("no core:sample_rate")));
  const Read unknown = read({.global = R"("core:gain": 7, "antenna:gain": 40)"});
  EXPECT_THAT(unknown.warnings, ElementsAre(HasSubstr("'antenna:gain'"), HasSubstr("'core:gain'")));
  EXPECT_THAT(unknown.description, Contains("core:gain: 7"));
  EXPECT_THAT(read({.global = R"("core:metadata_only": true)"}).refusal, HasSubstr("core:metadata_only"));
  EXPECT_EQ(read({.global = R"("core:metadata_only": false)"}).refusal, "");
}

/// For each obeyed or refused key a value that changes the result.
TEST(Sigmf, each_key_changes_the_result_or_is_carried) {
  const std::map<std::string, std::string> values{
      {"core:datatype", "\"ru8\""},
      {"core:sample_rate", "500"},
      {"core:num_channels", "2"},
      {"core:offset", "3"},
      {"core:dataset", "\"b\""},
      {"core:trailing_bytes", "1"},
      {"core:sha512", "\"" + std::string(128, '0') + "\""},
      {"core:metadata_only", "true"},
      {"core:extensions", R"([{"name": "x", "version": "1", "optional": false}])"},
      {"core:version", "\"2.0.0\""},
      {"core:sample_start", "2"},
      {"core:datetime", "\"2025-01-01T00:00:00Z\""},
      {"core:frequency", "1e6"},
      {"core:global_index", "77"},
      {"core:header_bytes", "1"},
      {"core:sample_count", "99"}};
  const Read before = read({});
  for (const HeaderKeyword& keyword : sigmf_keywords().rows) {
    const std::string name(keyword.name);
    const std::size_t space = name.find(' ');
    const std::string object = space == std::string::npos ? "global" : name.substr(0, space),
                      key = name.substr(space == std::string::npos ? 0 : space + 1);
    // The objects themselves.
    if (key.find(':') == std::string::npos) continue;
    const std::string value = values.contains(key) ? values.at(key) : "\"some text\"";
    // Of two members with one name the later one counts.
    const std::string member = "\"" + key + "\": " + value;
    Recording recording;
    if (object == "global")
      recording.global = member;
    else if (object == "captures")
      recording.captures.insert(recording.captures.size() - 1, ", " + member);
    else
      recording.annotations =
          "{" + (key == "core:sample_start" ? R"("core:sample_start": 99)" : member) + "}";
    const Read after = read(recording);
    const bool differs = !after.refusal.empty() || after.values != before.values ||
                         after.type != before.type || after.utc_ns != before.utc_ns ||
                         after.first_samples != before.first_samples || after.warnings != before.warnings;
    if (keyword.use == KeywordUse::obeyed || keyword.use == KeywordUse::refused) {
      EXPECT_TRUE(differs) << name;
    } else {
      EXPECT_FALSE(differs) << name << after.refusal;
    }
    if (keyword.use == KeywordUse::carried) {
      EXPECT_THAT(after.description, Contains(HasSubstr(name + ": some text")));
    }
  }
}

/// A member of a tar file, by POSIX.
std::string member(const std::string& name, const std::string& bytes, char type = '0') {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  put(0, name.substr(0, 99));
  put(100, "0000644");
  put(124, fmt::format("{:011o}", bytes.size()));
  put(136, "00000000000");
  put(156, std::string(1, type));
  put(257, std::string("ustar\00000", 8));
  put(148, "        ");
  unsigned sum = 0;
  for (const char letter : header) sum += static_cast<unsigned char>(letter);
  put(148, fmt::format("{:06o}", sum) + '\0');
  std::string padded = bytes;
  padded.resize((bytes.size() + 511) / 512 * 512);
  return header + padded;
}

TEST(Sigmf, archives_are_read_in_place) {
  const test::TemporaryFolder folder;
  const SigmfOptions options{.samples = 4};
  const std::string one = member("d/a.sigmf-meta", metadata_of({})),
                    data = member("d/a.sigmf-data", Recording{}.data), end(1024, '\0');
  EXPECT_THAT(read_file(folder.file("a.sigmf", member("d/", "", '5') + one + data + end), options).values,
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  // A name that is too long for the header: GNU's and pax's forms.
  const std::string long_name = "d/" + std::string(150, 'n');
  const std::string pax =
      fmt::format("{} path={}.sigmf-data\n", 4 + 5 + long_name.size() + 11 + 1, long_name);
  EXPECT_THAT(read_file(folder.file("b.sigmf", member("@", long_name + ".sigmf-meta" + '\0', 'L') +
                                                   member("x", metadata_of({})) + member("@", pax, 'x') +
                                                   member("y", Recording{}.data) + end),
                        options)
                  .values,
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  const std::string two =
      one + data + member("b.sigmf-meta", metadata_of({})) + member("b.sigmf-data", "\7") + end;
  EXPECT_THAT(read_file(folder.file("c.sigmf", two), options).refusal,
              HasSubstr("one of the archive's recordings: a, b"));
  EXPECT_THAT(read_file(folder / "c.sigmf", options, "b").values, ElementsAre(7));
  EXPECT_THAT(read_file(folder.file("d.sigmf", one + end), options).refusal,
              HasSubstr("has no 'd/a.sigmf-data'"));
  EXPECT_THAT(read_file(folder.file("e.sigmf", "\x1F\x8B" + std::string(600, 'x')), options).refusal,
              HasSubstr("no tar archive at byte 0: expected an archive that is not compressed"));
  const Read cut = read_file(folder.file("f.sigmf", (one + data).substr(0, one.size() + 512 + 5)), options);
  EXPECT_THAT(cut.values, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(test::value_of(cut.counters.details, "samples_cut_off"), 3U);
  EXPECT_THAT(cut.warnings, Contains(HasSubstr("truncated")));
}

}  // namespace sigmf_header_test
}  // namespace takt::sensors
