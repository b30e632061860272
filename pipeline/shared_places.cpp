#include "pipeline/shared_places.hpp"

#include <optional>

namespace takt::pipeline {

std::vector<std::size_t> share_places(const std::vector<Lifetime>& lifetimes) {
  std::vector<std::size_t> places;
  /// For each place, the end of its last lifetime.
  std::vector<std::size_t> busy_to;
  for (const Lifetime& lifetime : lifetimes) {
    std::optional<std::size_t> latest;
    for (std::size_t place = 0; place < busy_to.size(); ++place)
      if (busy_to[place] < lifetime.from && (!latest || busy_to[place] > busy_to[*latest])) latest = place;
    if (!latest) {
      latest = busy_to.size();
      busy_to.emplace_back();
    }
    busy_to[*latest] = lifetime.to;
    places.push_back(*latest);
  }
  return places;
}

}  // namespace takt::pipeline
