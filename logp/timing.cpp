#include "logp/timing.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/counting_sort.hpp"
#include "core/error.hpp"
#include "core/graphs/levels.hpp"
#include "logp/execution.hpp"

namespace takt::logp {

namespace {

/// Adds a message with the size of its distinct data; one unit if it carries none.
MessageId add_message(const TaskGraph& graph, Schedule& schedule, ProcessorId from, ProcessorId to,
                      std::span<const DatumId> data) {
  Bytes size;
  for (DatumId datum : data) size += graph.datum_size(datum);
  return schedule.add_message(from, to, data.empty() ? Bytes{1} : size, data);
}

/// A transfer of a datum to a processor that needs it.
struct Need {
  DatumId datum;
  ProcessorId from;
  ProcessorId to;
  /// Steps of the sender and of the receiver: the production of the datum, and its first use.
  std::uint32_t made = 0;
  std::uint32_t needed = 0;
};

/// Returns one transfer for each datum and each other processor that needs it, by datum. O(n + m log m), O(n
/// + m) if the edges are in the order of their data.
std::vector<Need> find_needs(const TaskGraph& graph, std::span<const ProcessorId> processor_of,
                             std::span<const std::uint32_t> step_of) {
  std::vector<Need> needs;
  needs.reserve(graph.edge_count());
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const ProcessorId from = processor_of[edge.from.index()], to = processor_of[edge.to.index()];
    if (from == to) continue;
    needs.push_back({edge.datum, from, to, step_of[edge.from.index()], step_of[edge.to.index()]});
  }
  const auto before = [](const Need& a, const Need& b) {
    return std::tuple(a.datum, a.to, a.needed) < std::tuple(b.datum, b.to, b.needed);
  };
  if (!std::is_sorted(needs.begin(), needs.end(), before)) std::sort(needs.begin(), needs.end(), before);
  const auto last = std::unique(needs.begin(), needs.end(), [](const Need& a, const Need& b) {
    return a.datum == b.datum && a.to == b.to;
  });
  needs.erase(last, needs.end());
  return needs;
}

/// Returns the same by sender, step of the sender and receiver; of equal ones by datum. O(n + m).
std::vector<Need> by_message(std::vector<Need> needs, std::size_t processors) {
  std::uint32_t last = 0;
  for (const Need& need : needs) last = std::max(last, need.made);
  needs = counting_sorted(std::move(needs), processors, [](const Need& need) { return need.to.index(); });
  needs =
      counting_sorted(std::move(needs), last + std::size_t{1}, [](const Need& need) { return need.made; });
  return counting_sorted(std::move(needs), processors, [](const Need& need) { return need.from.index(); });
}

/// Collects the operations of each step of each processor: receives, then tasks, then sends, each in the
/// order of insertion.
class Steps {
 public:
  explicit Steps(std::size_t processors) : entries_(processors) {}

  /// Reserves memory for each processor: for a million tasks, growing lists would waste a tenth of all
  /// memory.
  void reserve(std::span<const std::size_t> more) {
    for (std::size_t p = 0; p < entries_.size(); ++p) entries_[p].reserve(entries_[p].size() + more[p]);
  }

  void add_receive(ProcessorId processor, std::uint32_t step, MessageId message) {
    add(processor, step, OperationKind::receive, message.index());
  }
  void add_compute(ProcessorId processor, std::uint32_t step, TaskId task) {
    add(processor, step, OperationKind::compute, task.index());
  }
  void add_send(ProcessorId processor, std::uint32_t step, MessageId message) {
    add(processor, step, OperationKind::send, message.index());
  }

  /// Converts them to the processors' operations, still without times. Frees its memory processor by
  /// processor: for a million tasks it is a hundred megabytes.
  void become_operations(Schedule& schedule) && {
    for (std::size_t p = 0; p < entries_.size(); ++p)
      schedule.processors[p] = operations_of(std::exchange(entries_[p], {}));
  }

 private:
  struct Entry {
    std::uint32_t step = 0;
    OperationKind kind = OperationKind::compute;
    std::uint32_t subject = 0;
  };

  void add(ProcessorId processor, std::uint32_t step, OperationKind kind, std::size_t subject) {
    entries_[processor.index()].push_back({step, kind, static_cast<std::uint32_t>(subject)});
  }
  static std::size_t phase(OperationKind kind) {
    return kind == OperationKind::receive ? 0 : kind == OperationKind::compute ? 1 : 2;
  }
  static std::vector<Operation> operations_of(std::vector<Entry> entries) {
    std::uint32_t last = 0;
    for (const Entry& entry : entries) last = std::max(last, entry.step);
    entries = counting_sorted(std::move(entries), 3 * (last + std::size_t{1}), [](const Entry& entry) {
      return 3 * std::size_t{entry.step} + phase(entry.kind);
    });
    std::vector<Operation> operations;
    operations.reserve(entries.size());
    for (const Entry& entry : entries)
      operations.emplace_back(entry.kind, 0, entry.subject, Time{0}, Time{0});
    return operations;
  }

  std::vector<std::vector<Entry>> entries_;
};

/// Adds the messages for the transfers: one for each (sender, step, receiver), or one for each datum. A
/// message is received in the first step that needs any of its data.
void add_messages(const TaskGraph& graph, std::vector<Need> needs, bool aggregate, Schedule& schedule,
                  Steps& steps) {
  needs = by_message(std::move(needs), schedule.processors.size());
  const auto is_with = [aggregate](const Need& a, const Need& b) {
    return a.from == b.from && a.made == b.made && a.to == b.to && (aggregate || a.datum == b.datum);
  };
  // Unused reserved memory costs nothing, a growing vector costs half as much again.
  schedule.messages.reserve(schedule.messages.size() + needs.size());
  schedule.data.reserve(schedule.data.size() + needs.size());
  std::vector<std::size_t> operations(schedule.processors.size(), 0);
  for (const Need& need : needs) {
    ++operations[need.from.index()];
    ++operations[need.to.index()];
  }
  steps.reserve(operations);
  std::vector<DatumId> data;
  for (auto first = needs.begin(); first != needs.end();) {
    auto last = first;
    std::uint32_t needed = first->needed;
    data.clear();
    for (; last != needs.end() && is_with(*first, *last); ++last) {
      data.push_back(last->datum);
      needed = std::min(needed, last->needed);
    }
    const MessageId message = add_message(graph, schedule, first->from, first->to, data);
    steps.add_send(first->from, first->made, message);
    steps.add_receive(first->to, needed, message);
    first = last;
  }
}

void check_local_order(const TaskGraph& graph, const Allocation& allocation,
                       std::span<const ProcessorId> processor_of) {
  std::vector<std::size_t> position(graph.task_count());
  for (const std::vector<TaskId>& order : allocation.order)
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i].index()] = i;
  for (EdgeId id : graph.edges()) {
    const auto [from, to, size, datum] = graph.edge(id);
    if (processor_of[from.index()] == processor_of[to.index()] &&
        position[from.index()] > position[to.index()])
      throw ConfigError(fmt::format("task '{}' precedes '{}' on processor {}, but needs its data",
                                    graph.task(to).name, graph.task(from).name,
                                    processor_of[to.index()].index()));
  }
}

void check_fits(const Machine& machine, const Allocation& allocation) {
  if (allocation.order.size() != machine.processor_count())
    throw ConfigError(fmt::format("the allocation is for {} processors, the machine has {}",
                                  allocation.order.size(), machine.processor_count()));
}

}  // namespace

void add_routes(const Platform& platform, Schedule& schedule) {
  if (platform.network.empty()) return;
  const Routes routes(platform.network);
  std::vector<Hop> hops;
  for (MessageId id : ids<MessageId>(schedule.messages.size())) {
    const Message& message = schedule.message(id);
    hops.clear();
    for (LinkId link : routes.route(NodeId(platform.node_of[message.from.index()]),
                                    NodeId(platform.node_of[message.to.index()])))
      hops.push_back({link});
    if (!hops.empty()) schedule.set_route(id, hops);
  }
}

std::vector<ProcessorId> Allocation::processor_of(const TaskGraph& graph) const {
  std::vector<std::optional<ProcessorId>> found(graph.task_count());
  for (std::size_t p = 0; p < order.size(); ++p)
    for (TaskId task : order[p]) {
      if (task.index() >= graph.task_count())
        throw ConfigError(fmt::format("there is no task {} to allocate: the graph has {}", task.index(),
                                      graph.task_count()));
      if (found[task.index()])
        throw ConfigError(fmt::format("task '{}' is allocated twice", graph.task(task).name));
      found[task.index()] = ProcessorId(p);
    }
  std::vector<ProcessorId> result;
  result.reserve(found.size());
  for (TaskId task : graph.tasks()) {
    if (!found[task.index()])
      throw ConfigError(fmt::format("task '{}' is allocated to no processor", graph.task(task).name));
    result.push_back(*found[task.index()]);
  }
  return result;
}

Schedule time_relay(const TaskGraph& graph, const Machine& machine, const Allocation& allocation,
                    std::span<const ProcessorId> chain) {
  check_fits(machine, allocation);
  const std::vector<ProcessorId> processor_of = allocation.processor_of(graph);
  check_local_order(graph, allocation, processor_of);
  std::vector<std::optional<std::size_t>> place(machine.processor_count());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (place[chain[i].index()])
      throw ConfigError(fmt::format("processor {} is twice in the chain", chain[i].index()));
    place[chain[i].index()] = i;
  }
  auto place_of = [&](TaskId task) {
    const ProcessorId processor = processor_of[task.index()];
    if (!place[processor.index()])
      throw ConfigError(fmt::format("task '{}' runs on processor {}, which is not in the chain",
                                    graph.task(task).name, processor.index()));
    return *place[processor.index()];
  };

  // A datum crosses every boundary from its task's position to the last position that needs it.
  std::vector<std::size_t> last_need(graph.datum_count(), 0);
  for (EdgeId id : graph.edges()) {
    const auto [from, to, size, datum] = graph.edge(id);
    if (place_of(from) > place_of(to))
      throw ConfigError(fmt::format("task '{}' needs data of '{}', which runs further down the chain",
                                    graph.task(to).name, graph.task(from).name));
    last_need[datum.index()] = std::max(last_need[datum.index()], place_of(to));
  }
  std::vector<std::vector<DatumId>> crossing(chain.size());
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    for (std::size_t i = place_of(graph.datum_task(datum)); i < last_need[datum.index()]; ++i)
      crossing[i].push_back(datum);

  Schedule schedule({}, machine.processor_count());
  Steps steps(machine.processor_count());
  for (ProcessorId p : chain)
    for (TaskId task : allocation.order[p.index()]) steps.add_compute(p, 0, task);
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    if (crossing[i].empty()) continue;
    const MessageId message = add_message(graph, schedule, chain[i], chain[i + 1], crossing[i]);
    steps.add_send(chain[i], 0, message);
    steps.add_receive(chain[i + 1], 0, message);
  }
  std::move(steps).become_operations(schedule);
  execute(graph, machine, Start::early, schedule);

  // If no data cross a boundary, the rest of the chain began at 0: it must begin when its predecessor has
  // finished.
  Time shift{0};
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const std::vector<Operation>& predecessor = schedule.processors[chain[i - 1].index()];
    if (crossing[i - 1].empty()) shift = predecessor.empty() ? shift : predecessor.back().end;
    for (Operation& operation : schedule.processors[chain[i].index()]) {
      operation.start += shift;
      operation.end += shift;
    }
  }
  return schedule;
}

Schedule time_layer_messages(const TaskGraph& graph, const Machine& machine, const Allocation& allocation,
                             LayerMessageOptions options) {
  check_fits(machine, allocation);
  const std::vector<ProcessorId> processor_of = allocation.processor_of(graph);
  const std::vector<std::size_t> layers = layers_of(graph);
  const std::vector<std::uint32_t> layer_of(layers.begin(), layers.end());
  const std::size_t layer_count = layers.empty() ? 0 : *std::max_element(layers.begin(), layers.end()) + 1;

  Schedule schedule({}, machine.processor_count());
  Steps steps(machine.processor_count());
  for (ProcessorId p : machine.processors())
    for (TaskId task : allocation.order[p.index()]) steps.add_compute(p, layer_of[task.index()], task);

  std::vector<Need> needs = find_needs(graph, processor_of, layer_of);
  if (options.all_to_all) {
    std::map<std::tuple<std::uint32_t, ProcessorId, ProcessorId>, std::vector<DatumId>> payloads;
    for (const Need& need : needs) payloads[{need.made, need.from, need.to}].push_back(need.datum);
    for (std::uint32_t layer = 0; layer + 1 < layer_count; ++layer)
      for (ProcessorId from : machine.processors())
        for (ProcessorId to : machine.processors()) {
          if (from == to) continue;
          const std::vector<DatumId>& payload = payloads[{layer, from, to}];
          const MessageId message = options.all_to_all_size
                                        ? schedule.add_message(from, to, *options.all_to_all_size, payload)
                                        : add_message(graph, schedule, from, to, payload);
          steps.add_send(from, layer, message);
          steps.add_receive(to, layer + 1, message);
        }
  } else {
    add_messages(graph, std::move(needs), options.aggregate, schedule, steps);
  }
  std::move(steps).become_operations(schedule);
  execute(graph, machine, options.start, schedule);
  return schedule;
}

Schedule time_task_messages(const TaskGraph& graph, const Machine& machine, const Allocation& allocation,
                            TaskMessageOptions options) {
  check_fits(machine, allocation);
  std::vector<ProcessorId> processor_of = allocation.processor_of(graph);
  check_local_order(graph, allocation, processor_of);
  std::vector<std::uint32_t> position(graph.task_count());
  Steps steps(machine.processor_count());
  for (ProcessorId p : machine.processors()) {
    std::uint32_t step = 0;
    for (TaskId task : allocation.order[p.index()]) {
      position[task.index()] = step;
      steps.add_compute(p, step++, task);
    }
  }
  Schedule schedule({}, machine.processor_count());
  add_messages(graph, find_needs(graph, processor_of, position), options.aggregate, schedule, steps);
  processor_of = {};
  position = {};
  if (options.routed) add_routes(machine.platform(), schedule);
  std::move(steps).become_operations(schedule);
  execute(graph, machine, options.start, schedule);
  return schedule;
}

}  // namespace takt::logp
