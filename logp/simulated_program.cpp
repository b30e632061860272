#include "logp/simulated_program.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/offsets.hpp"
#include "logp/traffic.hpp"

namespace takt::logp {

namespace {

Time first_start(const Schedule& schedule) {
  Time first = Time::max();
  for (const std::vector<Operation>& operations : schedule.processors)
    if (!operations.empty()) first = std::min(first, operations.front().start);
  return first;
}

/// Identifies a message of an instance.
std::uint64_t key_of(const Operation& operation) {
  return std::uint64_t{operation.instance} << 32 | operation.subject;
}

/// Offsets of the sends of a pipelined schedule.
class SendOffsets {
 public:
  explicit SendOffsets(const Schedule& schedule) : repetition_(schedule.repetition) {
    if (!repetition_) return;
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::send)
          offsets_.emplace(key_of(operation), offset_of(operation, *repetition_));
  }
  /// Returns the number of iterations by which a receive follows its send.
  [[nodiscard]] std::int64_t lag(const Operation& receive) const {
    if (!repetition_) return 0;
    const auto send = offsets_.find(key_of(receive));
    return send == offsets_.end() ? 0 : offset_of(receive, *repetition_) - send->second;
  }

 private:
  std::optional<Time> repetition_;
  std::unordered_map<std::uint64_t, std::int64_t> offsets_;
};

Time slowed(Time length, double slowness) {
  constexpr double most = 1e18;
  return Time(std::llround(std::min(static_cast<double>(length.count()) * slowness, most)));
}

/// Returns the place of a task in a list; nothing if it is not in it.
std::optional<std::uint32_t> index_in(const std::vector<TaskId>& tasks, TaskId task) {
  const auto found = std::ranges::find(tasks, task);
  if (found == tasks.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - tasks.begin());
}

/// Brings the operations into an order in which each follows those of its iteration that it waits for: a
/// processor continues until it meets a receive whose send of the same iteration has not come yet, or a task
/// whose state travels and comes from an instance before that has not come yet.
class ProgramMaker {
 public:
  ProgramMaker(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
               const SimulationOptions& options, const DeviceQueues& devices)
      : graph_(graph),
        network_(machine.platform().network),
        schedule_(schedule),
        options_(options),
        devices_(devices),
        costs_(machine, schedule),
        sends_(schedule),
        turns_(schedule.travelling.size(), 0) {}

  SimulatedProgram make() {
    const std::vector<std::vector<IterationStep>> programs = iteration_programs(schedule_);
    std::vector<std::size_t> next(programs.size(), 0);
    for (bool progress = true; progress;) {
      progress = false;
      for (std::uint32_t p = 0; p < programs.size(); ++p)
        for (; next[p] < programs[p].size() && add(p, programs[p][next[p]]); ++next[p]) progress = true;
    }
    for (std::size_t p = 0; p < programs.size(); ++p)
      if (next[p] < programs[p].size())
        throw ConfigError(fmt::format("processor {} waits for a message that is never sent", p));
    return std::move(program_);
  }

 private:
  /// Returns false if the operation waits for another one that has not come yet.
  bool add(std::uint32_t processor, const IterationStep& place) {
    const Operation& operation = schedule_.processors[processor][place.operation];
    SimulatedStep step{.kind = operation.kind,
                       .processor = processor,
                       .instance = operation.instance,
                       .offset = static_cast<std::uint64_t>(place.offset),
                       .length = operation.end - operation.start};
    const bool is_ready =
        operation.kind == OperationKind::compute ? fill_task(operation, step) : fill_message(operation, step);
    if (is_ready) program_.steps.push_back(step);
    return is_ready;
  }

  bool fill_task(const Operation& operation, SimulatedStep& step) {
    const TaskId task = operation.task();
    step.state = index_in(schedule_.travelling, task);
    if (step.state) {
      if (turns_[*step.state] != operation.instance) return false;
      ++turns_[*step.state];
    }
    step.takes_frame = graph_.in_edges(task).empty();
    step.on_device = devices_.find(task);
    step.watched = index_in(options_.watched, task);
    if (!options_.slowness.empty()) step.length = slowed(step.length, options_.slowness[step.processor]);
    return true;
  }

  bool fill_message(const Operation& operation, SimulatedStep& step) {
    step.transfer = transfer(operation);
    const FlightCosts& cost = costs_[operation.subject];
    const bool is_send = operation.kind == OperationKind::send;
    if (!is_send && !is_sent_[step.transfer] && sends_.lag(operation) <= 0) return false;
    if (is_send) is_sent_[step.transfer] = true;
    step.gap = is_send ? cost.send_gap : cost.receive_gap;
    step.transit = cost.transit();
    if (is_send) add_passages(operation.message(), step);
    return true;
  }

  std::uint32_t transfer(const Operation& operation) {
    const auto [found, is_new] = transfer_of_.emplace(key_of(operation), program_.transfers.size());
    if (is_new) {
      const Message& message = schedule_.message(operation.message());
      program_.transfers.push_back({message.from, message.to});
      is_sent_.push_back(false);
    }
    return found->second;
  }

  void add_passages(MessageId message, SimulatedStep& step) {
    std::vector<LinkPassage>& passages = program_.passages;
    const auto route = schedule_.route(message);
    if (route.empty()) return;
    step.transit = step.length;
    step.first_passage = static_cast<std::uint32_t>(passages.size());
    step.passage_count = static_cast<std::uint32_t>(route.size());
    const Time planned_start = first_start(schedule_);
    for (const Hop& hop : route) {
      if (hop.link.index() >= network_.links.size())
        throw ConfigError(fmt::format("message {} passes link {}: the machine's network has {}",
                                      message.index(), hop.link.index(), network_.links.size()));
      program_.links.push_back(hop.link);
    }
    const auto add = [&](std::span<const LinkId> together, Time length) {
      for (std::size_t i = 0; i < together.size(); ++i)
        passages.push_back({length, route[passages.size() - step.first_passage].start - planned_start});
      if (together.size() > 1) step.passages_together = step.passage_count;
    };
    network_.for_each_leg(std::span(program_.links).subspan(step.first_passage),
                          schedule_.message(message).size, add);
  }

  const TaskGraph& graph_;
  const Network& network_;
  const Schedule& schedule_;
  const SimulationOptions& options_;
  const DeviceQueues& devices_;
  const FlightCostTable costs_;
  const SendOffsets sends_;
  std::unordered_map<std::uint64_t, std::uint32_t> transfer_of_;
  /// By transfer.
  std::vector<bool> is_sent_;
  /// By task whose state travels: the instance that is next.
  std::vector<std::uint32_t> turns_;
  SimulatedProgram program_;
};

}  // namespace

SimulatedProgram simulated_program(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                                   const SimulationOptions& options, const DeviceQueues& devices) {
  return ProgramMaker(graph, machine, schedule, options, devices).make();
}

void check_times(const SimulatedProgram& program, const SimulationOptions& options,
                 const DeviceQueues& devices, Time repetition) {
  constexpr double limit = 1e18;
  const double most_longer = 1 + options.jitter_share + options.drift;
  double iteration = 0;
  for (const SimulatedStep& step : program.steps) {
    const auto length = static_cast<double>(step.length.count());
    iteration += step.kind == OperationKind::compute
                     ? length * most_longer + static_cast<double>(options.jitter.count()) + 1
                     : length + static_cast<double>((step.gap + step.transit).count());
    if (step.on_device) iteration += static_cast<double>(devices.latency(*step.on_device).count());
  }
  for (const LinkPassage& passage : program.passages)
    iteration += static_cast<double>((repetition + passage.reserved + passage.length).count());
  const auto frames = static_cast<double>(options.frames);
  const double most = frames * (iteration + options.frame_interval.value_or(0));
  if (!(most <= limit))
    throw ConfigError(fmt::format("{} frames can take up to {:.3g} ticks: the limit is {:.3g}",
                                  options.frames, most, limit));
}

std::uint64_t largest_source_offset(const TaskGraph& graph, const Schedule& schedule) {
  std::int64_t largest = 0;
  if (schedule.repetition)
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::compute && graph.in_edges(operation.task()).empty())
          largest = std::max(largest, offset_of(operation, *schedule.repetition));
  return static_cast<std::uint64_t>(largest);
}

std::uint64_t least_buffers(const Schedule& schedule) {
  const SendOffsets sends(schedule);
  std::int64_t least = 1;
  if (schedule.repetition)
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::receive) least = std::max(least, sends.lag(operation) + 1);
  return static_cast<std::uint64_t>(least);
}

}  // namespace takt::logp
