/// miniSEED 3 and Steim compression compared with independent decoders: one in Python, and libmseed.

#include "sensors/mseed/version3.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "sensors/mseed/file_source.hpp"
#include "sensors/mseed/record_writer.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/mseed/sink.hpp"
#include "sensors/mseed/steim.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace mseed_version3_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* decoder = TAKT_SOURCE_DIR "/tests/sensors/mseed/miniseed3.py";
constexpr std::array all_encodings{TraceEncoding::steim1, TraceEncoding::steim2,  TraceEncoding::int16,
                                   TraceEncoding::int32,  TraceEncoding::float32, TraceEncoding::float64};
/// 2021-12-31T23:59:58.000000005, in a year of 365 days.
constexpr std::int64_t new_years_eve = 1'640'995'198'000'000'005;

/// Integers whose differences need any number of bits, up to the largest if `is_wide`.
std::vector<std::int32_t> walk(std::mt19937& random, std::size_t count, bool is_wide) {
  std::vector<std::int32_t> samples;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int bits = 1 + static_cast<int>(random() % (is_wide ? 31 : 24));
    // Runs of small steps, so that all packings occur.
    if (random() % 8 == 0 || samples.empty())
      value += static_cast<std::int32_t>(random()) >> (32 - bits);
    else
      value += static_cast<std::int64_t>(random() % 15) - 7;
    value = std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max());
    samples.push_back(static_cast<std::int32_t>(value));
  }
  return samples;
}

std::vector<nlohmann::json> records_by_python(const std::filesystem::path& path) {
  const test::Result result = test::Program({test::python, decoder, "read", path.string()}).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<nlohmann::json> records;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) records.push_back(nlohmann::json::parse(line));
  return records;
}

TEST(Steim, decodes_encoded_samples_in_any_number_of_frames) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const auto level = round % 2 == 0 ? SteimLevel::one : SteimLevel::two;
    const std::vector<std::int32_t> samples = walk(random, 1 + random() % 900, round % 3 == 0);
    std::vector<std::int32_t> decoded;
    while (decoded.size() < samples.size()) {
      const SteimPiece piece =
          encode_steim(std::span(samples).subspan(decoded.size()), 1 + random() % 8, level);
      ASSERT_GT(piece.samples, 0U);
      const auto back = decode_steim(piece.frames, piece.samples, level);
      ASSERT_TRUE(back);
      decoded.insert(decoded.end(), back->begin(), back->end());
      EXPECT_FALSE(decode_steim(piece.frames, piece.frames.size() / 64 * 105 + 1, level));
    }
    EXPECT_EQ(decoded, samples);
  }
  EXPECT_TRUE(encode_steim({}, 7, SteimLevel::two).frames.empty());
}

TEST(Steim, decodes_records_of_libmseed) {
  std::mt19937 random(5);
  for (const TraceEncoding encoding : {TraceEncoding::steim1, TraceEncoding::steim2}) {
    const std::vector<std::int32_t> samples = walk(random, 5000, false);
    std::vector<float> floats;
    std::vector<std::int32_t> expected;
    for (const std::int32_t sample : samples) {
      floats.push_back(static_cast<float>(sample));
      expected.push_back(static_cast<std::int32_t>(floats.back()));
    }
    RecordWriter writer("NL.HGN.00.BHZ", 100, encoding);
    std::vector<std::byte> records;
    std::size_t count = writer.put(new_years_eve, floats, records);
    count += writer.flush(records);
    ASSERT_EQ(records.size(), count * 512);
    std::vector<std::int32_t> decoded;
    for (std::size_t at = 0; at < records.size(); at += 512) {
      const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(records[at + i]); };
      // "Number of samples" and "beginning of data" of version 2's header, both big-endian.
      const std::size_t here = byte(30) << 8 | byte(31), begin = byte(44) << 8 | byte(45);
      const auto back = decode_steim(std::span(records).subspan(at + begin, 512 - begin), here,
                                     encoding == TraceEncoding::steim1 ? SteimLevel::one : SteimLevel::two);
      ASSERT_TRUE(back);
      decoded.insert(decoded.end(), back->begin(), back->end());
    }
    EXPECT_EQ(decoded, expected);
  }
}

TEST(Miniseed3, agrees_with_a_decoder_written_from_the_specification) {
  std::mt19937 random(11);
  const test::TemporaryFolder folder;
  std::vector<std::byte> records;
  std::vector<std::vector<double>> expected;
  std::size_t count = 0;
  for (const TraceEncoding encoding : all_encodings) {
    RecordWriter writer("NL.HGN..BHZ", encoding == TraceEncoding::int32 ? 0.1 : 128, encoding,
                        MseedVersion::three);
    std::vector<float> floats;
    for (const std::int32_t sample : walk(random, 1500, false))
      floats.push_back(static_cast<float>(encoding == TraceEncoding::int16 ? sample % 30'000 : sample));
    expected.emplace_back(floats.begin(), floats.end());
    count += writer.put(new_years_eve, std::span(floats).first(100), records);
    count += writer.put(0, std::span(floats).subspan(100), records);
    count += writer.flush(records);
    EXPECT_EQ(writer.clipped(), 0U);
  }
  const std::string path =
      folder.file("a.mseed3", {reinterpret_cast<const char*>(records.data()), records.size()});
  const std::vector<nlohmann::json> read = records_by_python(path);
  ASSERT_EQ(read.size(), count);
  constexpr std::array codes{10, 11, 1, 3, 4, 5};
  std::size_t next = 0;
  for (std::size_t encoding = 0; encoding < codes.size(); ++encoding) {
    const double rate = codes[encoding] == 3 ? 0.1 : 128;
    std::vector<double> samples;
    for (; next < read.size() && read[next]["encoding"] == codes[encoding]; ++next) {
      EXPECT_EQ(read[next]["id"], "FDSN:NL_HGN__B_H_Z");
      EXPECT_EQ(read[next]["rate"], rate < 1 ? -1 / rate : rate);
      const auto late = read[next]["ns"].get<std::int64_t>() - new_years_eve;
      EXPECT_NEAR(static_cast<double>(late), static_cast<double>(samples.size()) / rate * 1e9, 100);
      for (const double sample : read[next]["samples"]) samples.push_back(sample);
    }
    EXPECT_EQ(samples, expected[encoding]) << codes[encoding];
  }
}

TEST(Miniseed3, records_of_other_programs_are_read) {
  const test::TemporaryFolder folder;
  const auto line = [](const char* id, const char* time, int encoding, const char* samples, double rate) {
    return nlohmann::json{{"id", id},
                          {"ns", 7},
                          {"time", nlohmann::json::parse(time)},
                          {"encoding", encoding},
                          {"rate", rate},
                          {"samples", nlohmann::json::parse(samples)}}
               .dump() +
           "\n";
  };
  // Four records of one second each; the last second of a leap day; and a period instead of a rate.
  const std::string lines = line("FDSN:NL_HGN_00_B_H_Z", "[2020, 366, 23, 59, 58]", 1, "[1, -2]", 2) +
                            line("FDSN:NL_HGN_00_B_H_Z", "[2020, 366, 23, 59, 59]", 3, "[70000, -70001]", 2) +
                            line("FDSN:NL_HGN_00_B_H_Z", "[2021, 1, 0, 0, 0]", 4, "[0.5, -1.5]", -0.5) +
                            line("FDSN:NL_HGN_00_B_H_Z", "[2021, 1, 0, 0, 1]", 5, "[0.25, 1e10]", 2);
  const std::string path = folder / "b.mseed3";
  const test::Result made =
      test::Program({test::python, decoder, "write", path, folder.file("lines", lines)}).wait();
  ASSERT_EQ(made.exit_code, 0) << made.err;
  MseedFileSource source({.files = {path}, .rows = 2});
  EXPECT_THAT(source.channels(), testing::ElementsAre("NL.HGN.00.BHZ"));
  source.start();
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 4U);
  // 2020-12-31T23:59:58.000000007.
  EXPECT_EQ(frames[0].header.utc_ns, 1'609'459'198'000'000'007);
  const std::array<std::array<float, 2>, 4> expected{
      {{1, -2}, {70000, -70001}, {0.5F, -1.5F}, {0.25F, 1e10F}}};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::memcmp(frames[i].bytes.data(), expected[i].data(), 8), 0) << i;
}

TEST(Miniseed3, written_records_are_read_back_among_version_2_and_stray_bytes) {
  const test::TemporaryFolder folder;
  for (const TraceEncoding encoding : all_encodings) {
    std::string all;
    for (const MseedVersion version : {MseedVersion::two, MseedVersion::three}) {
      const std::filesystem::path path = folder / ("t" + std::to_string(static_cast<int>(encoding)) + "v" +
                                                   std::to_string(static_cast<int>(version)));
      const FrameType type = trace_frame_type({.channels = 1, .rows = 100, .rate_hz = 50});
      MseedSink sink({.output = {.path = path},
                      .channels = {version == MseedVersion::two ? "NL.HGN.00.BHZ" : "NL.LONGNAME.00.BHN"},
                      .encoding = encoding,
                      .version = version},
                     type);
      sink.open();
      for (std::uint64_t k = 0; k < 20; ++k) {
        std::vector<float> values(100);
        // Steps that Steim-2 cannot represent, within a record and across its end.
        for (std::size_t i = 0; i < 100; ++i)
          values[i] = encoding == TraceEncoding::int16
                          ? static_cast<float>(i * k)
                          : (i % 37 == 5 ? -1.0F : 1.0F) * 1e9F + 64 * static_cast<float>(i);
        if (k == 7) values[3] = std::nanf("");
        FrameHeader header{.sequence = k, .utc_ns = 2'000'000'000 * static_cast<std::int64_t>(k)};
        sink.write({&header, std::as_bytes(std::span(values))});
      }
      sink.close();
      const std::string bytes = test::read_file(path);
      EXPECT_EQ(sink.counters()[0].name, "records_written");
      EXPECT_GT(sink.counters()[0].value, 2U);
      all += bytes + "stray";
    }
    MseedFileSource source({.files = {folder.file("all", all)}});
    ASSERT_EQ(source.channels().size(), 2U);
    source.start();
    const std::vector<test::KeptFrame> frames = test::take_all(source);
    ASSERT_EQ(frames.size(), 20U);
    EXPECT_EQ(test::value_of(source.counters().details, "bytes_left_over"), 10U);
    for (std::size_t k = 0; k < 20; ++k)
      for (std::size_t i = 0; i < 100; ++i) {
        const auto* const values = reinterpret_cast<const float*>(frames[k].bytes.data()) + 2 * i;
        const float expected = encoding == TraceEncoding::int16
                                   ? static_cast<float>(i * k)
                                   : (i % 37 == 5 ? -1.0F : 1.0F) * 1e9F + 64 * static_cast<float>(i);
        for (const float value : {values[0], values[1]})
          if (k == 7 && i == 3)
            EXPECT_TRUE(std::isnan(value));
          else
            ASSERT_EQ(value, expected) << k << ' ' << i;
      }
  }
}

TEST(Miniseed3, numbers_beyond_their_encoding_are_clipped_and_counted) {
  std::vector<std::byte> records;
  RecordWriter writer("NL.HGN.00.BHZ", 100, TraceEncoding::int16, MseedVersion::three);
  (void)writer.put(0, std::array{40'000.0F, -40'000.0F, 32'767.0F}, records);
  (void)writer.flush(records);
  EXPECT_EQ(writer.clipped(), 2U);
  EXPECT_THAT(decode_record(records)->samples, testing::ElementsAre(32'767, -32'768, 32'767));
}

TEST(Miniseed3, names_of_channels_and_identifiers) {
  EXPECT_EQ(identifier_of("IU.COLO.00.BHZ"), "FDSN:IU_COLO_00_B_H_Z");
  EXPECT_EQ(identifier_of("NETWORK8.A-B..V_HA_1"), "FDSN:NETWORK8_A-B__V_HA_1");
  for (const char* name : {"IU.COLO.00", "IU.COLO.00.BH", ".COLO.00.BHZ", "IU.COLO.00.B_H", "IU.C OLO.00.BHZ",
                           "IU.COLO4567X.00.BHZ", "IU.CO_LO.00.BHZ"})
    EXPECT_FALSE(identifier_of(name)) << name;
  for (const char* name : {"IU.COLO.00.BHZ", "NETWORK8.A-B..V_HA_1", "A.B.C._H_"})
    EXPECT_EQ(channel_of(*identifier_of(name)), name);
  EXPECT_EQ(channel_of("MYNET:left/1"), "MYNET:left/1");
  EXPECT_THAT([] { RecordWriter("a b", 1, TraceEncoding::int32, MseedVersion::three); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("'a b' is not a channel: expected NETWORK.STATION.LOCATION.CHANNEL of letters")));
}

TEST(Miniseed3, damaged_and_hostile_records_are_refused) {
  std::mt19937 random(9);
  std::vector<std::byte> record;
  RecordWriter writer("NL.HGN.00.BHZ", 100, TraceEncoding::steim2, MseedVersion::three);
  (void)writer.put(new_years_eve, std::vector<float>(50, 3), record);
  ASSERT_EQ(writer.flush(record), 1U);
  ASSERT_TRUE(decode_record(record));
  // A checksum of 32 bits detects every single wrong byte; the length may be increased.
  for (std::size_t i = 0; i < record.size(); ++i) {
    std::vector<std::byte> bad = record;
    bad[i] ^= static_cast<std::byte>(1 + random() % 255);
    EXPECT_FALSE(decode_record(bad)) << i;
    EXPECT_FALSE(decode_record(std::span(record).first(i))) << i;
  }
  // Day 366 of a year without one: no record begins here.
  std::vector<std::byte> day = record;
  day[10] = std::byte{366 % 256}, day[11] = std::byte{366 / 256};
  for (const auto& [year, is_record] : {std::pair(2016, true), std::pair(2017, false)}) {
    day[8] = static_cast<std::byte>(year % 256), day[9] = static_cast<std::byte>(year / 256);
    EXPECT_EQ(version3_length(day) > 0, is_record) << year;
  }
  // Rates with which times would be meaningless.
  for (const auto& [rate, is_good] :
       {std::pair(1e-300, false), std::pair(1e-8, true), std::pair(1e9, true), std::pair(1e300, false)}) {
    std::vector<std::byte> made;
    encode_version3({.identifier = "FDSN:NL_HGN_00_B_H_Z",
                     .start_ns = new_years_eve,
                     .rate_hz = rate,
                     .encoding = TraceEncoding::int32,
                     .samples = 1},
                    std::vector<std::byte>(4), made);
    EXPECT_EQ(decode_record(made).has_value(), is_good) << rate;
  }
  // Valid checksums, and meaningless headers and samples.
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> data(random() % 300), hostile;
    for (std::byte& byte : data) byte = static_cast<std::byte>(random());
    Version3Head head{
        .identifier = std::string(random() % 256, static_cast<char>(random() % 3 == 0 ? random() : 'A')),
        .start_ns = new_years_eve,
        .rate_hz = round % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : 100,
        .encoding = all_encodings[random() % all_encodings.size()],
        .samples = static_cast<std::uint32_t>(random() % 4 == 0 ? random() : random() % 200)};
    encode_version3(head, data, hostile);
    const auto decoded = decode_record(hostile);
    const auto header = decode_record(hostile, false);
    if (decoded) {
      EXPECT_EQ(decoded->samples.size(), head.samples);
    }
    if (header) {
      EXPECT_LE(header->samples.size(), 2 * data.size());
    }
  }
}

}  // namespace mseed_version3_test
}  // namespace takt::sensors
