#include "sensors/sigproc/spectrum_summary.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/pictures/text_fill.hpp"

namespace takt::sensors {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

/// 100 samples of 64 channels from 110 MHz, 1 kHz apart: a gentle slope, and a line in channel 40.
SigprocFile file_with_a_line() {
  SigprocFile file;
  file.header = {.source_name = "station", .nchans = 64, .fch1_mhz = 110, .foff_mhz = 0.001, .tsamp_s = 0.01};
  file.samples = 100;
  for (std::size_t sample = 0; sample < file.samples; ++sample)
    for (int channel = 0; channel < 64; ++channel)
      file.values.push_back(channel == 40 ? 500.0F : 100.0F + 0.1F * static_cast<float>(channel));
  return file;
}

TEST(SpectrumSummary, finds_the_line_and_its_frequency) {
  const SpectrumSummary summary = summarise(file_with_a_line());
  EXPECT_EQ(summary.peak_channel, 40U);
  EXPECT_THAT(summary.peak_mhz, DoubleNear(110.040, 1e-9));
  // The median is channel 32, 103.2. The distances from it occur twice for each of 1 .. 31 channels, except
  // once for 8; the 33rd is that of 17 channels, 1.7: (500 - 103.2) / (1.4826 * 1.7).
  EXPECT_THAT(summary.peak_sigma, DoubleNear(157.43, 0.01));
  EXPECT_THAT(summary.mean[10], DoubleNear(101, 1e-3));
}

TEST(SpectrumSummary, ignores_nan_and_infinite_samples) {
  SigprocFile file = file_with_a_line();
  file.values[10] = std::numeric_limits<float>::infinity();
  file.values[64 + 10] = -std::numeric_limits<float>::infinity();
  file.values[128 + 11] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t sample = 0; sample < file.samples; ++sample)
    file.values[64 * sample + 12] = std::numeric_limits<float>::infinity();
  const SpectrumSummary summary = summarise(file);
  EXPECT_THAT(summary.mean[10], DoubleNear(101, 1e-3));
  EXPECT_THAT(summary.mean[11], DoubleNear(101.1, 1e-3));
  EXPECT_TRUE(std::isnan(summary.mean[12]));
  EXPECT_EQ(summary.peak_channel, 40U);
}

TEST(SpectrumSummary, describes_header_and_peak) {
  const std::string text = describe(file_with_a_line());
  EXPECT_THAT(text, HasSubstr("110.040000 MHz"));
  EXPECT_THAT(text, HasSubstr("100 of 10 ms"));
}

TEST(SpectrumSummary, draws_the_channels_that_fit_a_line_of_80_characters) {
  SigprocFile file = file_with_a_line();
  file.header.nchans = 640;
  file.samples = 10;
  const std::string text = describe(file);
  EXPECT_THAT(text, HasSubstr("\n            110.000" + std::string(68 - 18, ' ') + "110.639 MHz\n"));
  const std::size_t begin = text.find("spectrum "), end = text.find('\n', begin);
  EXPECT_EQ(letters_of(std::string_view(text).substr(begin, end - begin)), 80U);
}

TEST(SpectrumSummary, refuses_a_file_without_samples) {
  SigprocFile file = file_with_a_line();
  file.samples = 0;
  file.values.clear();
  EXPECT_THROW((void)summarise(file), ConfigError);
}

}  // namespace
}  // namespace takt::sensors
