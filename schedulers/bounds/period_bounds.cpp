#include "schedulers/bounds/period_bounds.hpp"

#include <algorithm>

#include "schedulers/bounds/class_bound.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/search/components.hpp"
#include "schedulers/search/processor_selections.hpp"

namespace takt::schedulers {

namespace {

/// Bound of the processor of a stateful task s. Let a share y of the frames have some task of s's weakly
/// connected part elsewhere. For each of these the processor runs at least s and sends or receives a message
/// (o_end); for every other frame it runs the whole part:
///
///   period >= part - y (part - s - o_end).
///
/// All processors together do the whole work, and for a share y a message at both its ends (o_both):
///
///   period >= (work + y o_both) / P.
///
/// The first falls with y, the second grows: the bound is their intersection, or at y = 0 or y = 1.
Fraction fused_or_moved(Time all_work, Time part, Time task, const LeastMessage& message,
                        std::size_t processors) {
  const Wide work = all_work.count(), fused = part.count(), both = message.both.count();
  const auto count = static_cast<Wide>(processors);
  const Wide saved = fused - task.count() - message.one().count();
  if (saved <= 0) return {std::max(work, fused * count), count};
  if (fused * count <= work) return {work, count};
  // y = (P part - work) / (o_both + P saved)
  if (fused * count - work >= both + count * saved) return {fused - saved, 1};
  return {work * saved + both * fused, both + count * saved};
}

}  // namespace

std::string_view explain(BoundRule rule) {
  switch (rule) {
    case BoundRule::area:
      return "all work, divided evenly";
    case BoundRule::area_with_messages:
      return "all work and the messages that connect the graph, divided evenly";
    case BoundRule::largest_task:
      return "the largest task, and the message to a processor of its own";
    case BoundRule::state:
      return "a task with state, which sees every frame";
    case BoundRule::pigeonhole:
      return "the largest tasks, some of which must share a processor";
    case BoundRule::subset_sum:
      return "tasks are indivisible: no smaller sum of tasks per processor is enough";
    case BoundRule::gap:
      return "two messages of a processor must start a gap apart";
    case BoundRule::moved_frames:
      return "moving frames to other processors costs messages";
    case BoundRule::classes:
      return "all work, divided between unequal processors; tasks with state stay whole";
  }
  return "";
}

bool can_replicate(const TaskGraph& graph, const logp::Machine& machine) {
  return machine.processor_count() > 1 &&
         std::ranges::any_of(graph.tasks(), [&](TaskId task) { return graph.task(task).stateless; });
}

/// A lower bound of the time of an iteration, and its rule.
struct PeriodBounds::Repetition {
  Time time{0};
  BoundRule rule = BoundRule::area;

  void raise(Time other, BoundRule other_rule) {
    if (other > time) *this = {other, other_rule};
  }
};

PeriodBounds::PeriodBounds(const TaskGraph& graph, const logp::Machine& machine)
    : PeriodBounds(graph, machine, std::optional<std::uint32_t>{}) {}

PeriodBounds::PeriodBounds(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas)
    : PeriodBounds(graph, machine, std::optional(replicas)) {}

PeriodBounds::PeriodBounds(const TaskGraph& graph, const logp::Machine& machine,
                           std::optional<std::uint32_t> replicas)
    : processors_(machine.processor_count()),
      can_replicate_(can_replicate(graph, machine)),
      has_equal_processors_(has_equal_processors(graph, machine)),
      communication_is_free_(machine.communication_is_free()),
      // Without stateless tasks all frames have the same routes, and a message is for one frame: R copies
      // take R times the time of one.
      replicas_(can_replicate_ ? replicas : std::optional(1U)),
      area_(graph, machine),
      message_(graph, machine),
      sequential_(fastest_sequential_run(graph, machine).time),
      class_bound_(class_bound(graph, machine)),
      pieces_(graph, machine),
      with_state_(graph, machine) {
  find_parts(graph, machine);
  find_pieces(graph, machine);
  if (!replicas_) {
    best_ = on(processors_);
    return;
  }
  if (processors_ > pieces_.count()) area_with_relays_ = area_with_relays();
  Repetition best{Time::max()};
  for (std::size_t used = 1; used <= processors_; ++used) {
    const Repetition bound = least_repetition(used);
    if (bound.time < best.time || (bound.time == best.time && used <= pieces_.count())) best = bound;
  }
  raise_to_subset_sum(best);
  // Bounds for any number of copies decrease with the number of processors.
  best_ = of(best, processors_);
}

void PeriodBounds::find_parts(const TaskGraph& graph, const logp::Machine& machine) {
  const LeastTimes least(graph, machine);
  const Components components = connected_components(graph);
  parts_.resize(components.count);
  for (TaskId task : graph.tasks()) {
    Part& part = parts_[components.of[task.index()]];
    const Time time = least.of(task);
    part.work += time;
    work_ += time;
    part.largest_task = std::max(part.largest_task, time);
    if (!graph.task(task).stateless)
      part.largest_with_state = std::max(part.largest_with_state, std::optional(time));
  }
}

void PeriodBounds::find_pieces(const TaskGraph& graph, const logp::Machine& machine) {
  const LeastTimes least(graph, machine);
  for (TaskId id : graph.tasks()) {
    const Task& task = graph.task(id);
    const Time time = least.of(id);
    if (!task.stateless) with_state_.add(time, task.work);
    if (!replicas_) continue;
    if (task.stateless)
      pieces_.add(time, task.work, *replicas_);
    else
      pieces_.add(time * *replicas_, task.work * *replicas_);
  }
  pieces_.close();
  with_state_.close();
  for (const Part& part : parts_) part_count_ += part.largest_with_state ? 1 : replicas_.value_or(1);
}

PeriodBound PeriodBounds::on(std::size_t used) const {
  if (!replicas_) return of_any_number(used);
  Repetition bound = least_repetition(used);
  raise_to_subset_sum(bound);
  return of(bound, used);
}

/// Bounds for any number of copies also apply.
PeriodBound PeriodBounds::of(const Repetition& bound, std::size_t used) const {
  const PeriodBound of_these{{bound.time, *replicas_}, bound.rule};
  if (!can_replicate_) return of_these;
  const PeriodBound of_any = of_any_number(used);
  return of_any.period > of_these.period ? of_any : of_these;
}

PeriodBounds::Repetition PeriodBounds::least_repetition(std::size_t used) const {
  if (used == 1) return {sequential_ * *replicas_};
  Repetition bound = area(used);
  // The processor of a part's largest piece either has the whole part or exchanges a message.
  for (const Part& part : parts_) {
    const Time work = part.work * (part.largest_with_state ? *replicas_ : 1);
    bound.raise(std::min(work, part.largest_task + message_.one()), BoundRule::largest_task);
    if (part.largest_with_state)
      bound.raise(std::min(work, *part.largest_with_state * *replicas_ + message_.one()),
                  *replicas_ > 1 ? BoundRule::state : BoundRule::largest_task);
  }
  bound.raise(pigeonhole(used), BoundRule::pigeonhole);
  // More processors than parts: some part sends a message, and sends it again in the next iteration.
  if (used > part_count_) bound.raise(message_.interval, BoundRule::gap);
  return bound;
}

/// Between `used` processors with operations of the graph there are at least used - parts messages: at most
/// as many groups of them as the graph has parts need no message to another group. Each message takes time at
/// both ends. The occupancies sum up to the work and these overheads, and the largest is at least their mean.
/// With different speeds, a processor of speed s does s times its occupancy of work, an overhead counts with
/// the lowest speed, and the fastest processors are used.
PeriodBounds::Repetition PeriodBounds::area(std::size_t used) const {
  const auto messages = static_cast<Time::rep>(used > part_count_ ? used - part_count_ : 0);
  const Time overhead = messages * message_.both;
  Repetition bound{area_.mean(used, *replicas_, overhead).ceiling(),
                   overhead > Time{0} ? BoundRule::area_with_messages : BoundRule::area};
  if (used > pieces_.count()) bound.raise(area_with_relays_, BoundRule::area_with_messages);
  return bound;
}

/// More processors than pieces: some only relay data, and may send for others. The t processors with pieces
/// keep all their work. In a group of several each sends or receives a message, one of them sends and another
/// one receives. The cheapest case has as many groups as the graph has parts, and all but one of them are
/// single processors.
Time PeriodBounds::area_with_relays() const {
  Time least = Time::max();
  for (std::size_t t = 1; t <= std::min(pieces_.count(), processors_); ++t) {
    Time overhead{0};
    if (t > part_count_)
      overhead =
          message_.send + message_.receive + static_cast<Time::rep>(t - part_count_ - 1) * message_.one();
    least = std::min(least, area_.mean(t, *replicas_, overhead).ceiling());
  }
  return pieces_.count() > 0 ? least : Time{0};
}

/// In a connected graph the processor on which pieces meet has everything or exchanges a message.
Time PeriodBounds::pigeonhole(std::size_t used) const {
  const Time most = pieces_.pigeonhole(std::min(used, std::max<std::size_t>(1, pieces_.count())));
  return part_count_ == 1 ? std::min(pieces_.sum(), most + message_.one()) : most;
}

/// With free communication, the other bounds hold for the computing time of the busiest processor, which is a
/// sum of pieces.
void PeriodBounds::raise_to_subset_sum(Repetition& bound) const {
  if (communication_is_free_ && has_equal_processors_)
    bound.raise(pieces_.subset_sum(bound.time), BoundRule::subset_sum);
}

PeriodBound PeriodBounds::of_any_number(std::size_t used) const {
  if (used == 1) return {{sequential_, 1}, BoundRule::area};
  PeriodBound bound{area_.mean(used).floor(), BoundRule::area};
  auto raise = [&](const Period& period, BoundRule rule) {
    if (period > bound.period) bound = {period, rule};
  };
  for (const Part& part : parts_) {
    if (!part.largest_with_state) continue;
    raise({*part.largest_with_state, 1}, BoundRule::state);
    if (has_equal_processors_)
      raise(fused_or_moved(work_, part.work, *part.largest_with_state, message_, used).floor(),
            BoundRule::moved_frames);
  }
  raise({with_state_.pigeonhole(used), 1}, BoundRule::pigeonhole);
  raise(class_bound_, BoundRule::classes);
  return bound;
}

PeriodBound period_bound_on(const TaskGraph& graph, const logp::Machine& machine,
                            std::span<const ProcessorId> processors) {
  return PeriodBounds(for_processors(graph, {processors.begin(), processors.end()}),
                      machine.subset(processors))
      .on(processors.size());
}

void raise_period_bound(Schedule& schedule, Period bound, std::string_view among) {
  std::optional<Period>& known = schedule.period_bound;
  if (known && (bound < *known || (bound == *known && !among.empty()))) return;
  known = bound;
  schedule.period_bound_among = among;
}

void add_period_bound(const TaskGraph& graph, const logp::Machine& machine, Schedule& schedule) {
  raise_period_bound(schedule, PeriodBounds(graph, machine).best().period);
  schedule.optimal = schedule.optimal || measure(schedule).exact_period() <= *schedule.period_bound;
}

}  // namespace takt::schedulers
