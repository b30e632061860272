#include "schedulers/bounds/partition_bound.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "schedulers/bounds/cut_matrix.hpp"
#include "schedulers/bounds/eigenvalues.hpp"
#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/bounds/low_subspace.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_tasks_of_partitions = 512;
/// Additional vectors, with which the relevant ones converge faster.
constexpr std::size_t more_vectors = 4;
constexpr int first_improvements = 4, shift_steps = 40, most_worse = 3;
/// Relative to the mean of the matrix's diagonal.
constexpr double first_shift = -0.25, first_step = 0.2;
/// Relative error bound of floating-point sums.
constexpr double partition_tolerance = 1e-9;

class DiagonalSearch {
 public:
  /// `per_byte`: mean cost of both ends of a byte; `least_per_byte`: cost of the cheaper end.
  DiagonalSearch(const Workload& workload, double per_byte, double least_per_byte)
      : works_(workload),
        speeds_(falling_speeds(workload)),
        matrix_(workload.items(), works_, per_byte),
        shift_(matrix_.size(), 0.0) {
    for (double speed : speeds_) speed_sum_ += speed;
    find_largest(least_per_byte / per_byte);
  }

  /// Small steps after large ones. Approximate eigenvalues are too large, those of the first subspaces by
  /// far; so the search evaluates the best numbers again before it continues from them.
  void search() {
    double mean = 0;
    for (std::size_t i = 0; i < matrix_.size(); ++i)
      mean += matrix_.diagonal()[i] * works_.of[i] / works_.sum;
    for (double& shift : shift_) shift = first_shift * mean;
    LowSubspace subspace(matrix_, std::min(matrix_.size(), largest_.size() + more_vectors));
    for (int i = 0; i < first_improvements; ++i) subspace.improve(shift_);
    std::vector<double> best_shift = shift_;
    double best = 0, step = first_step * mean;
    for (int i = 0, worse = 0; i < shift_steps; ++i) {
      subspace.improve(shift_);
      const double found = bound(subspace.values());
      if (found > best || worse == most_worse) {
        best = found;
        best_shift = shift_;
        worse = 0;
      } else if (++worse == most_worse) {
        step /= 2;
        shift_ = best_shift;
        continue;
      }
      change(subspace, found, step);
    }
    shift_ = std::move(best_shift);
  }

  /// Uses lower bounds of the eigenvalues. Tasks without work count as a tick each (CutWorks): each processor
  /// can do its own share and them within the additional time that the slowest one takes for them.
  [[nodiscard]] double proven() const {
    double lowest = 0;
    for (double shift : shift_) lowest = std::min(lowest, shift);
    std::vector<double> raised = shift_;
    for (double& shift : raised) shift -= lowest;
    std::vector<double> values = smallest_eigenvalues(matrix_.dense(raised), matrix_.size(), speeds_.size());
    for (double& value : values) value += lowest;
    return bound(values) - works_.added / speeds_.back();
  }

 private:
  /// Computes the k-th largest part, relative to the period.
  void find_largest(double share_of_least) {
    const std::vector<double> no_shift(matrix_.size(), 0.0);
    double speeds = 0, values = 0;
    for (double value : smallest_eigenvalues(matrix_.dense(no_shift), matrix_.size(), speeds_.size())) {
      const double speed = speeds_[largest_.size()];
      speeds += speed;
      values += share_of_least * value;
      const auto count = static_cast<double>(largest_.size() + 1);
      largest_.push_back(std::min(speed, speeds / (count + speeds_.back() * values)));
    }
  }

  /// Where the bound has its maximum, period times the vectors' squares equals the tasks' work. Raises the
  /// price of tasks with too large a share in the vectors.
  void change(const LowSubspace& subspace, double period, double step) {
    for (std::size_t task = 0; task < matrix_.size(); ++task) {
      double taken = 0;
      for (std::size_t k = 0; k < largest_.size(); ++k) {
        if (subspace.values()[k] >= 0) break;
        taken += largest_[k] * subspace.vector(k)[task] * subspace.vector(k)[task];
      }
      shift_[task] += step * std::clamp(taken * period / works_.of[task] - 1, -1.0, 2.0);
    }
  }

  [[nodiscard]] double bound(const std::vector<double>& values) const {
    double shifted = 0;
    for (std::size_t i = 0; i < shift_.size(); ++i) shifted += works_.of[i] * shift_[i];
    double below = 0;
    for (std::size_t i = 0; i < std::min(values.size(), largest_.size()); ++i)
      below += largest_[i] * std::min(0.0, values[i]);
    return (works_.sum - speeds_.back() * shifted) / (speed_sum_ - speeds_.back() * below);
  }

  CutWorks works_;
  std::vector<double> speeds_;
  double speed_sum_ = 0;
  CutMatrix matrix_;
  std::vector<double> largest_;
  std::vector<double> shift_;
};

}  // namespace

Time partition_bound(const Workload& workload) {
  const TaskGraph& graph = workload.items();
  if (workload.replicas() != 1 || graph.task_count() < 2 || graph.edge_count() == 0 ||
      workload.machine().processor_count() < 2 || graph.task_count() > most_tasks_of_partitions)
    return Time{0};
  const LeastMessageCosts costs(workload);
  const double per_byte = (costs.send.per_byte() + costs.receive.per_byte()) / 2;
  if (per_byte <= 0) return Time{0};
  DiagonalSearch search(workload, per_byte, std::min(costs.send.per_byte(), costs.receive.per_byte()));
  search.search();
  return Time(static_cast<Time::rep>(std::max(0.0, std::ceil(search.proven() * (1 - partition_tolerance)))));
}

}  // namespace takt::schedulers
