#include "pipeline/kernels/quantise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Quantise final : public Kernel {
 public:
  explicit Quantise(const Parameters& parameters)
      : bits_(static_cast<int>(parameters.integer("bits"))), keeps_(parameters.text("levels") == "first") {
    if (bits_ != 1 && bits_ != 2 && bits_ != 4 && bits_ != 8)
      parameters.refuse("bits", fmt::format("{} bits is not valid: expected 8, 4, 2 or 1", bits_));
    const double step = parameters.number("step");
    step_ = step > 0 ? step : bits_ == 8 ? 0.0308 : bits_ == 4 ? 0.335 : bits_ == 2 ? 0.996 : 1.596;
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    shape_ = real_shape_of(type, "time", true);
    if (shape_.size < 2)
      throw InputError(fmt::format(
          "the levels follow the deviation within a frame: expected two or more samples, found {}",
          type.to_string()));
    means_.resize(shape_.inner);
    has_level_.assign(shape_.inner, 0);
    scales_.resize(shape_.inner);
    type.element = ElementType::uint8;
    type.blank = (1 << (bits_ - 1)) - 1;
    for (const Axis& axis : type.axes) type.parts.push_back(axis.size);
    type.unit.clear();
    return type;
  }

  bool is_stateless() const override { return !keeps_; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* const from = inputs.front().as<float>().data();
    if (!keeps_ || !has_levels_) learn(from);
    const std::size_t count = shape_.size * shape_.inner;
    std::byte* const codes = output.bytes.data();
    std::byte* const flags = codes + count;
    const double middle = (1 << (bits_ - 1)) - 0.5, most = (1 << bits_) - 1;
    std::size_t missing = 0;
    const bool may_miss = inputs.front().header->missing_parts > 0;
    if (!may_miss) std::fill_n(flags, count, std::byte{0});
    for (std::size_t first = 0; first < count; first += shape_.inner) {
      code(from + first, means_.data(), scales_.data(), middle, most, codes + first, shape_.inner);
      if (may_miss) missing += flag(from + first, codes + first, flags + first, shape_.inner);
    }
    output.header->parts = static_cast<std::uint32_t>(count);
    output.header->missing_parts = static_cast<std::uint32_t>(missing);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override {
    if (is_stateless()) return std::nullopt;
    return saved(has_levels_, has_level_, means_, scales_);
  }
  void load(std::span<const std::byte> state) override {
    load_into(state, has_levels_, has_level_, means_, scales_);
  }
  std::size_t travelling_state() const override { return is_stateless() ? 0 : save()->size(); }

 private:
  /// Missing values get any code. Adding and subtracting 1.5 2^52 rounds to the nearest integer, ties to
  /// even.
  TAKT_WIDE static void code(const float* __restrict from, const double* __restrict means,
                             const double* __restrict scales, double middle, double most,
                             std::byte* __restrict codes, std::size_t count) {
    constexpr double rounder = 6755399441055744.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = middle + (from[i] - means[i]) * scales[i];
      const double bounded = std::min(std::max(0.0, x), most);
      codes[i] = static_cast<std::byte>(static_cast<int>(bounded + rounder - rounder));
    }
  }

  /// Missing values get the code just below the middle.
  [[nodiscard]] std::size_t flag(const float* from, std::byte* codes, std::byte* flags,
                                 std::size_t count) const {
    const auto none = static_cast<std::byte>((1 << (bits_ - 1)) - 1);
    std::size_t missing = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_there = !std::isnan(from[i]);
      if (!is_there) codes[i] = none;
      flags[i] = std::byte{!is_there};
      missing += !is_there;
    }
    return missing;
  }

  /// Channels that are empty or constant so far wait for a later frame.
  void learn(const float* from) {
    has_levels_ = true;
    for (std::size_t i = 0; i < shape_.inner; ++i) {
      if (keeps_ && has_level_[i] != 0) continue;
      double count = 0, sum = 0, squares = 0;
      for (std::size_t t = 0; t < shape_.size; ++t)
        if (const double value = from[t * shape_.inner + i]; std::isfinite(value)) ++count, sum += value;
      const double mean = sum / std::max(count, 1.0);
      for (std::size_t t = 0; t < shape_.size; ++t)
        if (const double value = from[t * shape_.inner + i]; std::isfinite(value))
          squares += (value - mean) * (value - mean);
      const double deviation = std::sqrt(squares / std::max(count, 1.0));
      has_level_[i] = deviation > 0 ? 1 : 0;
      if (!(deviation > 0)) has_levels_ = false;
      means_[i] = mean;
      scales_[i] = deviation > 0 ? 1 / (step_ * deviation) : 0;
    }
  }

  int bits_;
  bool keeps_, has_levels_ = false;
  double step_ = 0;
  AxisShape shape_;
  /// By channel: whether its levels are known, its mean, and codes per unit.
  std::vector<std::uint8_t> has_level_;
  std::vector<double> means_, scales_;
};

}  // namespace

KernelKind quantise_kernel() {
  return {
      .name = "quantise",
      .summary = "floats to 8, 4, 2 or 1 bits",
      .stateless = false,
      .parameters =
          {{.name = "bits",
            .type = ParameterType::integer,
            .fallback = "8",
            .help = "8, 4, 2 or 1",
            .minimum = 1,
            .maximum = 8},
           {.name = "levels",
            .fallback = "first",
            .help = "whether each channel keeps the levels of its first frame, or each frame sets new ones",
            .choices = {"first", "each"}},
           {.name = "step",
            .type = ParameterType::number,
            .fallback = "0",
            .help = "step between codes, in standard deviations; 0: optimal for noise",
            .minimum = 0,
            .maximum = 1e6}},
      .make = make_from<Quantise>};
}

}  // namespace takt::pipeline
