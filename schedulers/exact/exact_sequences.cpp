#include "schedulers/exact/exact_sequences.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;
constexpr Ticks unrelated = std::numeric_limits<Ticks>::min() / 4;
constexpr std::size_t most_tasks = 64;
/// Largest number of tasks whose subset sums are all computed.
constexpr int most_summed = 12;
/// Examined paths that take as long as a typical state; states of wide graphs have more.
constexpr std::size_t paths_per_state = 2'048;

/// A time that the rest of a schedule depends on: the start of a working processor, or the end of a task.
struct Point {
  enum Kind : std::uint8_t { start_of_processor, end_of_task } kind = end_of_task;
  /// The processor, or the task.
  std::uint32_t of = 0;
};

/// A partial schedule. `paths` holds, row by row, the longest path from each point to each other one.
struct Partial {
  std::uint64_t placed = 0;
  std::vector<Point> points;
  std::vector<Ticks> paths;
  /// Last task of each working processor, and the processor of each task that is still relevant.
  struct Working {
    std::uint32_t processor = 0;
    std::uint32_t last = 0;
  };
  std::vector<Working> working;
  /// Per class of processors: the number of unused ones.
  std::vector<std::uint32_t> unused;
  Ticks rest = 0;
};

/// Two independent 64-bit digests of a state. The probability that two of ten million states share both is
/// below 1e-24.
struct Key {
  std::uint64_t first = 0, second = 1;

  void add(std::uint64_t value) {
    first = mix(first ^ value);
    second = mix(second * 0x9E3779B97F4A7C15ULL + value);
  }
  friend bool operator==(const Key&, const Key&) = default;
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept { return static_cast<std::size_t>(key.first); }
  };

 private:
  /// The finalizer of MurmurHash3 (Appleby).
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCDULL;
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53ULL;
    return value ^ value >> 33;
  }
};

class ExactSequences {
 public:
  ExactSequences(const Workload& workload, Ticks period, std::size_t most_states)
      : workload_(workload),
        graph_(workload.items()),
        period_(period),
        most_(most_states),
        processor_of_(graph_.task_count()),
        sequences_(workload.machine().processor_count()) {
    for (ProcessorId p : workload.machine().processors()) {
      const std::uint32_t kind = kind_of(p);
      if (kind == members_.size()) members_.emplace_back();
      members_[kind].push_back(p);
    }
    for (TaskId task : graph_.tasks()) {
      Ticks least = std::numeric_limits<Ticks>::max();
      for (std::uint32_t c = 0; c < workload.class_count(); ++c)
        least = std::min(least, workload.time(task, c).count());
      least_.push_back(least);
    }
  }

  SequenceAnswer run() {
    Partial empty;
    for (const auto& members : members_) empty.unused.push_back(static_cast<std::uint32_t>(members.size()));
    for (Ticks least : least_) empty.rest += least;
    const bool found = extend(empty);
    if (found) return {Verdict::yes, logp::Allocation{sequences_}, looked_at()};
    return {gave_up_ ? Verdict::unknown : Verdict::no, std::nullopt, looked_at()};
  }

 private:
  [[nodiscard]] static bool has(std::uint64_t set, std::size_t task) { return (set >> task & 1) != 0; }
  [[nodiscard]] Ticks time(std::size_t task, ProcessorId processor) const {
    return workload_.time(TaskId(task), workload_.class_of(processor)).count();
  }

  /// Depth first; returns true when a whole schedule has been found, whose sequences are then kept.
  bool extend(const Partial& partial) {
    if (partial.rest == 0 && all_placed(partial)) return true;
    if (!work_fits(partial)) return false;
    if (looked_at() >= most_) {
      gave_up_ = true;
      return false;
    }
    if (!seen_.insert(key(partial)).second) return false;
    ++states_;
    for (std::size_t task = 0; task < graph_.task_count() && !gave_up_; ++task) {
      if (has(partial.placed, task) || !is_ready(partial, task)) continue;
      for (const Partial::Working& working : partial.working)
        if (place(partial, task, ProcessorId(working.processor), true)) return true;
      for (std::size_t kind = 0; kind < members_.size(); ++kind) {
        if (partial.unused[kind] == 0) continue;
        const ProcessorId fresh = members_[kind][members_[kind].size() - partial.unused[kind]];
        if (place(partial, task, fresh, false)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::size_t looked_at() const { return std::max(states_, paths_ / paths_per_state); }

  bool place(const Partial& partial, std::size_t task, ProcessorId processor, bool is_working) {
    paths_ += partial.paths.size();
    std::optional<Partial> next = with(partial, task, processor, is_working);
    if (!next) return false;
    const ProcessorId before = processor_of_[task];
    processor_of_[task] = processor;
    sequences_[processor.index()].push_back(TaskId(task));
    drop_points(*next);
    if (extend(*next)) return true;
    sequences_[processor.index()].pop_back();
    processor_of_[task] = before;
    return false;
  }

  [[nodiscard]] bool all_placed(const Partial& partial) const {
    for (std::size_t task = 0; task < graph_.task_count(); ++task)
      if (!has(partial.placed, task)) return false;
    return true;
  }

  [[nodiscard]] bool is_ready(const Partial& partial, std::size_t task) const {
    for (EdgeId in : graph_.in_edges(TaskId(task)))
      if (!has(partial.placed, graph_.edge(in).from.index())) return false;
    return true;
  }

  /// Time left on a working processor: the period less the least time from its start to its end.
  [[nodiscard]] Ticks room(const Partial& partial, const Partial::Working& working) const {
    const std::size_t start = find(partial, {Point::start_of_processor, working.processor});
    const std::size_t end = find(partial, {Point::end_of_task, working.last});
    return period_ - partial.paths[start * partial.points.size() + end];
  }

  /// Whether the remaining tasks fit into the time left on the processors, each of which may choose.
  [[nodiscard]] bool work_fits(const Partial& partial) {
    Ticks rest = partial.rest;
    for (const Partial::Working& working : partial.working)
      rest -= most_work(partial, room(partial, working));
    for (std::size_t kind = 0; kind < members_.size() && rest > 0; ++kind) {
      if (partial.unused[kind] == 0) continue;
      // The joint capacity of all processors may exceed the range.
      const Ticks most = most_work(partial, period_);
      if (most > 0 && (rest - 1) / most < static_cast<Ticks>(partial.unused[kind])) return true;
      rest -= static_cast<Ticks>(partial.unused[kind]) * most;
    }
    return rest <= 0;
  }

  /// Returns the most remaining work that fits into this time on a processor of a class.
  [[nodiscard]] Ticks most_work(const Partial& partial, Ticks time) {
    // With different processors, a task counts with its least time on any of them.
    if (workload_.class_count() > 1 || std::popcount(~partial.placed & all_tasks()) > most_summed)
      return time;
    std::vector<Ticks>& sums = sums_[partial.placed];
    if (sums.empty()) {
      sums.push_back(0);
      for (std::size_t task = 0; task < graph_.task_count(); ++task) {
        if (has(partial.placed, task)) continue;
        const std::size_t count = sums.size();
        for (std::size_t i = 0; i < count; ++i) sums.push_back(sums[i] + least_[task]);
        std::inplace_merge(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(count), sums.end());
        sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
      }
    }
    return *std::prev(std::upper_bound(sums.begin(), sums.end(), time));
  }
  [[nodiscard]] std::uint64_t all_tasks() const {
    return graph_.task_count() == most_tasks ? ~std::uint64_t{0}
                                             : (std::uint64_t{1} << graph_.task_count()) - 1;
  }

  [[nodiscard]] static std::size_t find(const Partial& partial, Point point) {
    for (std::size_t i = 0; i < partial.points.size(); ++i)
      if (partial.points[i].kind == point.kind && partial.points[i].of == point.of) return i;
    return partial.points.size();
  }

  /// Returns the partial schedule with one more task at the end of a processor's sequence, if feasible.
  [[nodiscard]] std::optional<Partial> with(const Partial& partial, std::size_t task, ProcessorId processor,
                                            bool is_working) const {
    const Ticks length = time(task, processor);
    if (length > period_) return std::nullopt;
    const std::size_t old_count = partial.points.size();

    // Longest paths from the old points to the task's start.
    std::vector<Ticks> to_start(old_count, unrelated);
    auto after = [&](std::size_t point, Ticks distance) {
      for (std::size_t x = 0; x < old_count; ++x)
        if (const Ticks path = partial.paths[x * old_count + point]; path > unrelated)
          to_start[x] = std::max(to_start[x], path + distance);
    };
    if (is_working)
      for (const Partial::Working& working : partial.working)
        if (working.processor == processor.index())
          after(find(partial, {Point::end_of_task, working.last}), 0);
    for (EdgeId id : graph_.in_edges(TaskId(task))) {
      const Edge edge = graph_.edge(id);
      const ProcessorId from = processor_of_[edge.from.index()];
      const Ticks latency =
          from == processor ? 0 : workload_.links(from, processor).latency.at(edge.size).count();
      after(find(partial, {Point::end_of_task, static_cast<std::uint32_t>(edge.from.index())}), latency);
    }

    // Longest paths from the task's end to the old points: only by the processor's period.
    std::vector<Ticks> from_end(old_count, unrelated);
    if (is_working) {
      const std::size_t start =
          find(partial, {Point::start_of_processor, static_cast<std::uint32_t>(processor.index())});
      if (to_start[start] + length > period_) return std::nullopt;
      for (std::size_t x = 0; x < old_count; ++x)
        if (const Ticks path = partial.paths[start * old_count + x]; path > unrelated)
          from_end[x] = path - period_;
    }

    Partial next;
    next.placed = partial.placed | std::uint64_t{1} << task;
    next.rest = partial.rest - least_[task];
    next.unused = partial.unused;
    next.working = partial.working;
    next.points = partial.points;
    if (!is_working) {
      next.points.push_back({Point::start_of_processor, static_cast<std::uint32_t>(processor.index())});
      next.working.push_back(
          {static_cast<std::uint32_t>(processor.index()), static_cast<std::uint32_t>(task)});
      --next.unused[kind_of(processor)];
    } else {
      for (Partial::Working& working : next.working)
        if (working.processor == processor.index()) working.last = static_cast<std::uint32_t>(task);
    }
    next.points.push_back({Point::end_of_task, static_cast<std::uint32_t>(task)});

    const std::size_t count = next.points.size();
    next.paths.assign(count * count, unrelated);
    auto path = [&](std::size_t x, std::size_t y) -> Ticks& { return next.paths[x * count + y]; };
    for (std::size_t x = 0; x < old_count; ++x)
      for (std::size_t y = 0; y < old_count; ++y) {
        path(x, y) = partial.paths[x * old_count + y];
        if (to_start[x] > unrelated && from_end[y] > unrelated)
          path(x, y) = std::max(path(x, y), to_start[x] + length + from_end[y]);
      }
    const std::size_t end = count - 1;
    path(end, end) = 0;
    for (std::size_t x = 0; x < old_count; ++x) {
      if (path(x, x) > 0) return std::nullopt;
      // A path over the processor's start combines from_end and to_start and lengthens neither.
      if (to_start[x] > unrelated) path(x, end) = to_start[x] + length;
      if (from_end[x] > unrelated) path(end, x) = from_end[x];
    }
    if (!is_working) {
      // The processor starts when the task does.
      const std::size_t start = count - 2;
      path(start, start) = 0;
      path(start, end) = length;
      path(end, start) = -length;
      for (std::size_t x = 0; x < old_count; ++x)
        if (to_start[x] > unrelated) path(x, start) = to_start[x];
    }
    return next;
  }

  /// Drops the points that no remaining task can depend on.
  void drop_points(Partial& partial) const {
    Ticks smallest = std::numeric_limits<Ticks>::max();
    for (std::size_t task = 0; task < graph_.task_count(); ++task)
      if (!has(partial.placed, task)) smallest = std::min(smallest, least_[task]);
    std::erase_if(partial.working,
                  [&](const Partial::Working& working) { return room(partial, working) < smallest; });
    auto is_needed = [&](const Point& point) {
      for (const Partial::Working& working : partial.working)
        if (point.kind == Point::start_of_processor ? working.processor == point.of
                                                    : working.last == point.of)
          return true;
      if (point.kind == Point::start_of_processor) return false;
      for (EdgeId out : graph_.out_edges(TaskId(point.of)))
        if (!has(partial.placed, graph_.edge(out).to.index())) return true;
      return false;
    };
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < partial.points.size(); ++i)
      if (is_needed(partial.points[i])) kept.push_back(i);
    if (kept.size() == partial.points.size()) return;
    std::vector<Point> points;
    std::vector<Ticks> paths;
    for (std::size_t x : kept) {
      points.push_back(partial.points[x]);
      for (std::size_t y : kept) paths.push_back(partial.paths[x * partial.points.size() + y]);
    }
    partial.points = std::move(points);
    partial.paths = std::move(paths);
  }

  /// Equal for states with the same future: processors of a class are interchangeable.
  [[nodiscard]] Key key(const Partial& partial) const {
    // Working processors are identified by their last task; a task's end by the task and its processor.
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    auto name_of_processor = [&](std::uint32_t processor) -> std::uint64_t {
      for (const Partial::Working& working : partial.working)
        if (working.processor == processor) return working.last + 1;
      return 0;
    };
    for (std::size_t i = 0; i < partial.points.size(); ++i) {
      const Point& point = partial.points[i];
      std::uint64_t name =
          point.kind == Point::start_of_processor
              ? name_of_processor(point.of) << 16
              : (std::uint64_t{1} << 32) + (std::uint64_t{point.of} << 16) +
                    name_of_processor(static_cast<std::uint32_t>(processor_of_[point.of].index()));
      order.emplace_back(name, i);
    }
    std::sort(order.begin(), order.end());
    Key result;
    result.add(partial.placed);
    for (const auto& [name, x] : order) {
      result.add(name);
      result.add(kind_of(partial.points[x]));
      for (const auto& [other, y] : order)
        result.add(static_cast<std::uint64_t>(partial.paths[x * partial.points.size() + y]));
    }
    for (std::uint32_t count : partial.unused) result.add(count);
    return result;
  }

  /// With different links every processor is of its own kind.
  [[nodiscard]] std::uint32_t kind_of(ProcessorId processor) const {
    return workload_.links_are_equal() ? workload_.class_of(processor)
                                       : static_cast<std::uint32_t>(processor.index());
  }
  [[nodiscard]] std::uint32_t kind_of(const Point& point) const {
    return kind_of(point.kind == Point::start_of_processor ? ProcessorId(point.of) : processor_of_[point.of]);
  }

  const Workload& workload_;
  const TaskGraph& graph_;
  Ticks period_;
  std::size_t most_, states_ = 0, paths_ = 0;
  bool gave_up_ = false;
  std::vector<std::vector<ProcessorId>> members_;
  std::vector<Ticks> least_;
  std::vector<ProcessorId> processor_of_;
  std::vector<std::vector<TaskId>> sequences_;
  /// Per set of placed tasks: the subset sums of the other tasks.
  std::unordered_map<std::uint64_t, std::vector<Ticks>> sums_;
  std::unordered_set<Key, Key::Hash> seen_;
};

}  // namespace

bool can_search_sequences(const Workload& workload) {
  if (workload.replicas() > 1 || workload.item_count() > most_tasks) return false;
  const logp::Machine& machine = workload.machine();
  for (ProcessorId a : machine.processors())
    for (ProcessorId b : machine.processors()) {
      if (a == b) continue;
      const logp::LinkCosts& costs = workload.links(a, b);
      for (const logp::Cost* cost :
           {&costs.send_overhead, &costs.receive_overhead, &costs.send_gap, &costs.receive_gap})
        if (!cost->is_zero()) return false;
      for (const logp::Cost::Segment& segment : costs.latency.segments())
        if (segment.constant < 0 || segment.per_byte < 0) return false;
    }
  return true;
}

SequenceAnswer find_sequences(const Workload& workload, Time period, std::size_t most_states) {
  return ExactSequences(workload, period.count(), most_states).run();
}

}  // namespace takt::schedulers
