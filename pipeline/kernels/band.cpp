#include "pipeline/kernels/band.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace takt::pipeline {

std::vector<ParameterSpec> with_band(std::vector<ParameterSpec> own) {
  std::vector<ParameterSpec> all{{.name = "low",
                                  .type = ParameterType::frequency,
                                  .fallback = "0",
                                  .help = "lower edge of the band; 0: none",
                                  .may_change = true},
                                 {.name = "high",
                                  .type = ParameterType::frequency,
                                  .fallback = "0",
                                  .help = "upper edge of the band; 0: none",
                                  .may_change = true}};
  all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  return all;
}

bool has_band(const Parameters& parameters) {
  return parameters.frequency("low").hertz > 0 || parameters.frequency("high").hertz > 0;
}

Band band_of(const Parameters& parameters, const FrameType& type, double rate_hz) {
  if (!(rate_hz > 0))
    throw InputError(
        fmt::format("the band is in Hz, but the sample rate of {} is not known", type.to_string()));
  const double low = parameters.frequency("low").hertz, high = parameters.frequency("high").hertz;
  for (const auto& [name, hertz] : {std::pair("low", low), std::pair("high", high)})
    if (hertz >= rate_hz / 2)
      parameters.refuse(
          name, fmt::format("{} Hz is not valid: expected less than half the sample rate of {} Hz", hertz,
                            rate_hz));
  if (high > 0 && low >= high) parameters.refuse("high", "the upper edge of the band is below the lower one");
  return {low / rate_hz, high / rate_hz};
}

}  // namespace takt::pipeline
