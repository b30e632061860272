#include "schedulers/plan/pareto.hpp"

#include <algorithm>
#include <tuple>

#include "schedulers/fit.hpp"
#include "schedulers/latency/latency_search.hpp"
#include "schedulers/plan/portfolio.hpp"
#include "schedulers/plan/rate_objective.hpp"

namespace takt::schedulers {

namespace {

/// Number of frequencies, between the highest and that of the shortest schedule, with a latency search.
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
                                      const RateSchedulers& schedulers, const Options& options,
                                      const std::function<void(const ParetoProgress&)>& report) {
  check_fit(graph, machine);
  Front front;
  Portfolio portfolio(graph, machine, schedulers, options);
  // Schedules on fewer processors: each is a start for more of them, and for longer iterations.
  std::vector<Schedule> found;
  const std::vector<std::size_t> counts = numbers_of_processors(machine);
  // On each number of processors the portfolio, then a search at each frequency.
  constexpr std::size_t parts = 1 + steps + 1;
  ParetoProgress progress{.total = parts * counts.size()};
  const auto tell = [&](std::size_t done) {
    progress.done = done;
    if (report) report(progress);
  };
  for (std::size_t number = 0; number < counts.size(); ++number) {
    const std::size_t count = progress.processors = counts[number];
    Time shortest_period = Time::max(), longest_period{0}, shortest = Time::max();
    for (const Schedule& schedule : portfolio.schedules(count)) {
      front.add(portfolio.on_machine(schedule));
      if (schedule.replicas > 1) continue;
      const ScheduleMetrics metrics = measure(schedule);
      shortest_period = std::min(shortest_period, metrics.repetition);
      if (metrics.makespan < shortest) {
        shortest = metrics.makespan;
        longest_period = metrics.repetition;
      }
    }
    for (const Schedule& schedule : portfolio.copies(count)) front.add(portfolio.on_machine(schedule));
    for (Schedule& schedule : portfolio.in_groups(count)) front.add(std::move(schedule));
    tell(parts * number + 1);
    if (count == 1 || shortest == Time::max()) continue;
    std::vector<Schedule> starts = portfolio.schedules(count);
    starts.insert(starts.end(), found.begin(), found.end());
    const logp::Machine part = portfolio.part(count);
    found.clear();
    const std::uint64_t effort = options.effort.value_or(latency_effort(graph, options) / (steps + 1) + 1);
    for (int step = 0; step <= steps; ++step) {
      const Time period = shortest_period + (longest_period - shortest_period) * step / steps;
      const auto schedule = find_least_latency(portfolio.graph(), part, period, starts, effort, options.seed);
      if (schedule) {
        front.add(portfolio.on_machine(*schedule));
        found.push_back(*schedule);
        starts.push_back(*schedule);
      }
      tell(parts * number + 2 + static_cast<std::size_t>(step));
      if (longest_period <= shortest_period) break;
    }
  }
  tell(progress.total);
  return std::move(front).take();
}

}  // namespace takt::schedulers
