#include "sensors/sigproc/spectrum_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "sensors/sigproc/spectrum_summary.hpp"

namespace takt::sensors {

namespace {

using Json = nlohmann::ordered_json;

/// NaN stays NaN: what is missing is not nothing.
double decibels_of(double power) {
  return power > 0 ? 10 * std::log10(power) : std::numeric_limits<double>::quiet_NaN();
}

/// Rows of cells, each the mean of the samples and channels that fall into it.
struct Cells {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
};

Cells shrink(const SigprocFile& file) {
  constexpr std::size_t most_rows = 800, most_columns = 1600;
  const auto channels = static_cast<std::size_t>(file.header.nchans);
  const std::size_t stride = channels * static_cast<std::size_t>(file.header.nifs);
  Cells cells{
      .rows = std::min(most_rows, file.samples), .columns = std::min(most_columns, channels), .values = {}};
  cells.values.resize(cells.rows * cells.columns);
  std::vector<std::size_t> counts(cells.values.size());
  for (std::size_t sample = 0; sample < file.samples; ++sample)
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const auto value = static_cast<double>(file.values[sample * stride + channel]);
      if (std::isnan(value)) continue;
      const std::size_t cell =
          sample * cells.rows / file.samples * cells.columns + channel * cells.columns / channels;
      cells.values[cell] += value;
      ++counts[cell];
    }
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    cells.values[cell] = counts[cell] > 0
                             ? decibels_of(cells.values[cell] / static_cast<double>(counts[cell]))
                             : std::numeric_limits<double>::quiet_NaN();
  return cells;
}

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? letters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

View waterfall(const SigprocFile& file) {
  const Cells cells = shrink(file);
  std::vector<double> sorted;
  for (const double value : cells.values)
    if (!std::isnan(value)) sorted.push_back(value);
  std::ranges::sort(sorted);
  // The strongest thousandth would leave one colour for the rest.
  const auto quantile = [&](double share) {
    return sorted.empty() ? 0.0
                          : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const double least = quantile(0.001), most = std::max(quantile(0.999), least + 1e-9);
  std::vector<unsigned char> bytes;
  constexpr double levels = 254;
  constexpr unsigned char missing = 255;
  for (const double value : cells.values)
    bytes.push_back(std::isnan(value)
                        ? missing
                        : static_cast<unsigned char>(
                              std::lround(levels * std::clamp((value - least) / (most - least), 0.0, 1.0))));
  const SigprocHeader& header = file.header;
  const Json view{{"kind", "waterfall"},
                  {"name", "Waterfall"},
                  {"says", "Power in decibels; grey is missing."},
                  {"x", "MHz"},
                  {"y", "seconds"},
                  {"rows", cells.rows},
                  {"columns", cells.columns},
                  {"cells", base64(bytes)},
                  {"least", least},
                  {"most", most},
                  {"first_x", header.fch1_mhz},
                  {"last_x", header.fch1_mhz + header.foff_mhz * header.nchans},
                  {"first_y", 0},
                  {"last_y", header.tsamp_s * static_cast<double>(file.samples)}};
  return view.dump();
}

View spectrum(const SigprocFile& file, const SpectrumSummary& summary) {
  Json line{{"name", "mean"}, {"style", "line"}, {"x", Json::array()}, {"y", Json::array()}};
  // From low to high frequencies.
  for (std::size_t i = 0; i < summary.mean.size(); ++i) {
    const std::size_t channel = file.header.foff_mhz < 0 ? summary.mean.size() - 1 - i : i;
    line["x"].push_back(file.header.fch1_mhz + file.header.foff_mhz * static_cast<double>(channel));
    line["y"].push_back(decibels_of(summary.mean[channel]));
  }
  const Json view{{"kind", "chart"}, {"name", "Spectrum"}, {"says", "Mean of all samples, first IF."},
                  {"x", "MHz"},      {"y", "decibels"},    {"series", Json::array({line})}};
  return view.dump();
}

}  // namespace

Page spectrum_page(const std::string& name, const SigprocFile& file) {
  const SpectrumSummary summary = summarise(file);
  const SigprocHeader& header = file.header;
  return {.title = name,
          .says = "A SIGPROC filterbank file.",
          .facts = {{"source", header.source_name, ""},
                    {"samples", fmt::format("{}", file.samples), ""},
                    {"of", fmt::format("{:.6g} ms", 1e3 * header.tsamp_s), "a sample"},
                    {"channels", fmt::format("{}", header.nchans), ""},
                    {"from MJD", fmt::format("{:.9f}", header.tstart_mjd), "UTC"},
                    {"peak", fmt::format("{:.6f} MHz, {:.1f} sigma", summary.peak_mhz, summary.peak_sigma),
                     "deviations above the median of all channels"}},
          .views = {spectrum(file, summary), waterfall(file)}};
}

}  // namespace takt::sensors
