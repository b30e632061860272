#include "pipeline/pages/recording_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/waterfall_view.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/frames/row_sampler.hpp"

namespace takt::pipeline {

namespace {

using sensors::ElementType;
using RecordingJson = nlohmann::ordered_json;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Means of each column over frames; merges pairs of rows when there are too many.
class Rows {
 public:
  static constexpr std::size_t most_rows = 800;

  explicit Rows(std::size_t columns) : columns_(columns), sums_(columns), counts_(columns) {}

  void add(std::span<const float> row) {
    for (std::size_t c = 0; c < columns_; ++c) {
      if (!std::isfinite(row[c])) continue;
      sums_[c] += static_cast<double>(row[c]);
      ++counts_[c];
    }
    if (++pending_ == frames_per_row_) finish_row();
  }
  /// Adds rows for missing frames.
  void add_missing(std::uint64_t count) {
    const std::vector<float> row(columns_, std::numeric_limits<float>::quiet_NaN());
    for (; count > 0; --count) add(row);
  }
  void finish() {
    if (pending_ > 0) finish_row();
  }
  [[nodiscard]] std::size_t frames_per_row() const { return frames_per_row_; }
  [[nodiscard]] std::vector<double> take() { return std::move(rows_); }

 private:
  void finish_row() {
    for (std::size_t c = 0; c < columns_; ++c)
      rows_.push_back(counts_[c] > 0 ? sums_[c] / static_cast<double>(counts_[c]) : nothing);
    std::ranges::fill(sums_, 0);
    std::ranges::fill(counts_, 0);
    pending_ = 0;
    if (rows_.size() < most_rows * columns_) return;
    frames_per_row_ *= 2;
    for (std::size_t row = 0; row < most_rows / 2; ++row)
      for (std::size_t c = 0; c < columns_; ++c) {
        const double a = rows_[2 * row * columns_ + c], b = rows_[(2 * row + 1) * columns_ + c];
        rows_[row * columns_ + c] = std::isnan(a) ? b : std::isnan(b) ? a : (a + b) / 2;
      }
    rows_.resize(most_rows / 2 * columns_);
  }

  std::size_t columns_, frames_per_row_ = 1, pending_ = 0;
  std::vector<double> sums_;
  std::vector<std::size_t> counts_;
  std::vector<double> rows_;
};

/// Least and largest values in pieces of a stream of samples; merges pairs of pieces when there are too
/// many.
class Envelope {
 public:
  static constexpr std::size_t most_pieces = 2000;

  void add(double value) {
    if (std::isfinite(value)) {
      least_ = std::isnan(least_) ? value : std::min(least_, value);
      most_ = std::isnan(most_) ? value : std::max(most_, value);
    }
    if (++pending_ == samples_) finish_piece();
  }
  void finish() {
    if (pending_ > 0) finish_piece();
  }
  [[nodiscard]] std::size_t samples_per_piece() const { return samples_; }
  std::vector<double> least, most;

 private:
  void finish_piece() {
    least.push_back(least_);
    most.push_back(most_);
    least_ = most_ = nothing;
    pending_ = 0;
    if (least.size() < most_pieces) return;
    samples_ *= 2;
    for (std::size_t i = 0; i < most_pieces / 2; ++i) {
      // fmin and fmax ignore NaN.
      least[i] = std::fmin(least[2 * i], least[2 * i + 1]);
      most[i] = std::fmax(most[2 * i], most[2 * i + 1]);
    }
    least.resize(most_pieces / 2);
    most.resize(most_pieces / 2);
  }

  std::size_t samples_ = 1, pending_ = 0;
  double least_ = nothing, most_ = nothing;
};

template <class Value>
double number_at(const std::byte* at) {
  Value value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
}

/// Returns the real part of complex elements.
double real_at(ElementType type, const std::byte* at) {
  switch (type) {
    case ElementType::int8:
    case ElementType::complex_int8:
      return number_at<std::int8_t>(at);
    case ElementType::uint8:
    case ElementType::complex_uint8:
      return number_at<std::uint8_t>(at) - zero_of(type);
    case ElementType::int16:
    case ElementType::complex_int16:
      return number_at<std::int16_t>(at);
    case ElementType::uint16:
    case ElementType::complex_uint16:
      return number_at<std::uint16_t>(at) - zero_of(type);
    case ElementType::int32:
      return number_at<std::int32_t>(at);
    case ElementType::float64:
      return number_at<double>(at);
    case ElementType::float32:
    case ElementType::complex_float32:
      break;
  }
  return number_at<float>(at);
}

/// The first streams of frames with a time axis, sample by sample.
class Waves {
 public:
  static constexpr std::size_t most_streams = 4;

  explicit Waves(const sensors::FrameType& type) : type_(type) {
    const auto time = std::ranges::find_if(type.axes, [](const sensors::Axis& axis) {
      return (axis.name == "time" || axis.name == "sample") && axis.size > 1;
    });
    if (time == type.axes.end()) return;
    times_ = time->size;
    for (auto axis = type.axes.begin(); axis != time; ++axis) outer_ *= axis->size;
    for (auto axis = time + 1; axis != type.axes.end(); ++axis) inner_ *= axis->size;
    // Frames with a spectrum at each time are not shown as waves.
    constexpr std::size_t most_sensors = 64;
    if (outer_ * inner_ > most_sensors) return;
    streams_.resize(std::min(outer_ * inner_, most_streams));
  }

  void add(std::span<const std::byte> bytes) {
    const std::size_t size = size_of(type_.element);
    for (std::size_t s = 0; s < streams_.size(); ++s)
      for (std::size_t t = 0; t < times_; ++t) {
        const std::size_t index = (s / inner_ * times_ + t) * inner_ + s % inner_;
        streams_[s].add(real_at(type_.element, bytes.data() + index * size));
      }
  }
  void add_missing(std::uint64_t frames) {
    for (Envelope& stream : streams_)
      for (std::uint64_t i = 0; i < frames * times_; ++i) stream.add(nothing);
  }

  void finish(RecordingSummary& summary) {
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      streams_[s].finish();
      summary.samples_per_piece = streams_[s].samples_per_piece();
      summary.waves.push_back({fmt::format("stream {}", s), streams_[s].least, streams_[s].most});
    }
    summary.sample_hz = type_.rate_hz * static_cast<double>(times_);
  }

 private:
  const sensors::FrameType& type_;
  std::size_t times_ = 1, outer_ = 1, inner_ = 1;
  std::vector<Envelope> streams_;
};

std::string utc_text(std::int64_t utc_ns) {
  return sensors::name_at("%Y-%m-%dT%H:%M:%S.%f", utc_ns);
}

double duration_s(const RecordingSummary& summary) {
  const auto frames = static_cast<double>(summary.frames + summary.missing_frames);
  if (summary.type.rate_hz > 0) return frames / summary.type.rate_hz;
  return static_cast<double>(summary.last_utc_ns - summary.first_utc_ns) / 1e9;
}

RecordingJson numbers(const std::vector<double>& values) {
  RecordingJson list = RecordingJson::array();
  for (const double value : values)
    list.push_back(std::isfinite(value) ? RecordingJson(value) : RecordingJson(nullptr));
  return list;
}

std::string column_title(const RecordingSummary& summary, const std::string& unit) {
  return unit.empty() ? summary.column_name : fmt::format("{} ({})", summary.column_name, unit);
}

View spectrum_of(const RecordingSummary& summary) {
  RecordingJson x = RecordingJson::array(), zeros = RecordingJson::array();
  for (std::size_t c = 0; c < summary.columns; ++c) {
    x.push_back(summary.places[c]);
    if (std::isinf(summary.mean[c])) zeros.push_back(c);
  }
  return RecordingJson{
      {"kind", "chart"},
      {"name", "Spectrum"},
      {"says", "Mean of all frames."},
      {"x", column_title(summary, summary.column_unit)},
      {"y", summary.is_power ? "decibels" : "value"},
      {"series",
       {{{"name", "mean"}, {"style", "line"}, {"x", x}, {"y", numbers(summary.mean)}, {"zeros", zeros}}}}}
      .dump();
}

View wave_of(const RecordingSummary& summary, const RecordingSummary::Wave& wave) {
  const double step =
      static_cast<double>(summary.samples_per_piece) / (summary.sample_hz > 0 ? summary.sample_hz : 1);
  RecordingJson x = RecordingJson::array();
  std::vector<double> y;
  for (std::size_t i = 0; i < wave.least.size(); ++i) {
    const double at = static_cast<double>(i) * step;
    x.push_back(at);
    y.push_back(wave.least[i]);
    if (summary.samples_per_piece == 1) continue;
    x.push_back(at + step / 2);
    y.push_back(wave.most[i]);
  }
  return RecordingJson{
      {"kind", "chart"},
      {"name", summary.waves.size() > 1 ? "Waveform of " + wave.name : "Waveform"},
      {"says", summary.samples_per_piece > 1
                   ? fmt::format("Minimum and maximum of each {} samples.", summary.samples_per_piece)
                   : "Single samples."},
      {"x", summary.sample_hz > 0 ? "seconds" : "samples"},
      {"y", summary.type.unit.empty() ? "value" : summary.type.unit},
      {"series", {{{"name", wave.name}, {"style", "line"}, {"x", x}, {"y", numbers(y)}}}}}
      .dump();
}

/// Returns names, values and meanings.
std::vector<PageFact> facts_of(const RecordingSummary& summary) {
  std::vector<PageFact> facts{{"frames", fmt::format("{}", summary.frames), ""},
                              {"each", summary.type.to_string(), "element and axes of a frame"}};
  if (summary.type.rate_hz > 0)
    facts.push_back({"rate", to_string(Frequency{summary.type.rate_hz}), "of frames"});
  facts.push_back({"duration", time_text(ns_per_second * duration_s(summary)), ""});
  if (summary.first_utc_ns != 0) facts.push_back({"from", utc_text(summary.first_utc_ns), "UTC"});
  facts.push_back({"lost", fmt::format("{}", summary.missing_frames), "frames without data"});
  facts.push_back({"incomplete", fmt::format("{}", summary.incomplete_frames), "frames with missing parts"});
  if (summary.epochs > 1) facts.push_back({"epochs", fmt::format("{}", summary.epochs), "starts of epochs"});
  std::optional<std::size_t> peak;
  for (std::size_t c = 0; c < summary.mean.size(); ++c)
    if (std::isfinite(summary.mean[c]) && (!peak || summary.mean[c] > summary.mean[*peak])) peak = c;
  if (peak)
    facts.push_back({"peak",
                     summary.column_unit == "Hz" ? frequency_text(summary.places[*peak])
                     : summary.column_unit.empty()
                         ? fmt::format("{} {:.6g}", summary.column_name, summary.places[*peak])
                         : fmt::format("{:.6g} {}", summary.places[*peak], summary.column_unit),
                     "peak of the mean spectrum"});
  for (const sensors::Counter& counter : summary.counters) {
    if (counter.value == 0) continue;
    std::string words = counter.name;
    std::ranges::replace(words, '_', ' ');
    facts.push_back({words, number_text(static_cast<double>(counter.value)), "counted in " + counter.unit});
  }
  return facts;
}

}  // namespace

RecordingSummary summarise(sensors::Source& source) {
  RecordingSummary summary;
  summary.type = source.type();
  const sensors::RowSampler sampler(summary.type);
  std::vector<std::byte> sample(sampler.sample_bytes());
  std::optional<Rows> rows;
  Waves waves(summary.type);
  source.start();
  sensors::FrameView frame;
  std::uint64_t next = 0;
  std::optional<std::uint16_t> epoch;
  while (true) {
    const sensors::SourceState state = source.poll(frame);
    if (state == sensors::SourceState::ended) break;
    if (state == sensors::SourceState::waiting) continue;
    const sensors::FrameHeader& header = *frame.header;
    sampler.sample(frame.bytes, sample);
    const std::vector<float> row = sampler.row(sample);
    if (!rows) {
      rows.emplace(row.size());
      summary.columns = row.size();
      summary.first_utc_ns = header.utc_ns;
    }
    if (epoch != header.epoch) {
      epoch = header.epoch;
      ++summary.epochs;
    } else if (header.sequence > next) {
      // Longer gaps count as a new epoch.
      constexpr std::uint64_t longest_hole = 100'000;
      const std::uint64_t hole = header.sequence - next;
      summary.missing_frames += hole;
      rows->add_missing(std::min(hole, longest_hole));
      waves.add_missing(std::min(hole, longest_hole));
    }
    next = header.sequence + 1;
    rows->add(row);
    waves.add(frame.bytes);
    ++summary.frames;
    summary.incomplete_frames += header.missing_parts > 0;
    summary.last_utc_ns = header.utc_ns;
    source.release();
  }
  source.stop();
  summary.counters = source.counters().details;
  if (!rows) throw ConfigError("it holds no frame");
  rows->finish();
  summary.frames_per_row = rows->frames_per_row();
  summary.rows = rows->take();
  summary.mean.assign(summary.columns, 0);
  std::vector<std::size_t> counts(summary.columns);
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    if (!std::isfinite(summary.rows[i])) continue;
    summary.mean[i % summary.columns] += summary.rows[i];
    ++counts[i % summary.columns];
  }
  for (std::size_t c = 0; c < summary.columns; ++c)
    summary.mean[c] = counts[c] > 0 ? summary.mean[c] / static_cast<double>(counts[c]) : nothing;
  // Decibels are undefined if all values are zero.
  summary.is_power = sampler.is_power() && has_power(summary.mean) &&
                     std::ranges::none_of(summary.mean, [](double value) { return value < 0; });
  if (summary.is_power) {
    summary.rows = decibels_of(std::move(summary.rows));
    summary.mean = decibels_of(std::move(summary.mean));
  }
  summary.column_name = sampler.name();
  summary.column_unit = sampler.places_unit();
  summary.places = sampler.places();
  summary.picture_unit = sampler.unit();
  summary.first_column = sampler.first();
  summary.last_column = sampler.last();
  waves.finish(summary);
  return summary;
}

Page recording_page(const std::string& name, const std::string& format, const RecordingSummary& summary) {
  Page page{.title = name, .says = fmt::format("{}.", format), .facts = facts_of(summary)};
  for (const RecordingSummary::Wave& wave : summary.waves) page.views.push_back(wave_of(summary, wave));
  if (summary.columns > 1) page.views.push_back(spectrum_of(summary));
  const std::size_t rows = summary.rows.size() / std::max<std::size_t>(summary.columns, 1);
  const double half_column = (summary.last_column - summary.first_column) / 2 /
                             static_cast<double>(std::max<std::size_t>(summary.columns, 2) - 1);
  if (rows > 1 && summary.columns > 1)
    page.views.push_back(
        waterfall_view({.name = "Waterfall",
                        .says = fmt::format("{}, each row {}; time runs downwards; grey: missing{}.",
                                            summary.is_power ? "Power in decibels" : "Values",
                                            summary.frames_per_row > 1
                                                ? fmt::format("the mean of {} frames", summary.frames_per_row)
                                                : "a frame",
                                            summary.is_power ? ", black is 0" : ""),
                        .x = column_title(summary, summary.picture_unit),
                        .y = summary.type.rate_hz > 0 ? "seconds" : "frames",
                        .unit = summary.is_power ? "dB" : "",
                        .rows = rows,
                        .columns = summary.columns,
                        .values = summary.rows,
                        .first_x = summary.first_column - half_column,
                        .last_x = summary.last_column + half_column,
                        .first_y = 0,
                        .last_y = static_cast<double>(rows * summary.frames_per_row) /
                                  (summary.type.rate_hz > 0 ? summary.type.rate_hz : 1)}));
  return page;
}

std::string recording_to_text(const std::string& name, const std::string& format,
                              const RecordingSummary& summary) {
  std::string text = fill(fmt::format("{}: {}", name, format), text_columns) + "\n";
  for (const PageFact& fact : facts_of(summary))
    text += fmt::format("  {:<12} {}{}\n", fact.name, fact.value,
                        fact.meaning.empty() ? "" : fmt::format("  ({})", fact.meaning));
  return text;
}

std::string recording_to_csv(const RecordingSummary& summary) {
  std::string text = fmt::format("{},{}\n", summary.column_name, summary.is_power ? "decibels" : "value");
  for (std::size_t c = 0; c < summary.columns; ++c)
    text += fmt::format("{:.10g},{}\n", summary.places[c],
                        std::isnan(summary.mean[c]) ? "" : fmt::format("{:.6g}", summary.mean[c]));
  return text;
}

}  // namespace takt::pipeline
