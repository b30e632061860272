/// Tests the contents of WAV files by their chunks and by the reader.

#include "sensors/wav/sink.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/option_error.hpp"
#include "sensors/wav/header.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace wav_sink_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// `date -u -d 2022-06-29T01:30:00 +%s`, and 250 ms.
constexpr std::int64_t start_ns = 1'656'466'200'250'000'000;

/// I and Q of two receivers at one frequency, 3 samples per frame, 30 samples/s.
FrameType iq() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"beamlet", 2, {7.1e6, 7.1e6}}, {"time", 3, {}}, {"polarisation", 1, {}}};
  type.rate_hz = 10;
  return type;
}

/// Two real channels, 3 samples per frame.
FrameType real() {
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", 3, {}}, {"channel", 2, {}}};
  type.rate_hz = 10;
  return type;
}

void write_frame(Sink& sink, FrameHeader header, const std::vector<float>& values) {
  header.utc_ns = start_ns + static_cast<std::int64_t>(header.sequence) * 100'000'000;
  sink.write({&header, std::as_bytes(std::span(values))});
}

std::vector<float> counting_from(float first, std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Parses the chunks of a file by hand: name and contents; `RIFF` is the first twelve bytes.
std::map<std::string, std::string> chunks_of(const std::string& bytes) {
  std::map<std::string, std::string> chunks{{"RIFF", bytes.substr(0, 12)}};
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + at + 4, 4);
    chunks[bytes.substr(at, 4)] = bytes.substr(at + 8, size);
    at += 8 + std::size_t{size} + size % 2;
  }
  return chunks;
}

template <class Number>
Number number_at(const std::string& bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

template <class Number>
std::vector<Number> numbers_of(const std::string& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

struct ReadBack {
  FrameType type;
  std::vector<std::string> warnings;
  std::vector<test::KeptFrame> frames;

  [[nodiscard]] std::vector<float> values(std::size_t frame) const {
    return numbers_of<float>(
        {reinterpret_cast<const char*>(frames[frame].bytes.data()), frames[frame].bytes.size()});
  }
};

ReadBack read_back(const std::filesystem::path& file, WavOptions options = {}) {
  options.samples = 3;
  SampleFileSource source({.pieces = {{file, layout_of(read_wav(file), options)}}});
  ReadBack back{.type = source.type()};
  source.start();
  back.frames = test::take_all(source);
  back.warnings = source.warnings();
  return back;
}

TEST(WavSink, chunks_of_i_and_q_contain_format_time_and_frequency) {
  const test::TemporaryFolder folder;
  WavSink sink({.output = {.path = folder / "a.wav"}}, iq());
  sink.open();
  write_frame(sink, {.sequence = 5}, counting_from(0, 12));
  write_frame(sink, {.sequence = 6}, counting_from(100, 12));
  const std::string before = test::read_file(folder / "a.wav");
  sink.close();
  const std::string bytes = test::read_file(folder / "a.wav");
  EXPECT_EQ(before, bytes) << "the file is whole before it is closed";

  const auto chunks = chunks_of(bytes);
  EXPECT_EQ(chunks.at("RIFF").substr(0, 4) + chunks.at("RIFF").substr(8), "RIFFWAVE");
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 4), bytes.size() - 8);
  const std::string& format = chunks.at("fmt ");
  EXPECT_EQ(format.size(), 18U);
  EXPECT_EQ(number_at<std::uint16_t>(format, 0), 3) << "IEEE floating point";
  EXPECT_EQ(number_at<std::uint16_t>(format, 2), 4) << "I and Q of two";
  EXPECT_EQ(number_at<std::uint32_t>(format, 4), 30U) << "samples/s";
  EXPECT_EQ(number_at<std::uint32_t>(format, 8), 480U) << "bytes per second";
  EXPECT_EQ(number_at<std::uint16_t>(format, 12), 16) << "bytes of a sample";
  EXPECT_EQ(number_at<std::uint16_t>(format, 14), 32) << "bits of a number";
  EXPECT_EQ(number_at<std::uint32_t>(chunks.at("fact"), 0), 6U) << "samples";
  const std::string& auxi = chunks.at("auxi");
  EXPECT_EQ(auxi.size(), 164U);
  // 500 ms after the start, a Wednesday; the end 200 ms later.
  EXPECT_THAT(numbers_of<std::uint16_t>(auxi.substr(0, 16)), ElementsAre(2022, 6, 3, 29, 1, 30, 0, 750));
  EXPECT_THAT(numbers_of<std::uint16_t>(auxi.substr(16, 16)), ElementsAre(2022, 6, 3, 29, 1, 30, 0, 950));
  EXPECT_THAT(numbers_of<std::uint32_t>(auxi.substr(32, 16)), ElementsAre(7'100'000, 0, 0, 30));
  // [time][channel][I, Q]; the second receiver's numbers are 6 larger than the first one's.
  EXPECT_THAT(numbers_of<float>(chunks.at("data").substr(0, 48)),
              ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
  EXPECT_EQ(chunks.at("data").size(), 96U);
  EXPECT_EQ(test::value_of(sink.counters(), "time_rounded_by"), 0U);
}

TEST(WavSink, the_reader_finds_values_times_and_frequencies_again) {
  const test::TemporaryFolder folder;
  WavSink sink({.output = {.path = folder / "a.wav"}}, iq());
  sink.open();
  write_frame(sink, {.sequence = 0}, counting_from(0.25F, 12));
  write_frame(sink, {.sequence = 1}, counting_from(-7, 12));
  sink.close();
  const ReadBack back = read_back(folder / "a.wav");
  EXPECT_THAT(back.warnings, IsEmpty());
  EXPECT_EQ(back.type.to_string(), iq().to_string());
  EXPECT_EQ(back.type.rate_hz, 10);
  EXPECT_EQ(back.type.axes[0].coordinates, iq().axes[0].coordinates);
  ASSERT_EQ(back.frames.size(), 2U);
  EXPECT_EQ(back.frames[1].header.utc_ns, start_ns + 100'000'000);
  EXPECT_EQ(back.values(0), counting_from(0.25F, 12));
  EXPECT_EQ(back.values(1), counting_from(-7, 12));
}

TEST(WavSink, times_between_milliseconds_are_rounded_and_the_shift_is_counted) {
  const test::TemporaryFolder folder;
  WavSink sink({.output = {.path = folder / "a.wav"}}, iq());
  sink.open();
  const std::vector<float> values(12);
  const FrameHeader header{.utc_ns = start_ns + 600'000};
  sink.write({&header, std::as_bytes(std::span(values))});
  sink.close();
  EXPECT_EQ(test::value_of(sink.counters(), "time_rounded_by"), 400'000U);
  EXPECT_EQ(read_back(folder / "a.wav").frames[0].header.utc_ns, start_ns + 1'000'000);
}

TEST(WavSink, integers_are_rounded_and_clipped_values_counted) {
  const test::TemporaryFolder folder;
  WavSink sink({.output = {.path = folder / "a.wav"}, .encoding = WavEncoding::int16, .scale = 2}, real());
  sink.open();
  write_frame(sink, {}, {0.2F, -0.3F, 1.25F, -16384, 16384, std::numeric_limits<float>::quiet_NaN()});
  sink.close();
  const auto chunks = chunks_of(test::read_file(folder / "a.wav"));
  EXPECT_EQ(chunks.at("fmt ").size(), 16U);
  EXPECT_EQ(number_at<std::uint16_t>(chunks.at("fmt "), 0), 1) << "integers";
  EXPECT_EQ(number_at<std::uint16_t>(chunks.at("fmt "), 14), 16);
  EXPECT_FALSE(chunks.contains("auxi")) << "of I and Q alone";
  const std::string& bext = chunks.at("bext");
  EXPECT_EQ(bext.size(), 602U);
  EXPECT_STREQ(bext.c_str() + 256, "takt");
  EXPECT_EQ(bext.substr(320, 18), "2022-06-2901:30:00");
  // 5400.25 s at 30 samples/s are 162007.5 samples, not a whole number.
  EXPECT_EQ(number_at<std::uint64_t>(bext, 338), 162'008U);
  EXPECT_EQ(number_at<std::uint16_t>(bext, 346), 1) << "version";
  EXPECT_EQ(test::value_of(sink.counters(), "time_rounded_by"), 16'666'667U);
  // Twice the values; 2.5 is equally close to 2 and 3.
  EXPECT_THAT(numbers_of<std::int16_t>(chunks.at("data")), ElementsAre(0, -1, 2, -32768, 32767, 0));
  EXPECT_EQ(test::value_of(sink.counters(), "values_clipped"), 2U) << "32768 and NaN";
  const ReadBack back = read_back(folder / "a.wav");
  EXPECT_THAT(back.warnings, IsEmpty());
  EXPECT_EQ(back.frames[0].header.utc_ns, start_ns + 16'666'667);
  EXPECT_EQ(back.type.to_string(), "float32[beamlet=2][time=3][polarisation=1]");
  EXPECT_THAT(back.values(0), ElementsAre(0, 2, 32767, -1, -32768, 0));
}

TEST(WavSink, real_samples_keep_a_time_at_a_whole_sample_of_the_day) {
  const test::TemporaryFolder folder;
  const std::vector<float> values(6);
  constexpr std::int64_t midnight_ns = start_ns - 5'400'250'000'000;
  // The last one is closer to the next day's first sample than to its own day's last one.
  for (const std::int64_t since_ns : {0LL, 100'000'000LL, 86'399'900'000'000LL, 86'399'999'000'000LL}) {
    WavSink sink({.output = {.path = folder / "a.wav", .overwrite = true}}, real());
    sink.open();
    const FrameHeader header{.utc_ns = midnight_ns + since_ns};
    sink.write({&header, std::as_bytes(std::span(values))});
    sink.close();
    const std::int64_t shift = since_ns == 86'399'999'000'000 ? 1'000'000 : 0;
    EXPECT_EQ(test::value_of(sink.counters(), "time_rounded_by"), static_cast<std::uint64_t>(shift));
    EXPECT_EQ(read_back(folder / "a.wav").frames[0].header.utc_ns, header.utc_ns + shift);
  }
}

TEST(WavSink, lost_frames_are_filled_and_masked_and_an_epoch_has_its_own_file) {
  const test::TemporaryFolder folder;
  for (const Missing value : {Missing::zero, Missing::hold, Missing::nan}) {
    WavSink sink({.output = {.path = folder / "a.wav", .overwrite = true}, .missing = {value, true}}, real());
    sink.open();
    write_frame(sink, {}, counting_from(1, 6));
    std::vector<float> holed = counting_from(11, 6);
    holed[1] = std::numeric_limits<float>::quiet_NaN();
    write_frame(sink, {.sequence = 2, .parts = 6, .missing_parts = 1}, holed);
    write_frame(sink, {.sequence = 0, .epoch = 1}, counting_from(21, 6));
    sink.close();
    const auto numbers = numbers_of<float>(chunks_of(test::read_file(folder / "a.wav")).at("data"));
    ASSERT_EQ(numbers.size(), 18U);
    // The last values of both channels were 5 and 6.
    for (const std::size_t i : {6, 8, 10}) {
      if (value == Missing::nan)
        EXPECT_TRUE(std::isnan(numbers[i]) && std::isnan(numbers[i + 1]));
      else
        EXPECT_THAT(std::vector(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                numbers.begin() + static_cast<std::ptrdiff_t>(i) + 2),
                    value == Missing::zero ? ElementsAre(0, 0) : ElementsAre(5, 6));
    }
    EXPECT_EQ(numbers[12], 11);
    EXPECT_EQ(test::read_file(folder / "a.wav.mask"),
              std::string(6, '\0') + std::string(6, '\1') + '\0' + '\1' + std::string(4, '\0'));
    EXPECT_EQ(test::value_of(sink.counters(), "frames_filled"), 1U);
    EXPECT_EQ(test::value_of(sink.counters(), "values_missing"), 1U);
    EXPECT_EQ(test::value_of(sink.counters(), "files"), 2U);
  }
}

TEST(WavSink, files_beyond_4_gib_are_rf64) {
  const test::TemporaryFolder folder;
  FrameType type = iq();
  type.axes = {{"beamlet", 1, {7.1e6}}, {"time", 1 << 20, {}}};
  type.rate_hz = 1;
  WavSink sink({.output = {.path = folder / "a.wav"}}, type);
  sink.open();
  const std::vector<float> values(2 << 20, 0.5F);
  // 600 frames of 8 MiB are 4.7 GiB, mostly a hole in the file.
  write_frame(sink, {}, values);
  EXPECT_EQ(test::read_file(folder / "a.wav").substr(0, 4), "RIFF");
  write_frame(sink, {.sequence = 599}, values);
  sink.close();
  const std::uint64_t bytes = std::uint64_t{600} << 23, size = std::filesystem::file_size(folder / "a.wav");
  std::string head(300, '\0');
  std::ifstream(folder / "a.wav", std::ios::binary).read(head.data(), 300);
  EXPECT_EQ(head.substr(0, 4) + head.substr(8, 8), "RF64WAVEds64");
  EXPECT_EQ(number_at<std::uint32_t>(head, 4), 0xFFFFFFFF);
  EXPECT_EQ(number_at<std::uint64_t>(head, 20), size - 8);
  EXPECT_EQ(number_at<std::uint64_t>(head, 28), bytes);
  EXPECT_EQ(number_at<std::uint64_t>(head, 36), bytes / 8) << "samples";
  const std::size_t data = head.find("data");
  ASSERT_NE(data, std::string::npos);
  EXPECT_EQ(number_at<std::uint32_t>(head, data + 4), 0xFFFFFFFF);
  EXPECT_EQ(size, data + 8 + bytes);
  const WavHeader header = read_wav(folder / "a.wav");
  EXPECT_THAT(header.warnings, IsEmpty());
  EXPECT_EQ(header.begin, data + 8);
  EXPECT_EQ(header.end, size);
  EXPECT_EQ(header.declared_samples, bytes / 8);
}

TEST(WavSink, a_pipe_has_a_header_without_a_size) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string bytes;
  std::thread reader([&] { bytes = test::read_file(folder / "pipe"); });
  {
    WavSink sink({.output = {.path = folder / "pipe"}}, iq());
    sink.open();
    write_frame(sink, {}, counting_from(0, 12));
    sink.close();
  }
  reader.join();
  const ReadBack back = read_back(folder.file("a.wav", bytes));
  EXPECT_THAT(back.warnings, ElementsAre(HasSubstr("has no size")));
  EXPECT_EQ(back.values(0), counting_from(0, 12));
}

TEST(WavSink, unsupported_frames_are_refused_with_the_reason) {
  const auto refusal = [](FrameType type, WavSinkOptions options = {}) -> std::string {
    options.output.path = "unused";
    try {
      const WavSink sink(options, type);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const auto with = [](FrameType type, auto change) {
    change(type);
    return type;
  };
  EXPECT_EQ(refusal(iq()), "");
  EXPECT_THAT(refusal(with(iq(), [](FrameType& t) { t.element = ElementType::complex_int16; })),
              HasSubstr("its elements are complex_int16: expected float32 or complex_float32"));
  EXPECT_THAT(refusal(with(iq(), [](FrameType& t) { t.rate_hz = 0; })), HasSubstr("its rate is not known"));
  EXPECT_THAT(refusal(with(iq(), [](FrameType& t) { t.rate_hz = 195312.5; })),
              HasSubstr("it has 585937.5 samples/s: expected a whole number"));
  EXPECT_THAT(refusal(with(iq(), [](FrameType& t) { t.has_gaps = true; })),
              HasSubstr("expected contiguous frames"));
  EXPECT_THAT(refusal(with(iq(), [](FrameType& t) { t.axes[1].name = "lane"; })),
              HasSubstr("expected the axis time"));
  EXPECT_THAT(refusal(with(iq(), [](FrameType& t) { t.axes[2].size = 2; })), HasSubstr("at most one of"));
  EXPECT_THAT(refusal(with(iq(),
                           [](FrameType& t) {
                             t.axes[0].coordinates = {1e6, 2e6};
                           })),
              HasSubstr("several frequencies"));
  EXPECT_THAT(refusal(with(iq(),
                           [](FrameType& t) {
                             t.axes[0].coordinates = {1000.5, 1000.5};
                           })),
              HasSubstr("its frequency of 1000.5 Hz"));
  EXPECT_EQ(refusal(with(iq(),
                         [](FrameType& t) {
                           t.axes[0].coordinates = {1e6, 2e6};
                         }),
                    {.frequency_hz = 1.5e6}),
            "");
  EXPECT_THAT(refusal(with(real(), [](FrameType& t) { t.axes[1].size = 20000; })),
              HasSubstr("a sample of all channels has 80000 bytes: expected at most 65535"));
  EXPECT_THAT(refusal(with(real(), [](FrameType& t) { t.rate_hz = 1e9; })), HasSubstr("bytes per second"));
  EXPECT_THAT(
      [&] {
        const WavSink sink(
            {.output = {.path = "a"}, .missing = {Missing::nan, false}, .encoding = WavEncoding::int16},
            real());
      },
      ThrowsMessage<OptionError>(HasSubstr("integers cannot be NaN")));
  EXPECT_THAT([&] { const WavSink sink({.output = {.path = "a"}, .frequency_hz = 0.5}, iq()); },
              ThrowsMessage<OptionError>(HasSubstr("0.5 Hz cannot be in the chunk auxi")));
  EXPECT_THAT([&] { const WavSink sink({.output = {.path = "a"}, .frequency_hz = 1e6}, real()); },
              ThrowsMessage<OptionError>(HasSubstr("real samples have no chunk auxi")));
}

TEST(WavSink, an_existing_file_is_kept_and_a_full_disk_reported) {
  const test::TemporaryFolder folder;
  const std::string there = folder.file("a.wav", "somebody else's");
  WavSink sink({.output = {.path = there}}, iq());
  EXPECT_THAT([&] { sink.open(); }, ThrowsMessage<ConfigError>(HasSubstr("the file exists")));
  EXPECT_EQ(test::read_file(there), "somebody else's");
  WavSink full({.output = {.path = "/dev/full"}}, iq());
  full.open();
  EXPECT_THAT([&] { write_frame(full, {}, counting_from(0, 12)); },
              ThrowsMessage<WorkError>(HasSubstr("No space left on device")));
}

}  // namespace wav_sink_test
}  // namespace takt::sensors
