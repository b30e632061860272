#include "pipeline/kernels/bandpass.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Bandpass final : public Kernel {
 public:
  explicit Bandpass(const Parameters& parameters)
      : frames_(parameters.number("frames")), divides_(parameters.text("mode") == "divide") {}

  FrameType configure(std::span<const FrameType> inputs) override {
    shape_ = real_shape_of(inputs.front(), "time");
    means_.assign(shape_.outer * shape_.inner, std::nan(""));
    seen_.assign(shape_.outer * shape_.inner, 0.0);
    sums_.resize(shape_.inner);
    counts_.resize(shape_.inner);
    FrameType type = inputs.front();
    if (divides_) type.unit.clear();
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  /// The learned state is kept.
  bool change(const Parameters& parameters) override {
    frames_ = parameters.number("frames");
    return true;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* const from = inputs.front().as<float>().data();
    float* const to = output.as<float>().data();
    const std::size_t frame = shape_.size * shape_.inner;
    const bool may_miss = inputs.front().header->missing_parts > 0;
    for (std::size_t run = 0; run < shape_.outer; ++run)
      if (!flatten(may_miss, from + run * frame, run * shape_.inner, to + run * frame))
        mark_incomplete(*output.header);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override { return saved(means_, seen_); }
  void load(std::span<const std::byte> state) override { load_into(state, means_, seen_); }
  std::size_t travelling_state() const override { return save()->size(); }

 private:
  /// Returns false if a frame declared complete has missing results: a channel that is always 0 has no shape.
  bool flatten(bool may_miss, const float* from, std::size_t first, float* to) {
    double* const means = means_.data() + first;
    const auto size = static_cast<double>(shape_.size);
    sum_up(may_miss, from);
    // NaN and infinities without a flag in the header would remain in the means forever.
    const bool is_whole =
        may_miss || std::ranges::all_of(sums_, [](double sum) { return std::isfinite(sum); });
    if (!is_whole) sum_up(true, from);
    bool divides_by_zero = false;
    for (std::size_t i = 0; i < shape_.inner; ++i) {
      if (counts_[i] == 0) continue;
      const double mean = sums_[i] / counts_[i], share = counts_[i] / size;
      double& seen = seen_[first + i];
      seen = std::min(seen + share, frames_);
      means[i] = std::isnan(means[i]) ? mean : means[i] + (mean - means[i]) * share / seen;
      divides_by_zero = divides_by_zero || (divides_ && means[i] == 0);
    }
    for (std::size_t t = 0; t < shape_.size; ++t) {
      const std::size_t at = t * shape_.inner;
      divides_ ? divide(from + at, means, to + at, shape_.inner)
               : subtract(from + at, means, to + at, shape_.inner);
    }
    return is_whole && !divides_by_zero;
  }

  void sum_up(bool may_miss, const float* from) {
    std::ranges::fill(sums_, 0.0);
    std::ranges::fill(counts_, may_miss ? 0.0 : static_cast<double>(shape_.size));
    for (std::size_t t = 0; t < shape_.size; ++t) {
      const float* const row = from + t * shape_.inner;
      may_miss ? add_present(row, sums_.data(), counts_.data(), shape_.inner)
               : add(row, sums_.data(), shape_.inner);
    }
  }

  TAKT_WIDE static void add(const float* __restrict from, double* __restrict sums, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sums[i] += from[i];
  }
  static void add_present(const float* __restrict from, double* __restrict sums, double* __restrict counts,
                          std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_there = std::isfinite(from[i]);
      sums[i] += is_there ? from[i] : 0;
      counts[i] += is_there ? 1 : 0;
    }
  }
  TAKT_WIDE static void divide(const float* __restrict from, const double* __restrict means,
                               float* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i] / means[i]);
  }
  TAKT_WIDE static void subtract(const float* __restrict from, const double* __restrict means,
                                 float* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i] - means[i]);
  }

  double frames_;
  bool divides_;
  AxisShape shape_;
  /// [outer][inner]: running means, and their numbers of frames, at most `frames`.
  std::vector<double> means_, seen_;
  /// For one run, [inner].
  std::vector<double> sums_, counts_;
};

}  // namespace

KernelKind bandpass_kernel() {
  return {.name = "bandpass",
          .summary = "divides spectra by a running mean of each channel, or subtracts it",
          .stateless = false,
          .parameters = {{.name = "frames",
                          .type = ParameterType::number,
                          .fallback = "100",
                          .help = "time constant of the running mean, in frames",
                          .minimum = 1,
                          .maximum = 1e12,
                          .may_change = true},
                         {.name = "mode",
                          .fallback = "divide",
                          .help = "whether spectra are divided by the mean, or it is subtracted",
                          .choices = {"divide", "subtract"}}},
          .make = make_from<Bandpass>};
}

}  // namespace takt::pipeline
