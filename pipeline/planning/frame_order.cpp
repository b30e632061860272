#include "pipeline/planning/frame_order.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/graphs/task_groups.hpp"
#include "logp/execution.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

/// Reorders one processor's operations. A frame continues until it is done, must wait for a message, or
/// reaches a task whose state lacks the preceding frame. Then the first remaining operation follows.
class FrameByFrame {
 public:
  FrameByFrame(const TaskGraph& graph, const std::vector<Operation>& operations)
      : graph_(graph), operations_(operations) {
    for (std::size_t i = 0; i < operations.size(); ++i) of_frame_[operations[i].instance].push_back(i);
    for (std::size_t i = 0; i < operations.size(); ++i)
      if (keeps_state(operations[i])) of_state_[operations[i].subject].push_back(i);
  }

  std::vector<Operation> reordered() {
    std::vector<Operation> result;
    while (!of_frame_.empty()) {
      // The first of all can always be next.
      auto frame =
          std::ranges::min_element(of_frame_, {}, [](const auto& each) { return each.second.front(); });
      std::deque<std::size_t>& rest = frame->second;
      do {
        const Operation& operation = operations_[rest.front()];
        result.push_back(operation);
        if (keeps_state(operation)) of_state_[operation.subject].pop_front();
        rest.pop_front();
      } while (!rest.empty() && may_follow(rest.front()));
      if (rest.empty()) of_frame_.erase(frame);
    }
    return result;
  }

 private:
  [[nodiscard]] bool keeps_state(const Operation& operation) const {
    return operation.kind == OperationKind::compute && !graph_.task(operation.task()).stateless;
  }
  [[nodiscard]] bool may_follow(std::size_t index) {
    const Operation& operation = operations_[index];
    if (operation.kind == OperationKind::receive) return false;
    return !keeps_state(operation) || of_state_[operation.subject].front() == index;
  }

  const TaskGraph& graph_;
  const std::vector<Operation>& operations_;
  /// Remaining operations in their original order: by frame, and by stateful task.
  std::map<std::uint32_t, std::deque<std::size_t>> of_frame_, of_state_;
};

/// Moves messages within a tiled sequence of tasks on one frame after that sequence: in between they would
/// prevent the tasks from sharing tiles.
void send_after_tiles(const Tiling& tiling, std::vector<Operation>& operations) {
  const auto group_of = [&](const Operation& operation) -> std::optional<std::size_t> {
    if (operation.kind != OperationKind::compute || operation.subject >= tiling.size()) return {};
    return tiling[operation.subject] ? std::optional(tiling[operation.subject]->group) : std::nullopt;
  };
  const auto is_send = [](const Operation& each) { return each.kind == OperationKind::send; };
  for (auto at = operations.begin(); at != operations.end(); ++at) {
    const std::optional<std::size_t> group = group_of(*at);
    if (!group) continue;
    const auto sends = std::next(at);
    const auto next = std::find_if_not(sends, operations.end(), is_send);
    const auto rest = std::find_if_not(next, operations.end(), [&](const Operation& each) {
      return group_of(each) == group && each.instance == at->instance;
    });
    std::rotate(sends, next, rest);
  }
}

/// Returns true if the new order misses the goal of the plan: the rate, the limit of the latency, or the
/// latency by more than a tenth, which is less than the gain from shared tiles.
bool loses_goal(const schedulers::Goal& goal, const schedulers::Plan& plan, const schedulers::Plan& ordered) {
  const auto is_late = [&](const schedulers::Plan& each) {
    return goal.latency_limit && each.evaluation.metrics.latency > *goal.latency_limit;
  };
  if (is_late(ordered) && !is_late(plan)) return true;
  if (!schedulers::needs_rate(plan.objective)) return false;
  const auto latency = [](const schedulers::Plan& each) {
    return static_cast<double>(each.evaluation.metrics.latency.count());
  };
  return (plan.holds_rate && !ordered.holds_rate) || (plan.holds_margin && !ordered.holds_margin) ||
         latency(ordered) > (1 + worthwhile_gain) * latency(plan);
}

/// Returns the plan with these operations; nothing if processors would deadlock, the period becomes longer by
/// more than the accuracy of costs, or the plan no longer meets the goal.
std::optional<schedulers::Plan> with_operations(const TaskGraph& graph, const logp::Machine& machine,
                                                const schedulers::Goal& goal, const schedulers::Plan& plan,
                                                std::vector<std::vector<Operation>> operations) {
  Schedule ordered = plan.evaluation.schedule;
  ordered.processors = std::move(operations);
  ordered.least_repetition = Time{0};
  try {
    logp::execute(graph, machine, logp::Start::late, ordered);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
  schedulers::Plan result = schedulers::plan_of(graph, machine, goal, std::move(ordered));
  if (!result.evaluation.findings.empty() ||
      result.prediction.period > plan.prediction.period * (1 + accuracy_of_trials) ||
      loses_goal(goal, plan, result))
    return std::nullopt;
  result.objective = plan.objective;
  result.fewest_is_proven = plan.fewest_is_proven;
  result.choice = plan.choice;
  return result;
}

}  // namespace

std::optional<schedulers::Plan> in_order_of_frames(const TaskGraph& graph, const logp::Machine& machine,
                                                   const schedulers::Goal& goal, const schedulers::Plan& plan,
                                                   const Tiling& tiling) {
  const Schedule& schedule = plan.evaluation.schedule;
  if (!schedule.hops.empty() || schedule.repetition || runs_in_groups(graph, schedule)) return std::nullopt;
  std::vector<std::vector<Operation>> by_frame = schedule.processors;
  if (schedule.replicas > 1)
    for (std::vector<Operation>& operations : by_frame)
      operations = FrameByFrame(graph, operations).reordered();
  std::vector<std::vector<Operation>> after_tiles = by_frame;
  for (std::vector<Operation>& operations : after_tiles) send_after_tiles(tiling, operations);
  // If deferred messages lengthen the period, the order of frames alone may not.
  for (auto* const operations : {&after_tiles, &by_frame}) {
    if (*operations == schedule.processors) return std::nullopt;
    if (auto ordered = with_operations(graph, machine, goal, plan, std::move(*operations))) return ordered;
  }
  return std::nullopt;
}

}  // namespace takt::pipeline
