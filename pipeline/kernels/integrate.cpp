#include "pipeline/kernels/integrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/gathering_kernel.hpp"

namespace takt::pipeline {

namespace {

/// to[i] += from[i]
template <class Sum>
void add_row(const float* __restrict from, Sum* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

/// Adds present values, and counts them.
template <class Sum, class Count>
void add_present(const float* __restrict from, Sum* __restrict to, Count* __restrict present,
                 std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_there = !std::isnan(from[i]);
    to[i] += is_there ? from[i] : 0.0F;
    present[i] += is_there ? Count{1} : Count{0};
  }
}

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// Number of rows that are added in single precision: longer sums lose small values, and the error of their
/// mean exceeds the noise of a million values.
constexpr std::size_t rows_at_once = 1024;

/// Returns the number of frames of one result; throws if the factor does not fit the frame's rows.
std::size_t frames_of(std::size_t factor, std::size_t rows, const Parameters& parameters) {
  if (rows % factor == 0) return 1;
  if (factor % rows == 0) return factor / rows;
  parameters.refuse(
      "factor", fmt::format("{} is not valid: expected a divisor or a multiple of the {} spectra of a frame",
                            factor, rows));
}

class Integrate final : public GatheringKernel {
 public:
  explicit Integrate(const Parameters& parameters)
      : parameters_(parameters),
        factor_(static_cast<std::size_t>(parameters.integer("factor"))),
        is_mean_(parameters.text("mode") == "mean") {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    (void)real_shape_of(type, "time", true);
    Axis& time = type.axes.front();
    rows_ = time.size;
    row_ = type.element_count() / rows_;
    const std::size_t frames = frames_of(factor_, rows_, parameters_);
    group_ = FrameGroup(frames);
    is_long_ = is_stateless() && factor_ > rows_at_once;
    if (!is_stateless() || is_long_) {
      sums_.assign(row_, 0.0);
      lost_.assign(row_, 0.0);
    }
    if (is_long_) part_.assign(row_, 0.0F);
    present_.assign(row_, 0.0F);

    time.size = is_stateless() ? rows_ / factor_ : 1;
    // A row's time is that of its first spectrum.
    for (std::size_t i = 0; i < time.size && !time.coordinates.empty(); ++i)
      time.coordinates[i] = time.coordinates[i * factor_];
    if (!time.coordinates.empty()) time.coordinates.resize(time.size);
    type.rate_hz /= static_cast<double>(frames);
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis > 0 || is_stateless() ? std::optional(axis) : std::nullopt;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const FrameView& frame = inputs.front();
    if (is_stateless()) {
      if (is_long_)
        within_long_frame(frame, output.as<float>().data());
      else if (frame.header->missing_parts > 0)
        within_incomplete_frame(frame.as<float>().data(), output.as<float>().data());
      else
        within_frame(frame.as<float>(), output.as<float>());
      mark_nan(output);
      return Outcome::produced;
    }
    return GatheringKernel::process(inputs, output);
  }

  std::optional<std::vector<std::byte>> save() const override {
    if (is_stateless()) return std::nullopt;
    return saved(group_, sums_, lost_, has_lost_);
  }
  void load(std::span<const std::byte> state) override { load_into(state, group_, sums_, lost_, has_lost_); }
  std::size_t travelling_state() const override { return is_stateless() ? 0 : save()->size(); }

 private:
  void within_frame(std::span<const float> from, std::span<float> to) const {
    const float scale = is_mean_ ? 1.0F / static_cast<float>(factor_) : 1.0F;
    for (std::size_t result = 0; result < rows_ / factor_; ++result) {
      const float* const first = from.data() + result * factor_ * row_;
      float* const sum = to.data() + result * row_;
      std::copy_n(first, row_, sum);
      for (std::size_t i = 1; i < factor_; ++i) add_row(first + i * row_, sum, row_);
      for (std::size_t i = 0; i < row_; ++i) sum[i] *= scale;
    }
  }

  void within_incomplete_frame(const float* from, float* to) {
    for (std::size_t result = 0; result < rows_ / factor_; ++result, to += row_) {
      std::fill_n(to, row_, 0.0F);
      std::ranges::fill(present_, 0.0F);
      for (std::size_t i = 0; i < factor_; ++i, from += row_) add_present(from, to, present_.data(), row_);
      const float whole = is_mean_ ? 1.0F : static_cast<float>(factor_);
      for (std::size_t i = 0; i < row_; ++i)
        to[i] = present_[i] > 0 ? to[i] * (whole / present_[i]) : missing;
    }
  }

  /// For results of many rows: partial sums in single precision, their total in double precision.
  void within_long_frame(const FrameView& frame, float* to) {
    const float* from = frame.as<float>().data();
    const bool may_miss = frame.header->missing_parts > 0;
    for (std::size_t result = 0; result < rows_ / factor_; ++result, to += row_) {
      std::ranges::fill(sums_, 0.0);
      std::ranges::fill(lost_, 0.0);
      for (std::size_t first = 0; first < factor_; first += rows_at_once) {
        const std::size_t rows = std::min(rows_at_once, factor_ - first);
        add_part(from, rows, may_miss);
        from += rows * row_;
      }
      const auto all = static_cast<double>(factor_), whole = is_mean_ ? 1.0 : all;
      for (std::size_t i = 0; i < row_; ++i)
        to[i] = lost_[i] < all ? static_cast<float>(sums_[i] * (whole / (all - lost_[i]))) : missing;
    }
  }

  void add_part(const float* from, std::size_t rows, bool may_miss) {
    std::ranges::fill(part_, 0.0F);
    std::ranges::fill(present_, may_miss ? 0.0F : static_cast<float>(rows));
    for (std::size_t row = 0; row < rows; ++row, from += row_)
      may_miss ? add_present(from, part_.data(), present_.data(), row_) : add_row(from, part_.data(), row_);
    for (std::size_t i = 0; i < row_; ++i) {
      sums_[i] += part_[i];
      lost_[i] += static_cast<double>(rows) - present_[i];
    }
  }

  void gather(const FrameHeader&, std::span<const FrameView> inputs) override {
    const FrameView& frame = inputs.front();
    const float* from = frame.as<float>().data();
    if (frame.header->missing_parts == 0) {
      for (std::size_t i = 0; i < rows_; ++i) add_row(from + i * row_, sums_.data(), row_);
      return;
    }
    std::ranges::fill(present_, 0.0F);
    for (std::size_t i = 0; i < rows_; ++i) add_present(from + i * row_, sums_.data(), present_.data(), row_);
    for (std::size_t i = 0; i < row_; ++i) lost_[i] += static_cast<double>(rows_) - present_[i];
    has_lost_ = true;
  }

  void give(const FrameBuffer& output) override {
    const auto came = static_cast<double>(group_.count() * rows_);
    const auto to = output.as<float>();
    const double scale = is_mean_ ? 1 / came : 1;
    for (std::size_t i = 0; i < row_; ++i) to[i] = static_cast<float>(sums_[i] * scale);
    const double whole = is_mean_ ? 1 : came;
    for (std::size_t i = 0; has_lost_ && i < row_; ++i)
      if (lost_[i] > 0)
        to[i] = lost_[i] < came ? static_cast<float>(sums_[i] * (whole / (came - lost_[i]))) : missing;
    std::ranges::fill(sums_, 0.0);
    if (has_lost_) std::ranges::fill(lost_, 0.0);
    has_lost_ = false;
    *output.header = group_.take();
    mark_nan(output);
  }

  Parameters parameters_;
  std::size_t factor_;
  bool is_mean_;
  /// Spectra in a frame, and elements in a spectrum.
  std::size_t rows_ = 0, row_ = 0;

  /// True if one frame yields results of many rows each.
  bool is_long_ = false;
  std::vector<double> sums_;
  /// By channel, the number of missing values; and the number of present values in one frame.
  std::vector<double> lost_;
  bool has_lost_ = false;
  std::vector<float> present_;
  /// Sums of `rows_at_once` rows.
  std::vector<float> part_;
};

}  // namespace

KernelKind integrate_kernel() {
  return {.name = "integrate",
          .summary = "mean or sum of successive spectra, within a frame or over several frames",
          .stateless = false,
          .parameters = {{.name = "factor",
                          .type = ParameterType::integer,
                          .help = "number of spectra per result",
                          .minimum = 1,
                          .maximum = 1e9},
                         {.name = "mode",
                          .fallback = "mean",
                          .help = "how to combine them",
                          .choices = {"mean", "sum"}}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Integrate>(parameters);
          }};
}

}  // namespace takt::pipeline
