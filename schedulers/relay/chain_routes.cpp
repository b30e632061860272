#include "schedulers/relay/chain_routes.hpp"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

#include "core/system/free_memory.hpp"
#include "logp/execution.hpp"
#include "logp/message_costs.hpp"
#include "logp/period.hpp"
#include "schedulers/relay/stage_sequence.hpp"
#include "schedulers/search/topological_order.hpp"

namespace takt::schedulers {

ChainRoutes::ChainRoutes(std::size_t stages, Routing routing) : stages_(stages), next_(stages * stages) {
  for (std::uint32_t from = 0; from < stages; ++from)
    for (std::uint32_t to = from + 1; to < stages; ++to)
      set_next(from, to, routing == Routing::relay ? from + 1 : to);
}

namespace {

/// A datum on a link, in a message of its instance and, with one message per item, of its item.
struct Carried {
  std::uint32_t from, to, instance, item;
  DatumId datum;

  [[nodiscard]] bool is_with(const Carried& other) const {
    return std::tie(from, to, instance, item) == std::tie(other.from, other.to, other.instance, other.item);
  }
  friend auto operator<=>(const Carried&, const Carried&) = default;
};

/// Returns each datum once on each link that it uses, for any number of stages.
std::vector<Carried> find_carried(const Workload& workload, const Stages& stages, const ChainRoutes& routes,
                                  Joining joining) {
  const TaskGraph& graph = workload.items();
  std::vector<std::pair<DatumId, std::uint32_t>> needs;
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const std::uint32_t to = stages.stage_of[edge.to.index()];
    if (stages.stage_of[edge.from.index()] != to) needs.emplace_back(edge.datum, to);
  }
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  std::vector<Carried> carried;
  for (std::size_t i = 0, begin = 0; i < needs.size(); ++i) {
    const auto& [datum, to] = needs[i];
    const TaskId maker = graph.datum_task(datum);
    const auto item = static_cast<std::uint32_t>(joining == Joining::all ? 0 : maker.index());
    for (std::uint32_t at = stages.stage_of[maker.index()]; at != to;) {
      const std::uint32_t next = routes.next(at, to);
      carried.push_back({at, next, workload.instance_of(datum), item, datum});
      at = next;
    }
    if (i + 1 < needs.size() && needs[i + 1].first == datum) continue;
    const auto own =
        std::ranges::subrange(carried.begin() + static_cast<std::ptrdiff_t>(begin), carried.end());
    std::ranges::sort(own);
    carried.erase(std::unique(own.begin(), own.end()), carried.end());
    begin = carried.size();
  }
  std::ranges::sort(carried);
  return carried;
}

}  // namespace

StageMessages find_messages(const Workload& workload, const Stages& stages, const ChainRoutes& routes,
                            Joining joining) {
  const std::vector<Carried> carried = find_carried(workload, stages, routes, joining);
  StageMessages messages;
  messages.data.reserve(carried.size());
  for (const Carried& each : carried) {
    const auto place = static_cast<std::uint32_t>(messages.data.size());
    if (place == 0 || !each.is_with(carried[place - 1]))
      messages.list.push_back({each.from, each.to, each.instance, place, 0, {}});
    StageMessage& message = messages.list.back();
    ++message.datum_count;
    message.size += workload.items().datum_size(each.datum);
    messages.data.push_back(each.datum);
  }
  return messages;
}

Time load_of(const Workload& workload, const Stages& stages, const ChainRoutes& routes) {
  struct Load {
    Time busy{0}, send_gap{0}, receive_gap{0};
  };
  std::vector<Load> loads(stages.chain.size());
  for (TaskId item : workload.items().tasks()) {
    const std::uint32_t stage = stages.stage_of[item.index()];
    loads[stage].busy += workload.time(item, workload.class_of(stages.chain[stage]));
  }
  const StageMessages messages = find_messages(workload, stages, routes);
  for (const StageMessage& message : messages.list) {
    const logp::MessageCosts costs(workload.links(stages.chain[message.from], stages.chain[message.to]),
                                   message.size);
    loads[message.from].busy += costs.send_overhead;
    loads[message.from].send_gap += costs.send_gap;
    loads[message.to].busy += costs.receive_overhead;
    loads[message.to].receive_gap += costs.receive_gap;
  }
  Time largest{0};
  for (const Load& load : loads) largest = std::max({largest, load.busy, load.send_gap, load.receive_gap});
  return largest;
}

void improve_routes(const Workload& workload, const Stages& stages, ChainRoutes& routes) {
  const auto count = static_cast<std::uint32_t>(routes.stage_count());
  Time best = load_of(workload, stages, routes);
  for (bool has_improved = true; has_improved;) {
    has_improved = false;
    for (std::uint32_t from = 0; from < count; ++from)
      for (std::uint32_t to = from + 2; to < count; ++to)
        for (std::uint32_t next = from + 1; next <= to; ++next) {
          const std::uint32_t before = routes.next(from, to);
          if (next == before) continue;
          routes.set_next(from, to, next);
          if (const Time load = load_of(workload, stages, routes); load < best) {
            best = load;
            has_improved = true;
          } else {
            routes.set_next(from, to, before);
          }
        }
  }
}

namespace {

/// The operations of each stage, and their order.
class StagePrograms {
 public:
  /// Message i of the list is message i of the schedule.
  StagePrograms(const Workload& workload, const Stages& stages, const StageMessages& messages)
      : workload_(workload), stages_(stages), work_(stages.chain.size()), first_(workload.item_count()) {
    add_computations();
    add_receives(messages);
    connect_computations();
    add_sends(messages);
  }

  /// Converts them to operations of their processors, still without times.
  void become_operations(Sequencing sequencing, Schedule& schedule) && {
    std::vector<std::vector<StageOperation>> operations;
    for (Work& work : work_) operations.push_back(std::move(work.operations));
    const std::vector<std::vector<std::uint32_t>> orders = sequence_stages(operations, sequencing);
    for (std::size_t stage = 0; stage < work_.size(); ++stage)
      for (std::uint32_t i : orders[stage])
        schedule.add(stages_.chain[stage], work_[stage].instructions[i].operation());
  }

 private:
  /// An operation that has no times yet.
  struct Instruction {
    OperationKind kind = OperationKind::compute;
    std::uint32_t subject = 0;
    std::uint32_t instance = 0;
    [[nodiscard]] Operation operation() const { return {kind, instance, subject, Time{0}, Time{0}}; }
  };
  struct Work {
    std::vector<StageOperation> operations;
    std::vector<Instruction> instructions;

    std::uint32_t add(Instruction instruction, Time length, Time gap) {
      operations.push_back({instruction.kind, length, gap, {}});
      instructions.push_back(instruction);
      return static_cast<std::uint32_t>(operations.size() - 1);
    }
  };

  [[nodiscard]] std::uint32_t stage_of(TaskId item) const { return stages_.stage_of[item.index()]; }
  [[nodiscard]] std::uint32_t computation(TaskId item, std::uint32_t instance) const {
    return first_[item.index()] + (workload_.has_all_instances(item) ? instance : 0);
  }

  /// In descending order of b-level, instance after instance.
  void add_computations() {
    SearchRandom unused(0);
    for (TaskId item : topological_order(workload_.items(), OrderRule::b_level, unused)) {
      Work& work = work_[stage_of(item)];
      first_[item.index()] = static_cast<std::uint32_t>(work.operations.size());
      const TaskId task = workload_.task_of(item);
      const std::uint32_t first = workload_.instance_of(item);
      const std::uint32_t end = workload_.has_all_instances(item) ? workload_.replicas() : first + 1;
      for (std::uint32_t instance = first; instance < end; ++instance) {
        const std::uint32_t added = work.add(
            {OperationKind::compute, static_cast<std::uint32_t>(task.index()), instance},
            workload_.machine().duration(workload_.original(), task, stages_.chain[stage_of(item)]), Time{0});
        if (instance > first) work.operations[added].needs.push_back(added - 1);
      }
    }
  }

  [[nodiscard]] logp::MessageCosts costs_of(const StageMessage& message) const {
    return {workload_.links(stages_.chain[message.from], stages_.chain[message.to]), message.size};
  }

  void add_receives(const StageMessages& messages) {
    for (std::uint32_t i = 0; i < messages.list.size(); ++i) {
      const StageMessage& message = messages.list[i];
      const logp::MessageCosts costs = costs_of(message);
      const std::uint32_t receive = work_[message.to].add({OperationKind::receive, i, message.instance},
                                                          costs.receive_overhead, costs.receive_gap);
      for (DatumId datum : messages.data_of(message)) received_.push_back({datum, message.to, receive});
    }
    std::ranges::sort(received_);
  }

  /// The operation that makes a datum available in a stage: its producer's computation, or the receive.
  [[nodiscard]] std::uint32_t origin(DatumId datum, std::uint32_t stage) const {
    const TaskId maker = workload_.items().datum_task(datum);
    if (stage_of(maker) == stage) return computation(maker, workload_.instance_of(datum));
    // The first one of several.
    return std::ranges::lower_bound(received_, Received{datum, stage, 0})->receive;
  }

  void connect_computations() {
    const TaskGraph& graph = workload_.items();
    for (EdgeId id : graph.edges()) {
      const auto [from, to, size, datum] = graph.edge(id);
      const std::uint32_t stage = stage_of(to);
      work_[stage].operations[computation(to, workload_.instance_of(datum))].needs.push_back(
          origin(datum, stage));
    }
  }

  void add_sends(const StageMessages& messages) {
    for (std::uint32_t i = 0; i < messages.list.size(); ++i) {
      const StageMessage& message = messages.list[i];
      const logp::MessageCosts costs = costs_of(message);
      Work& work = work_[message.from];
      const std::uint32_t send =
          work.add({OperationKind::send, i, message.instance}, costs.send_overhead, costs.send_gap);
      for (DatumId datum : messages.data_of(message))
        work.operations[send].needs.push_back(origin(datum, message.from));
    }
  }

  const Workload& workload_;
  const Stages& stages_;
  std::vector<Work> work_;
  /// Per item: its first computation in its stage.
  std::vector<std::uint32_t> first_;
  /// The receives that deliver data to stages, in ascending order.
  struct Received {
    DatumId datum;
    std::uint32_t stage;
    std::uint32_t receive;
    friend auto operator<=>(const Received&, const Received&) = default;
  };
  std::vector<Received> received_;
};

}  // namespace

Schedule make_schedule(const Workload& workload, const Stages& stages, const ChainRoutes& routes,
                       Joining joining, Sequencing sequencing) {
  StageMessages messages = find_messages(workload, stages, routes, joining);
  Schedule schedule({}, workload.machine().processor_count());
  schedule.replicas = workload.replicas();
  std::vector<DatumId> payload;
  for (const StageMessage& message : messages.list) {
    payload.clear();
    for (DatumId datum : messages.data_of(message)) payload.push_back(workload.datum_of(datum));
    schedule.add_message(stages.chain[message.from], stages.chain[message.to], message.size, payload);
  }
  StagePrograms(workload, stages, messages).become_operations(sequencing, schedule);
  messages = {};
  give_back_free_memory(workload.item_count());
  logp::execute(workload.original(), workload.machine(), logp::Start::late, schedule);
  give_back_free_memory(workload.item_count());
  return logp::with_least_repetition(workload.machine(), std::move(schedule));
}

}  // namespace takt::schedulers
