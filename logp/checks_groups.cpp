/// Checks of schedules in which groups of processors work on moldable tasks.

#include <algorithm>
#include <optional>
#include <vector>

#include "core/graphs/task_groups.hpp"
#include "logp/checks.hpp"

namespace takt::logp {

namespace {

/// A task's group and its times for one instance.
struct GroupRun {
  std::vector<ProcessorId> processors;
  const Operation* first = nullptr;
};

/// Reports errors within one group.
void check_group(Examination& examination, TaskId task, std::span<const TaskGroups::Run> runs) {
  const Operation& first = *runs.front().operation;
  const Platform& platform = examination.machine.platform();
  if (runs.size() > 1 && !examination.graph.task(task).moldable)
    return examination.report("task-once", runs[1].processor, runs[1].operation->start,
                              "{} runs a second time: processor {} has it at {}..{}, and it is not moldable",
                              examination.describe(*runs[1].operation), runs.front().processor.index(),
                              first.start.count(), first.end.count());
  std::vector<ProcessorId> group;
  for (const auto& [processor, operation] : runs) {
    if (!group.empty() && group.back() == processor)
      return examination.report("task-once", processor, operation->start, "{} runs a second time there",
                                examination.describe(*operation));
    group.push_back(processor);
    if (operation->start != first.start || operation->end != first.end)
      examination.report("group", processor, operation->start,
                         "{} is not together with processor {} of its group, which has it at {}..{}",
                         examination.describe(*operation), runs.front().processor.index(),
                         first.start.count(), first.end.count());
    if (platform.cluster(processor) != platform.cluster(runs.front().processor))
      examination.report(
          "group", processor, operation->start,
          "{} is in cluster {}, the group's processor {} in cluster {}: a task runs within one",
          examination.describe(*operation), platform.cluster(processor), runs.front().processor.index(),
          platform.cluster(runs.front().processor));
  }
  const Time expected = examination.machine.duration(examination.graph, task, group);
  if (first.end - first.start != expected)
    examination.report("duration", runs.front().processor, first.start,
                       "{} takes {} on {} processors: expected {}", examination.describe(first),
                       (first.end - first.start).count(), group.size(), expected.count());
}

/// Time of one processor's sends, or receives, part after part; a single part takes o + L + o.
class PartsOfProcessor {
 public:
  void add(Time apart, Time message) {
    if (last_) sum_ += *last_;
    last_ = apart;
    message_ = message;
  }
  [[nodiscard]] Time time() const { return sum_ + message_; }

 private:
  Time sum_{0};
  std::optional<Time> last_;
  Time message_{0};
};

/// Returns the transfer time of an edge's data, directly by the definition in redistribution.hpp, over all
/// pairs of blocks. Shares no code with redistribution.cpp.
Time time_under_way(const Machine& machine, const GroupRun& from, const GroupRun& to, Bytes size) {
  const auto block = [&](std::size_t index, std::size_t count) {
    const auto begin = [&](std::size_t i) {
      return i * (size.count / count) + i * (size.count % count) / count;
    };
    return std::pair(begin(index), begin(index + 1));
  };
  std::vector<PartsOfProcessor> sent(from.processors.size()), received(to.processors.size());
  Time longest{0};
  std::uint64_t all = 0;
  std::optional<std::pair<ProcessorId, ProcessorId>> any;
  for (std::size_t i = 0; i < sent.size(); ++i)
    for (std::size_t j = 0; j < received.size(); ++j) {
      const ProcessorId p = from.processors[i], q = to.processors[j];
      const auto [has_from, has_to] = block(i, sent.size());
      const auto [needs_from, needs_to] = block(j, received.size());
      const std::uint64_t begin = std::max(has_from, needs_from), end = std::min(has_to, needs_to);
      const bool is_empty_message = size.count == 0 && i == 0 && j == 0;
      if (p == q || (begin >= end && !is_empty_message)) continue;
      const Bytes part{end - begin};
      const Time o_send = machine.send_overhead(p, q, part), o_receive = machine.receive_overhead(p, q, part);
      const Time message = std::max(Time{0}, o_send + machine.latency(p, q, part)) + o_receive;
      sent[i].add(std::max(o_send, machine.send_gap(p, q, part)), message);
      received[j].add(std::max(o_receive, machine.receive_gap(p, q, part)), message);
      all += part.count;
      any = {p, q};
    }
  for (const PartsOfProcessor& parts : sent) longest = std::max(longest, parts.time());
  for (const PartsOfProcessor& parts : received) longest = std::max(longest, parts.time());
  if (any) {
    const LinkCosts& costs = machine.costs(any->first, any->second);
    longest = std::max(longest, costs.latency.at(Bytes{0}) + costs.backbone.at(Bytes{all}));
  }
  return longest;
}

void check_redistribution(Examination& examination, const Edge& edge, const GroupRun& from,
                          const GroupRun& to) {
  const Time there = from.first->end + time_under_way(examination.machine, from, to, edge.size);
  if (to.first->start < there)
    examination.report(
        "redistribution", to.processors.front(), to.first->start,
        "{} needs data of task '{}', which are redistributed from {} to {} processors by {} only",
        examination.describe(*to.first), examination.graph.task(edge.from).name, from.processors.size(),
        to.processors.size(), there.count());
}

/// All instances must be on the same processors, over which the state of a task is distributed.
void check_group_state(Examination& examination, TaskId task, const GroupRun& before, const GroupRun& after) {
  if (examination.graph.task(task).stateless) return;
  if (before.processors != after.processors)
    examination.report("state", after.processors.front(), after.first->start,
                       "{} runs on another group than the instance before, but the task has state",
                       examination.describe(*after.first));
  else if (after.first->start < before.first->end)
    examination.report("state", after.processors.front(), after.first->start,
                       "{} begins before the instance before has ended", examination.describe(*after.first));
}

}  // namespace

void check_groups(Examination& examination) {
  const auto& [graph, schedule] = std::tie(examination.graph, examination.schedule);
  if (!schedule.messages.empty())
    examination.report("group", schedule.messages.front().from, Time{0},
                       "the schedule has messages, but groups of processors exchange data by redistribution");
  const TaskGroups groups(graph, schedule);
  std::vector<GroupRun> runs(graph.task_count()), before;
  for (std::uint32_t instance = 0; instance < schedule.replicas; ++instance) {
    for (TaskId task : graph.tasks()) {
      const auto found = groups.runs(task, instance);
      GroupRun& run = runs[task.index()];
      run = {groups.group(task, instance), found.empty() ? nullptr : found.front().operation};
      if (found.empty())
        examination.report("task-once", ProcessorId(0), Time{0}, "task '{}' of instance {} never runs",
                           graph.task(task).name, instance);
      else
        check_group(examination, task, found);
    }
    for (EdgeId id : graph.edges()) {
      const Edge edge = graph.edge(id);
      const GroupRun &from = runs[edge.from.index()], &to = runs[edge.to.index()];
      if (from.first != nullptr && to.first != nullptr) check_redistribution(examination, edge, from, to);
    }
    for (TaskId task : graph.tasks())
      if (instance > 0 && before[task.index()].first != nullptr && runs[task.index()].first != nullptr)
        check_group_state(examination, task, before[task.index()], runs[task.index()]);
    before = runs;
  }
}

}  // namespace takt::logp
