#include "logp/constraints.hpp"

#include <algorithm>
#include <numeric>

namespace takt::logp {

struct PeriodicConstraints::Attempt {
  Time period;
  std::vector<Time> values;
  std::vector<const Constraint*> raised_by;

  Attempt(std::size_t variables, Time a_period)
      : period(a_period), values(variables, Time{0}), raised_by(variables, nullptr) {}

  /// Raises values to satisfy the constraints; returns whether any value changed.
  bool enforce(const std::vector<Constraint>& constraints) {
    bool raised = false;
    for (const Constraint& constraint : constraints) {
      const Time least = values[constraint.from] + constraint.weight - constraint.turns * period;
      if (values[constraint.to] >= least) continue;
      values[constraint.to] = least;
      raised_by[constraint.to] = &constraint;
      raised = true;
    }
    return raised;
  }

  /// Returns the mean of a cycle of constraints that raise each other, rounded up: a lower bound of the
  /// period. Nothing if there is none (yet); Time::max() if the cycle does not lead to a later iteration, so
  /// that no period is feasible.
  [[nodiscard]] std::optional<Time> mean_of_circle() const {
    constexpr std::uint32_t unseen = 0;
    std::vector<std::uint32_t> seen_from(values.size(), unseen);
    for (std::uint32_t start = 0; start < values.size(); ++start) {
      std::uint32_t at = start;
      while (seen_from[at] == unseen && raised_by[at]) {
        seen_from[at] = start + 1;
        at = raised_by[at]->from;
      }
      if (!raised_by[at] || seen_from[at] != start + 1) continue;
      Time weight{0};
      Time::rep turns = 0;
      const std::uint32_t first = at;
      do {
        weight += raised_by[at]->weight;
        turns += raised_by[at]->turns;
        at = raised_by[at]->from;
      } while (at != first);
      if (turns <= 0) return Time::max();
      return Time((weight.count() + turns - 1) / turns);
    }
    return std::nullopt;
  }
};

std::optional<std::vector<PeriodicConstraints::Constraint>> PeriodicConstraints::ordered() const {
  // Kahn's algorithm over the constraints, grouped by their first variable.
  std::vector<std::uint32_t> first(variables_ + 1, 0), open(variables_, 0);
  for (const Constraint& constraint : within_) {
    ++first[constraint.from + 1];
    ++open[constraint.to];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> grouped(within_.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t i = 0; i < within_.size(); ++i) grouped[next[within_[i].from]++] = i;

  std::vector<std::uint32_t> ready;
  for (std::uint32_t variable = 0; variable < variables_; ++variable)
    if (open[variable] == 0) ready.push_back(variable);
  std::vector<Constraint> result;
  result.reserve(within_.size());
  while (!ready.empty()) {
    const std::uint32_t variable = ready.back();
    ready.pop_back();
    for (std::uint32_t i = first[variable]; i < first[variable + 1]; ++i) {
      const Constraint& constraint = result.emplace_back(within_[grouped[i]]);
      if (--open[constraint.to] == 0) ready.push_back(constraint.to);
    }
  }
  if (result.size() != within_.size()) return std::nullopt;
  return result;
}

std::optional<PeriodicConstraints::Solution> PeriodicConstraints::solve(Time period) const {
  const auto within = ordered();
  if (!within) return std::nullopt;
  for (;;) {
    Attempt attempt(variables_, period);
    std::optional<Time> longer;
    do {
      attempt.enforce(*within);
      if (!attempt.enforce(across_)) return Solution{period, std::move(attempt.values)};
      longer = attempt.mean_of_circle();
    } while (!longer);
    if (*longer == Time::max()) return std::nullopt;
    period = *longer;
  }
}

}  // namespace takt::logp
