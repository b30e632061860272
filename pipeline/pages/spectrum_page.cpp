#include "pipeline/pages/spectrum_page.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/waterfall_view.hpp"
#include "core/system/text_file.hpp"
#include "sensors/sigproc/spectrum_summary.hpp"

namespace takt::pipeline {

namespace {

using Json = nlohmann::ordered_json;

/// Rows of cells, each the mean of its samples and channels.
struct Cells {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
};

Cells shrink(const sensors::SigprocFile& file) {
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
      if (!std::isfinite(value)) continue;
      const std::size_t cell =
          sample * cells.rows / file.samples * cells.columns + channel * cells.columns / channels;
      cells.values[cell] += value;
      ++counts[cell];
    }
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    cells.values[cell] = counts[cell] > 0 ? cells.values[cell] / static_cast<double>(counts[cell])
                                          : std::numeric_limits<double>::quiet_NaN();
  return cells;
}

/// Returns the ends of the band in the order of the channels; `fch1` is the centre of the first one.
std::pair<double, double> ends_of_band(const sensors::SigprocHeader& header) {
  const double first = header.fch1_mhz - header.foff_mhz / 2;
  return {first, first + header.foff_mhz * header.nchans};
}

/// Returns the label of values in decibels, or of zeros only, which have none.
std::string scale_of(bool is_in_decibels) {
  return is_in_decibels ? "Power in decibels" : "Power: none";
}

View waterfall(const sensors::SigprocFile& file) {
  Cells cells = shrink(file);
  const sensors::SigprocHeader& header = file.header;
  const bool is_in_decibels = has_power(cells.values);
  const auto [first, last] = ends_of_band(header);
  return waterfall_view(
      {.name = "Waterfall",
       .says = scale_of(is_in_decibels) +
               "; the frequency grows to the right, time runs downwards; grey is missing, black is 0.",
       .x = "MHz",
       .y = "seconds",
       .unit = is_in_decibels ? "dB" : "",
       .rows = cells.rows,
       .columns = cells.columns,
       .values = is_in_decibels ? decibels_of(std::move(cells.values)) : std::move(cells.values),
       .first_x = first,
       .last_x = last,
       .first_y = 0,
       .last_y = header.tsamp_s * static_cast<double>(file.samples)});
}

View spectrum(const sensors::SigprocFile& file, const sensors::SpectrumSummary& summary) {
  const bool is_in_decibels = has_power(summary.mean);
  const std::vector<double> values = is_in_decibels ? decibels_of(summary.mean) : summary.mean;
  Json line{{"name", "mean"},
            {"style", "line"},
            {"x", Json::array()},
            {"y", Json::array()},
            {"zeros", Json::array()}};
  // From low to high frequencies.
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = file.header.foff_mhz < 0 ? values.size() - 1 - i : i;
    line["x"].push_back(file.header.channel_mhz(channel));
    if (std::isinf(values[channel])) line["zeros"].push_back(i);
    line["y"].push_back(std::isfinite(values[channel]) ? Json(values[channel]) : Json(nullptr));
  }
  const Json view{{"kind", "chart"},
                  {"name", "Spectrum"},
                  {"says", scale_of(is_in_decibels) +
                               ": the mean of all samples, first IF; the frequency grows to the right."},
                  {"x", "MHz"},
                  {"y", is_in_decibels ? "decibels" : "power"},
                  {"series", Json::array({line})}};
  return view.dump();
}

}  // namespace

Page spectrum_page(const std::string& name, const sensors::SigprocFile& file) {
  const sensors::SpectrumSummary summary = summarise(file);
  const sensors::SigprocHeader& header = file.header;
  return {.title = name,
          .says = "A SIGPROC filterbank file.",
          .facts = {{"source", header.source_name.empty() ? "not named" : header.source_name, ""},
                    {"samples", fmt::format("{}", file.samples), ""},
                    {"sample time", time_text(1e9 * header.tsamp_s), "from a sample to the next one"},
                    {"channels", fmt::format("{}", header.nchans), ""},
                    {"from MJD", fmt::format("{:.9f}", header.tstart_mjd), "UTC"},
                    {"peak",
                     summary.peak_sigma > 0
                         ? fmt::format("{}, {:.1f} sigma", frequency_text(1e6 * summary.peak_mhz),
                                       summary.peak_sigma)
                         : "none",
                     "deviations above the median of all channels"}},
          .views = {spectrum(file, summary), waterfall(file)}};
}

Page mask_page(const std::string& name) {
  constexpr std::string_view mark = ".mask";
  const std::filesystem::path path = name;
  const std::string owner = name.substr(0, name.size() - mark.size());
  if (path.extension() != mark || !std::filesystem::exists(owner))
    throw ConfigError({name}, fmt::format("expected the filterbank file '{}' next to it", owner));
  const sensors::SigprocHeader header = sensors::read_sigproc_header(owner).header;
  const std::size_t channels = static_cast<std::size_t>(header.nchans),
                    stride = channels * static_cast<std::size_t>(header.nifs);
  const std::string bytes = read_text_file(name);
  if (bytes.empty() || bytes.size() % stride != 0)
    throw ConfigError({name},
                      fmt::format("{} bytes are not a whole number of samples of {} values, as in '{}'",
                                  bytes.size(), stride, owner));
  const std::size_t samples = bytes.size() / stride;
  constexpr std::size_t most_rows = 800, most_columns = 1600;
  WaterfallPicture picture{.name = "Missing",
                           .says = "Share of missing values; the frequency grows to the right.",
                           .x = "MHz",
                           .y = "seconds",
                           .unit = "",
                           .rows = std::min(most_rows, samples),
                           .columns = std::min(most_columns, channels),
                           .values = {},
                           .first_x = ends_of_band(header).first,
                           .last_x = ends_of_band(header).second,
                           .first_y = 0,
                           .last_y = header.tsamp_s * static_cast<double>(samples)};
  picture.values.resize(picture.rows * picture.columns);
  std::vector<std::size_t> counts(picture.values.size());
  std::size_t missing = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t cell =
        i / stride * picture.rows / samples * picture.columns + i % channels * picture.columns / channels;
    picture.values[cell] += bytes[i] != 0 ? 1 : 0;
    missing += bytes[i] != 0 ? 1 : 0;
    ++counts[cell];
  }
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    picture.values[cell] /= static_cast<double>(std::max<std::size_t>(counts[cell], 1));
  return {.title = name,
          .says = "The mask of a SIGPROC filterbank file.",
          .facts = {{"samples", fmt::format("{}", samples), ""},
                    {"channels", fmt::format("{}", channels), ""},
                    {"missing",
                     fmt::format("{:.3g} %",
                                 100.0 * static_cast<double>(missing) / static_cast<double>(bytes.size())),
                     "of all values"}},
          .views = {waterfall_view(picture)}};
}

}  // namespace takt::pipeline
