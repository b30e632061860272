#include "pipeline/kernels/sum.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Returns true if a sum is NaN.
TAKT_WIDE bool add_two(const float* __restrict a, const float* __restrict b, float* __restrict to,
                       std::size_t count) {
  unsigned found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float sum = a[i] + b[i];
    found |= sum != sum ? 1U : 0U;
    to[i] = sum;
  }
  return found != 0;
}
TAKT_WIDE bool add_one_more(const float* __restrict from, float* __restrict to, std::size_t count) {
  unsigned found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float sum = to[i] + from[i];
    found |= sum != sum ? 1U : 0U;
    to[i] = sum;
  }
  return found != 0;
}

class Sum final : public Kernel {
 public:
  explicit Sum(const Parameters& parameters)
      : is_mean_(parameters.text("mode") == "mean"), least_(parameters.number("least")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    const FrameType& type = inputs.front();
    if (type.element != ElementType::float32 && type.element != ElementType::complex_float32)
      throw InputError(fmt::format("expected float32 or complex_float32, got {}{}", type.to_string(),
                                   advice_to_unpack(type)));
    for (std::size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i].to_string() != type.to_string())
        throw InputError(fmt::format("cannot add {} to {}", inputs[i].to_string(), type.to_string()), i);
    one_time_.require(inputs);
    require_same_axes(inputs);
    inputs_ = inputs.size();
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    one_time_.merge(inputs, *output.header);
    const std::span<float> to = output.as<float>();
    if (output.header->missing_parts > 0)
      add_present(inputs, to);
    else if (add_all(inputs, to))
      mark_incomplete(*output.header);
    return Outcome::produced;
  }

 private:
  /// Returns true if a sum is NaN, such as that of infinities of both signs.
  bool add_all(std::span<const FrameView> inputs, std::span<float> to) const {
    // The first two inputs in one pass.
    bool has_nan = add_two(inputs[0].as<float>().data(), inputs[1].as<float>().data(), to.data(), to.size());
    for (const FrameView& input : inputs.subspan(2))
      has_nan = add_one_more(input.as<float>().data(), to.data(), to.size());
    if (!is_mean_) return has_nan;
    const float scale = 1 / static_cast<float>(inputs_);
    for (float& value : to) value *= scale;
    return has_nan;
  }

  void add_present(std::span<const FrameView> inputs, std::span<float> to) const {
    const float all = is_mean_ ? 1 : static_cast<float>(inputs_);
    const float least = least_count(least_, inputs_);
    for (std::size_t i = 0; i < to.size(); ++i) {
      float sum = 0, count = 0;
      for (const FrameView& input : inputs) {
        const float value = input.as<float>()[i];
        if (std::isnan(value)) continue;
        sum += value;
        ++count;
      }
      to[i] = count >= least ? sum / count * all : missing_value;
    }
  }

  bool is_mean_;
  double least_;
  OneTime one_time_;
  std::size_t inputs_ = 0;
};

}  // namespace

KernelKind sum_kernel() {
  return {.name = "sum",
          .summary = "the sum or mean of several inputs, element by element",
          .stateless = true,
          .inputs = 2,
          .more_inputs = true,
          .parameters = {{.name = "mode",
                          .fallback = "sum",
                          .help = "sum, or mean over the inputs with data",
                          .choices = {"sum", "mean"},
                          .may_change = true},
                         least_parameter("least share of inputs with data")},
          .make = make_from<Sum>};
}

}  // namespace takt::pipeline
