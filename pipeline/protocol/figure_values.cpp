#include "pipeline/protocol/figure_values.hpp"

#include <algorithm>

namespace takt::pipeline {

std::optional<double> shown_value(const Figure& figure, std::uint64_t count, const Divisors& divisors) {
  const auto share_of = [&](std::uint64_t whole) {
    return static_cast<double>(count) / static_cast<double>(whole);
  };
  switch (figure.shown) {
    case Shown::value:
      break;
    case Shown::share_of_loop:
      return share_of(std::max<std::uint64_t>(divisors.loop_ns, 1));
    case Shown::share_of_watch:
      return divisors.watched_ns > 0 ? std::optional(share_of(divisors.watched_ns)) : std::nullopt;
    case Shown::mean_per_run:
      return static_cast<double>(divisors.runs > 0 ? count / divisors.runs : 0);
  }
  return static_cast<double>(count);
}

}  // namespace takt::pipeline
