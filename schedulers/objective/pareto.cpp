#include "schedulers/objective/pareto.hpp"

#include <algorithm>
#include <tuple>

#include "core/error.hpp"
#include "schedulers/frequency/copies.hpp"
#include "schedulers/frequency/workload.hpp"
#include "schedulers/objective/latency_search.hpp"
#include "schedulers/objective/portfolio.hpp"
#include "schedulers/objective/rate_objective.hpp"

namespace takt::schedulers {

namespace {

/// Frequencies between the highest and that of the shortest schedule at which less latency is searched.
constexpr int steps = 4;

ParetoPoint point_of(Schedule schedule) {
  const ScheduleMetrics metrics = measure(schedule);
  return {metrics.processors_used, metrics.exact_period(), metrics.latency, std::move(schedule)};
}

bool is_no_worse(const ParetoPoint& a, const ParetoPoint& b) {
  return a.processors <= b.processors && a.period <= b.period && a.latency <= b.latency;
}

class Front {
 public:
  void add(Schedule schedule) {
    ParetoPoint point = point_of(std::move(schedule));
    if (std::ranges::any_of(points_, [&](const ParetoPoint& other) { return is_no_worse(other, point); }))
      return;
    std::erase_if(points_, [&](const ParetoPoint& other) { return is_no_worse(point, other); });
    points_.push_back(std::move(point));
  }
  [[nodiscard]] std::vector<ParetoPoint> take() && {
    std::ranges::sort(points_, std::less{}, [](const ParetoPoint& point) {
      return std::tuple(point.processors, point.period.ticks(), point.latency);
    });
    return std::move(points_);
  }

 private:
  std::vector<ParetoPoint> points_;
};

}  // namespace

std::vector<ParetoPoint> pareto_front(const TaskGraph& graph, const logp::Machine& machine,
                                      const Options& options) {
  Front front;
  for (const std::size_t count : numbers_of_processors(machine)) {
    const std::vector<ProcessorId> processors = best_processors(graph, machine, count);
    const logp::Machine part = machine.subset(processors);
    std::vector<Schedule> starts;
    Time shortest_period = Time::max(), longest_period{0}, shortest = Time::max();
    for (Schedule& schedule : portfolio(graph, machine, processors, options)) {
      const ScheduleMetrics metrics = measure(schedule);
      if (schedule.replicas == 1) {
        shortest_period = std::min(shortest_period, metrics.repetition);
        if (metrics.makespan < shortest) {
          shortest = metrics.makespan;
          longest_period = metrics.repetition;
        }
      }
      front.add(std::move(schedule));
    }
    for (const char* name : {"optfo", "heft", "etf", "single"}) try {
        starts.push_back(find_scheduler(name).schedule(graph, part, options));
      } catch (const ConfigError&) {
        // It cannot serve these processors: the others can.
      }
    if (count == 1 || shortest == Time::max()) continue;
    for (int step = 0; step <= steps; ++step) {
      const Time period = shortest_period + (longest_period - shortest_period) * step / steps;
      const auto found =
          find_least_latency(graph, part, period, starts, latency_effort(graph, options), options.seed);
      if (found) front.add(on_processors(*found, processors, machine.processor_count()));
      if (longest_period <= shortest_period) break;
    }
  }
  return std::move(front).take();
}

}  // namespace takt::schedulers
