#include "schedulers/baseline/fork_join_search.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/baseline/one_machine.hpp"

namespace takt::schedulers {

namespace {

/// A task in the middle, with the times before and after it on a processor of neither end.
struct Part {
  TaskId task;
  Job job;
  friend bool operator==(const Part& a, const Part& b) {
    return std::tie(a.job.head, a.job.work, a.job.tail) == std::tie(b.job.head, b.job.work, b.job.tail);
  }
};

struct ForkJoin {
  std::optional<TaskId> first, last;
  Time first_work{0}, last_work{0};
  /// The longest first.
  std::vector<Part> parts;
  std::size_t processors = 1;
};

/// With a first task, a last task, both or neither, if the graph is so.
std::optional<ForkJoin> fork_join_of(const DelayModel& model, bool has_first, bool has_last) {
  const TaskGraph& graph = model.graph();
  const std::span<const TaskId> order = graph.topological_order();
  ForkJoin found;
  found.processors = model.processor_count();
  if (order.size() <= std::size_t{has_first} + std::size_t{has_last}) return std::nullopt;
  if (has_first) found.first_work = model.mean_duration(*(found.first = order.front()));
  if (has_last) found.last_work = model.mean_duration(*(found.last = order.back()));
  for (TaskId task : graph.tasks()) {
    if (task == found.first || task == found.last) continue;
    const auto in = graph.in_edges(task), out = graph.out_edges(task);
    if (in.size() != std::size_t{has_first} || out.size() != std::size_t{has_last}) return std::nullopt;
    if (has_first && graph.edge(in[0]).from != *found.first) return std::nullopt;
    if (has_last && graph.edge(out[0]).to != *found.last) return std::nullopt;
    found.parts.push_back(
        {task,
         {found.first_work + (has_first ? model.mean_delay(in[0]) : Time{0}), model.mean_duration(task),
          found.last_work + (has_last ? model.mean_delay(out[0]) : Time{0})}});
  }
  // And no edge between the two ends.
  if (graph.edge_count() != found.parts.size() * (std::size_t{has_first} + std::size_t{has_last}))
    return std::nullopt;
  std::ranges::stable_sort(found.parts, std::greater{}, [](const Part& part) {
    return std::pair(part.job.work, part.job.head + part.job.tail);
  });
  return found;
}

std::optional<ForkJoin> fork_join_of(const DelayModel& model) {
  if (!model.homogeneous()) return std::nullopt;
  for (const bool has_first : {false, true})
    for (const bool has_last : {false, true})
      if (std::optional<ForkJoin> found = fork_join_of(model, has_first, has_last)) return found;
  return std::nullopt;
}

enum class Answer : std::uint8_t { yes, no, unknown };

/// Whether there is a schedule within one limit, and which.
class WithinLimit {
 public:
  WithinLimit(const ForkJoin& graph, Time limit, std::uint64_t effort)
      : graph_(graph), limit_(limit), given_(effort), is_placed_(graph.parts.size(), false) {}

  Answer run() {
    bool is_known = true;
    for (const bool is_apart : {false, true}) {
      // The ends apart: each on a processor of its own.
      if (is_apart && (!graph_.first || !graph_.last || graph_.processors < 2)) continue;
      if (graph_.first_work + graph_.last_work > limit_) continue;
      is_apart_ = is_apart;
      free_ = graph_.processors - (is_apart ? 2 : 1);
      effort_ = given_;
      if (place(0)) return Answer::yes;
      is_known = is_known && effort_ > 0;
    }
    return is_known ? Answer::no : Answer::unknown;
  }

  /// After a yes.
  [[nodiscard]] Timetable timetable() const;

 private:
  using Group = std::vector<std::size_t>;
  static constexpr std::size_t beside_first = 0, beside_last = 1;

  [[nodiscard]] const Job& job(std::size_t part) const { return graph_.parts[part].job; }

  bool spend() { return effort_ > 0 && --effort_ > 0; }

  /// All parts from this one on.
  bool place(std::size_t part) {
    while (part < is_placed_.size() && is_placed_[part]) ++part;
    if (part == is_placed_.size()) return true;
    if (!spend() || !has_room()) return false;
    is_placed_[part] = true;
    if (free_ > 0 && job(part).head + job(part).work + job(part).tail <= limit_) {
      --free_;
      others_.push_back({part});
      if (fill(part, part + 1)) return true;
      others_.pop_back();
      ++free_;
    }
    for (std::size_t end = beside_first; end <= (is_apart_ ? beside_last : beside_first); ++end) {
      ends_[end].push_back(part);
      if (fits_beside(end) && place(part + 1)) return true;
      ends_[end].pop_back();
    }
    is_placed_[part] = false;
    return false;
  }

  /// The last of the other processors with some of the parts from `next` on; then what is left behind
  /// `first`.
  bool fill(std::size_t first, std::size_t next) {
    for (; next < is_placed_.size(); ++next) {
      if (is_placed_[next]) continue;
      if (!spend()) return false;
      others_.back().push_back(next);
      is_placed_[next] = true;
      const bool fits = fits_apart(others_.back());
      if (fits && fill(first, next + 1)) return true;
      is_placed_[next] = false;
      others_.back().pop_back();
      // Of parts that are alike the first one is left out last.
      if (fits)
        while (next + 1 < is_placed_.size() &&
               (is_placed_[next + 1] || graph_.parts[next + 1] == graph_.parts[next]))
          ++next;
    }
    return place(first + 1);
  }

  /// Whether the work that is left has room.
  [[nodiscard]] bool has_room() {
    heads_.clear();
    tails_.clear();
    Time left{0}, movable{0}, least_head = limit_, least_tail = limit_;
    for (std::size_t part = 0; part < is_placed_.size(); ++part) {
      if (is_placed_[part]) continue;
      const auto& [head, work, tail] = job(part);
      left += work;
      least_head = std::min(least_head, head);
      least_tail = std::min(least_tail, tail);
      if (head + work + tail > limit_) continue;
      movable += work;
      heads_.push_back(head);
      tails_.push_back(tail);
    }
    Time room{0};
    const std::size_t count = std::min(free_, heads_.size());
    if (count > 0) {
      const auto middle = static_cast<std::ptrdiff_t>(count - 1);
      std::ranges::nth_element(heads_, heads_.begin() + middle);
      std::ranges::nth_element(tails_, tails_.begin() + middle);
      for (std::size_t i = 0; i < count && room < movable; ++i) room += limit_ - heads_[i] - tails_[i];
      room = std::min(room, movable);
    }
    return left <= room + room_beside(least_head, least_tail);
  }

  /// Beside the ends, for parts with such heads and tails at least.
  [[nodiscard]] Time room_beside(Time least_head, Time least_tail) const {
    Time first = limit_ - graph_.first_work, last = limit_ - graph_.last_work;
    for (std::size_t part : ends_[beside_first]) {
      first -= job(part).work;
      least_tail = std::min(least_tail, job(part).tail);
    }
    if (!is_apart_) return std::max(Time{0}, first - graph_.last_work);
    for (std::size_t part : ends_[beside_last]) {
      last -= job(part).work;
      least_head = std::min(least_head, job(part).head);
    }
    return std::max(Time{0}, first - least_tail) + std::max(Time{0}, last - least_head);
  }

  /// In the order of their tails behind the first task, in that of their heads before the last one.
  [[nodiscard]] Group in_order(std::size_t end) const {
    Group group = ends_[end];
    if (is_apart_ && end == beside_first)
      std::ranges::stable_sort(group, std::greater{}, [&](std::size_t part) { return job(part).tail; });
    if (end == beside_last)
      std::ranges::stable_sort(group, {}, [&](std::size_t part) { return job(part).head; });
    return group;
  }

  [[nodiscard]] bool fits_beside(std::size_t end) const {
    Time now = end == beside_first ? graph_.first_work : Time{0};
    for (std::size_t part : in_order(end)) {
      if (end == beside_last) now = std::max(now, job(part).head);
      now += job(part).work;
      if (is_apart_ && end == beside_first && now + job(part).tail > limit_) return false;
    }
    return is_apart_ && end == beside_first ? now <= limit_ : now + graph_.last_work <= limit_;
  }

  [[nodiscard]] std::vector<Job> jobs_of(const Group& group) const {
    std::vector<Job> jobs;
    for (std::size_t part : group) jobs.push_back(job(part));
    return jobs;
  }
  bool fits_apart(const Group& group) { return starts_within(jobs_of(group), limit_, effort_).has_value(); }

  const ForkJoin& graph_;
  const Time limit_;
  const std::uint64_t given_;
  std::uint64_t effort_ = 0;
  bool is_apart_ = false;
  /// Processors that have nothing to do yet.
  std::size_t free_ = 0;
  std::vector<bool> is_placed_;
  std::array<Group, 2> ends_;
  std::vector<Group> others_;
  std::vector<Time> heads_, tails_;
};

Timetable WithinLimit::timetable() const {
  const Time first_work = graph_.first_work, last_work = graph_.last_work;
  Timetable made(graph_.parts.size() + (graph_.first ? 1 : 0) + (graph_.last ? 1 : 0));
  Time last_start{0};
  const auto put = [&](TaskId task, std::size_t processor, Time start, Time work) {
    made.processor[task.index()] = ProcessorId(processor);
    made.start[task.index()] = start;
    made.end[task.index()] = start + work;
  };
  // The last task waits for a part's end, and for its result where it is elsewhere.
  const auto put_part = [&](std::size_t part, std::size_t processor, Time start, bool is_beside_last) {
    put(graph_.parts[part].task, processor, start, job(part).work);
    const Time delay = is_beside_last ? Time{0} : job(part).tail - last_work;
    last_start = std::max(last_start, start + job(part).work + delay);
  };
  if (graph_.first) put(*graph_.first, 0, Time{0}, first_work);
  last_start = std::max(last_start, is_apart_ ? Time{0} : first_work);
  for (std::size_t end : {beside_first, beside_last}) {
    Time now = end == beside_first ? first_work : Time{0};
    for (std::size_t part : in_order(end)) {
      if (end == beside_last) now = std::max(now, job(part).head);
      put_part(part, end, now, !is_apart_ || end == beside_last);
      now += job(part).work;
    }
  }
  std::size_t processor = is_apart_ ? 2 : 1;
  for (const Group& group : others_) {
    std::uint64_t ample = UINT64_MAX;
    const std::vector<Time> start = *starts_within(jobs_of(group), limit_, ample);
    for (std::size_t i = 0; i < group.size(); ++i) put_part(group[i], processor, start[i], false);
    ++processor;
  }
  if (graph_.last) put(*graph_.last, is_apart_ ? 1 : 0, last_start, last_work);
  return made;
}

}  // namespace

std::optional<ForkJoinSearch> search_fork_join(const DelayModel& model, Time bound, Time length,
                                               std::uint64_t effort) {
  const std::optional<ForkJoin> graph = fork_join_of(model);
  if (!graph) return std::nullopt;
  ForkJoinSearch search{std::nullopt, bound};
  const auto ask = [&](Time limit) {
    WithinLimit question(*graph, limit, effort);
    const Answer answer = question.run();
    if (answer == Answer::yes) {
      search.timetable = question.timetable();
      length = search.timetable->length();
    } else if (answer == Answer::no) {
      search.bound = std::max(search.bound, limit + Time{1});
    }
    return answer;
  };
  // Below what was too hard first, then above.
  Time hard = length;
  while (search.bound < std::min(hard, length)) {
    const Time limit = search.bound + (std::min(hard, length) - search.bound) / 2;
    if (ask(limit) == Answer::unknown) hard = limit;
  }
  while (hard + Time{1} < length) {
    const Time limit = hard + (length - hard) / 2;
    if (ask(limit) != Answer::yes) hard = limit;
  }
  return search;
}

}  // namespace takt::schedulers
