#include "schedulers/bounds/cut_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "schedulers/bounds/least_times.hpp"

namespace takt::schedulers {

CutWorks::CutWorks(const Workload& workload) {
  const TaskGraph& graph = workload.items();
  const LeastTimes least(graph, workload.machine());
  for (TaskId task : graph.tasks()) {
    const Time time = graph.has_work_table() ? least.of(task) : graph.task(task).work;
    of.push_back(std::max(1.0, static_cast<double>(time.count())));
    sum += of.back();
    if (time == Time{0}) added += 1;
  }
}

std::vector<double> falling_speeds(const Workload& workload) {
  std::vector<double> speeds = workload.machine().platform().speeds;
  if (workload.items().has_work_table()) std::ranges::fill(speeds, 1.0);
  std::ranges::sort(speeds, std::greater{});
  return speeds;
}

CutMatrix::CutMatrix(const TaskGraph& graph, const CutWorks& works, double per_byte)
    : diagonal_(graph.task_count(), 0.0) {
  std::vector<double> sharing(graph.datum_count(), 0);
  for (EdgeId id : graph.edges()) ++sharing[graph.edge(id).datum.index()];
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const std::size_t a = edge.from.index(), b = edge.to.index();
    const double weight = per_byte * static_cast<double>(edge.size.count) / sharing[edge.datum.index()];
    diagonal_[a] += weight / works.of[a];
    diagonal_[b] += weight / works.of[b];
    elements_.push_back({a, b, -weight / std::sqrt(works.of[a] * works.of[b])});
  }
}

std::vector<double> CutMatrix::dense(const std::vector<double>& shift) const {
  const std::size_t n = size();
  std::vector<double> matrix(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = diagonal_[i] + shift[i];
  for (const auto& [a, b, value] : elements_) {
    matrix[a * n + b] += value;
    matrix[b * n + a] += value;
  }
  return matrix;
}

void CutMatrix::multiply(const std::vector<double>& shift, const double* from, double* to) const {
  for (std::size_t i = 0; i < size(); ++i) to[i] = (diagonal_[i] + shift[i]) * from[i];
  for (const auto& [a, b, value] : elements_) {
    to[a] += value * from[b];
    to[b] += value * from[a];
  }
}

double CutMatrix::top(const std::vector<double>& shift) const {
  std::vector<double> row(size());
  for (std::size_t i = 0; i < size(); ++i) row[i] = diagonal_[i] + shift[i];
  for (const auto& [a, b, value] : elements_) {
    row[a] -= value;
    row[b] -= value;
  }
  return row.empty() ? 0 : *std::ranges::max_element(row);
}

}  // namespace takt::schedulers
