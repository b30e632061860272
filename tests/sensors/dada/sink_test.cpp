/// Tests the contents of PSRDADA files, in the order and with the times that readers expect.

#include "sensors/dada/sink.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace dada_sink_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t start_ns = 1656466200'250'000'000;

/// 2 channels, 3 samples, 1 polarisation, 10 frames/s.
FrameType voltages() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"beamlet", 2, {150e6, 149e6}}, {"time", 3, {}}, {"polarisation", 1, {}}};
  type.rate_hz = 10;
  return type;
}

/// Writes floats first, first + 1, ... [channel][time][re, im].
void write_frame(Sink& sink, FrameHeader header, float first) {
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), first);
  if (header.missing_parts > 0) values[2] = std::numeric_limits<float>::quiet_NaN();
  header.utc_ns = start_ns + static_cast<std::int64_t>(header.sequence) * 100'000'000;
  sink.write({&header, std::as_bytes(std::span(values))});
}

TEST(DadaSink, samples_are_in_the_order_of_time_and_a_reader_finds_them) {
  const test::TemporaryFolder folder;
  DadaSink sink({.output = {.path = folder / "a.dada"}, .source_name = "B 0329"}, voltages());
  sink.open();
  write_frame(sink, {.sequence = 5}, 0);
  write_frame(sink, {.sequence = 7, .parts = 2, .missing_parts = 1}, 100);
  write_frame(sink, {.sequence = 0, .epoch = 1}, 200);
  sink.close();

  // Parsed by hand: [time][channel][re, im].
  const std::string bytes = test::read_file(folder / "a.dada");
  ASSERT_EQ(bytes.size(), 4096u + 3 * 48);
  std::vector<float> values(36);
  std::memcpy(values.data(), bytes.data() + 4096, 144);
  EXPECT_THAT(std::vector<float>(values.begin(), values.begin() + 12),
              ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
  for (std::size_t i = 12; i < 24; ++i) EXPECT_EQ(values[i], 0) << "the frame between is lost";
  EXPECT_EQ(values[24 + 4], 0) << "missing";
  EXPECT_EQ(values[24 + 5], 0) << "of a sample that is missing in part, all is";
  EXPECT_THAT(bytes, HasSubstr("UTC_START 2022-06-29-01:30:00 "));
  // For any name of the instrument.
  EXPECT_THAT(bytes, HasSubstr("ORDER TFP "));
  EXPECT_THAT(bytes, HasSubstr("SOURCE B_0329\n"));
  EXPECT_EQ(test::value_of(sink.counters(), "frames_filled"), 1u);
  EXPECT_EQ(test::value_of(sink.counters(), "values_missing"), 2u);
  EXPECT_TRUE(std::filesystem::exists(folder / "a-2.dada")) << "a new epoch has a file of its own";

  // With takt's own reader.
  const DadaHeader header = read_dada_header(folder / "a.dada");
  EXPECT_EQ(header.bits, 32);
  EXPECT_EQ(header.dimensions, 2);
  EXPECT_EQ(header.channels, 2u);
  EXPECT_DOUBLE_EQ(header.sample_s, 1 / 30.0);
  // 250 ms and five frames of 100 ms after the second.
  EXPECT_EQ(header.utc_start_ns, start_ns + 500'000'000);
  const SampleLayout layout = layout_of(header, 3);
  EXPECT_EQ(layout.type.axes[0].coordinates, voltages().axes[0].coordinates);
  SampleFileSource source({.pieces = {{folder / "a.dada", layout}}});
  source.start();
  const auto frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 3u);
  for (std::size_t i = 0; i < 12; ++i) {
    float value = 0;
    std::memcpy(&value, frames[0].bytes.data() + i * sizeof value, sizeof value);
    EXPECT_EQ(value, static_cast<float>(i));
  }
}

TEST(DadaSink, unsupported_frames_are_refused_with_the_reason) {
  const auto make = [](auto change) {
    FrameType type = voltages();
    change(type);
    DadaSink sink({.output = {.path = "unused"}}, type);
  };
  EXPECT_THAT([&] { make([](FrameType& t) { t.rate_hz = 0; }); },
              ThrowsMessage<ConfigError>(HasSubstr("its rate is not known")));
  EXPECT_THAT([&] { make([](FrameType& t) { t.element = ElementType::float32; }); },
              ThrowsMessage<ConfigError>(HasSubstr("expected complex_float32[beamlet][time][polarisation]")));
  EXPECT_THAT(
      [&] { make([](FrameType& t) {
              t.axes[0] = {"beamlet", 3, {1e6, 2e6, 4e6}};
            }); },
      ThrowsMessage<ConfigError>(HasSubstr("not evenly spaced in frequency: from 1 to 2 (2 to 4 MHz)")));
}

}  // namespace dada_sink_test
}  // namespace takt::sensors
