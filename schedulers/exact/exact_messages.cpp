#include "schedulers/exact/exact_messages.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "logp/message_costs.hpp"
#include "logp/period.hpp"
#include "schedulers/bounds/assignment_search.hpp"
#include "schedulers/exact/delivery_trees.hpp"
#include "schedulers/exact/disjunctive_search.hpp"

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;
constexpr std::size_t most_processors = 5;
/// Units of the budget per tried assignment of a transfer to a message.
constexpr std::uint64_t cost_of_transfer = 4;

bool is_monotone(const logp::Cost& cost) {
  const auto& segments = cost.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].per_byte < 0) return false;
    if (i > 0 && cost.at(segments[i].from) < cost.at(Bytes{segments[i].from.count - 1})) return false;
  }
  return true;
}

bool is_constant(const logp::Cost& cost) {
  return cost.segments().size() == 1 && cost.segments().front().per_byte == 0;
}

/// Whether the predicate holds for the costs of all links.
template <class Predicate>
bool holds_for_costs(const Workload& workload, Predicate predicate) {
  for (ProcessorId a : workload.machine().processors())
    for (ProcessorId b : workload.machine().processors()) {
      if (a == b) continue;
      const logp::LinkCosts& costs = workload.links(a, b);
      for (const logp::Cost* cost : {&costs.latency, &costs.send_overhead, &costs.receive_overhead,
                                     &costs.send_gap, &costs.receive_gap})
        if (!predicate(*cost)) return false;
    }
  return true;
}

/// Part of a datum's route: a message between two processors.
struct Parcel {
  std::uint32_t from = 0, to = 0;
  std::vector<DatumId> data;
  Bytes size;
  Ticks send = 0, receive = 0, send_spacing = 0, receive_spacing = 0, transit = 0;
};

class ScheduleSearch {
 public:
  ScheduleSearch(const Workload& workload, Ticks period, std::uint64_t& budget)
      : workload_(workload),
        graph_(workload.items()),
        period_(period),
        budget_(budget),
        processors_(static_cast<std::uint32_t>(workload.machine().processor_count())),
        has_constant_costs_(holds_for_costs(workload, is_constant)),
        trees_(processors_),
        place_(graph_.task_count()),
        loads_(processors_),
        carrier_(graph_.datum_count() * processors_) {}

  MessageAnswer run() {
    const bool has_finished =
        for_each_assignment(workload_, Time(period_ + 1), Interchange::of_equal_speed_and_links, budget_,
                            [&](std::span<const ProcessorId> processor_of, Time) {
                              for (std::size_t i = 0; i < place_.size(); ++i)
                                place_[i] = static_cast<std::uint32_t>(processor_of[i].index());
                              begin_assignment();
                              return ship(0) ? Time{0} : Time(period_ + 1);
                            });
    if (found_) return {Verdict::yes, std::move(found_)};
    return {has_finished && budget_ > 0 && !is_uncertain_ ? Verdict::no : Verdict::unknown, std::nullopt};
  }

 private:
  struct Load {
    Ticks busy = 0, send_spacing = 0, receive_spacing = 0;
  };
  /// A datum that processors other than its producer's need.
  struct Need {
    DatumId datum;
    std::uint32_t maker = 0;
    std::uint64_t processors = 0;
  };

  void begin_assignment() {
    std::ranges::fill(loads_, Load{});
    for (TaskId task : graph_.tasks())
      loads_[place_[task.index()]].busy +=
          workload_.time(task, workload_.class_of(ProcessorId(place_[task.index()]))).count();
    needs_.clear();
    for (DatumId datum : ids<DatumId>(graph_.datum_count()))
      needs_.push_back({datum, place_[graph_.datum_task(datum).index()], 0});
    for (EdgeId id : graph_.edges()) {
      Need& need = needs_[graph_.edge(id).datum.index()];
      if (const std::uint32_t to = place_[graph_.edge(id).to.index()]; to != need.maker)
        need.processors |= std::uint64_t{1} << to;
    }
    std::erase_if(needs_, [](const Need& need) { return need.processors == 0; });
    parcels_.clear();
  }

  /// Ships the data from this one on; true ends the search, also when the budget is spent.
  bool ship(std::size_t index) {
    if (index == needs_.size()) return try_orders();
    for (const std::vector<Transfer>& tree : trees_.from(needs_[index].maker, needs_[index].processors))
      if (load_tree(index, tree, 0)) return true;
    return false;
  }

  bool load_tree(std::size_t index, const std::vector<Transfer>& tree, std::size_t hop) {
    if (hop == tree.size()) return ship(index + 1);
    if (budget_ == 0) return true;
    budget_ -= std::min(budget_, cost_of_transfer);
    const auto [from, to] = tree[hop];
    const DatumId datum = needs_[index].datum;
    const std::size_t count = parcels_.size();
    for (std::size_t i = 0; i <= count; ++i) {
      if (i == count)
        parcels_.push_back({.from = from, .to = to, .data = {}, .size = Bytes{0}});
      else if (parcels_[i].from != from || parcels_[i].to != to)
        continue;
      const Parcel before = parcels_[i];
      add_to(parcels_[i], datum);
      carrier_[datum.index() * processors_ + to] = static_cast<std::uint32_t>(i);
      if (fits(loads_[from]) && fits(loads_[to]) && load_tree(index, tree, hop + 1)) return true;
      charge(parcels_[i], -1);
      charge(before, 1);
      parcels_[i] = before;
      if (i == count) parcels_.pop_back();
    }
    return false;
  }

  [[nodiscard]] bool fits(const Load& load) const {
    return std::max({load.busy, load.send_spacing, load.receive_spacing}) <= period_;
  }

  void add_to(Parcel& parcel, DatumId datum) {
    charge(parcel, -1);
    parcel.data.push_back(datum);
    parcel.size += graph_.datum_size(datum);
    const logp::MessageCosts costs(workload_.links(ProcessorId(parcel.from), ProcessorId(parcel.to)),
                                   parcel.size);
    parcel.send = costs.send_overhead.count();
    parcel.receive = costs.receive_overhead.count();
    parcel.send_spacing = costs.send_gap.count();
    parcel.receive_spacing = costs.receive_gap.count();
    parcel.transit = costs.transit().count();
    charge(parcel, 1);
  }

  void charge(const Parcel& parcel, Ticks times) {
    Load& from = loads_[parcel.from];
    Load& to = loads_[parcel.to];
    from.busy += times * parcel.send;
    from.send_spacing += times * parcel.send_spacing;
    to.busy += times * parcel.receive;
    to.receive_spacing += times * parcel.receive_spacing;
  }

  [[nodiscard]] std::uint32_t send_of(std::size_t parcel) const {
    return static_cast<std::uint32_t>(graph_.task_count() + 2 * parcel);
  }
  [[nodiscard]] std::uint32_t receive_of(std::size_t parcel) const { return send_of(parcel) + 1; }
  /// Returns the operation that makes a datum available on a processor.
  [[nodiscard]] std::uint32_t origin(DatumId datum, std::uint32_t processor) const {
    const TaskId maker = graph_.datum_task(datum);
    if (place_[maker.index()] == processor) return static_cast<std::uint32_t>(maker.index());
    return receive_of(carrier_[datum.index() * processors_ + processor]);
  }

  bool try_orders() {
    find_groups();
    if (has_constant_costs_ && has_superfluous_message()) return false;
    list_operations();
    std::vector<Ticks> starts(operations_.size());
    for (std::uint32_t group = 0; group < processors_; ++group)
      if (!order_group(group, starts)) return budget_ == 0;
    if (realise(align(std::move(starts)))) return true;
    // The network's capacity is exceeded; it is not if every message is received at its arrival.
    std::vector<Precedence> at_once = precedences_;
    for (std::size_t i = 0; i < parcels_.size(); ++i)
      at_once.push_back({receive_of(i), send_of(i), -parcels_[i].transit});
    if (const auto found = find_starts(operations_, at_once, period_, budget_); found && realise(*found))
      return true;
    is_uncertain_ = true;
    return budget_ == 0;
  }

  /// Accepts a schedule with these starts if the network's capacity allows it.
  bool realise(const std::vector<Ticks>& starts) {
    found_ = logp::with_repetition(workload_.machine(), schedule_of(starts), Time(period_));
    return found_.has_value();
  }

  /// Processors wait for each other in a cycle if messages lead from each to each other one.
  void find_groups() {
    std::array<std::array<bool, most_processors>, most_processors> reaches{};
    for (const Parcel& parcel : parcels_) reaches[parcel.from][parcel.to] = true;
    for (std::uint32_t via = 0; via < processors_; ++via)
      for (std::uint32_t a = 0; a < processors_; ++a)
        for (std::uint32_t b = 0; b < processors_; ++b)
          reaches[a][b] = reaches[a][b] || (reaches[a][via] && reaches[via][b]);
    for (std::uint32_t p = 0; p < processors_; ++p) {
      group_of_[p] = p;
      for (std::uint32_t first = 0; first < p && group_of_[p] == p; ++first)
        if (reaches[first][p] && reaches[p][first]) group_of_[p] = first;
    }
  }

  [[nodiscard]] bool has_superfluous_message() const {
    for (std::size_t i = 0; i < parcels_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (parcels_[i].from == parcels_[j].from && parcels_[i].to == parcels_[j].to &&
            group_of_[parcels_[i].from] != group_of_[parcels_[i].to])
          return true;
    return false;
  }

  void list_operations() {
    operations_.clear();
    precedences_.clear();
    for (TaskId task : graph_.tasks()) {
      const std::uint32_t place = place_[task.index()];
      const Ticks length = workload_.time(task, workload_.class_of(ProcessorId(place))).count();
      operations_.push_back({OperationKind::compute, place, length, length});
    }
    for (const Parcel& parcel : parcels_) {
      operations_.push_back({OperationKind::send, parcel.from, parcel.send, parcel.send_spacing});
      operations_.push_back({OperationKind::receive, parcel.to, parcel.receive, parcel.receive_spacing});
    }
    const auto follow = [&](std::uint32_t before, std::uint32_t after) {
      precedences_.push_back({before, after, operations_[before].length});
    };
    for (EdgeId id : graph_.edges()) {
      const auto to = static_cast<std::uint32_t>(graph_.edge(id).to.index());
      follow(origin(graph_.edge(id).datum, place_[to]), to);
    }
    for (std::size_t i = 0; i < parcels_.size(); ++i) {
      for (DatumId datum : parcels_[i].data) follow(origin(datum, parcels_[i].from), send_of(i));
      precedences_.push_back({send_of(i), receive_of(i), parcels_[i].transit});
    }
  }

  /// Finds starts of the operations of a group of processors, independent of the other groups.
  bool order_group(std::uint32_t group, std::vector<Ticks>& starts) {
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> number(operations_.size());
    std::vector<DisjunctiveOperation> operations;
    for (std::uint32_t i = 0; i < operations_.size(); ++i)
      if (group_of_[operations_[i].processor] == group) {
        number[i] = static_cast<std::uint32_t>(members.size());
        members.push_back(i);
        operations.push_back(operations_[i]);
      }
    std::vector<Precedence> precedences;
    for (const auto& [before, after, distance] : precedences_)
      if (group_of_[operations_[before].processor] == group &&
          group_of_[operations_[after].processor] == group)
        precedences.push_back({number[before], number[after], distance});
    const auto found = find_starts(operations, precedences, period_, budget_);
    if (!found) return false;
    for (std::size_t i = 0; i < members.size(); ++i) starts[members[i]] = (*found)[i];
    return true;
  }

  /// Turns starts that are valid within each group into jointly valid ones, with the same orders.
  [[nodiscard]] std::vector<Ticks> align(std::vector<Ticks> starts) const {
    std::vector<Precedence> precedences = precedences_;
    std::vector<std::optional<std::uint32_t>> last(processors_ * 3);
    for (const std::uint32_t i : by_start(starts)) {
      const DisjunctiveOperation& operation = operations_[i];
      for (const OperationKind kind : {OperationKind::compute, OperationKind::send, OperationKind::receive})
        if (const auto before = last[operation.processor * 3 + static_cast<std::size_t>(kind)]) {
          const bool is_spaced = kind != OperationKind::compute && kind == operation.kind;
          precedences.push_back(
              {*before, i, is_spaced ? operations_[*before].spacing : operations_[*before].length});
        }
      last[operation.processor * 3 + static_cast<std::size_t>(operation.kind)] = i;
    }
    // All orders are decided.
    std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
    return find_starts(operations_, precedences, period_, budget).value();
  }

  [[nodiscard]] std::vector<std::uint32_t> by_start(const std::vector<Ticks>& starts) const {
    std::vector<std::uint32_t> order(operations_.size());
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<std::uint32_t> depth = depths();
    std::ranges::stable_sort(order, std::less{}, [&](std::uint32_t i) {
      return std::tuple(starts[i], starts[i] + operations_[i].length, depth[i]);
    });
    return order;
  }

  /// Longest chain of precedences before each operation: orders operations of length 0.
  [[nodiscard]] std::vector<std::uint32_t> depths() const {
    std::vector<std::uint32_t> depth(operations_.size(), 0);
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const auto& [before, after, distance] : precedences_)
        if (depth[after] <= depth[before]) {
          depth[after] = depth[before] + 1;
          has_changed = true;
        }
    }
    return depth;
  }

  [[nodiscard]] Schedule schedule_of(const std::vector<Ticks>& starts) const {
    Schedule schedule({}, processors_);
    for (const Parcel& parcel : parcels_)
      schedule.add_message(ProcessorId(parcel.from), ProcessorId(parcel.to), parcel.size, parcel.data);
    for (const std::uint32_t i : by_start(starts)) {
      const DisjunctiveOperation& operation = operations_[i];
      const auto subject = static_cast<std::uint32_t>(
          i < graph_.task_count() ? i : (i - static_cast<std::uint32_t>(graph_.task_count())) / 2);
      schedule.add(ProcessorId(operation.processor), Operation(operation.kind, 0, subject, Time(starts[i]),
                                                               Time(starts[i] + operation.length)));
    }
    return schedule;
  }

  const Workload& workload_;
  const TaskGraph& graph_;
  Ticks period_;
  std::uint64_t& budget_;
  std::uint32_t processors_;
  bool has_constant_costs_, is_uncertain_ = false;
  DeliveryTrees trees_;
  /// The processor of each task.
  std::vector<std::uint32_t> place_;
  std::vector<Load> loads_;
  std::vector<Need> needs_;
  std::vector<Parcel> parcels_;
  /// Per datum and processor: the parcel that delivers it there.
  std::vector<std::uint32_t> carrier_;
  /// Per processor: the first one in its cycle of waiting processors.
  std::array<std::uint32_t, most_processors> group_of_{};
  /// Tasks, then send and receive of each parcel.
  std::vector<DisjunctiveOperation> operations_;
  std::vector<Precedence> precedences_;
  std::optional<Schedule> found_;
};

}  // namespace

bool can_search_messages(const Workload& workload) {
  return workload.replicas() == 1 && workload.item_count() <= most_assigned_items &&
         workload.machine().processor_count() <= most_processors && holds_for_costs(workload, is_monotone);
}

MessageAnswer find_schedule(const Workload& workload, Time period, std::uint64_t& budget) {
  return ScheduleSearch(workload, period.count(), budget).run();
}

}  // namespace takt::schedulers
