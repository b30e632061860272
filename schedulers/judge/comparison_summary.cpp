#include "schedulers/judge/comparison_summary.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace takt::schedulers {

namespace {

/// Returns a value relative to the best; 1 if both are 0.
double over_best(double value, double best) {
  return best > 0 ? value / best : 1;
}

/// Adds the rows of one graph and machine.
class Instance {
 public:
  Instance(std::span<const ComparisonRow> rows, ComparisonSummary& summary)
      : rows_(rows), summary_(summary) {}

  void add() {
    for (std::size_t i = 0; i < rows_.size(); ++i) add_means(rows_[i], summary_.schedulers[i]);
    for (const Objective objective : judged_objectives) add_ranking(objective);
  }

 private:
  static void add_means(const ComparisonRow& row, SchedulerSummary& summary) {
    if (!row.is_valid()) {
      ++summary.failed;
      return;
    }
    const Figures& figures = *row.figures;
    const double nsl = figures.normalised_length();
    summary.least_nsl = summary.served == 0 ? nsl : std::min(summary.least_nsl, nsl);
    summary.largest_nsl = std::max(summary.largest_nsl, nsl);
    summary.largest_seconds = std::max(summary.largest_seconds, figures.seconds);
    const auto mean = [before = static_cast<double>(summary.served++)](double& value, double next) {
      value += (next - value) / (before + 1);
    };
    mean(summary.mean_nsl, nsl);
    mean(summary.mean_makespan_ratio, figures.makespan_ratio());
    mean(summary.mean_ratio, figures.ratio());
    mean(summary.mean_speed_up, figures.speed_up());
    mean(summary.mean_efficiency, figures.efficiency());
    mean(summary.mean_processors, static_cast<double>(figures.processors_used));
    mean(summary.mean_seconds, figures.seconds);
  }

  void add_ranking(Objective objective) {
    const auto k = static_cast<std::size_t>(objective);
    const Figures* best = nullptr;
    for (const ComparisonRow& row : rows_)
      if (row.is_valid() && (best == nullptr || is_better(*row.figures, *best, objective)))
        best = &*row.figures;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].is_valid()) continue;
      const Figures& figures = *rows_[i].figures;
      SchedulerSummary& summary = summary_.schedulers[i];
      if (!is_better(*best, figures, objective)) ++summary.best[k];
      // add_means has counted this instance already.
      summary.mean_excess[k] +=
          (over_best(cost(figures, objective), cost(*best, objective)) - summary.mean_excess[k]) /
          static_cast<double>(summary.served);
      if (objective == Objective::frequency)
        summary.score += (10 / over_best(cost(figures, objective), cost(*best, objective)) - summary.score) /
                         static_cast<double>(summary.served);
      for (std::size_t j = 0; j < rows_.size(); ++j) {
        if (i == j || !rows_[j].is_valid()) continue;
        Duel& duel = summary_.duels[k][i][j];
        if (is_better(figures, *rows_[j].figures, objective))
          ++duel.wins;
        else
          ++(is_better(*rows_[j].figures, figures, objective) ? duel.losses : duel.ties);
      }
    }
  }

  std::span<const ComparisonRow> rows_;
  ComparisonSummary& summary_;
};

}  // namespace

double cost(const Figures& figures, Objective objective) {
  return objective == Objective::makespan ? static_cast<double>(figures.frame_length().count())
                                          : figures.period();
}

bool is_better(const Figures& a, const Figures& b, Objective objective) {
  return cost(a, objective) < cost(b, objective);
}

ComparisonSummary summarise(const std::vector<ComparisonRow>& rows) {
  ComparisonSummary summary;
  const auto instances = instances_of(rows);
  summary.instances = instances.size();
  if (instances.empty()) return summary;
  for (const ComparisonRow& row : instances.front())
    summary.schedulers.push_back({.scheduler = row.scheduler});
  for (auto& duels : summary.duels)
    duels.assign(summary.schedulers.size(), std::vector<Duel>(summary.schedulers.size()));
  for (const std::span<const ComparisonRow> instance : instances) Instance(instance, summary).add();
  return summary;
}

}  // namespace takt::schedulers
