#include "schedulers/replication/copies.hpp"

#include <algorithm>
#include <numeric>

#include "core/period.hpp"
#include "schedulers/bounds/least_times.hpp"

namespace takt::schedulers {

namespace {

std::vector<Time> times_of_whole(const TaskGraph& graph, const logp::Machine& machine) {
  std::vector<Time> times;
  for (ProcessorId p : machine.processors()) times.push_back(sequential_time(graph, machine, p));
  return times;
}

}  // namespace

Shares best_shares(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t most_frames) {
  const std::vector<Time> times = times_of_whole(graph, machine);
  Shares shares(times.size(), 0), best = shares;
  Time largest{0};
  Period least{Time::max(), 1};
  for (std::uint32_t frames = 1; frames <= most_frames; ++frames) {
    // Adds one frame to the processor that then finishes first, which minimises the largest time.
    std::size_t next = 0;
    auto then = [&](std::size_t p) {
      const bool is_too_long = times[p] > Time::max() / (shares[p] + 1);
      return is_too_long ? Time::max() : times[p] * (shares[p] + 1);
    };
    for (std::size_t p = 1; p < shares.size(); ++p)
      if (then(p) < then(next)) next = p;
    largest = std::max(largest, then(next));
    if (largest == Time::max()) break;
    ++shares[next];
    if (const Period period{largest, frames}; period < least) {
      least = period;
      best = shares;
    }
  }
  return best;
}

Schedule copies_of_whole(const TaskGraph& graph, const logp::Machine& machine, const Shares& shares) {
  Schedule schedule({}, machine.processor_count());
  schedule.replicas = std::accumulate(shares.begin(), shares.end(), 0U);
  Shares given(shares.size(), 0);
  std::vector<Time> ready(shares.size(), Time{0});
  for (std::uint32_t frame = 0; frame < schedule.replicas; ++frame) {
    std::size_t next = shares.size();
    for (std::size_t p = 0; p < shares.size(); ++p) {
      // The processor that is farthest below its share: the least (given + 1) / share.
      if (given[p] == shares[p]) continue;
      if (next == shares.size() || (given[p] + 1) * shares[next] < (given[next] + 1) * shares[p]) next = p;
    }
    ++given[next];
    for (TaskId task : graph.topological_order()) {
      const Time end = ready[next] + machine.duration(graph, task, ProcessorId(next));
      schedule.add_compute(ProcessorId(next), task, ready[next], end, frame);
      ready[next] = end;
    }
  }
  return schedule;
}

Schedule copies_on_groups(const Schedule& schedule, std::size_t group_size, std::uint32_t groups,
                          std::size_t processors) {
  Schedule copies(schedule.scheduler, processors);
  copies.replicas = groups;
  copies.least_repetition = schedule.least_repetition;
  for (std::uint32_t group = 0; group < groups; ++group) {
    const auto moved = [&](ProcessorId p) { return ProcessorId(p.index() + group * group_size); };
    const auto first_message = static_cast<std::uint32_t>(copies.messages.size());
    for (MessageId id : ids<MessageId>(schedule.messages.size())) {
      const Message& message = schedule.message(id);
      (void)copies.add_message(moved(message.from), moved(message.to), message.size, schedule.payload(id));
    }
    for (std::size_t p = 0; p < group_size; ++p)
      for (Operation operation : schedule.processors[p]) {
        operation.set_instance(group);
        if (operation.kind != OperationKind::compute) operation.subject += first_message;
        copies.add(moved(ProcessorId(p)), operation);
      }
  }
  return copies;
}

}  // namespace takt::schedulers
