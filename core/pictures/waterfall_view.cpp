#include "core/pictures/waterfall_view.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base64.hpp"
#include "core/formats/json.hpp"

namespace takt {

View waterfall_view(const WaterfallPicture& picture) {
  std::vector<double> sorted;
  for (const double value : picture.values)
    if (std::isfinite(value)) sorted.push_back(value);
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) {
    return sorted.empty() ? 0.0
                          : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const double least = quantile(0.001), most = std::max(quantile(0.999), least + 1e-9);
  std::vector<unsigned char> bytes;
  constexpr double levels = 254;
  constexpr unsigned char missing = 255;
  for (const double value : picture.values)
    bytes.push_back(std::isfinite(value)
                        ? static_cast<unsigned char>(
                              std::lround(levels * std::clamp((value - least) / (most - least), 0.0, 1.0)))
                        : missing);
  const nlohmann::ordered_json view{{"kind", "waterfall"},
                                    {"name", picture.name},
                                    {"says", picture.says},
                                    {"x", picture.x},
                                    {"y", picture.y},
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
