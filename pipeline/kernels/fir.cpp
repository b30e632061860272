#include "pipeline/kernels/fir.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/kernels/band.hpp"
#include "pipeline/kernels/filtering_kernel.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/windows.hpp"

namespace takt::pipeline {

namespace {

class Fir final : public FilteringKernel {
 public:
  explicit Fir(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    type_ = inputs.front();
    const AxisShape shape = shape_of(type_, "time");
    require_steady(type_);
    std::vector<double> taps = taps_of(parameters_);
    FrameType output = type_;
    const Lag lag(type_, (static_cast<double>(taps.size()) - 1) / 2, output);
    filter_by({shape, std::move(taps)}, shape, lag);
    return output;
  }

  /// Stored samples remain valid if the number of taps is the same.
  bool change(const Parameters& parameters) override {
    const std::vector<double> taps = taps_of(parameters);
    if (taps.size() != filter().taps()) return false;
    filter().change_taps(taps);
    return true;
  }

 private:
  [[nodiscard]] std::vector<double> taps_of(const Parameters& parameters) const {
    std::vector<double> taps = numbers(parameters, "coefficients");
    if (!taps.empty()) {
      if (has_band(parameters))
        parameters.refuse("coefficients", "they define the filter: expected neither low nor high");
      for (const double tap : taps)
        if (!std::isfinite(static_cast<float>(tap)))
          parameters.refuse("coefficients", fmt::format("{} is more than float32 holds", tap));
      return taps;
    }
    if (!has_band(parameters)) parameters.refuse("expected low, high or coefficients");
    const Band band = band_of(parameters, type_, sample_rate(type_));
    const auto count = static_cast<std::size_t>(parameters.integer("taps"));
    if (band.high <= 0 && count % 2 == 0)
      parameters.refuse("taps",
                        fmt::format("a high-pass of {} taps is not valid: expected an odd number", count));
    return windowed_sinc(band.low, band.high > 0 ? band.high : 0.5, count);
  }

  Parameters parameters_;
  FrameType type_;
};

}  // namespace

KernelKind fir_kernel() {
  return {.name = "fir",
          .summary = "a linear-phase filter along the time: low-pass, high-pass, band-pass or given taps",
          .stateless = false,
          .parameters = with_band({{.name = "taps",
                                    .type = ParameterType::integer,
                                    .fallback = "65",
                                    .help = "length of the filter: more taps make it steeper",
                                    .minimum = 1,
                                    .maximum = 65536},
                                   {.name = "coefficients",
                                    .type = ParameterType::texts,
                                    .fallback = "",
                                    .help = "taps, instead of a designed filter",
                                    .may_change = true}}),
          .make = make_from<Fir>};
}

}  // namespace takt::pipeline
