#include "pipeline/kernels/resample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "pipeline/kernels/filtering_kernel.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/windows.hpp"

namespace takt::pipeline {

namespace {

class Resample final : public FilteringKernel {
 public:
  Resample(const Parameters& parameters, const char* down_name, std::size_t up, std::size_t down)
      : parameters_(parameters), down_name_(down_name), up_(up), down_(down) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    const AxisShape shape = shape_of(type, "time");
    if (shape.size * up_ % down_ != 0)
      parameters_.refuse(down_name_, fmt::format("{} x {} / {} samples of a frame is not a whole number ({})",
                                                 shape.size, up_, down_, type.to_string()));
    const std::size_t widest = std::max(up_, down_);
    const std::size_t count = 2 * static_cast<std::size_t>(parameters_.integer("half_width")) * widest + 1;
    // At an unchanged rate no band limit is needed.
    std::vector<double> taps = windowed_sinc(0, 0.5 / static_cast<double>(widest), count);
    if (widest == 1) {
      std::ranges::fill(taps, 0.0);
      taps[count / 2] = 1;
    }
    for (double& tap : taps) tap *= static_cast<double>(up_);
    const double rate = sample_rate(type);
    require_steady(type);
    const Lag lag(inputs.front(), static_cast<double>(count - 1) / 2 / static_cast<double>(up_), type);
    filter_by({shape, std::move(taps), up_, down_}, shape, lag);
    Axis& time = type.axes[shape.dimension];
    const bool has_times = !time.coordinates.empty();
    time = {"time", filter().rows(), {}};
    if (has_times)
      time.coordinates = even_times(time.size, rate * static_cast<double>(up_) / static_cast<double>(down_));
    return type;
  }

 private:
  Parameters parameters_;
  const char* down_name_;
  std::size_t up_, down_;
};

ParameterSpec factor_parameter(const char* name, const char* fallback, const char* help) {
  ParameterSpec spec{
      .name = name, .type = ParameterType::integer, .help = help, .minimum = 1, .maximum = 65536};
  if (fallback != nullptr) spec.fallback = fallback;
  return spec;
}

ParameterSpec half_width_parameter() {
  return {.name = "half_width",
          .type = ParameterType::integer,
          .fallback = "10",
          .help = "half length of the filter, in samples of the lower rate",
          .minimum = 1,
          .maximum = 1000};
}

}  // namespace

KernelKind resample_kernel() {
  return {.name = "resample",
          .summary = "changes the sample rate by up / down",
          .stateless = false,
          .parameters = {factor_parameter("up", "1", "factor of the rate"),
                         factor_parameter("down", "1", "divisor of the rate"), half_width_parameter()},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            const auto up = static_cast<std::size_t>(parameters.integer("up"));
            const auto down = static_cast<std::size_t>(parameters.integer("down"));
            const std::size_t common = std::gcd(up, down);
            return std::make_unique<Resample>(parameters, "down", up / common, down / common);
          }};
}

KernelKind decimate_kernel() {
  return {.name = "decimate",
          .summary = "lowers the sample rate, after an anti-alias filter",
          .stateless = false,
          .parameters = {factor_parameter("factor", nullptr, "factor of decimation"), half_width_parameter()},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Resample>(parameters, "factor", 1,
                                              static_cast<std::size_t>(parameters.integer("factor")));
          }};
}

}  // namespace takt::pipeline
