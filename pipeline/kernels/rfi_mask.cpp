#include "pipeline/kernels/rfi_mask.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class RfiMask final : public Kernel {
 public:
  explicit RfiMask(const Parameters& parameters)
      : by_kurtosis_(parameters.text("method") == "spectral_kurtosis"),
        of_values_(parameters.text("of") == "values"),
        sigma_(parameters.number("sigma")),
        shape_parameter_(parameters.number("shape")),
        blocks_(static_cast<std::size_t>(parameters.integer("blocks"))),
        parameters_(parameters) {
    if (!by_kurtosis_ && blocks_ > 1) parameters.refuse("blocks", "needs method: spectral_kurtosis");
    if (by_kurtosis_ && of_values_) parameters.refuse("of", "spectral kurtosis needs of: channels");
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    shape_ = real_shape_of(inputs.front(), "time", true);
    if (by_kurtosis_ && shape_.size < 2)
      throw InputError("spectral kurtosis needs frames of two or more spectra");
    if (by_kurtosis_ && blocks_ > 1 && shape_.size < 2 * blocks_)
      parameters_.refuse("blocks", fmt::format("spectral kurtosis needs two or more spectra per block, and a "
                                               "frame has {}: expected at most {} blocks",
                                               shape_.size, shape_.size / 2));
    type_ = inputs.front();
    masked_ = add_side(type_, "masked", "");
    count_.resize(blocks_ * shape_.inner);
    first_.resize(blocks_ * shape_.inner);
    second_.resize(blocks_ * shape_.inner);
    is_spoilt_.resize(shape_.inner);
    sorted_.reserve(std::max(shape_.size, shape_.inner));
    return type_;
  }

  std::vector<FrameType> further_outputs() override {
    FrameType mask = type_;
    mask.element = ElementType::uint8;
    mask.unit.clear();
    return {mask};
  }

  Outcome process_all(std::span<const FrameView> inputs, const FrameBuffer& output,
                      std::span<FurtherOutput> further) override {
    (void)process(inputs, output);
    const std::span<const float> values = output.as<float>();
    const std::span<std::uint8_t> mask = further.front().frame.as<std::uint8_t>();
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = std::isnan(values[i]) ? 1 : 0;
    further.front().is_given = true;
    return Outcome::produced;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::span<const float> from = inputs.front().as<float>();
    const std::span<float> to = output.as<float>();
    bool any = false;
    if (of_values_) {
      std::ranges::copy(from.first(to.size()), to.begin());
      for (std::size_t i = 0; i < shape_.inner; ++i) any = mask_values(to, i) || any;
    } else {
      gather(from, to, inputs.front().header->missing_parts > 0);
      by_kurtosis_ ? judge_kurtosis() : judge_means();
      any = std::ranges::find(is_spoilt_, char{1}) != is_spoilt_.end();
      for (std::size_t i = 0; any && i < shape_.inner; ++i)
        for (std::size_t t = 0; is_spoilt_[i] != 0 && t < shape_.size; ++t)
          to[t * shape_.inner + i] = missing_value;
    }
    if (any) mark_incomplete(*output.header);
    std::size_t missing = 0;
    if (inputs.front().header->missing_parts > 0 || of_values_)
      for (const float value : to) missing += std::isnan(value) ? 1 : 0;
    else
      missing = static_cast<std::size_t>(std::ranges::count(is_spoilt_, char{1})) * shape_.size;
    output.header->side[masked_] = static_cast<double>(missing) / static_cast<double>(to.size());
    return Outcome::produced;
  }

 private:
  /// Copies the values and computes by channel their number, sum, and sum of squares.
  void gather(std::span<const float> from, std::span<float> to, bool may_miss) {
    std::ranges::fill(first_, 0.0);
    std::ranges::fill(second_, 0.0);
    std::ranges::fill(count_, 0.0);
    for (std::size_t t = 0; t < shape_.size; ++t) {
      const float* const row = from.data() + t * shape_.inner;
      float* const copy = to.data() + t * shape_.inner;
      const std::size_t sums = t * blocks_ / shape_.size * shape_.inner;
      if (may_miss)
        add_present(row, copy, count_.data() + sums, first_.data() + sums, second_.data() + sums,
                    shape_.inner);
      else
        add(row, copy, first_.data() + sums, second_.data() + sums, shape_.inner);
    }
    if (may_miss) return;
    for (std::size_t block = 0; block < blocks_; ++block)
      std::fill_n(count_.begin() + static_cast<std::ptrdiff_t>(block * shape_.inner), shape_.inner,
                  static_cast<double>(first_of(block + 1) - first_of(block)));
  }
  TAKT_WIDE static void add(const float* __restrict row, float* __restrict copy, double* __restrict first,
                            double* __restrict second, std::size_t channels) {
    for (std::size_t i = 0; i < channels; ++i) {
      copy[i] = row[i];
      const double value = row[i];
      first[i] += value;
      second[i] += value * value;
    }
  }
  static void add_present(const float* __restrict row, float* __restrict copy, double* __restrict count,
                          double* __restrict first, double* __restrict second, std::size_t channels) {
    for (std::size_t i = 0; i < channels; ++i) {
      copy[i] = row[i];
      const bool is_there = !std::isnan(row[i]);
      const double value = is_there ? row[i] : 0;
      count[i] += is_there ? 1 : 0;
      first[i] += value;
      second[i] += value * value;
    }
  }

  /// Returns the first row of a block. Row t belongs to block floor(t B / T).
  [[nodiscard]] std::size_t first_of(std::size_t block) const {
    return (block * shape_.size + blocks_ - 1) / blocks_;
  }

  void judge_kurtosis() {
    for (std::size_t i = 0; i < shape_.inner; ++i) {
      sorted_.clear();
      double values = 0;
      bool is_dead = true;
      for (std::size_t at = i; at < count_.size(); at += shape_.inner) {
        if (count_[at] < 2) continue;
        is_dead = is_dead && second_[at] == 0;
        values += count_[at];
        // Infinities have no kurtosis and are sorted as the largest one.
        const double kurtosis = kurtosis_of(count_[at], first_[at], second_[at]);
        sorted_.push_back(std::isnan(kurtosis) ? std::numeric_limits<double>::infinity() : kurtosis);
      }
      is_spoilt_[i] = 0;
      if (sorted_.empty()) continue;
      const auto blocks = static_cast<double>(sorted_.size());
      const double bound = sigma_ * deviation_of(values / blocks) *
                           (blocks > 1 ? std::sqrt(std::numbers::pi / (2 * blocks)) : 1);
      // Receivers always have noise: a channel without noise is dead.
      is_spoilt_[i] = !is_dead && std::abs(median() - 1) <= bound ? 0 : 1;
    }
  }

  /// Returns the kurtosis of M values from their sum and sum of squares.
  [[nodiscard]] double kurtosis_of(double m, double first, double second) const {
    return (m * shape_parameter_ + 1) / (m - 1) * (m * second / (first * first) - 1);
  }
  /// Returns the standard deviation of the kurtosis of M values of noise.
  [[nodiscard]] double deviation_of(double m) const {
    const double d = shape_parameter_;
    return std::sqrt(2 * m * m * d * (1 + d) / ((m - 1) * (6 + 5 * m * d + m * m * d * d)));
  }

  void judge_means() {
    sorted_.clear();
    for (std::size_t i = 0; i < shape_.inner; ++i)
      if (count_[i] > 0) sorted_.push_back(first_[i] / count_[i]);
    const auto [middle, bound] = median_and_bound();
    for (std::size_t i = 0; i < shape_.inner; ++i) {
      is_spoilt_[i] = count_[i] > 0 && std::abs(first_[i] / count_[i] - middle) > bound ? 1 : 0;
    }
  }

  bool mask_values(std::span<float> values, std::size_t i) {
    sorted_.clear();
    for (std::size_t t = 0; t < shape_.size; ++t)
      if (const float value = values[t * shape_.inner + i]; !std::isnan(value)) sorted_.push_back(value);
    const auto [middle, bound] = median_and_bound();
    bool any = false;
    for (std::size_t t = 0; t < shape_.size; ++t) {
      float& value = values[t * shape_.inner + i];
      if (std::isnan(value) || std::abs(value - middle) <= bound) continue;
      value = missing_value;
      any = true;
    }
    return any;
  }

  /// For an even number it is the mean of the two middle values.
  double median() {
    if (sorted_.empty()) return 0;
    const auto half = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 2);
    std::nth_element(sorted_.begin(), half, sorted_.end());
    if (sorted_.size() % 2 == 1) return *half;
    return (*half + *std::max_element(sorted_.begin(), half)) / 2;
  }

  std::pair<double, double> median_and_bound() {
    const double middle = median();
    for (double& value : sorted_) value = std::abs(value - middle);
    return {middle, sigma_ * 1.4826 * median()};
  }

  bool by_kurtosis_, of_values_;
  double sigma_, shape_parameter_;
  /// Blocks of a frame's time, each with its own kurtosis.
  std::size_t blocks_;
  Parameters parameters_;
  AxisShape shape_;
  FrameType type_;
  std::size_t masked_ = 0;
  std::vector<double> count_, first_, second_;
  std::vector<char> is_spoilt_;
  std::vector<double> sorted_;
};

}  // namespace

KernelKind rfi_mask_kernel() {
  return {.name = "rfi_mask",
          .summary = "marks channels or values with interference as missing",
          .stateless = true,
          .further_outputs = {"mask"},
          .parameters = {{.name = "method",
                          .fallback = "spectral_kurtosis",
                          .help = "method that detects interference",
                          .choices = {"spectral_kurtosis", "median_deviation"}},
                         {.name = "sigma",
                          .type = ParameterType::number,
                          .fallback = "4",
                          .help = "threshold, in standard deviations of noise",
                          .minimum = 0,
                          .maximum = 1e9,
                          .may_change = true},
                         {.name = "shape",
                          .type = ParameterType::number,
                          .fallback = "1",
                          .help = "spectral kurtosis: number of complex samples whose powers form each value",
                          .minimum = 1e-3,
                          .maximum = 1e9},
                         {.name = "blocks",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "spectral kurtosis: blocks of a frame's time, of which the median decides: "
                                  "pulses in fewer than half of them remove no channel",
                          .minimum = 1,
                          .maximum = 65536},
                         {.name = "of",
                          .fallback = "channels",
                          .help = "whether to mark whole channels or single values",
                          .choices = {"channels", "values"}}},
          .make = make_from<RfiMask>};
}

}  // namespace takt::pipeline
