#pragma once
/// The Pareto front of frequency, latency and processors.

#include <functional>
#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// A schedule that no other one found beats in one of frequency, latency and processors without being worse
/// in another.
struct ParetoPoint {
  std::size_t processors = 0;
  Period period;
  Time latency{0};
  Schedule schedule;

  /// Frames per tick.
  [[nodiscard]] double frequency() const { return period.time > Time{0} ? 1 / period.ticks() : 0; }
};

struct ParetoProgress {
  std::size_t done = 0, total = 0;
  std::size_t processors = 0;
};

/// Returns the front by processors, then from the highest frequency down. The candidates are those of the
/// portfolio (portfolio.hpp) on each of numbers_of_processors, and of the latency search (latency_search.hpp)
/// at several frequencies between the highest and that of the shortest schedule. After each part, calls
/// `report` with the numbers of finished and of all parts, and with the number of processors of that part.
[[nodiscard]] std::vector<ParetoPoint> pareto_front(
    const TaskGraph& graph, const logp::Machine& machine, const RateSchedulers& schedulers,
    const Options& options = {}, const std::function<void(const ParetoProgress&)>& report = {});

/// Returns a table for users.
[[nodiscard]] std::string to_text(const std::vector<ParetoPoint>& front);
/// Returns a list of objects: `processors period frequency latency replicas scheduler`.
[[nodiscard]] std::string to_json(const std::vector<ParetoPoint>& front);

}  // namespace takt::schedulers
