#include "tests/schedulers/frequency/oracle.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace takt::schedulers::oracle {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

using Sequences = std::vector<std::vector<std::size_t>>;

/// Whether start times exist with which every processor ends within `period` of its start (Bellman-Ford).
bool fits(const TaskGraph& graph, const logp::Machine& machine, const Sequences& sequences,
          std::int64_t period) {
  struct Constraint {
    std::size_t before, after;
    std::int64_t distance;
  };
  std::vector<Constraint> constraints;
  std::vector<ProcessorId> processor_of(graph.task_count());
  for (std::size_t p = 0; p < sequences.size(); ++p)
    for (std::size_t task : sequences[p]) processor_of[task] = ProcessorId(p);
  auto work = [&](std::size_t task) {
    return machine.duration(graph, TaskId(task), processor_of[task]).count();
  };
  for (EdgeId id : graph.edges()) {
    const std::size_t from = graph.edge(id).from.index(), to = graph.edge(id).to.index();
    const bool is_local = processor_of[from] == processor_of[to];
    const std::int64_t latency =
        is_local ? 0 : machine.latency(processor_of[from], processor_of[to], graph.edge(id).size).count();
    constraints.push_back({from, to, work(from) + latency});
  }
  for (const auto& sequence : sequences) {
    if (sequence.empty()) continue;
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i)
      constraints.push_back({sequence[i], sequence[i + 1], work(sequence[i])});
    constraints.push_back({sequence.back(), sequence.front(), work(sequence.back()) - period});
  }
  std::vector<std::int64_t> start(graph.task_count(), 0);
  for (std::size_t round = 0; round <= graph.task_count(); ++round) {
    bool has_moved = false;
    for (const Constraint& constraint : constraints)
      if (start[constraint.after] < start[constraint.before] + constraint.distance) {
        start[constraint.after] = start[constraint.before] + constraint.distance;
        has_moved = true;
      }
    if (!has_moved) return true;
  }
  return false;
}

/// Calls visit(sequences) for every way to append the tasks in a topological order to the sequences.
template <class Visit>
void for_each_sequences(const TaskGraph& graph, Sequences& sequences, std::vector<bool>& is_placed,
                        std::size_t placed, bool are_processors_equal,
                        std::set<std::pair<std::size_t, Sequences>>& seen, const Visit& visit) {
  Sequences canonical = sequences;
  if (are_processors_equal) std::sort(canonical.begin(), canonical.end());
  if (!seen.insert({placed, canonical}).second) return;
  if (placed == graph.task_count()) return visit(sequences);
  for (TaskId task : graph.tasks()) {
    if (is_placed[task.index()]) continue;
    const auto in = graph.in_edges(task);
    if (!std::all_of(in.begin(), in.end(), [&](EdgeId e) { return is_placed[graph.edge(e).from.index()]; }))
      continue;
    is_placed[task.index()] = true;
    for (auto& sequence : sequences) {
      sequence.push_back(task.index());
      for_each_sequences(graph, sequences, is_placed, placed + 1, are_processors_equal, seen, visit);
      sequence.pop_back();
    }
    is_placed[task.index()] = false;
  }
}

/// Programs of processors, extended operation by operation.
class Programs {
 public:
  Programs(const TaskGraph& graph, const logp::Machine& machine, std::int64_t period)
      : graph_(graph),
        machine_(machine),
        period_(period),
        programs_(machine.processor_count()),
        has_(machine.processor_count(), 0) {}

  /// Whether these programs can be completed within the period.
  bool can_be_completed() {
    if (!seen_.insert(programs_).second || !work_fits()) return false;
    if (done_ == graph_.task_count() && in_flight_.empty() && can_be_timed()) return true;
    for (std::size_t p = 0; p < programs_.size(); ++p)
      if (compute_next(p) || send_next(p) || receive_next(p)) return true;
    return false;
  }

 private:
  enum Kind { compute, send, receive };
  struct Step {
    Kind kind = compute;
    /// The task, or the other processor.
    std::size_t of = 0;
    /// For a message: one bit for each datum.
    std::uint64_t data = 0;
    friend auto operator<=>(const Step&, const Step&) = default;
  };
  struct Flight {
    std::size_t from = 0, to = 0;
    std::uint64_t data = 0;
    friend bool operator==(const Flight&, const Flight&) = default;
  };

  [[nodiscard]] Bytes size(std::uint64_t data) const {
    Bytes sum;
    for (DatumId datum : ids<DatumId>(graph_.datum_count()))
      if ((data >> datum.index() & 1) != 0) sum += graph_.datum_size(datum);
    return sum;
  }
  [[nodiscard]] std::int64_t length(std::size_t p, const Step& step) const {
    const ProcessorId self(p), other(step.of);
    if (step.kind == compute) return machine_.duration(graph_, TaskId(step.of), self).count();
    return step.kind == send ? machine_.send_overhead(self, other, size(step.data)).count()
                             : machine_.receive_overhead(other, self, size(step.data)).count();
  }
  [[nodiscard]] std::int64_t spacing(std::size_t p, const Step& step) const {
    const ProcessorId self(p), other(step.of);
    const std::int64_t gap = step.kind == send ? machine_.send_gap(self, other, size(step.data)).count()
                                               : machine_.receive_gap(other, self, size(step.data)).count();
    return std::max(gap, length(p, step));
  }

  [[nodiscard]] bool work_fits() const {
    std::int64_t room = 0, rest = 0;
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      std::int64_t load = 0;
      for (const Step& step : programs_[p]) load += length(p, step);
      if (load > period_) return false;
      room += period_ - load;
    }
    for (TaskId task : graph_.tasks()) {
      if (is_done(task)) continue;
      std::int64_t least = never;
      for (ProcessorId p : machine_.processors())
        least = std::min(least, machine_.duration(graph_, task, p).count());
      rest += least;
    }
    return rest <= room;
  }

  [[nodiscard]] bool is_done(TaskId task) const {
    for (const auto& program : programs_)
      if (std::ranges::find(program, Step{compute, task.index(), 0}) != program.end()) return true;
    return false;
  }

  bool compute_next(std::size_t p) {
    for (TaskId task : graph_.tasks()) {
      const auto in = graph_.in_edges(task);
      if (is_done(task) || !std::ranges::all_of(in, [&](EdgeId edge) {
            return (has_[p] >> graph_.edge(edge).datum.index() & 1) != 0;
          }))
        continue;
      const std::uint64_t before = has_[p];
      for (DatumId datum : ids<DatumId>(graph_.datum_count()))
        if (graph_.datum_task(datum) == task) has_[p] |= std::uint64_t{1} << datum.index();
      programs_[p].push_back({compute, task.index(), 0});
      ++done_;
      if (can_be_completed()) return true;
      --done_;
      programs_[p].pop_back();
      has_[p] = before;
    }
    return false;
  }

  bool send_next(std::size_t p) {
    for (std::size_t q = 0; q < programs_.size(); ++q) {
      if (q == p) continue;
      std::uint64_t coming = has_[q];
      for (const Flight& flight : in_flight_)
        if (flight.to == q) coming |= flight.data;
      const std::uint64_t useful = has_[p] & ~coming;
      for (std::uint64_t data = useful; data != 0; data = (data - 1) & useful) {
        in_flight_.push_back({p, q, data});
        programs_[p].push_back({send, q, data});
        if (can_be_completed()) return true;
        programs_[p].pop_back();
        in_flight_.pop_back();
      }
    }
    return false;
  }

  bool receive_next(std::size_t q) {
    for (std::size_t i = 0; i < in_flight_.size(); ++i) {
      const Flight flight = in_flight_[i];
      if (flight.to != q) continue;
      in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(i));
      const std::uint64_t before = has_[q];
      has_[q] |= flight.data;
      programs_[q].push_back({receive, flight.from, flight.data});
      if (can_be_completed()) return true;
      programs_[q].pop_back();
      has_[q] = before;
      in_flight_.insert(in_flight_.begin() + static_cast<std::ptrdiff_t>(i), flight);
    }
    return false;
  }

  struct Constraint {
    std::size_t before, after;
    std::int64_t distance;
  };

  [[nodiscard]] bool can_be_timed() const {
    std::vector<std::size_t> first;
    std::size_t count = 0;
    for (const auto& program : programs_) {
      first.push_back(count);
      count += program.size();
    }
    std::vector<Constraint> constraints;
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      const auto& program = programs_[p];
      for (std::size_t i = 0; i < program.size(); ++i) {
        const std::int64_t own = length(p, program[i]);
        if (i + 1 < program.size()) constraints.push_back({first[p] + i, first[p] + i + 1, own});
        constraints.push_back({first[p] + i, first[p], own - period_});
        if (program[i].kind == compute) continue;
        for (std::size_t j = 0; j < program.size(); ++j)
          if (program[j].kind == program[i].kind)
            constraints.push_back(
                {first[p] + i, first[p] + j, spacing(p, program[i]) - (j > i ? 0 : period_)});
        if (program[i].kind == send) add_flight(first, p, i, constraints);
      }
    }
    std::vector<std::int64_t> start(count, 0);
    for (std::size_t round = 0; round <= count; ++round) {
      bool has_moved = false;
      for (const auto& [before, after, distance] : constraints)
        if (start[after] < start[before] + distance) {
          start[after] = start[before] + distance;
          has_moved = true;
        }
      if (!has_moved) return true;
    }
    return false;
  }

  /// A processor receives a datum once, so a message is identified by its data.
  void add_flight(const std::vector<std::size_t>& first, std::size_t p, std::size_t i,
                  std::vector<Constraint>& constraints) const {
    const Step& step = programs_[p][i];
    const auto& receiver = programs_[step.of];
    const std::size_t j =
        static_cast<std::size_t>(std::ranges::find(receiver, Step{receive, p, step.data}) - receiver.begin());
    const std::int64_t latency =
        machine_.latency(ProcessorId(p), ProcessorId(step.of), size(step.data)).count();
    constraints.push_back(
        {first[p] + i, first[step.of] + j, std::max<std::int64_t>(0, length(p, step) + latency)});
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  std::int64_t period_;
  std::vector<std::vector<Step>> programs_;
  /// Data that a processor has, and messages that are not received yet.
  std::vector<std::uint64_t> has_;
  std::vector<Flight> in_flight_;
  std::size_t done_ = 0;
  std::set<std::vector<std::vector<Step>>> seen_;
};

/// The period of a chain of processors with the tasks of each; nothing if data would move up the chain.
std::optional<std::int64_t> relay_period(const TaskGraph& graph, const logp::Machine& machine,
                                         const std::vector<ProcessorId>& chain,
                                         const std::vector<std::size_t>& place_of) {
  const std::size_t length = chain.size();
  std::vector<std::int64_t> load(length, 0);
  for (TaskId task : graph.tasks())
    load[place_of[task.index()]] += machine.duration(graph, task, chain[place_of[task.index()]]).count();
  std::int64_t period = 0;
  for (std::size_t boundary = 0; boundary + 1 < length; ++boundary) {
    std::set<DatumId> crossing;
    for (EdgeId id : graph.edges()) {
      const Edge edge = graph.edge(id);
      const std::size_t from = place_of[edge.from.index()], to = place_of[edge.to.index()];
      if (from > to) return std::nullopt;
      if (from <= boundary && boundary < to) crossing.insert(edge.datum);
    }
    if (crossing.empty()) continue;
    Bytes size;
    for (DatumId datum : crossing) size += graph.datum_size(datum);
    const ProcessorId a = chain[boundary], b = chain[boundary + 1];
    load[boundary] += machine.send_overhead(a, b, size).count();
    load[boundary + 1] += machine.receive_overhead(a, b, size).count();
    period =
        std::max({period, machine.send_gap(a, b, size).count(), machine.receive_gap(a, b, size).count()});
  }
  for (std::int64_t occupied : load) period = std::max(period, occupied);
  return period;
}

}  // namespace

std::int64_t least_period_without_overheads(const TaskGraph& graph, const logp::Machine& machine) {
  std::int64_t best = never;
  Sequences sequences(machine.processor_count());
  std::vector<bool> is_placed(graph.task_count(), false);
  std::set<std::pair<std::size_t, Sequences>> seen;
  // Processors differ only by their speed;
  // the links of the machines here all have one level.
  const std::vector<double>& speeds = machine.platform().speeds;
  const bool are_equal = std::all_of(speeds.begin(), speeds.end(), [&](double s) { return s == speeds[0]; });
  for_each_sequences(graph, sequences, is_placed, 0, are_equal, seen, [&](const Sequences& complete) {
    if (best == never) {
      best = 1;
      while (!fits(graph, machine, complete, best)) best *= 2;
    }
    while (best > 1 && fits(graph, machine, complete, best - 1)) --best;
  });
  return best;
}

bool has_schedule_within(const TaskGraph& graph, const logp::Machine& machine, std::int64_t period) {
  return Programs(graph, machine, period).can_be_completed();
}

void for_each_allocation(const TaskGraph& graph, std::size_t processors,
                         const std::function<void(const logp::Allocation&)>& visit) {
  Sequences sequences(processors);
  std::vector<bool> is_placed(graph.task_count(), false);
  std::set<std::pair<std::size_t, Sequences>> seen;
  for_each_sequences(graph, sequences, is_placed, 0, false, seen, [&](const Sequences& complete) {
    logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors)};
    for (std::size_t p = 0; p < processors; ++p)
      for (std::size_t task : complete[p]) allocation.order[p].emplace_back(task);
    visit(allocation);
  });
}

std::int64_t least_share(const TaskGraph& graph, const logp::Machine& machine) {
  const std::size_t processors = machine.processor_count();
  const ProcessorId a(0), b(processors - 1);
  std::vector<std::size_t> place(graph.task_count(), 0);
  std::int64_t best = never;
  while (true) {
    std::int64_t longest = 0;
    for (std::size_t p = 0; p < processors; ++p) {
      std::int64_t busy = 0;
      for (TaskId task : graph.tasks())
        if (place[task.index()] == p) busy += machine.duration(graph, task, ProcessorId(p)).count();
      std::set<DatumId> out, in;
      for (EdgeId id : graph.edges()) {
        const Edge edge = graph.edge(id);
        const std::size_t from = place[edge.from.index()], to = place[edge.to.index()];
        if (from != to && from == p) out.insert(edge.datum);
        if (from != to && to == p) in.insert(edge.datum);
      }
      Bytes out_size, in_size;
      for (DatumId datum : out) out_size += graph.datum_size(datum);
      for (DatumId datum : in) in_size += graph.datum_size(datum);
      if (!out.empty()) busy += machine.send_overhead(a, b, out_size).count();
      if (!in.empty()) busy += machine.receive_overhead(a, b, in_size).count();
      longest = std::max(longest, busy);
      if (!out.empty()) longest = std::max(longest, machine.send_gap(a, b, out_size).count());
      if (!in.empty()) longest = std::max(longest, machine.receive_gap(a, b, in_size).count());
    }
    best = std::min(best, longest);
    std::size_t digit = 0;
    while (digit < place.size() && ++place[digit] == processors) place[digit++] = 0;
    if (digit == place.size()) return best;
  }
}

std::int64_t least_period_relay(const TaskGraph& graph, const logp::Machine& machine) {
  std::vector<ProcessorId> all;
  for (ProcessorId p : machine.processors()) all.push_back(p);
  std::int64_t best = never;
  // Every order of the processors; a chain of q of them is a prefix.
  do {
    for (std::size_t length = 1; length <= all.size(); ++length) {
      const std::vector<ProcessorId> chain(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(length));
      std::vector<std::size_t> place_of(graph.task_count(), 0);
      while (true) {
        std::set<std::size_t> used(place_of.begin(), place_of.end());
        if (used.size() == length)
          if (const auto period = relay_period(graph, machine, chain, place_of))
            best = std::min(best, *period);
        std::size_t digit = 0;
        while (digit < place_of.size() && ++place_of[digit] == length) place_of[digit++] = 0;
        if (digit == place_of.size()) break;
      }
    }
  } while (std::next_permutation(all.begin(), all.end()));
  return best;
}

std::int64_t least_period_of_order(const TaskGraph& graph, const logp::Machine& machine,
                                   const std::vector<TaskId>& order) {
  std::int64_t best = never;
  for (std::size_t length = 1; length <= machine.processor_count(); ++length) {
    std::vector<ProcessorId> chain;
    for (std::size_t p = 0; p < length; ++p) chain.emplace_back(p);
    std::vector<std::size_t> cuts(length - 1, 1);
    std::vector<std::size_t> place_of(graph.task_count());
    // Every non-decreasing list of cuts: a task's stage is the number of cuts at or before its position.
    while (true) {
      if (std::is_sorted(cuts.begin(), cuts.end()) &&
          std::adjacent_find(cuts.begin(), cuts.end()) == cuts.end()) {
        for (std::size_t i = 0; i < order.size(); ++i)
          place_of[order[i].index()] =
              static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), i) - cuts.begin());
        if (const auto period = relay_period(graph, machine, chain, place_of)) best = std::min(best, *period);
      }
      std::size_t digit = 0;
      while (digit < cuts.size() && ++cuts[digit] >= order.size()) cuts[digit++] = 1;
      if (digit == cuts.size()) break;
    }
  }
  return best;
}

TaskGraph random_graph(Random& random, std::size_t tasks, std::uint64_t edge_percent, std::int64_t most_work,
                       std::int64_t most_data, std::int64_t least_work) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    builder.add_task({.name = std::to_string(i), .work = Time(random.between(least_work, most_work))});
  for (std::size_t i = 0; i < tasks; ++i) {
    std::optional<DatumId> shared;
    for (std::size_t j = i + 1; j < tasks; ++j) {
      if (random.below(100) >= edge_percent) continue;
      const Bytes size{static_cast<std::uint64_t>(random.between(1, most_data))};
      if (!shared || random.below(2) == 0) shared = builder.add_datum(TaskId(i), size);
      builder.add_edge(*shared, TaskId(j));
    }
  }
  return std::move(builder).build();
}

TaskGraph with_stateless_tasks(Random& random, const TaskGraph& graph) {
  TaskGraphBuilder builder;
  for (TaskId id : graph.tasks()) {
    Task task = graph.task(id);
    task.stateless = random.below(2) == 0;
    builder.add_task(task);
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    builder.add_datum(graph.datum_task(datum), graph.datum_size(datum));
  for (EdgeId id : graph.edges()) builder.add_edge(graph.edge(id).datum, graph.edge(id).to);
  return std::move(builder).build();
}

logp::Machine random_levels(Random& random, std::size_t processors) {
  Platform platform = Platform::uniform(processors);
  for (double& speed : platform.speeds) speed = random.below(4) == 0 ? 2 : 1;
  platform.cluster_of_node = {0, 0, 1};
  for (std::uint32_t& node : platform.node_of) node = static_cast<std::uint32_t>(random.below(3));
  auto link = [&](std::int64_t most) {
    auto number = [&](std::int64_t limit) { return static_cast<double>(random.between(0, limit)); };
    return logp::LinkCosts{{number(9), 1},
                           {number(most), number(1)},
                           {number(most), number(1)},
                           {number(2 * most), 0},
                           {number(2 * most), 0}};
  };
  return {std::move(platform), {logp::LinkCosts{}, link(1), link(5), link(10)}};
}

logp::Machine renumbered(const logp::Machine& machine, const std::vector<std::size_t>& new_numbers) {
  Platform platform = machine.platform();
  for (std::size_t p = 0; p < new_numbers.size(); ++p) {
    platform.speeds[new_numbers[p]] = machine.platform().speeds[p];
    platform.node_of[new_numbers[p]] = machine.platform().node_of[p];
  }
  return {std::move(platform), machine.level_costs()};
}

TaskGraph with_some_stateless(const TaskGraph& graph, Random& random) {
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks()) {
    Task copy = graph.task(task);
    copy.stateless = random.below(2) == 0;
    builder.add_task(copy);
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    builder.add_datum(graph.datum_task(datum), graph.datum_size(datum));
  for (EdgeId edge : graph.edges()) builder.add_edge(graph.edge(edge).datum, graph.edge(edge).to);
  return std::move(builder).build();
}

}  // namespace takt::schedulers::oracle
