#include "core/pictures/waterfall_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/formats/json.hpp"
#include "core/text/base64.hpp"

namespace takt {

std::vector<double> decibels_of(std::vector<double> powers) {
  for (double& power : powers)
    power = power >= 0 ? 10 * std::log10(power) : std::numeric_limits<double>::quiet_NaN();
  return powers;
}

bool has_power(std::span<const double> powers) {
  return std::ranges::any_of(powers, [](double power) { return power > 0; });
}

View waterfall_view(WaterfallPicture picture) {
  // x increases to the right, as in the adjacent charts.
  if (picture.last_x < picture.first_x) {
    std::swap(picture.first_x, picture.last_x);
    for (std::size_t row = 0; row < picture.rows; ++row)
      std::ranges::reverse(std::span(picture.values).subspan(row * picture.columns, picture.columns));
  }
  std::vector<double> sorted;
  for (const double value : picture.values)
    if (std::isfinite(value)) sorted.push_back(value);
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) {
    return sorted.empty() ? 0.0
                          : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const bool is_constant = sorted.empty() || sorted.front() == sorted.back();
  double least = quantile(0.001), most = quantile(0.999);
  // If nearly all are equal, the few other values determine the scale.
  if (!is_constant && least == most) {
    least = sorted.front();
    most = sorted.back();
  }
  std::vector<unsigned char> bytes;
  constexpr double levels = 253;
  constexpr unsigned char zero = 254, missing = 255;
  for (const double value : picture.values) {
    if (std::isfinite(value))
      bytes.push_back(is_constant ? 0
                                  : static_cast<unsigned char>(std::lround(
                                        levels * std::clamp((value - least) / (most - least), 0.0, 1.0))));
    else
      bytes.push_back(std::isinf(value) && value < 0 ? zero : missing);
  }
  const nlohmann::ordered_json view{{"kind", "waterfall"},
                                    {"name", picture.name},
                                    {"says", picture.says},
                                    {"x", picture.x},
                                    {"y", picture.y},
                                    {"unit", picture.unit},
                                    {"rows", picture.rows},
                                    {"columns", picture.columns},
                                    {"cells", base64(std::as_bytes(std::span(bytes)))},
                                    {"least", least},
                                    {"most", most},
                                    {"first_x", picture.first_x},
                                    {"last_x", picture.last_x},
                                    {"first_y", picture.first_y},
                                    {"last_y", picture.last_y}};
  return view.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace takt
