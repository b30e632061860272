#include "schedulers/streams/admission.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "logp/diagnostics.hpp"
#include "logp/message_costs.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/streams/refusal.hpp"
#include "schedulers/streams/stream_cuts.hpp"
#include "schedulers/streams/time_text.hpp"

namespace takt::schedulers {

namespace {

constexpr int most_multiples = 64;
constexpr std::uint64_t most_frames = 512, most_tasks = 20'000;
/// Largest number of tried start times of a stream, and of processors in its cut.
constexpr std::size_t most_phases = 32, most_pieces = 8;
/// Largest number of additional processors that are tried as a remedy.
constexpr std::size_t most_added = 4;

std::uint32_t frames_in(Time cycle, const RequiredRate& rate) {
  const double exact = static_cast<double>(cycle.count()) / rate.period;
  return static_cast<std::uint32_t>(std::max(1.0, std::ceil(exact * (1 - 2 * RequiredRate::tolerance))));
}

Time work_on(const TaskGraph& graph, const logp::Machine& machine, ProcessorId processor) {
  Time sum{0};
  for (TaskId task : graph.tasks()) sum += machine.duration(graph, task, processor);
  return sum;
}

bool has_no_state(const TaskGraph& graph) {
  return std::ranges::all_of(graph.tasks(), [&](TaskId task) { return graph.task(task).stateless; });
}

/// Returns the hyperperiod in which the frames beyond the required rates take the least time.
Time choose_cycle(const std::vector<Stream>& streams, const std::optional<CyclicTimetable>& running) {
  std::vector<double> bases;
  if (running)
    bases.push_back(static_cast<double>(running->cycle().count()));
  else
    for (const Stream& stream : streams) bases.push_back(stream.placed_rate().period);
  // If frames alternate between processors, a task can take longer than the time between frames.
  Time longest{0};
  for (const Stream& stream : streams)
    if (has_no_state(stream.graph)) longest = std::max(longest, stream.graph.largest_work());
  std::optional<Time> best;
  double least = 0;
  for (const double base : bases)
    for (int multiple = 1; multiple <= most_multiples; ++multiple) {
      const Time cycle(static_cast<Time::rep>(std::floor(base * multiple * (1 + RequiredRate::tolerance))));
      if (cycle <= Time{0} || cycle < longest) continue;
      double given_away = 0;
      std::uint64_t frames = 0, tasks = 0;
      for (const Stream& stream : streams) {
        const std::uint32_t count = frames_in(cycle, stream.placed_rate());
        frames += count;
        tasks += count * stream.graph.task_count();
        given_away += (count / static_cast<double>(cycle.count()) - 1 / stream.placed_rate().period) *
                      static_cast<double>(std::max<Time::rep>(1, stream.graph.total_work().count()));
      }
      if (frames > most_frames || tasks > most_tasks) continue;
      // Of cycles within a thousandth of a processor, the shortest: it has shorter latencies.
      if (best && given_away > least - 1e-3) continue;
      best = cycle;
      least = given_away;
    }
  if (!best)
    throw ConfigError(fmt::format(
        "the hyperperiod of these rates has more than {} frames or {} tasks: the rates are too different",
        most_frames, most_tasks));
  return *best;
}

/// Puts frames of one stream into a timetable along a cut.
class Placement {
 public:
  Placement(const Stream& stream, std::uint32_t frames, Time phase)
      : stream_(&stream), frames_(frames), phase_(phase), task_end_(stream.graph.task_count(), Time::min()) {}

  [[nodiscard]] Time release(const CyclicTimetable& timetable, std::uint32_t frame) const {
    return phase_ + timetable.cycle() * frame / frames_;
  }

  /// Returns false if there is no room; the timetable is then invalid.
  bool put(CyclicTimetable& timetable, const StreamCut& cut, std::uint32_t frame) {
    const TaskGraph& graph = stream_->graph;
    const logp::Machine& machine = timetable.machine();
    const CyclicTimetable::Frame base = timetable.add_frame(stream_->name, frame, graph);
    const Time released = release(timetable, frame);
    Time ready = released;
    std::optional<MessageId> arriving;
    for (std::size_t k = 0; k < cut.chain.size(); ++k) {
      const ProcessorId p = cut.chain[k];
      if (arriving && !put_message(timetable, *arriving, ready)) return false;
      for (std::size_t i = cut.cuts[k]; i < cut.cuts[k + 1]; ++i) {
        const TaskId task = cut.order[i];
        Time& last = task_end_[task.index()];
        const Time from = graph.task(task).stateless ? ready : std::max(ready, last);
        const Time length = machine.duration(graph, task, p);
        const auto start =
            timetable.put(p, OperationKind::compute,
                          static_cast<std::uint32_t>(base.first_task + task.index()), length, from);
        if (!start) return false;
        ready = last = *start + length;
      }
      arriving.reset();
      if (k + 1 == cut.chain.size()) break;
      std::vector<DatumId> data;
      Bytes size;
      for (DatumId datum : data_across(graph, cut.order, cut.cuts[k + 1])) {
        data.emplace_back(base.first_datum + datum.index());
        size += graph.datum_size(datum);
      }
      if (data.empty()) {
        ready = released;
        continue;
      }
      const ProcessorId next = cut.chain[k + 1];
      arriving = timetable.add_message(p, next, size, data);
      const logp::MessageCosts costs(machine.costs(p, next), size);
      const auto start = timetable.put(p, OperationKind::send, static_cast<std::uint32_t>(arriving->index()),
                                       costs.send_overhead, ready);
      if (!start) return false;
      ready = *start + costs.transit();
      if (timetable.passes_links(p, next)) {
        const auto arrived = timetable.pass_links(*arriving, *start + costs.send_overhead);
        if (!arrived) return false;
        ready = *arrived;
      }
      receive_ = {next, costs.receive_overhead};
    }
    latency_ = std::max(latency_, ready - released);
    return true;
  }

  [[nodiscard]] Time latency() const { return latency_; }

 private:
  bool put_message(CyclicTimetable& timetable, MessageId message, Time& ready) {
    const auto start = timetable.put(receive_.processor, OperationKind::receive,
                                     static_cast<std::uint32_t>(message.index()), receive_.length, ready);
    if (start) ready = *start + receive_.length;
    return start.has_value();
  }

  const Stream* stream_;
  std::uint32_t frames_;
  Time phase_;
  std::vector<Time> task_end_;
  struct {
    ProcessorId processor;
    Time length{0};
  } receive_;
  Time latency_{0};
};

struct Placed {
  CyclicTimetable timetable;
  Time latency{0};
  std::vector<ProcessorId> processors;
};

class Admitter {
 public:
  Admitter(const logp::Machine& machine, CyclicTimetable timetable)
      : machine_(machine), timetable_(std::move(timetable)) {}

  /// Places the stream, or returns the reason of the refusal and a remedy.
  StreamVerdict admit(const Stream& stream) {
    StreamVerdict verdict = try_to_admit(stream);
    if (verdict.is_admitted) return verdict;
    verdict.reason = late_placement(stream, verdict.frames);
    if (verdict.reason.empty()) verdict.reason = explain_refusal(stream, verdict.frames, timetable_);
    for (std::uint32_t frames = verdict.frames - 1; frames > 0 && verdict.possible_frames == 0; --frames)
      if (place(stream, frames)) verdict.possible_frames = frames;
    verdict.advice = advice(stream, verdict.frames);
    if (const std::size_t closed = timetable_.closed_count(); closed > 0)
      verdict.reason += fmt::format("; {} of the {} processors {} closed: their hosts do not answer", closed,
                                    machine_.processor_count(), closed == 1 ? "is" : "are");
    return verdict;
  }

  /// The same without reasons.
  StreamVerdict try_to_admit(const Stream& stream) {
    StreamVerdict verdict{.name = stream.name, .rate = stream.rate, .margin = stream.margin};
    verdict.frames = frames_in(timetable_.cycle(), stream.placed_rate());
    auto placed = place(stream, verdict.frames);
    if (!placed) return verdict;
    timetable_ = std::move(placed->timetable);
    timetable_.note({.stream = stream.name, .period = stream.rate.period, .margin = stream.margin});
    verdict.is_admitted = true;
    verdict.latency = placed->latency;
    verdict.processors = std::move(placed->processors);
    return verdict;
  }

  [[nodiscard]] CyclicTimetable take() && { return std::move(timetable_); }

 private:
  /// Returns the processors with the most free time for the graph, in ascending order: with the same order
  /// for all streams, they never wait for each other in a cycle.
  [[nodiscard]] std::vector<ProcessorId> freest(const TaskGraph& graph, const CyclicTimetable& timetable,
                                                std::size_t count) const {
    std::vector<ProcessorId> processors;
    for (ProcessorId p : machine_.processors())
      if (!timetable.is_closed(p)) processors.push_back(p);
    std::ranges::stable_sort(processors, std::greater{}, [&](ProcessorId p) {
      return static_cast<double>(timetable.free(p).count()) /
             static_cast<double>(std::max<Time::rep>(1, work_on(graph, machine_, p).count()));
    });
    processors.resize(count);
    std::ranges::sort(processors);
    return processors;
  }

  [[nodiscard]] std::vector<StreamCut> cuts(const Stream& stream, const CyclicTimetable& timetable,
                                            std::size_t pieces, std::uint32_t frames) const {
    const std::vector<ProcessorId> chain = freest(stream.graph, timetable, pieces);
    std::vector<Time> free;
    for (ProcessorId p : chain) free.push_back(timetable.free(p) / frames);
    return cut_stream(stream.graph, machine_, chain, free);
  }

  [[nodiscard]] std::optional<Placed> place(const Stream& stream, std::uint32_t frames) const {
    const std::size_t open = machine_.processor_count() - timetable_.closed_count();
    const std::size_t most = std::min({most_pieces, open, stream.graph.task_count()});
    for (std::size_t pieces = 1; pieces <= most; ++pieces)
      for (const StreamCut& cut : cuts(stream, timetable_, pieces, frames))
        if (auto placed = place_along(stream, frames, cut)) return placed;
    if (has_no_state(stream.graph) && open > 0) return place_frames(stream, frames, most);
    return std::nullopt;
  }

  /// Tries several start times and keeps the one with the least latency.
  [[nodiscard]] std::optional<Placed> place_along(const Stream& stream, std::uint32_t frames,
                                                  const StreamCut& cut) const {
    std::optional<Placed> best;
    for (const Time phase : phases(cut.chain.front())) {
      Placement placement(stream, frames, phase);
      CyclicTimetable trial = timetable_;
      bool fits = true;
      for (std::uint32_t frame = 0; fits && frame < frames; ++frame) fits = placement.put(trial, cut, frame);
      if (!fits || !stream.allows(placement.latency()) || (best && placement.latency() >= best->latency) ||
          !is_valid(trial))
        continue;
      best = Placed{std::move(trial), placement.latency(), cut.chain};
    }
    return best;
  }

  /// Places each frame separately.
  [[nodiscard]] std::optional<Placed> place_frames(const Stream& stream, std::uint32_t frames,
                                                   std::size_t most) const {
    Placement placement(stream, frames, Time{0});
    Placed placed{timetable_, Time{0}, {}};
    for (std::uint32_t frame = 0; frame < frames; ++frame) {
      bool fits = false;
      for (std::size_t pieces = 1; !fits && pieces <= most; ++pieces)
        for (const StreamCut& cut : cuts(stream, placed.timetable, pieces, 1)) {
          CyclicTimetable trial = placed.timetable;
          Placement attempt = placement;
          if (!attempt.put(trial, cut, frame)) continue;
          placed.timetable = std::move(trial);
          placement = std::move(attempt);
          placed.processors.insert(placed.processors.end(), cut.chain.begin(), cut.chain.end());
          fits = true;
          break;
        }
      if (!fits) return std::nullopt;
    }
    if (!stream.allows(placement.latency()) || !is_valid(placed.timetable)) return std::nullopt;
    std::ranges::sort(placed.processors);
    const auto rest = std::ranges::unique(placed.processors);
    placed.processors.erase(rest.begin(), rest.end());
    placed.latency = placement.latency();
    return placed;
  }

  /// Returns the reason of a stream that has room at its rate, but not within its latency; empty otherwise.
  [[nodiscard]] std::string late_placement(Stream stream, std::uint32_t frames) const {
    const std::optional<Time> limit = std::exchange(stream.latency_limit, {});
    const std::optional<Placed> placed = limit ? place(stream, frames) : std::nullopt;
    if (!placed) return {};
    return fmt::format("its frames would take {}, longer than the required latency of {}",
                       time_text(placed->latency, stream.is_measured), time_text(*limit, stream.is_measured));
  }

  [[nodiscard]] std::vector<Time> phases(ProcessorId first) const {
    std::vector<Time> ends = timetable_.ends(first), phases{Time{0}};
    const std::size_t step = ends.size() / most_phases + 1;
    for (std::size_t i = 0; i < ends.size(); i += step)
      phases.insert(phases.end(), {ends[i] - timetable_.cycle(), ends[i]});
    std::ranges::sort(phases);
    return phases;
  }

  [[nodiscard]] static bool is_valid(const CyclicTimetable& timetable) {
    return logp::diagnose(timetable.graph(), timetable.machine(), timetable.schedule(), {.limit = 1}).empty();
  }

  /// Returns remedies that were tested successfully.
  [[nodiscard]] std::vector<std::string> advice(const Stream& stream, std::uint32_t frames) const {
    const std::size_t have = machine_.processor_count();
    const std::size_t room = machine_.platform().most_grown() - have;
    for (std::size_t more = 1; more <= std::min(most_added, room); ++more) {
      const logp::Machine machine = machine_.grown(have + more);
      CyclicTimetable timetable(machine, timetable_.cycle());
      if (!timetable_.streams().empty()) {
        Schedule schedule = timetable_.schedule();
        schedule.processors.resize(machine.processor_count());
        timetable = CyclicTimetable(machine, timetable_.graph(), schedule, 1);
      }
      timetable.close(timetable_.closed());
      if (Admitter(machine, std::move(timetable)).place(stream, frames))
        return {fmt::format("use {} more processor{}", more, more == 1 ? "" : "s")};
    }
    return {};
  }

  const logp::Machine& machine_;
  CyclicTimetable timetable_;
};

using Order = std::vector<std::size_t>;

/// Returns the orders to try, by priority: as given, by falling load, by rising period; all of few streams.
std::vector<Order> orders_of(const std::vector<Stream>& streams) {
  constexpr std::size_t most_permuted = 5;
  const auto by_priority = [&](Order order) {
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return streams[i].priority; });
    return order;
  };
  Order given(streams.size());
  std::iota(given.begin(), given.end(), std::size_t{0});
  std::vector<Order> orders{by_priority(given)};
  const auto add = [&](const Order& order) {
    if (Order sorted = by_priority(order); std::ranges::find(orders, sorted) == orders.end())
      orders.push_back(std::move(sorted));
  };
  Order order = given;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) {
    return static_cast<double>(streams[i].graph.total_work().count()) / streams[i].placed_rate().period;
  });
  add(order);
  order = given;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return streams[i].placed_rate().period; });
  add(order);
  if (streams.size() <= most_permuted)
    while (std::ranges::next_permutation(given).found) add(given);
  return orders;
}

/// Whether all streams fit in this order.
bool all_fit(Admitter admitter, const std::vector<Stream>& streams, const Order& order) {
  return std::ranges::all_of(order,
                             [&](std::size_t i) { return admitter.try_to_admit(streams[i]).is_admitted; });
}

}  // namespace

Admission admit(const std::vector<Stream>& streams, const logp::Machine& machine,
                const std::optional<CyclicTimetable>& running, const std::vector<ProcessorId>& closed) {
  for (const Stream& stream : streams) check_fit(stream.graph, machine);
  const Time cycle = choose_cycle(streams, running);
  CyclicTimetable start = running ? CyclicTimetable(machine, running->graph(), running->schedule(),
                                                    static_cast<std::uint32_t>(cycle / running->cycle()))
                                  : CyclicTimetable(machine, cycle);
  start.close(closed);
  if (running)
    for (const StreamRequirement& each : running->requirements()) start.note(each);
  Admitter admitter(machine, std::move(start));
  const std::vector<Order> orders = orders_of(streams);
  const auto fits =
      std::ranges::find_if(orders, [&](const Order& each) { return all_fit(admitter, streams, each); });
  const Order& order = fits == orders.end() ? orders.front() : *fits;
  std::vector<StreamVerdict> verdicts(streams.size());
  for (const std::size_t i : order) verdicts[i] = admitter.admit(streams[i]);
  Admission admission{.timetable = std::move(admitter).take(),
                      .verdicts = std::move(verdicts),
                      .order = order,
                      .is_reordered = order != orders.front(),
                      .is_measured = std::ranges::all_of(streams, &Stream::is_measured)};
  admission.timetable.close({});
  return admission;
}

}  // namespace takt::schedulers
