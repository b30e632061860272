/// Tests that other programs read filterbank files, and that the files always stay valid.

#include <cmath>
#include <csignal>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "core/error.hpp"
#include "sensors/sigproc/header.hpp"
#include "sensors/sigproc/sink.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// 2 spectra of 3 channels per frame, 1 ms apart.
FrameType type_of_test(ElementType element = ElementType::float32) {
  FrameType type;
  type.element = element;
  type.axes = {{"time", 2, {0, 1e-3}}, {"channel", 3, {150e6, 150.1e6, 150.2e6}}};
  type.rate_hz = 500;
  return type;
}

constexpr std::int64_t start_utc_ns = 1656466200'000'000'000;

/// Writes a frame of floats first, first + 1, ....
void write_frame(Sink& sink, std::uint64_t sequence, float first, FrameHeader header = {}) {
  header.sequence = sequence;
  if (header.utc_ns == 0) header.utc_ns = start_utc_ns + static_cast<std::int64_t>(sequence) * 2'000'000;
  std::vector<float> values(6);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i);
  sink.write({&header, std::as_bytes(std::span(values))});
}

std::string read_with_python(const std::filesystem::path& path) {
  const test::Result result =
      test::Program({"python3", TAKT_SOURCE_DIR "/tests/sensors/sigproc/filterbank_reader.py", path}).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(SigprocSink, an_independent_reader_reads_the_written_data) {
  const test::TemporaryFolder folder;
  SigprocSink sink({.output = {.path = folder / "a.fil"}, .source_name = "B0329+54", .telescope_id = 11},
                   type_of_test());
  sink.open();
  write_frame(sink, 0, 1);
  write_frame(sink, 1, 7);
  sink.close();
  // Channels are in descending order of frequency: 150.2 MHz first. MJD 40587 + 1656466200 / 86400.
  EXPECT_EQ(read_with_python(folder / "a.fil"),
            "data_type 1\n"
            "fch1 150.2\n"
            "foff -0.1\n"
            "machine_id 0\n"
            "nbits 32\n"
            "nchans 3\n"
            "nifs 1\n"
            "source_name B0329+54\n"
            "telescope_id 11\n"
            "tsamp 0.001\n"
            "tstart 59759.0625\n"
            "sample 3.0 2.0 1.0\n"
            "sample 6.0 5.0 4.0\n"
            "sample 9.0 8.0 7.0\n"
            "sample 12.0 11.0 10.0\n");
  EXPECT_EQ(sink.location(), folder / "a.fil");
}

TEST(SigprocSink, the_own_reader_reads_the_written_data) {
  const test::TemporaryFolder folder;
  SigprocSink sink({.output = {.path = folder / "a.fil"}}, type_of_test());
  sink.open();
  write_frame(sink, 0, 1);
  sink.close();
  const SigprocFile file = read_sigproc(folder / "a.fil");
  EXPECT_EQ(file.header.source_name, "takt");
  EXPECT_EQ(file.header.nchans, 3);
  EXPECT_DOUBLE_EQ(file.header.fch1_mhz, 150.2);
  EXPECT_NEAR(file.header.foff_mhz, -0.1, 1e-12);
  EXPECT_EQ(file.samples, 2u);
  EXPECT_THAT(file.values, ElementsAre(3, 2, 1, 6, 5, 4));
}

TEST(SigprocSink, stokes_parameters_are_ifs_and_bytes_stay_bytes) {
  const test::TemporaryFolder folder;
  FrameType type = type_of_test(ElementType::uint8);
  type.axes = {{"time", 1, {}}, {"stokes", 2, {}}, {"channel", 2, {152e6, 151e6}}};
  SigprocSink sink({.output = {.path = folder / "a.fil"}}, type);
  sink.open();
  const FrameHeader header;
  const std::vector<std::uint8_t> values{1, 2, 3, 255};
  sink.write({&header, std::as_bytes(std::span(values))});
  sink.close();
  const std::string text = read_with_python(folder / "a.fil");
  EXPECT_THAT(text, HasSubstr("nbits 8\n"));
  EXPECT_THAT(text, HasSubstr("nifs 2\n"));
  EXPECT_THAT(text, HasSubstr("fch1 152.0\n"));
  EXPECT_THAT(text, HasSubstr("foff -1.0\n"));
  EXPECT_THAT(text, HasSubstr("sample 1 2 3 255\n")) << "descending channels are written as they come";
}

TEST(SigprocSink, codes_of_few_bits_are_packed_lowest_first) {
  // Two spectra of eight channels, the highest frequency first; 9 does not fit.
  FrameType type = type_of_test(ElementType::uint8);
  type.axes = {{"time", 2, {}}, {"channel", 8, {}}};
  for (int i = 0; i < 8; ++i) type.axes[1].coordinates.push_back(100e6 - i * 1e6);
  const std::vector<std::uint8_t> values{0, 1, 2, 3, 3, 0, 1, 9, 1, 0, 0, 0, 0, 0, 0, 1};
  const auto written = [&](int bits, bool rises) {
    const test::TemporaryFolder folder;
    FrameType own = type;
    if (rises) std::ranges::reverse(own.axes[1].coordinates);
    SigprocSink sink({.output = {.path = folder / "a.fil"}, .bits = bits}, own);
    sink.open();
    FrameHeader header;
    sink.write({&header, std::as_bytes(std::span(values))});
    header.sequence = 2;
    sink.write({&header, std::as_bytes(std::span(values))});
    sink.close();
    const std::string bytes = test::read_file(folder / "a.fil");
    std::vector<int> data;
    const std::size_t begin = bytes.find("HEADER_END") + 10;
    for (std::size_t i = begin; i < bytes.size(); ++i) data.push_back(static_cast<unsigned char>(bytes[i]));
    return data;
  };
  // The missing frame is filled with zeros.
  EXPECT_THAT(written(2, false), ElementsAre(0xE4, 0xD3, 0x01, 0x40, 0, 0, 0, 0, 0xE4, 0xD3, 0x01, 0x40));
  EXPECT_THAT(written(1, false), ElementsAre(0b11011110, 0b10000001, 0, 0, 0b11011110, 0b10000001));
  EXPECT_THAT(written(4, true), ElementsAre(0x19, 0x30, 0x23, 0x01, 0x01, 0x00, 0x00, 0x10, 0, 0, 0, 0, 0, 0,
                                            0, 0, 0x19, 0x30, 0x23, 0x01, 0x01, 0x00, 0x00, 0x10));
  EXPECT_THROW(written(3, false), ConfigError);
  type.axes[1] = {"channel", 1, {100e6}};
  EXPECT_THROW(written(2, false), ConfigError);
}

TEST(SigprocSink, floats_are_rounded_to_16_bits_on_request) {
  const test::TemporaryFolder folder;
  FrameType type = type_of_test();
  SigprocSink sink({.output = {.path = folder / "a.fil"}, .bits = 16}, type);
  sink.open();
  const std::vector<float> first{0.4F, 65535.4F, 1000.6F, -3, 70'000, 2.5F},
      third{std::nanf(""), 1, 2, 3, 4, 5};
  FrameHeader header{.utc_ns = start_utc_ns};
  // Ascending frequencies: channels are written in reverse order.
  sink.write({&header, std::as_bytes(std::span(first))});
  header.sequence = 2;
  header.missing_parts = 1;
  sink.write({&header, std::as_bytes(std::span(third))});
  sink.close();
  const std::string bytes = test::read_file(folder / "a.fil");
  std::vector<int> data;
  for (std::size_t i = bytes.find("HEADER_END") + 10; i + 1 < bytes.size(); i += 2)
    data.push_back(static_cast<unsigned char>(bytes[i]) | static_cast<unsigned char>(bytes[i + 1]) << 8);
  EXPECT_THAT(data, ElementsAre(1001, 65535, 0, 2, 65535, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 5, 4, 3));
  EXPECT_EQ(test::value_of(sink.counters(), "values_clipped"), 2u);
  EXPECT_EQ(test::value_of(sink.counters(), "values_missing"), 1u);
  const SigprocFile file = read_sigproc(folder / "a.fil");
  EXPECT_EQ(file.header.nbits, 16);
  EXPECT_EQ(file.samples, 6u);
  EXPECT_THAT(
      [&] {
        SigprocSink({.output = {.path = folder / "b.fil"}, .missing = {.value = Missing::nan}, .bits = 16},
                    type);
      },
      ThrowsMessage<ConfigError>(HasSubstr("integers of 16 bits cannot be NaN")));
  EXPECT_THROW(SigprocSink({.output = {.path = folder / "c.fil"}, .bits = 8}, type), ConfigError);
}

TEST(SigprocSink, frames_missing_in_the_sequence_are_filled_so_that_time_stays_right) {
  const test::TemporaryFolder folder;
  SigprocSink sink({.output = {.path = folder / "a.fil"}}, type_of_test());
  sink.open();
  write_frame(sink, 5, 1);
  write_frame(sink, 8, 7);
  sink.close();
  const SigprocFile file = read_sigproc(folder / "a.fil");
  EXPECT_DOUBLE_EQ(file.header.tstart_mjd, mjd_of_utc(start_utc_ns + 5 * 2'000'000));
  ASSERT_EQ(file.samples, 8u);
  for (std::size_t i = 6; i < 18; ++i) EXPECT_EQ(file.values[i], 0);
  EXPECT_EQ(file.values[18], 9);
  EXPECT_EQ(test::value_of(sink.counters(), "frames_filled"), 2u);
  EXPECT_EQ(test::value_of(sink.counters(), "frames_written"), 2u);
}

TEST(SigprocSink, a_new_epoch_begins_a_file_with_a_time_of_its_own) {
  const test::TemporaryFolder folder;
  SigprocSink sink({.output = {.path = folder / "a.fil"}}, type_of_test());
  sink.open();
  write_frame(sink, 0, 1);
  write_frame(sink, 1, 7);
  // An hour later by the source's clock; frame 0 of this epoch is lost.
  constexpr std::int64_t hour = 3'600'000'000'000;
  write_frame(sink, 1, 13, {.utc_ns = start_utc_ns + hour, .epoch = 1});
  write_frame(sink, 3, 19, {.utc_ns = start_utc_ns + hour + 4'000'000, .epoch = 1});
  sink.close();
  const SigprocFile first = read_sigproc(folder / "a.fil"), second = read_sigproc(folder / "a-2.fil");
  EXPECT_DOUBLE_EQ(first.header.tstart_mjd, mjd_of_utc(start_utc_ns));
  EXPECT_EQ(first.samples, 4u);
  EXPECT_DOUBLE_EQ(second.header.tstart_mjd, mjd_of_utc(start_utc_ns + hour));
  EXPECT_THAT(second.values, ElementsAre(15, 14, 13, 18, 17, 16, 0, 0, 0, 0, 0, 0, 21, 20, 19, 24, 23, 22));
  EXPECT_EQ(test::value_of(sink.counters(), "files"), 2u);
  EXPECT_EQ(test::value_of(sink.counters(), "frames_filled"), 1u);
}

/// Two frames of two spectra; NaN in the second, then a lost frame, then a whole one.
std::vector<float> written_with(Missing missing, const test::TemporaryFolder& folder) {
  const std::string name = std::to_string(static_cast<int>(missing));
  SigprocSink sink({.output = {.path = folder / name}, .missing = {missing, true}}, type_of_test());
  sink.open();
  write_frame(sink, 0, 1);
  const FrameHeader header{.sequence = 1, .utc_ns = start_utc_ns, .parts = 2, .missing_parts = 1};
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{nan, nan, 7, nan, 8, 9};
  sink.write({&header, std::as_bytes(std::span(values))});
  write_frame(sink, 3, 11);
  sink.close();
  EXPECT_EQ(test::value_of(sink.counters(), "values_missing"), 3u);
  EXPECT_EQ(test::value_of(sink.counters(), "frames_filled"), 1u);
  // In the file's order: from the highest frequency to the lowest.
  const std::string mask = test::read_file(folder / (name + ".mask"));
  EXPECT_EQ(std::vector<int>(mask.begin(), mask.end()),
            (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
  return read_sigproc(folder / name).values;
}

TEST(SigprocSink, the_replacement_of_missing_values_is_configurable) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(
      written_with(Missing::zero, folder),
      ElementsAreArray({3, 2, 1, 6, 5, 4, 7, 0, 0, 9, 8, 0, 0, 0, 0, 0, 0, 0, 13, 12, 11, 16, 15, 14}));
  EXPECT_THAT(
      written_with(Missing::hold, folder),
      ElementsAreArray({3, 2, 1, 6, 5, 4, 7, 5, 4, 9, 8, 4, 9, 8, 4, 9, 8, 4, 13, 12, 11, 16, 15, 14}));
  const std::vector<float> nan = written_with(Missing::nan, folder);
  for (const std::size_t i : {7u, 8u, 11u, 12u, 17u}) EXPECT_TRUE(std::isnan(nan.at(i))) << i;
  EXPECT_EQ(std::ranges::count_if(nan, [](float value) { return std::isnan(value); }), 9);
}

TEST(SigprocSink, without_frames_there_is_no_file) {
  const test::TemporaryFolder folder;
  SigprocSink sink({.output = {.path = folder / "a.fil"}}, type_of_test());
  sink.open();
  sink.close();
  EXPECT_FALSE(std::filesystem::exists(folder / "a.fil"));
}

TEST(SigprocSink, unsupported_frames_are_refused_with_the_reason) {
  const auto refusal = [](auto change) {
    FrameType type = type_of_test();
    change(type);
    try {
      SigprocSink sink({.output = {.path = "unused"}}, type);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal([](FrameType& t) { t.element = ElementType::complex_float32; }),
              HasSubstr("its elements are complex_float32: expected float32 or uint8"));
  EXPECT_THAT(refusal([](FrameType& t) { t.axes[1].coordinates.clear(); }), HasSubstr("have no frequencies"));
  EXPECT_THAT(
      refusal([](FrameType& t) {
        t.axes[1] = {"channel", 5, {100e6, 101e6, 102e6, 104.5e6, 105e6}};
      }),
      HasSubstr("its channels are not evenly spaced in frequency: from 2 to 3 (102 to 104.5 MHz) it is "
                "2.5 MHz, from 0 to 1 1 MHz"));
  // Two adjacent beams.
  EXPECT_THAT(refusal([](FrameType& t) {
                t.axes[1] = {"beamlet", 4, {100e6, 101e6, 100e6, 101e6}};
              }),
              HasSubstr("its beamlets are not evenly spaced in frequency: from 1 to 2 (101 to 100 MHz) it is "
                        "-1 MHz, from 0 to 1 1 MHz"));
  EXPECT_THAT(refusal([](FrameType& t) {
                t.axes[1] = {"channel", 3, {100e6, 100e6, 100e6}};
              }),
              HasSubstr("all its channels have the same frequency, 100 MHz"));
  EXPECT_THAT(refusal([](FrameType& t) { std::swap(t.axes[0], t.axes[1]); }),
              HasSubstr("[time][stokes][channel]"));
  EXPECT_THAT(refusal([](FrameType& t) {
                t.rate_hz = 0;
                t.axes[0].coordinates.clear();
              }),
              HasSubstr("time between spectra is not known"));
  EXPECT_EQ(refusal([](FrameType& t) { t.rate_hz = 0; }), "accepted");
  EXPECT_EQ(refusal([](FrameType& t) { t.axes[1].name = "beamlet"; }), "accepted");
}

TEST(SigprocSink, a_missing_folder_is_an_error_with_the_path) {
  SigprocSink sink({.output = {.path = "/nowhere/a.fil"}}, type_of_test());
  EXPECT_THAT(
      [&] { sink.open(); },
      ThrowsMessage<WorkError>(HasSubstr("/nowhere/a.fil: the output cannot be created: No such file")));
}

TEST(SigprocSink, a_full_disk_is_an_error_with_the_path) {
  SigprocSink sink({.output = {.path = "/dev/full"}}, type_of_test());
  sink.open();
  EXPECT_THAT([&] { write_frame(sink, 0, 1); },
              ThrowsMessage<WorkError>(
                  HasSubstr("/dev/full: the output cannot be written: No space left on device")));
}

TEST(SigprocSink, a_file_at_its_size_limit_ends_with_a_whole_frame) {
  const test::TemporaryFolder folder;
  SigprocSink sink({.output = {.path = folder / "a.fil"}}, type_of_test());
  sink.open();
  write_frame(sink, 0, 1);
  const auto size = std::filesystem::file_size(folder / "a.fil");

  // The kernel does not let the file grow by more than half a frame.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{size + 12, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THAT([&] { write_frame(sink, 1, 7); }, ThrowsMessage<WorkError>(HasSubstr("File too large")));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(std::filesystem::file_size(folder / "a.fil"), size);
  EXPECT_EQ(read_sigproc(folder / "a.fil").samples, 2u);
}

TEST(Sigproc, a_file_of_another_program_is_read) {
  if (test::test_data().empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to their folder";
  const SigprocFile file = read_sigproc(test::test_data() / "filterbank" / "28.fil");
  // As thepetabyteproject/your reads it.
  EXPECT_EQ(file.header_bytes, 327u);
  EXPECT_EQ(file.header.nchans, 336);
  EXPECT_EQ(file.header.nbits, 8);
  EXPECT_EQ(file.samples, 5120u);
  EXPECT_DOUBLE_EQ(file.header.tsamp_s, 1.26646875e-3);
  EXPECT_DOUBLE_EQ(file.header.fch1_mhz, 1465);
  EXPECT_DOUBLE_EQ(file.header.foff_mhz, -1);
  EXPECT_NEAR(file.header.tstart_mjd, 58682.6203, 5e-5);
  double sum = 0;
  for (const float value : file.values) sum += value;
  EXPECT_NEAR(sum / static_cast<double>(file.values.size()), 127.422, 5e-4);
}

TEST(Sigproc, invalid_files_are_refused_with_path_and_place) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    const std::string path = folder.file("a.fil", bytes);
    try {
      (void)read_sigproc(path);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto text = [](const std::string& word) {
    return std::string{static_cast<char>(word.size()), 0, 0, 0} + word;
  };
  EXPECT_THAT(refusal(""), HasSubstr("a.fil: not a SIGPROC file: at byte 0"));
  EXPECT_THAT(refusal(std::string(100, '\x7F')), HasSubstr("at byte 0"));
  EXPECT_THAT(refusal(text("HEADER_START") + text("nchans")), HasSubstr("ends within the header"));
  EXPECT_THAT(refusal(text("HEADER_START") + text("nchan") + "?" + text("?") + text("HEADER_EN")),
              HasSubstr("'nchan' is unknown, and the size of its value cannot be inferred"));
  EXPECT_THAT(refusal(text("HEADER_START") + text("nbits") + std::string{7, 0, 0, 0} + text("HEADER_END")),
              HasSubstr("values of 7 bits"));
}

/// A damaged number of channels: their frequencies would take 16 GiB.
TEST(Sigproc, a_sample_larger_than_the_file_is_refused) {
  SigprocHeader header;
  header.nchans = 2'000'000'000;
  header.nbits = 8;
  header.tsamp_s = 1e-3;
  header.fch1_mhz = 150;
  header.foff_mhz = -0.1;
  const std::vector<std::byte> bytes = encode(header);
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.fil", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto refusal =
      ThrowsMessage<ConfigError>(HasSubstr("one sample takes 2000000000 bytes, more than the file has"));
  EXPECT_THAT([&] { (void)read_sigproc_header(file); }, refusal);
  EXPECT_THAT([&] { (void)read_sigproc(file); }, refusal);
}

TEST(Sigproc, modified_julian_dates_are_days_since_1858) {
  EXPECT_DOUBLE_EQ(mjd_of_utc(0), 40587.0);
  EXPECT_DOUBLE_EQ(mjd_of_utc(946'728'000'000'000'000), 51544.5);  // J2000: 2000-01-01 12:00
}

}  // namespace
}  // namespace takt::sensors
