#include "pipeline/shared_places.hpp"

#include <optional>

namespace takt::pipeline {

namespace {

/// A place that is in use until `busy_to`, and again from `free_until` on.
struct Place {
  std::size_t busy_to = 0;
  std::size_t free_until = std::numeric_limits<std::size_t>::max();
};

}  // namespace

std::vector<std::size_t> share_places(const std::vector<Lifetime>& lifetimes, std::size_t circle) {
  std::vector<std::size_t> chosen(lifetimes.size());
  std::vector<Place> places;
  // All of these are alive at step 0.
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    if (lifetimes[i].to < circle) continue;
    chosen[i] = places.size();
    places.push_back({.busy_to = lifetimes[i].to - circle, .free_until = lifetimes[i].from});
  }
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    const Lifetime& lifetime = lifetimes[i];
    if (lifetime.to >= circle) continue;
    std::optional<std::size_t> latest;
    for (std::size_t place = 0; place < places.size(); ++place)
      if (places[place].busy_to < lifetime.from && lifetime.to < places[place].free_until &&
          (!latest || places[place].busy_to > places[*latest].busy_to))
        latest = place;
    if (!latest) {
      latest = places.size();
      places.emplace_back();
    }
    places[*latest].busy_to = lifetime.to;
    chosen[i] = *latest;
  }
  return chosen;
}

}  // namespace takt::pipeline
