#include "pipeline/kernels/sum.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Sum final : public Kernel {
 public:
  explicit Sum(const Parameters& parameters)
      : is_mean_(parameters.text("mode") == "mean"), least_(parameters.number("least")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    const FrameType& type = inputs.front();
    if (type.element != ElementType::float32 && type.element != ElementType::complex_float32)
      throw InputError(fmt::format("expected float32 or complex_float32, got {}", type.to_string()));
    for (std::size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i].to_string() != type.to_string())
        throw InputError(fmt::format("{} cannot be added to {}", inputs[i].to_string(), type.to_string()), i);
    inputs_ = inputs.size();
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    merge_headers(inputs, *output.header);
    const std::span<float> to = output.as<float>();
    if (output.header->missing_parts > 0)
      add_present(inputs, to);
    else
      add_all(inputs, to);
    return Outcome::produced;
  }

 private:
  void add_all(std::span<const FrameView> inputs, std::span<float> to) const {
    // The first two in one go.
    const float *const first = inputs[0].as<float>().data(), *const second = inputs[1].as<float>().data();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = first[i] + second[i];
    for (const FrameView& input : inputs.subspan(2)) {
      const float* __restrict const from = input.as<float>().data();
      float* __restrict const sum = to.data();
      for (std::size_t i = 0; i < to.size(); ++i) sum[i] += from[i];
    }
    if (!is_mean_) return;
    const float scale = 1 / static_cast<float>(inputs_);
    for (float& value : to) value *= scale;
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
  std::size_t inputs_ = 0;
};

}  // namespace

KernelKind sum_kernel() {
  return {.name = "sum",
          .summary = "the sum or mean of several inputs, element by element",
          .inputs = 2,
          .more_inputs = true,
          .parameters = {{.name = "mode",
                          .fallback = "sum",
                          .help = "sum, or mean over those inputs that have the value",
                          .choices = {"sum", "mean"},
                          .may_change = true},
                         least_parameter("share of the inputs that must have a value")},
          .make = make_from<Sum>};
}

}  // namespace takt::pipeline
