#include "schedulers/moldable/trade_off.hpp"

#include <algorithm>
#include <cmath>

#include "schedulers/moldable/convex_circulation.hpp"

namespace takt::schedulers {

namespace {

/// A number of processors that a task may have.
struct PointOfTask {
  std::size_t processors = 1;
  double time = 0;
  double work = 0;
};

/// Returns points of different times, in falling order of time; of equally short ones only the smallest.
std::vector<PointOfTask> points_of_task(const Task& task, const AllowedNumbers& allowed) {
  std::vector<PointOfTask> list;
  for (std::size_t p : allowed.of(task)) {
    const double time = task.time_on(p);
    if (list.empty() || time < list.back().time) list.push_back({p, time, time * static_cast<double>(p)});
  }
  return list;
}

/// Returns the corners of the greatest convex function below the points (time, work).
std::vector<PointOfTask> lower_hull(const std::vector<PointOfTask>& points) {
  std::vector<PointOfTask> hull;
  const auto slope = [](const PointOfTask& a, const PointOfTask& b) {
    return (b.work - a.work) / (a.time - b.time);
  };
  for (const PointOfTask& point : points) {
    while (hull.size() > 1 && slope(hull.back(), point) <= slope(hull[hull.size() - 2], hull.back()))
      hull.pop_back();
    hull.push_back(point);
  }
  return hull;
}

/// Additional work of `rate` for each tick of duration below `time`.
struct CostStep {
  double time = 0;
  double rate = 0;
};

/// Cost of a task: least work, then the steps in falling order of time; `shortest` is its least duration.
struct CostFunction {
  double least_work = 0;
  double longest = 0;
  double shortest = 0;
  std::vector<CostStep> steps;

  [[nodiscard]] double at(double duration) const {
    double work = least_work;
    for (const auto& [time, rate] : steps) work += rate * std::max(0.0, time - duration);
    return work;
  }
};

CostFunction cost_function(const Task& task, const AllowedNumbers& allowed, TradeOffCost cost) {
  const std::vector<PointOfTask> points =
      cost == TradeOffCost::hull ? lower_hull(points_of_task(task, allowed)) : points_of_task(task, allowed);
  CostFunction function{points.front().work, points.front().time, points.back().time, {}};
  double before = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double more = std::max(0.0, points[i + 1].work - points[i].work);
    if (cost == TradeOffCost::activities) {
      function.steps.push_back({points[i].time, more / (points[i].time - function.shortest)});
    } else {
      const double rate = more / (points[i].time - points[i + 1].time);
      function.steps.push_back({points[i].time, std::max(0.0, rate - before)});
      before = rate;
    }
  }
  return function;
}

/// The circulation of one graph. Internal times and rates are integers, rounded down: the results are bounds
/// of the real ones.
class TradeOffNetwork {
 public:
  TradeOffNetwork(const TaskGraph& graph, const AllowedNumbers& allowed, TradeOffCost cost)
      : graph_(graph), circulation_(2 * graph.task_count() + 2) {
    double longest = 0, rates = 0;
    for (TaskId task : graph.tasks()) {
      functions_.push_back(cost_function(graph.task(task), allowed, cost));
      longest += functions_.back().longest;
      for (const CostStep& step : functions_.back().steps) rates += step.rate;
    }
    // All paths together stay below 2^53, all rates below 2^60.
    time_unit_ = std::exp2(std::floor(std::log2(std::exp2(53) / std::max(longest, 1.0))));
    time_unit_ = std::min(time_unit_, std::exp2(30));
    rate_unit_ = std::exp2(std::floor(std::log2(std::exp2(60) / std::max(rates, 1.0))));
    rate_unit_ = std::min(rate_unit_, std::exp2(40));
    build();
  }

  [[nodiscard]] double path(double CostFunction::*duration) const {
    std::vector<double> end(graph_.task_count(), 0);
    double longest = 0;
    for (TaskId task : graph_.topological_order()) {
      double start = 0;
      for (EdgeId edge : graph_.in_edges(task)) start = std::max(start, end[graph_.edge(edge).from.index()]);
      end[task.index()] = start + whole(functions_[task.index()].*duration);
      longest = std::max(longest, end[task.index()]);
    }
    return longest / time_unit_;
  }

  [[nodiscard]] double least_work() const {
    double work = 0;
    for (const CostFunction& function : functions_) work += function.least_work;
    return work;
  }

  /// Returns the least work for this length, which must not be below the shortest path.
  TradeOff solve(double length) {
    circulation_.set_last_length(back_, -static_cast<std::int64_t>(std::llround(length * time_unit_)));
    circulation_.optimize();
    ++solves_;
    TradeOff result;
    result.length = length;
    for (std::uint32_t i = 0; i < functions_.size(); ++i) {
      const CostFunction& function = functions_[i];
      const auto between =
          static_cast<double>(circulation_.potential(end(i)) - circulation_.potential(begin(i)));
      result.durations.push_back(std::clamp(between / time_unit_, function.shortest, function.longest));
      result.work += function.at(result.durations.back());
    }
    result.solves = solves_;
    result.pivots = circulation_.pivots();
    return result;
  }

  /// Returns the decrease of the work per tick of length.
  [[nodiscard]] double flow() const { return static_cast<double>(circulation_.flow(back_)) / rate_unit_; }

 private:
  static std::uint32_t begin(std::size_t task) { return static_cast<std::uint32_t>(2 * task); }
  static std::uint32_t end(std::size_t task) { return static_cast<std::uint32_t>(2 * task + 1); }
  [[nodiscard]] double whole(double time) const { return std::floor(time * time_unit_); }

  void build() {
    const ConvexCirculation::Piece free{ConvexCirculation::unlimited, 0};
    const auto source = static_cast<std::uint32_t>(2 * functions_.size()), sink = source + 1;
    std::vector<ConvexCirculation::Piece> pieces;
    for (TaskId task : graph_.tasks()) {
      const CostFunction& function = functions_[task.index()];
      pieces.clear();
      for (const CostStep& step : function.steps)
        if (const double capacity = std::floor(step.rate * rate_unit_); capacity >= 1)
          pieces.push_back(
              {static_cast<std::int64_t>(capacity), static_cast<std::int64_t>(whole(step.time))});
      pieces.push_back({ConvexCirculation::unlimited, static_cast<std::int64_t>(whole(function.shortest))});
      circulation_.add_arc(begin(task.index()), end(task.index()), pieces);
      if (graph_.in_edges(task).empty()) circulation_.add_arc(source, begin(task.index()), {&free, 1});
      if (graph_.out_edges(task).empty()) circulation_.add_arc(end(task.index()), sink, {&free, 1});
    }
    for (EdgeId id : graph_.edges()) {
      const Edge edge = graph_.edge(id);
      circulation_.add_arc(end(edge.from.index()), begin(edge.to.index()), {&free, 1});
    }
    back_ = circulation_.add_arc(sink, source, {&free, 1});
  }

  const TaskGraph& graph_;
  ConvexCirculation circulation_;
  std::vector<CostFunction> functions_;
  double time_unit_ = 1, rate_unit_ = 1;
  std::size_t back_ = 0;
  unsigned solves_ = 0;
};

}  // namespace

TradeOff best_trade_off(const TaskGraph& graph, const AllowedNumbers& allowed, std::size_t processors,
                        TradeOffCost cost) {
  TradeOffNetwork network(graph, allowed, cost);
  const auto count = static_cast<double>(processors);
  const double shortest = network.path(&CostFunction::shortest),
               longest = network.path(&CostFunction::longest);
  // If the least work takes longer than the longest path, no task needs a second processor.
  double length = std::max(shortest, std::min(longest, network.least_work() / count));
  for (;;) {
    TradeOff found = network.solve(length);
    found.bound = std::max(length, network.least_work() / count);
    // Work above the length lies to the left of the intersection: Newton's step only approaches from that
    // side.
    if (found.work <= count * length) return found;
    const double flow = network.flow();
    const double next = std::min(longest, (found.work + flow * length) / (count + flow));
    if (!(next > length * (1 + 1e-12)) || flow <= 0) return found;
    length = next;
  }
}

TradeOff least_work(const TaskGraph& graph, const AllowedNumbers& allowed, double length, TradeOffCost cost) {
  TradeOffNetwork network(graph, allowed, cost);
  TradeOff found = network.solve(std::max(length, network.path(&CostFunction::shortest)));
  found.bound = 0;
  return found;
}

Allotment round_trade_off(const TaskGraph& graph, const AllowedNumbers& allowed, const TradeOff& trade_off,
                          double mu, TradeOffCost cost) {
  // Durations at a corner must not be rounded past it.
  constexpr double tolerance = 1e-9;
  Allotment allotment;
  for (TaskId task : graph.tasks()) {
    std::vector<PointOfTask> points = points_of_task(graph.task(task), allowed);
    const double duration = trade_off.durations[task.index()] * (1 + tolerance);
    std::size_t chosen = points.size() - 1;
    if (cost == TradeOffCost::activities) {
      const double shortest = points.back().time;
      for (std::size_t i = points.size(); i-- > 0;)
        if ((1 - mu) * points[i].time + mu * shortest <= duration) chosen = i;
    } else {
      points = lower_hull(points);
      for (chosen = 0; chosen + 1 < points.size() && points[chosen + 1].time >= duration; ++chosen) {
      }
      if (chosen + 1 < points.size() && points[chosen].time * (1 - mu) > duration) ++chosen;
    }
    allotment.push_back(points[chosen].processors);
  }
  return allotment;
}

}  // namespace takt::schedulers
