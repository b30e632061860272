#include "pipeline/kernels/iir.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/butterworth.hpp"
#include "pipeline/kernels/filter_memory.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Transposed direct form II.
struct SectionState {
  double first = 0, second = 0;
};

/// One series in time; the states of its sections are separate.
struct Series {
  /// Samples since the last gap, samples until results are present, and missing samples since the last
  /// present one.
  std::uint64_t since = 0, waits = 0, missing = 0;
  /// The last present sample.
  float last = 0;
  std::uint32_t has_begun = 0;
};

/// Passes one sample through `count` sections.
inline double pass(const Section* sections, SectionState* states, std::size_t count, double value) {
  for (std::size_t k = 0; k < count; ++k) {
    const Section& s = sections[k];
    const double out = s.b0 * value + states[k].first;
    states[k].first = s.b1 * value - s.a1 * out + states[k].second;
    states[k].second = s.b2 * value - s.a2 * out;
    value = out;
  }
  return value;
}

class Iir final : public Kernel {
 public:
  explicit Iir(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    type_ = inputs.front();
    shape_ = shape_of(type_, "time");
    design(parameters_);
    const std::size_t count = shape_.outer * shape_.inner;
    states_.assign(count * sections_.size(), {});
    series_.assign(count, {});
    uncertainties_.assign(count * uncertainties_per_series(), 0);
    return type_;
  }

  /// The filter keeps its state if the number of sections is the same.
  bool change(const Parameters& parameters) override {
    const std::size_t before = sections_.size();
    design(parameters);
    return sections_.size() == before;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    switch (succession_.follow(*inputs.front().header)) {
      case Following::next:
        break;
      case Following::after_loss:
        for (Series& series : series_) series.missing += succession_.lost() * shape_.size;
        break;
      case Following::anew:
        std::ranges::fill(states_, SectionState{});
        std::ranges::fill(series_, Series{});
        std::ranges::fill(uncertainties_, 0.0);
    }
    const float* const from = inputs.front().as<float>().data();
    float* const to = output.as<float>().data();
    bool is_whole = true;
    for (std::size_t run = 0; run < shape_.outer; ++run)
      for (std::size_t i = 0; i < shape_.inner; ++i) {
        const std::size_t first = run * shape_.size * shape_.inner + i;
        is_whole = filter(from + first, to + first, run * shape_.inner + i) && is_whole;
      }
    if (!is_whole) mark_incomplete(*output.header);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override {
    return saved(states_, series_, uncertainties_, succession_);
  }
  void load(std::span<const std::byte> state) override {
    load_into(state, states_, series_, uncertainties_, succession_);
  }
  std::size_t travelling_state() const override { return save()->size(); }

 private:
  void design(const Parameters& parameters) {
    if (!has_band(parameters)) parameters.refuse("expected low or high");
    require_steady(type_);
    const double rate = sample_rate(type_);
    const Band band = band_of(parameters, type_, rate);
    const Butterworth filter = butterworth(static_cast<int>(parameters.integer("order")), band);
    const double width = 2 * ((band.high > 0 ? band.high : 0.5) - band.low);
    sections_ = filter.sections;
    memory_ = FilterMemory(filter.poles, width, parameters.number("least"));
    bridge_ = static_cast<std::uint64_t>(
        std::chrono::duration<double>(parameters.time("bridge")).count() * rate + 1e-6);
  }

  /// A section has at most two poles.
  [[nodiscard]] std::size_t uncertainties_per_series() const { return 2 * sections_.size(); }

  /// Filters one series of the frame. Returns true if all results are present.
  bool filter(const float* from, float* to, std::size_t index) {
    Series& series = series_[index];
    SectionState* const states = states_.data() + index * sections_.size();
    bool is_whole = true;
    for (std::size_t t = 0; t < shape_.size;) {
      const float sample = from[t * shape_.inner];
      if (!std::isfinite(sample)) {
        to[t++ * shape_.inner] = missing_value;
        is_whole = false;
        ++series.missing;
        continue;
      }
      if (series.missing > 0) cross(series, sample, index);
      is_whole = is_whole && series.since >= series.waits;
      const std::size_t first = t;
      t = filter_run(from, to, t, series, states);
      series.since += t - first;
      series.last = from[(t - 1) * shape_.inner];
      series.has_begun = 1;
    }
    return is_whole;
  }

  /// Filters from row t to the first missing sample and returns its row.
  std::size_t filter_run(const float* from, float* to, std::size_t t, const Series& series,
                         SectionState* states) const {
    switch (sections_.size()) {
      case 1:
        return filter_run_of<1>(from, to, t, series, states);
      case 2:
        return filter_run_of<2>(from, to, t, series, states);
      case 3:
        return filter_run_of<3>(from, to, t, series, states);
      case 4:
        return filter_run_of<4>(from, to, t, series, states);
      default:
        break;
    }
    for (std::uint64_t since = series.since; t < shape_.size; ++t, ++since) {
      const float sample = from[t * shape_.inner];
      if (!std::isfinite(sample)) break;
      const double value = pass(sections_.data(), states, sections_.size(), sample);
      to[t * shape_.inner] = since < series.waits ? missing_value : static_cast<float>(value);
    }
    return t;
  }

  /// The same with sections and states in registers.
  template <std::size_t count>
  std::size_t filter_run_of(const float* from, float* to, std::size_t t, const Series& series,
                            SectionState* states) const {
    std::array<Section, count> sections;
    std::array<SectionState, count> own;
    std::copy_n(sections_.begin(), count, sections.begin());
    std::copy_n(states, count, own.begin());
    const std::size_t size = shape_.size, inner = shape_.inner;
    const std::uint64_t waits = series.waits;
    for (std::uint64_t since = series.since; t < size; ++t, ++since) {
      const float sample = from[t * inner];
      if (!std::isfinite(sample)) break;
      const double value = pass(sections.data(), own.data(), count, sample);
      to[t * inner] = since < waits ? missing_value : static_cast<float>(value);
    }
    std::copy_n(own.begin(), count, states);
    return t;
  }

  /// Crosses a gap: along a line to this sample if the gap is short, otherwise with the old state.
  void cross(Series& series, float sample, std::size_t index) {
    const std::uint64_t missing = std::exchange(series.missing, 0);
    // There is no sample before it.
    if (series.has_begun == 0) return;
    if (missing <= bridge_) {
      SectionState* const states = states_.data() + index * sections_.size();
      const double step = (double{sample} - series.last) / static_cast<double>(missing + 1);
      for (std::uint64_t i = 1; i <= missing; ++i)
        (void)pass(sections_.data(), states, sections_.size(), series.last + step * static_cast<double>(i));
      series.since += missing;
      return;
    }
    const std::span uncertainties =
        std::span(uncertainties_).subspan(index * uncertainties_per_series(), uncertainties_per_series());
    series.waits = memory_.cross(uncertainties, series.since, missing);
    series.since = 0;
  }

  Parameters parameters_;
  FrameType type_;
  AxisShape shape_;
  std::vector<Section> sections_;
  FilterMemory memory_;
  /// Longest gap, in samples, that is crossed along a line.
  std::uint64_t bridge_ = 0;
  /// [outer][inner][section], [outer][inner], [outer][inner][mode].
  std::vector<SectionState> states_;
  std::vector<Series> series_;
  std::vector<double> uncertainties_;
  Succession succession_;
};

}  // namespace

KernelKind iir_kernel() {
  return {.name = "iir",
          .summary = "a Butterworth filter along the time: low-pass, high-pass or band-pass",
          .stateless = false,
          .parameters =
              with_band({{.name = "order",
                          .type = ParameterType::integer,
                          .fallback = "4",
                          .help = "number of poles of the underlying low-pass",
                          .minimum = 1,
                          .maximum = 20},
                         {.name = "least",
                          .type = ParameterType::number,
                          .fallback = "0.999",
                          .help = "least share of power unaffected by gaps; below it the sample is missing",
                          .minimum = 0,
                          .maximum = 0.999999,
                          .may_change = true},
                         {.name = "bridge",
                          .type = ParameterType::time,
                          .fallback = "0",
                          .help = "longest gap that is interpolated linearly",
                          .minimum = 0,
                          .may_change = true}}),
          .make = make_from<Iir>};
}

}  // namespace takt::pipeline
