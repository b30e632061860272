#include "pipeline/kernels/sta_lta.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class StaLta final : public Kernel {
 public:
  explicit StaLta(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    shape_ = shape_of(type, "time");
    if (type.element != ElementType::float32)
      throw InputError(fmt::format("expected float32 with an axis 'time', got {}", type.to_string()));
    const double rate = sample_rate(type);
    if (!(rate > 0))
      throw InputError(fmt::format("the time between samples is not known of {}", type.to_string()));
    const auto samples = [&](const char* name) {
      const double count = std::chrono::duration<double>(parameters_.time(name)).count() * rate;
      if (count < 1) parameters_.refuse(name, fmt::format("is less than a sample of {} s", 1 / rate));
      return std::llround(count);
    };
    const auto short_samples = samples("short"), long_samples = samples("long");
    if (short_samples >= long_samples) parameters_.refuse("long", "is not longer than the short average");
    short_share_ = 1 / static_cast<double>(short_samples);
    long_share_ = 1 / static_cast<double>(long_samples);
    settles_ = static_cast<std::uint64_t>(long_samples);
    states_.assign(shape_.outer * shape_.inner, {});
    type.unit.clear();
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    if (!succession_.continues(*inputs.front().header)) std::ranges::fill(states_, Averages{});
    const float* from = inputs.front().as<float>().data();
    float* to = output.as<float>().data();
    for (std::size_t run = 0; run < shape_.outer; ++run)
      for (std::size_t t = 0; t < shape_.size; ++t)
        for (std::size_t i = 0; i < shape_.inner; ++i) *to++ = step(*from++, states_[run * shape_.inner + i]);
    return Outcome::produced;
  }

 private:
  struct Averages {
    double of_short = 0, of_long = 0;
    std::uint64_t samples = 0;
  };

  float step(float sample, Averages& averages) const {
    if (std::isnan(sample)) return missing_value;
    const double power = static_cast<double>(sample) * sample;
    averages.of_short += short_share_ * (power - averages.of_short);
    averages.of_long += long_share_ * (power - averages.of_long);
    if (++averages.samples <= settles_ || averages.of_long <= 0) return 0;
    return static_cast<float>(averages.of_short / averages.of_long);
  }

  Parameters parameters_;
  AxisShape shape_;
  double short_share_ = 0, long_share_ = 0;
  std::uint64_t settles_ = 0;
  std::vector<Averages> states_;
  Succession succession_;
};

}  // namespace

KernelKind sta_lta_kernel() {
  return {
      .name = "sta_lta",
      .summary = "the ratio of a short and a long average of the power, as seismic triggers use it",
      .stateless = false,
      .parameters = {{.name = "short", .type = ParameterType::time, .help = "length of the short average"},
                     {.name = "long", .type = ParameterType::time, .help = "length of the long average"}},
      .make = make_from<StaLta>};
}

}  // namespace takt::pipeline
