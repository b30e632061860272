#include "pipeline/kernels/clip.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Comparisons with NaN are false, so NaN is kept.
TAKT_WIDE void clamp_all(const float* __restrict from, float low, float high, float* __restrict to,
                         std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = std::min(std::max(from[i], low), high);
}

class Clip final : public Kernel {
 public:
  explicit Clip(const Parameters& parameters)
      : low_(static_cast<float>(parameters.number("low"))),
        high_(static_cast<float>(parameters.number("high"))),
        clamps_(parameters.text("mode") == "clamp") {
    if (!(low_ < high_)) parameters.refuse("high", "expected an upper bound above the lower one");
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    if (inputs.front().element != ElementType::float32)
      throw InputError(fmt::format("expected float32, got {}{}", inputs.front().to_string(),
                                   advice_to_power(inputs.front())));
    return inputs.front();
  }

  std::optional<std::size_t> separates(std::size_t axis) const override { return axis; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::span<const float> from = inputs.front().as<float>();
    const std::span<float> to = output.as<float>();
    if (clamps_) {
      clamp_all(from.data(), low_, high_, to.data(), to.size());
      return Outcome::produced;
    }
    bool any = false;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const bool is_beyond = from[i] < low_ || from[i] > high_;
      any |= is_beyond;
      to[i] = is_beyond ? missing_value : from[i];
    }
    if (any) mark_incomplete(*output.header);
    return Outcome::produced;
  }

 private:
  float low_, high_;
  bool clamps_;
};

}  // namespace

KernelKind clip_kernel() {
  return {.name = "clip",
          .summary = "bounds values, or marks those beyond the bounds as missing",
          .stateless = true,
          .parameters = {{.name = "low",
                          .type = ParameterType::number,
                          .fallback = "-3.4e38",
                          .help = "lower bound",
                          .may_change = true},
                         {.name = "high",
                          .type = ParameterType::number,
                          .fallback = "3.4e38",
                          .help = "upper bound",
                          .may_change = true},
                         {.name = "mode",
                          .fallback = "clamp",
                          .help = "values beyond the bounds become the bound, or missing",
                          .choices = {"clamp", "missing"},
                          .may_change = true}},
          .make = make_from<Clip>};
}

}  // namespace takt::pipeline
