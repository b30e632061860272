#include "schedulers/bounds/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "schedulers/bounds/least_cost.hpp"

namespace takt::schedulers {

namespace {

/// A quotient of floating-point numbers may be too large by this much, relatively.
constexpr double division_tolerance = 1e-12;
/// Machine words that the sums of whole tasks may touch: some milliseconds.
constexpr double largest_sums_effort = 4e6;

/// Of so many pieces for each processor it is asked whether processors of different speeds can take them.
constexpr std::size_t crowd_factor = 4;

Time divide_rounding_up(Time time, std::size_t count) {
  const auto divisor = static_cast<Time::rep>(count);
  return Time((time.count() + divisor - 1) / divisor);
}

void raise(PeriodBound& bound, Time time, BoundRule rule) {
  if (time > bound.time) bound = {time, rule};
}

/// Union-find over dense indices.
class Parts {
 public:
  explicit Parts(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::string_view explain(BoundRule rule) {
  switch (rule) {
    case BoundRule::work:
      return "the whole work, and the messages that hold the graph together, shared out evenly";
    case BoundRule::largest_task:
      return "the largest task, and the message that it takes to have it on another processor than the rest";
    case BoundRule::state:
      return "a task with state, all of whose instances run on one processor";
    case BoundRule::pigeonhole:
      return "the largest tasks: there are so many that some must share a processor";
    case BoundRule::whole_tasks:
      return "tasks are indivisible: no processor's tasks sum up to less that is enough";
    case BoundRule::gap:
      return "two messages of a processor must start a gap apart";
  }
  return "";
}

PeriodBounds::PeriodBounds(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas)
    : processors_(machine.processor_count()), communication_is_free_(machine.communication_is_free()) {
  collect_pieces(graph, machine, replicas);
  collect_parts(graph, replicas);
  collect_message_costs(graph, machine);

  // The processor of a part's largest piece either has the whole part or exchanges a message.
  for (const Piece& piece : pieces_)
    raise(largest_, std::min(part_work_[piece.part], piece.time + one_overhead_),
          replicas > 1 && piece.has_state ? BoundRule::state : BoundRule::largest_task);

  std::stable_sort(pieces_.begin(), pieces_.end(),
                   [](const Piece& a, const Piece& b) { return a.time > b.time; });
  sums_.assign(1, Time{0});
  for (const Piece& piece : pieces_) sums_.push_back(sums_.back() + piece.time);

  best_.time = Time::max();
  for (std::size_t used = 1; used <= std::min(processors_, std::max<std::size_t>(1, pieces_.size()));
       ++used) {
    const PeriodBound bound = without_sums(used);
    if (bound.time <= best_.time) best_ = bound;
  }
  best_ = with_sums(best_);
}

void PeriodBounds::collect_pieces(const TaskGraph& graph, const logp::Machine& machine,
                                  std::uint32_t replicas) {
  std::vector<double> speeds = machine.platform().speeds;
  std::sort(speeds.begin(), speeds.end(), std::greater<>());
  const bool is_uniform = speeds.front() == 1.0 && speeds.back() == 1.0;
  has_table_ = graph.has_work_table();
  if (!has_table_ && !is_uniform) {
    speed_sums_.assign(1, 0.0);
    for (double speed : speeds) speed_sums_.push_back(speed_sums_.back() + speed);
    speeds_ = speeds;
  }
  const auto fastest = static_cast<std::size_t>(
      std::max_element(machine.platform().speeds.begin(), machine.platform().speeds.end()) -
      machine.platform().speeds.begin());
  pieces_.reserve(graph.task_count());
  std::vector<Time> works;
  for (TaskId task : graph.tasks()) {
    Time least = machine.duration(graph, task, ProcessorId(fastest));
    if (graph.has_work_table())
      for (ProcessorId p : machine.processors()) least = std::min(least, machine.duration(graph, task, p));
    work_ += (graph.has_work_table() ? least : graph.task(task).work) * replicas;
    if (graph.task(task).stateless)
      pieces_.insert(pieces_.end(), replicas, {.time = least, .part = 0, .has_state = false});
    else
      pieces_.push_back({.time = least * replicas, .part = 0, .has_state = true});
    const Time work = graph.task(task).work;
    if (graph.task(task).stateless)
      works.insert(works.end(), replicas, work);
    else
      works.push_back(work * replicas);
  }
  if (speeds_.empty()) return;
  std::sort(works.begin(), works.end(), std::greater<>());
  work_sums_.assign(1, Time{0});
  for (Time work : works) work_sums_.push_back(work_sums_.back() + work);
}

void PeriodBounds::collect_parts(const TaskGraph& graph, std::uint32_t replicas) {
  std::vector<std::size_t> first(graph.task_count());
  std::size_t next = 0;
  for (TaskId task : graph.tasks()) {
    first[task.index()] = next;
    next += graph.task(task).stateless ? replicas : 1;
  }
  auto piece = [&](TaskId task, std::uint32_t instance) {
    return first[task.index()] + (graph.task(task).stateless ? instance : 0);
  };
  Parts parts(pieces_.size());
  for (EdgeId edge : graph.edges())
    for (std::uint32_t instance = 0; instance < replicas; ++instance)
      parts.join(piece(graph.edge(edge).from, instance), piece(graph.edge(edge).to, instance));

  part_work_.resize(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].part = parts.find(i);
    parts_ += pieces_[i].part == i ? 1 : 0;
    part_work_[pieces_[i].part] += pieces_[i].time;
  }
}

void PeriodBounds::collect_message_costs(const TaskGraph& graph, const logp::Machine& machine) {
  if (communication_is_free_ || graph.edge_count() == 0) return;
  Bytes smallest{std::numeric_limits<std::uint64_t>::max()};
  for (EdgeId edge : graph.edges()) smallest = std::min(smallest, graph.edge(edge).size);
  both_overheads_ = one_overhead_ = gap_ = Time::max();
  for (const logp::LinkCosts& costs : machine.occurring_costs()) {
    const Time send = least_cost(costs.send_overhead, smallest);
    const Time receive = least_cost(costs.receive_overhead, smallest);
    both_overheads_ = std::min(both_overheads_, send + receive);
    one_overhead_ = std::min({one_overhead_, send, receive});
    gap_ = std::min(gap_, std::max({send, receive, least_cost(costs.send_gap, smallest),
                                    least_cost(costs.receive_gap, smallest)}));
  }
  if (both_overheads_ == Time::max()) both_overheads_ = one_overhead_ = gap_ = Time{0};
}

PeriodBound PeriodBounds::with(std::size_t used) const {
  return with_sums(without_sums(used));
}

std::size_t PeriodBounds::fewest_processors(Time repetition) const {
  for (std::size_t used = 1; used <= processors_; ++used)
    if (with(used).time <= repetition) return used;
  return 0;
}

PeriodBound PeriodBounds::without_sums(std::size_t used) const {
  // No more processors than pieces have any.
  used = std::min(used, std::max<std::size_t>(1, pieces_.size()));
  PeriodBound bound{shared_work(used), BoundRule::work};
  if (used == 1) return bound;
  raise(bound, largest_.time, largest_.rule);
  raise(bound, pigeonhole(used), BoundRule::pigeonhole);
  // More processors than parts: some part sends a message, and sends it again in the next repetition.
  if (used > parts_) raise(bound, gap_, BoundRule::gap);
  return bound;
}

/// Of `used` processors at most as many groups can do without a message between them as the graph has parts,
/// so that there are `used` - parts messages at least, each of which takes time at both ends. The occupancies
/// then sum up to the work and these overheads, and the largest one is not below their mean. On processors of
/// different speeds, a processor of speed s does s times its occupancy of work, an overhead counts with the
/// lowest speed, and the fastest processors are used.
Time PeriodBounds::shared_work(std::size_t used) const {
  const auto messages = static_cast<Time::rep>(used > parts_ ? used - parts_ : 0);
  const Time overheads = messages * both_overheads_;
  if (speed_sums_.empty()) return divide_rounding_up(work_ + overheads, used);
  const double amount =
      static_cast<double>(work_.count()) + static_cast<double>(overheads.count()) * speeds_.back();
  return Time(std::llround(std::ceil(amount / speed_sums_[used] * (1 - division_tolerance))));
}

/// In a connected graph the processor on which pieces pigeonhole has everything or exchanges a message.
Time PeriodBounds::pigeonhole(std::size_t used) const {
  const Time most = speeds_.empty() ? pigeonhole_on_equal_processors(used) : pigeonhole_on_speeds(used);
  return parts_ == 1 ? std::min(sums_.back(), most + one_overhead_) : most;
}

/// Of the k * used + 1 largest pieces, k + 1 share a processor, and take no less than the k + 1 smallest of
/// them.
Time PeriodBounds::pigeonhole_on_equal_processors(std::size_t used) const {
  Time most{0};
  for (std::size_t k = 1; k * used + 1 <= pieces_.size(); ++k)
    most = std::max(most, sums_[k * used + 1] - sums_[k * used - k]);
  return most;
}

/// The least time in which the processors can take the largest pieces at all.
Time PeriodBounds::pigeonhole_on_speeds(std::size_t used) const {
  Time::rep no = 0, yes = sums_.back().count();
  while (yes - no > 1) {
    const Time::rep middle = no + (yes - no) / 2;
    (fit_on_speeds(used, Time(middle)) ? yes : no) = middle;
  }
  return Time(yes);
}

/// Of the m largest pieces, a processor takes no more than of the smallest of them, whichever it takes. If
/// these numbers do not sum up to m, the pieces do not fit.
bool PeriodBounds::fit_on_speeds(std::size_t used, Time period) const {
  const std::size_t most = std::min(work_sums_.size() - 1, crowd_factor * used);
  for (std::size_t m = 1; m <= most; ++m) {
    std::size_t taken = 0;
    for (std::size_t p = 0; p < used && taken < m; ++p) {
      const double work = static_cast<double>(period.count()) * speeds_[p] * (1 + division_tolerance);
      std::size_t count = 0;
      while (count < m - taken &&
             static_cast<double>((work_sums_[m] - work_sums_[m - count - 1]).count()) <= work)
        ++count;
      taken += count;
    }
    if (taken < m) return false;
  }
  return true;
}

/// With free communication, the other bounds hold for the time that the busiest processor computes, and that
/// is a sum of pieces.
PeriodBound PeriodBounds::with_sums(PeriodBound bound) const {
  if (!communication_is_free_ || !speed_sums_.empty() || has_table_ || pieces_.empty()) return bound;
  constexpr std::size_t word_bits = 64;
  const double bits =
      static_cast<double>(bound.time.count()) + static_cast<double>(pieces_.front().time.count());
  if (bits / word_bits * static_cast<double>(pieces_.size()) > largest_sums_effort) return bound;

  const auto least = static_cast<std::size_t>(bound.time.count());
  std::vector<std::uint64_t> reached(static_cast<std::size_t>(bits) / word_bits + 1);
  auto is_reached = [&](std::size_t sum) { return (reached[sum / word_bits] >> sum % word_bits & 1) != 0; };
  reached[0] = 1;
  for (const Piece& piece : pieces_) {
    const auto shift = static_cast<std::size_t>(piece.time.count());
    const std::size_t words = shift / word_bits, rest = shift % word_bits;
    for (std::size_t i = reached.size(); i-- > words;) {
      std::uint64_t moved = reached[i - words] << rest;
      if (rest > 0 && i > words) moved |= reached[i - words - 1] >> (word_bits - rest);
      reached[i] |= moved;
    }
    if (is_reached(least)) return bound;
  }
  std::size_t sum = least;
  while (!is_reached(sum)) ++sum;
  raise(bound, Time(sum), BoundRule::whole_tasks);
  return bound;
}

void add_period_bound(const TaskGraph& graph, const logp::Machine& machine, Schedule& schedule) {
  const Time bound = PeriodBounds(graph, machine, schedule.replicas).best().time;
  schedule.period_bound = std::max(bound, schedule.period_bound.value_or(Time{0}));
  schedule.optimal = schedule.optimal || measure(schedule).repetition == *schedule.period_bound;
}

}  // namespace takt::schedulers
