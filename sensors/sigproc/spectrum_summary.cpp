#include "sensors/sigproc/spectrum_summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/pictures/text_fill.hpp"

namespace takt::sensors {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double decibel(double power) {
  return 10 * std::log10(std::max(power, 1e-30));
}

/// Draws one row of block characters; each column represents the maximum of its channels, in decibels above
/// the lowest one.
std::string draw(const std::vector<double>& mean, std::size_t columns) {
  constexpr std::array<const char*, 9> blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  columns = std::min(columns, mean.size());
  std::vector<double> levels(columns, -1e300);
  for (std::size_t i = 0; i < mean.size(); ++i)
    if (!std::isnan(mean[i]))
      levels[i * columns / mean.size()] = std::max(levels[i * columns / mean.size()], decibel(mean[i]));
  constexpr double none = -1e299;
  double low = 1e300, high = -1e300;
  for (const double level : levels)
    if (level > none) {
      low = std::min(low, level);
      high = std::max(high, level);
    }
  const double range = std::max(high - low, 1e-9);
  std::string text;
  for (const double level : levels)
    text += level > none ? blocks[1 + static_cast<std::size_t>(7 * (level - low) / range)] : blocks[0];
  return text;
}

}  // namespace

SpectrumSummary summarise(const SigprocFile& file) {
  if (file.samples == 0) throw ConfigError("the filterbank file holds no whole sample");
  const auto channels = static_cast<std::size_t>(file.header.nchans);
  const std::size_t stride = channels * static_cast<std::size_t>(file.header.nifs);
  SpectrumSummary summary;
  summary.mean.assign(channels, 0);
  std::vector<std::size_t> counts(channels);
  for (std::size_t sample = 0; sample < file.samples; ++sample)
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const auto value = static_cast<double>(file.values[sample * stride + channel]);
      if (!std::isfinite(value)) continue;
      summary.mean[channel] += value;
      ++counts[channel];
    }
  // For a channel without values this is 0 / 0, which is NaN.
  for (std::size_t channel = 0; channel < channels; ++channel)
    summary.mean[channel] /= static_cast<double>(counts[channel]);

  std::vector<double> known;
  for (const double mean : summary.mean)
    if (!std::isnan(mean)) known.push_back(mean);
  if (known.empty()) return summary;
  const double middle = median(known);
  std::vector<double> deviations;
  for (const double mean : known) deviations.push_back(std::abs(mean - middle));
  const double deviation = 1.4826 * median(deviations);
  const auto peak = std::ranges::find(summary.mean, *std::ranges::max_element(known));
  summary.peak_channel = static_cast<std::size_t>(peak - summary.mean.begin());
  summary.peak_mhz = file.header.channel_mhz(summary.peak_channel);
  summary.peak_sigma = deviation > 0 ? (*peak - middle) / deviation : 0;
  return summary;
}

std::string describe(const SigprocFile& file) {
  const SigprocHeader& header = file.header;
  const SpectrumSummary summary = summarise(file);
  const double last_mhz = header.channel_mhz(static_cast<std::size_t>(header.nchans) - 1);
  std::string text =
      titled("source", fmt::format("{}, from MJD {:.9f}", header.source_name, header.tstart_mjd)) +
      titled("samples", fmt::format("{} of {:.6g} ms, that is {:.4g} s; {} bits, {} IF{}", file.samples,
                                    1e3 * header.tsamp_s, header.tsamp_s * static_cast<double>(file.samples),
                                    header.nbits, header.nifs, header.nifs == 1 ? "" : "s")) +
      titled("channels", fmt::format("{}, from {:.6f} to {:.6f} MHz in steps of {:.6g} kHz", header.nchans,
                                     header.fch1_mhz, last_mhz, 1e3 * header.foff_mhz)) +
      titled("peak", summary.peak_sigma > 0
                         ? fmt::format("{:.6f} MHz (channel {}), {:.1f} deviations above the median",
                                       summary.peak_mhz, summary.peak_channel, summary.peak_sigma)
                         : "none: no channel stands out");
  const std::string first = fmt::format("{:.3f}", header.fch1_mhz),
                    last = fmt::format("{:.3f} MHz", last_mhz);
  const std::size_t columns = std::min(text_columns - 12, summary.mean.size());
  const std::size_t between = columns - std::min(columns - 1, first.size() + last.size());
  return text + fmt::format("{:<11} {}\n", "spectrum", draw(summary.mean, columns)) +
         fmt::format("{:<11} {}{:{}}{}\n", "", first, "", between, last);
}

}  // namespace takt::sensors
