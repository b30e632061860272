#include "schedulers/pipelining/modulo_timetable.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>

#include "schedulers/pipelining/circle.hpp"

namespace takt::schedulers {

namespace {

/// With more operations on a processor, single placements take too long: only packing remains.
constexpr std::size_t most_placed = 400;
/// The least step of the repetition is a share of it; later ones double.
constexpr Time::rep first_step_share = 256;
constexpr int most_refinements = 6;

/// The order of placements.
enum class Priority : std::uint8_t { ready, path };

/// Arcs by one of their ends.
std::vector<std::vector<std::uint32_t>> arcs_by(const Flow& flow, std::uint32_t FlowArc::*end) {
  std::vector<std::vector<std::uint32_t>> result(flow.operations().size());
  for (std::uint32_t i = 0; i < flow.arcs().size(); ++i) result[flow.arcs()[i].*end].push_back(i);
  return result;
}

/// The parts of a flow that do not depend on the repetition.
struct Order {
  explicit Order(const Flow& flow)
      : into(arcs_by(flow, &FlowArc::to)),
        out_of(arcs_by(flow, &FlowArc::from)),
        group_of(flow.operations().size()),
        path(flow.groups().size(), Time{0}) {
    const auto& groups = flow.groups();
    for (std::uint32_t g = 0; g < groups.size(); ++g)
      for (std::uint32_t operation : groups[g]) group_of[operation] = g;
    open.assign(groups.size(), 0);
    for (const FlowArc& arc : flow.arcs()) ++open[group_of[arc.to]];
    std::vector<std::uint32_t> waiting = open, sorted;
    for (std::uint32_t g = 0; g < groups.size(); ++g)
      if (waiting[g] == 0) sorted.push_back(g);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      for (std::uint32_t operation : groups[sorted[i]])
        for (std::uint32_t arc : out_of[operation])
          if (const std::uint32_t next = group_of[flow.arcs()[arc].to]; --waiting[next] == 0)
            sorted.push_back(next);
    for (auto g = sorted.rbegin(); g != sorted.rend(); ++g)
      for (std::uint32_t operation : groups[*g]) {
        path[*g] = std::max(path[*g], flow.operations()[operation].length);
        for (std::uint32_t arc : out_of[operation])
          path[*g] = std::max(path[*g], flow.arcs()[arc].lag + path[group_of[flow.arcs()[arc].to]]);
      }
    topological = std::move(sorted);
  }

  std::vector<std::vector<std::uint32_t>> into, out_of;
  std::vector<std::uint32_t> group_of;
  /// Number of arcs into a group, from other groups.
  std::vector<std::uint32_t> open;
  /// Time from the start of a group to the end of the frame, without waiting.
  std::vector<Time> path;
  std::vector<std::uint32_t> topological;
};

/// Places of the operations of each processor one after the other, from 0 on, and the time that they need
/// before they can repeat.
struct Packing {
  std::vector<Time> at;
  std::vector<Time> length;
};

/// Packs each processor's operations in topological order; an operation that needs a gap lets later ones
/// pass. `messages_first`: a message goes as soon as its gap allows.
Packing packed(const Flow& flow, const Order& order, std::size_t processors, bool messages_first) {
  const std::vector<FlowOperation>& operations = flow.operations();
  std::vector<std::vector<std::uint32_t>> lists(processors);
  for (std::uint32_t g : order.topological)
    for (std::uint32_t operation : flow.groups()[g])
      lists[operations[operation].processor.index()].push_back(operation);
  Packing packing{std::vector<Time>(operations.size(), Time{0}), std::vector<Time>(processors, Time{0})};
  const auto is_message = [&](std::uint32_t i) { return operations[i].kind != OperationKind::compute; };
  for (std::size_t p = 0; p < processors; ++p) {
    std::vector<std::uint32_t>& rest = lists[p];
    if (messages_first) std::ranges::stable_sort(rest, {}, [&](std::uint32_t i) { return !is_message(i); });
    // By kind: the first start, and the earliest next one.
    std::optional<Time> first[3];
    Time next[3]{Time{0}, Time{0}, Time{0}}, now{0};
    const auto kind = [&](std::uint32_t i) { return static_cast<std::size_t>(operations[i].kind); };
    while (!rest.empty()) {
      auto chosen = std::ranges::find_if(rest, [&](std::uint32_t i) { return next[kind(i)] <= now; });
      if (chosen == rest.end())
        chosen = std::ranges::min_element(rest, {}, [&](std::uint32_t i) { return next[kind(i)]; });
      const FlowOperation& operation = operations[*chosen];
      const std::size_t of_kind = kind(*chosen);
      now = std::max(now, next[of_kind]);
      packing.at[*chosen] = now;
      if (!first[of_kind]) first[of_kind] = now;
      if (is_message(*chosen)) next[of_kind] = now + operation.gap;
      now += operation.length;
      rest.erase(chosen);
    }
    packing.length[p] = now;
    for (const OperationKind each : {OperationKind::send, OperationKind::receive})
      if (const auto k = static_cast<std::size_t>(each); first[k])
        packing.length[p] = std::max(packing.length[p], next[k] - *first[k]);
  }
  return packing;
}

class Placement {
 public:
  Placement(const logp::Machine& machine, const Flow& flow, const Order& order, Time repetition)
      : flow_(flow),
        order_(order),
        repetition_(repetition),
        has_circuits_(machine.platform().network.has_circuits),
        start_(flow.operations().size()) {
    const std::size_t processors = machine.processor_count();
    std::vector<std::vector<Time>> lengths(processors);
    for (const FlowOperation& operation : flow.operations())
      lengths[operation.processor.index()].push_back(operation.length);
    for (std::vector<Time>& each : lengths) busy_.emplace_back(repetition, std::move(each));
    sends_.assign(processors, GapCircle(repetition));
    receives_.assign(processors, GapCircle(repetition));
    from_.assign(processors, FlightCircle(repetition));
    to_.assign(processors, FlightCircle(repetition));
    hops_ = flow.messages().hops;
    std::vector<std::vector<Time>> on_link(machine.platform().network.links.size());
    for (const Hop& hop : hops_) on_link[hop.link.index()].push_back(hop.end - hop.start);
    for (std::vector<Time>& each : on_link) links_.emplace_back(repetition, std::move(each));
  }

  /// Places every operation as early as possible.
  [[nodiscard]] bool by(Priority priority) {
    return all(priority, [&](std::uint32_t i, Time ready) { return earliest(i, ready); });
  }
  /// Places every operation where the packing has it; each processor begins with its first operation.
  [[nodiscard]] bool by(const Packing& packing) {
    std::vector<std::optional<Time>> anchor(packing.length.size());
    return all(Priority::ready, [&](std::uint32_t i, Time ready) -> std::optional<Time> {
      std::optional<Time>& own = anchor[flow_.operations()[i].processor.index()];
      if (!own) own = ready - packing.at[i];
      const Time start = ready + modulo(*own + packing.at[i] - ready, repetition_);
      return are_accepted(i, start) ? std::optional(start) : std::nullopt;
    });
  }

  /// Returns the schedule; it is not pipelined if it repeats without that.
  [[nodiscard]] Schedule schedule(const logp::Machine& machine) const {
    Schedule result = flow_.messages();
    const Time first = start_.empty() ? Time{0} : *std::ranges::min_element(start_);
    std::vector<std::uint32_t> sorted(start_.size());
    std::iota(sorted.begin(), sorted.end(), 0U);
    const auto is_long = [&](std::uint32_t i) { return flow_.operations()[i].length > Time{0}; };
    std::ranges::sort(sorted, {},
                      [&](std::uint32_t i) { return std::tuple(start_[i], is_long(i), rank_[i]); });
    for (std::uint32_t i : sorted) {
      const FlowOperation& operation = flow_.operations()[i];
      const Time start = start_[i] - first;
      result.add(operation.processor,
                 {operation.kind, operation.instance, operation.subject, start, start + operation.length});
    }
    result.hops = hops_;
    for (Hop& hop : result.hops) {
      hop.start -= first;
      hop.end -= first;
    }
    const auto occupies_less = [&](const std::vector<Operation>& operations) {
      return operations.empty() || operations.back().end - operations.front().start <= repetition_;
    };
    if (std::ranges::all_of(result.processors, occupies_less))
      logp::set_least_repetition(machine, result);
    else
      result.repetition = repetition_;
    return result;
  }

 private:
  /// Places the groups in the order of their priorities, each after those that it waits for.
  template <class Place>
  bool all(Priority priority, const Place& place) {
    const auto& groups = flow_.groups();
    rank_.assign(start_.size(), 0);
    std::vector<std::uint32_t> open = order_.open;
    std::vector<Time> ready(start_.size(), Time{0});
    using Entry = std::tuple<Time, Time, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    const auto push = [&](std::uint32_t g) {
      const Time inputs = ready[groups[g].front()], path = -order_.path[g];
      queue.emplace(priority == Priority::ready ? inputs : path, priority == Priority::ready ? path : inputs,
                    g);
    };
    for (std::uint32_t g = 0; g < groups.size(); ++g)
      if (open[g] == 0) push(g);
    std::uint32_t placed = 0;
    while (!queue.empty()) {
      const std::uint32_t g = std::get<2>(queue.top());
      queue.pop();
      if (!place_group(groups[g], ready, place)) return false;
      for (std::uint32_t operation : groups[g]) {
        rank_[operation] = placed++;
        for (std::uint32_t number : order_.out_of[operation]) {
          const FlowArc& arc = flow_.arcs()[number];
          const std::optional<Time> arrival = arrives(arc);
          if (!arrival) return false;
          ready[arc.to] = std::max(ready[arc.to], *arrival);
          if (--open[order_.group_of[arc.to]] == 0) push(order_.group_of[arc.to]);
        }
      }
    }
    return placed == start_.size();
  }

  /// The instances of a stateful task, in order, within one repetition.
  template <class Place>
  bool place_group(const std::vector<std::uint32_t>& group, const std::vector<Time>& ready,
                   const Place& place) {
    if (group.size() == 1) {
      const std::optional<Time> start = place(group.front(), ready[group.front()]);
      if (start) reserve(group.front(), *start);
      return start.has_value();
    }
    // The first one waits if a later one would otherwise end too late.
    Time first{0};
    for (std::size_t r = 0; r < group.size(); ++r) {
      const Time before = static_cast<Time::rep>(group.size() - r) * flow_.operations()[group[r]].length;
      first = std::max({first, ready[group.front()], ready[group[r]] + before - repetition_});
    }
    constexpr int most_attempts = 8;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const Placement before = *this;
      Time next = first;
      bool is_placed = true;
      for (std::uint32_t operation : group) {
        const std::optional<Time> start = place(operation, std::max(next, ready[operation]));
        if (!(is_placed = start.has_value())) break;
        reserve(operation, *start);
        next = *start + flow_.operations()[operation].length;
      }
      if (is_placed && next <= start_[group.front()] + repetition_) return true;
      const Time least = start_[group.front()] + Time{1};
      restore(before);
      if (!is_placed) return false;
      first = std::max(least, next - repetition_);
    }
    return false;
  }

  /// Returns when the data of an arc are there; places a message's transfers over links.
  std::optional<Time> arrives(const FlowArc& arc) {
    const FlowOperation& operation = flow_.operations()[arc.from];
    const bool is_message = operation.kind == OperationKind::send;
    if (!is_message || flow_.messages().message(MessageId(operation.subject)).hop_count == 0)
      return start_[arc.from] + arc.lag;
    const Message& message = flow_.messages().message(MessageId(operation.subject));
    Time at = start_[arc.from] + operation.length;
    for (std::uint32_t i = message.first_hop, end = i + message.hop_count; i < end;) {
      // With circuits a message holds all links of its route together.
      const std::uint32_t next = has_circuits_ ? end : i + 1;
      const std::span<Hop> together = std::span(hops_).subspan(i, next - i);
      const Time length = together.front().end - together.front().start;
      std::vector<Time> starts;
      for (const Hop& hop : together) links_[hop.link.index()].propose(length, starts);
      const std::optional<Time> start =
          links_[together.front().link.index()].find(at, length, std::move(starts), [&](Time tried) {
            return std::ranges::all_of(
                together, [&](const Hop& hop) { return links_[hop.link.index()].has_room(tried, length); });
          });
      if (!start) return std::nullopt;
      for (Hop& hop : together) {
        links_[hop.link.index()].reserve(*start, length);
        hop.start = *start;
        hop.end = *start + length;
      }
      at = *start + length;
      i = next;
    }
    return at;
  }

  [[nodiscard]] bool is_flight(const FlowOperation& operation) const {
    return operation.kind == OperationKind::send &&
           flow_.messages().message(MessageId(operation.subject)).hop_count == 0;
  }
  [[nodiscard]] const GapCircle& gaps(const FlowOperation& operation) const {
    return (operation.kind == OperationKind::send ? sends_ : receives_)[operation.processor.index()];
  }
  /// Whether gaps and the network's capacity allow this start.
  [[nodiscard]] bool are_accepted(std::uint32_t i, Time start) const {
    const FlowOperation& operation = flow_.operations()[i];
    if (operation.kind == OperationKind::compute) return true;
    if (!gaps(operation).accepts(start, operation.gap)) return false;
    if (!is_flight(operation)) return true;
    const logp::FlightCosts& costs = flow_.costs(operation.subject);
    const Message& message = flow_.messages().message(MessageId(operation.subject));
    const Time enter = start + operation.length;
    return from_[message.from.index()].accepts(enter, costs.latency, costs.send_capacity) &&
           to_[message.to.index()].accepts(enter, costs.latency, costs.receive_capacity);
  }

  [[nodiscard]] std::optional<Time> earliest(std::uint32_t i, Time ready) const {
    const FlowOperation& operation = flow_.operations()[i];
    std::vector<Time> others;
    if (operation.kind != OperationKind::compute) gaps(operation).propose(operation.gap, others);
    if (is_flight(operation)) {
      const logp::FlightCosts& costs = flow_.costs(operation.subject);
      const Message& message = flow_.messages().message(MessageId(operation.subject));
      std::vector<Time> enters;
      from_[message.from.index()].propose(costs.latency, enters);
      to_[message.to.index()].propose(costs.latency, enters);
      for (Time enter : enters) others.push_back(enter - operation.length);
    }
    return busy_[operation.processor.index()].find(ready, operation.length, std::move(others),
                                                   [&](Time start) { return are_accepted(i, start); });
  }

  void reserve(std::uint32_t i, Time start) {
    const FlowOperation& operation = flow_.operations()[i];
    start_[i] = start;
    busy_[operation.processor.index()].reserve(start, operation.length);
    if (operation.kind == OperationKind::compute) return;
    (operation.kind == OperationKind::send ? sends_ : receives_)[operation.processor.index()].reserve(
        start, operation.gap);
    if (!is_flight(operation)) return;
    const logp::FlightCosts& costs = flow_.costs(operation.subject);
    const Message& message = flow_.messages().message(MessageId(operation.subject));
    const Time enter = start + operation.length;
    from_[message.from.index()].reserve(enter, costs.latency, costs.send_capacity);
    to_[message.to.index()].reserve(enter, costs.latency, costs.receive_capacity);
  }
  void restore(const Placement& before) {
    busy_ = before.busy_;
    start_ = before.start_;
  }

  const Flow& flow_;
  const Order& order_;
  Time repetition_;
  bool has_circuits_;
  std::vector<Time> start_;
  /// Order of the placements: that of operations without a length at one time.
  std::vector<std::uint32_t> rank_;
  std::vector<Circle> busy_, links_;
  std::vector<GapCircle> sends_, receives_;
  std::vector<FlightCircle> from_, to_;
  std::vector<Hop> hops_;
};

/// The timetables of one flow.
class Timetables {
 public:
  Timetables(const logp::Machine& machine, const Flow& flow) : machine_(machine), flow_(flow), order_(flow) {
    std::vector<std::size_t> counts(machine.processor_count(), 0);
    for (const FlowOperation& operation : flow.operations()) ++counts[operation.processor.index()];
    can_place_ = std::ranges::all_of(counts, [](std::size_t count) { return count <= most_placed; });
    std::vector<std::size_t> on_link(machine.platform().network.links.size(), 0);
    for (const Hop& hop : flow.messages().hops) ++on_link[hop.link.index()];
    for (const auto* each : {&counts, &on_link})
      for (const std::size_t count : *each) pairs_ += count * count;
    for (const bool messages_first : {false, true})
      packings_.push_back(packed(flow, order_, machine.processor_count(), messages_first));
  }

  [[nodiscard]] std::optional<Schedule> with(Time repetition, std::uint64_t& pairs) const {
    std::optional<Schedule> best;
    if (pairs == 0) return best;
    Time shortest = Time::max();
    const auto add = [&](const Placement& placement) {
      Schedule schedule = placement.schedule(machine_);
      const Time latency = measure(schedule).latency;
      if (latency >= shortest) return;
      shortest = latency;
      best = std::move(schedule);
    };
    const auto charge = [&] { pairs -= std::min(pairs, pairs_); };
    if (can_place_)
      for (const Priority priority : {Priority::ready, Priority::path}) {
        charge();
        Placement placement(machine_, flow_, order_, repetition);
        if (placement.by(priority)) add(placement);
      }
    if (best) return best;
    for (const Packing& packing : packings_) {
      if (*std::ranges::max_element(packing.length) > repetition) continue;
      charge();
      Placement placement(machine_, flow_, order_, repetition);
      if (placement.by(packing)) add(placement);
    }
    return best;
  }

 private:
  const logp::Machine& machine_;
  const Flow& flow_;
  Order order_;
  bool can_place_ = true;
  /// Pairs of operations of a processor, and of transfers of a link: a placement takes a time in their order.
  std::uint64_t pairs_ = 0;
  std::vector<Packing> packings_;
};

}  // namespace

std::optional<Schedule> modulo_timetable(const logp::Machine& machine, const Flow& flow, Time repetition) {
  if (repetition < flow.load()) return std::nullopt;
  std::uint64_t pairs = std::numeric_limits<std::uint64_t>::max();
  return Timetables(machine, flow).with(repetition, pairs);
}

std::optional<Schedule> least_modulo_timetable(const logp::Machine& machine, const Flow& flow, Time at_least,
                                               Time below, std::uint64_t& pairs) {
  const Time least = std::max(at_least, flow.load());
  if (least >= below) return std::nullopt;
  const Timetables timetables(machine, flow);
  std::optional<Schedule> best = timetables.with(least, pairs);
  if (best) return best;
  // Longer and longer, then bisected between the longest that fails and the shortest that does not.
  Time fails = least, longest = below;
  for (Time step = std::max(Time{1}, least / first_step_share); !best; step *= 2) {
    const Time next = std::min(fails + step, below - Time{1});
    if (next <= fails) return std::nullopt;
    best = timetables.with(next, pairs);
    (best ? longest : fails) = next;
  }
  for (int i = 0; i < most_refinements && fails + Time{1} < longest; ++i) {
    const Time middle = fails + (longest - fails) / 2;
    std::optional<Schedule> shorter = timetables.with(middle, pairs);
    (shorter ? longest : fails) = middle;
    if (shorter) best = std::move(shorter);
  }
  return best;
}

}  // namespace takt::schedulers
