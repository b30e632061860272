#include "schedulers/baseline/fork_join_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/baseline/cut_jobs.hpp"
#include "schedulers/baseline/one_machine.hpp"
#include "schedulers/baseline/subset_sums.hpp"

namespace takt::schedulers {

namespace {

/// A task in the middle, with the times before and after it on a processor with neither end.
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
  /// Longest first.
  std::vector<Part> parts;
  /// The parts, sorted by head.
  std::vector<std::size_t> by_head;
  std::vector<Time> works;
  /// For each part: those of equal work with no larger head and tail (easier), and with no smaller ones
  /// (harder). Of equal parts the earlier ones are easier, the later ones harder.
  std::vector<std::vector<std::size_t>> easier, harder;
  std::size_t processors = 1;
};

void compare_parts(ForkJoin& graph) {
  const std::size_t count = graph.parts.size();
  for (const Part& part : graph.parts) graph.works.push_back(part.job.work);
  graph.by_head.resize(count);
  std::iota(graph.by_head.begin(), graph.by_head.end(), std::size_t{0});
  std::ranges::stable_sort(graph.by_head, {}, [&](std::size_t part) { return graph.parts[part].job.head; });
  graph.easier.resize(count);
  graph.harder.resize(count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) {
      const Job &one = graph.parts[a].job, &other = graph.parts[b].job;
      if (a == b || one.work != other.work || one.head > other.head || one.tail > other.tail) continue;
      if (graph.parts[a] == graph.parts[b] && a > b) continue;
      graph.harder[a].push_back(b);
      graph.easier[b].push_back(a);
    }
}

/// Returns the graph as a fork-join with a first task, a last task, both or neither, if it has that form.
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
  // No edge connects the two ends.
  if (graph.edge_count() != found.parts.size() * (std::size_t{has_first} + std::size_t{has_last}))
    return std::nullopt;
  std::ranges::stable_sort(found.parts, std::greater{}, [](const Part& part) {
    return std::pair(part.job.work, part.job.head + part.job.tail);
  });
  compare_parts(found);
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

/// Searches for a schedule within one limit.
class WithinLimit {
 public:
  WithinLimit(const ForkJoin& graph, Time limit, std::uint64_t effort)
      : graph_(graph),
        limit_(limit),
        given_(effort),
        is_placed_(graph.parts.size(), false),
        where_(graph.parts.size(), Place::none),
        sums_(graph.works) {}

  Answer run() {
    bool is_known = true;
    for (const bool is_apart : {false, true}) {
      // The two ends on different processors.
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

  /// Requires a successful search.
  [[nodiscard]] Timetable timetable() const;

 private:
  using Group = std::vector<std::size_t>;
  enum class Place : std::uint8_t { none, apart, with_end };
  static constexpr std::size_t with_first = 0, with_last = 1;

  [[nodiscard]] const Job& job(std::size_t part) const { return graph_.parts[part].job; }

  bool spend() { return effort_ > 0 && --effort_ > 0; }

  /// Places all parts from this one on.
  bool place(std::size_t part) {
    while (part < is_placed_.size() && is_placed_[part]) ++part;
    if (part == is_placed_.size()) return true;
    if (!spend() || !has_room({}, 0)) return false;
    is_placed_[part] = true;
    if (free_ > 0 && can_be_apart(part)) {
      --free_;
      others_.push_back({part});
      where_[part] = Place::apart;
      if (fill(part, part + 1)) return true;
      others_.pop_back();
      ++free_;
    }
    where_[part] = Place::with_end;
    for (std::size_t end = with_first; end <= (is_apart_ ? with_last : with_first); ++end) {
      if (!is_apart_ && is_any(graph_.harder[part], Place::apart)) break;
      ends_[end].push_back(part);
      if (fits_with_end(end) && place(part + 1)) return true;
      ends_[end].pop_back();
    }
    where_[part] = Place::none;
    is_placed_[part] = false;
    return false;
  }

  /// Adds some of the parts from `next` on to the last processor with neither end; then places the rest after
  /// `first`.
  bool fill(std::size_t first, std::size_t next) {
    for (; next < is_placed_.size(); ++next) {
      if (is_placed_[next] || !can_be_apart(next)) continue;
      if (!spend()) return false;
      if (!has_room(others_.back(), next)) return false;
      others_.back().push_back(next);
      is_placed_[next] = true;
      where_[next] = Place::apart;
      const bool fits = fits_apart(others_.back());
      if (fits && fill(first, next + 1)) return true;
      where_[next] = Place::none;
      is_placed_[next] = false;
      others_.back().pop_back();
      if (!fits) continue;
      // Of equal parts the first one is left out last.
      const Part& left_out = graph_.parts[next];
      while (next + 1 < is_placed_.size() && (is_placed_[next + 1] || graph_.parts[next + 1] == left_out))
        ++next;
    }
    return place(first + 1);
  }

  /// Whether the part can run on a processor with neither end. If the ends share a processor, parts of equal
  /// work are exchanged where that lowers the heads and tails on the other processors: then no part is on one
  /// of these unless all easier ones are.
  [[nodiscard]] bool can_be_apart(std::size_t part) const {
    const auto& [head, work, tail] = job(part);
    return head + work + tail <= limit_ && (is_apart_ || !is_any(graph_.easier[part], Place::with_end));
  }

  [[nodiscard]] bool is_any(const Group& parts, Place place) const {
    return std::ranges::any_of(parts, [&](std::size_t part) { return where_[part] == place; });
  }

  /// Whether there is room for the remaining work: on the processor with the given parts, which accepts parts
  /// from `next` on, on the empty processors, and on those of the ends.
  [[nodiscard]] bool has_room(const Group& filling, std::size_t next) {
    jobs_.clear();
    Time left{0}, longest{0};
    for (std::size_t part : graph_.by_head) {
      if (is_placed_[part]) continue;
      left += job(part).work;
      longest = std::max(longest, job(part).work);
      if (can_be_apart(part)) jobs_.push_back(job(part));
    }
    const Time apart = cut_.most_done(jobs_, limit_, free_);
    const Time apart_each = free_ > 1 ? cut_.most_done(jobs_, limit_, 1) : apart;
    const Time after = filling.empty() ? Time{0} : room_after(filling, next);
    const Time first = is_apart_ ? room_with_end(with_first) : room_with_end();
    const Time last = is_apart_ ? room_with_end(with_last) : Time{0};
    const auto all_rooms = [&](const auto& used) {
      return std::min(apart, static_cast<Time::rep>(free_) * used(apart_each)) + used(after) + used(first) +
             used(last);
    };
    const Time most = all_rooms([](Time room) { return room; });
    if (most < left) return false;
    if (most - left >= static_cast<Time::rep>(free_ + 3) * longest) return true;
    // No processor does a fraction of a task.
    sums_.clear();
    for (std::size_t part = 0; part < is_placed_.size(); ++part)
      if (!is_placed_[part]) sums_.add(job(part).work);
    return all_rooms([&](Time room) { return sums_.largest_within(room); }) >= left;
  }

  /// Room on a processor with neither end, after the parts that it has.
  [[nodiscard]] Time room_after(const Group& filling, std::size_t next) {
    jobs_.clear();
    Time has{0};
    for (std::size_t part : filling) has += job(part).work;
    for (std::size_t part : graph_.by_head) {
      const bool is_here = std::ranges::find(filling, part) != filling.end();
      if (is_here || (part >= next && !is_placed_[part] && can_be_apart(part))) jobs_.push_back(job(part));
    }
    return std::max(Time{0}, cut_.most_done(jobs_, limit_, 1) - has);
  }

  /// Room on the processor with both ends.
  [[nodiscard]] Time room_with_end() const {
    Time room = limit_ - graph_.first_work - graph_.last_work;
    for (std::size_t part : ends_[with_first]) room -= job(part).work;
    return std::max(Time{0}, room);
  }

  /// Room on the processor with one of two separated ends.
  [[nodiscard]] Time room_with_end(std::size_t end) {
    jobs_.clear();
    Time has{0};
    for (std::size_t part : ends_[end]) has += job(part).work;
    for (std::size_t part : graph_.by_head) {
      if (is_placed_[part] && std::ranges::find(ends_[end], part) == ends_[end].end()) continue;
      Job there = job(part);
      if (end == with_first)
        there.head = graph_.first_work;
      else
        there.tail = graph_.last_work;
      if (there.head + there.work + there.tail <= limit_) jobs_.push_back(there);
    }
    return std::max(Time{0}, cut_.most_done(jobs_, limit_, 1) - has);
  }

  /// Ordered by tail after the first task, by head before the last one.
  [[nodiscard]] Group in_order(std::size_t end) const {
    Group group = ends_[end];
    if (is_apart_ && end == with_first)
      std::ranges::stable_sort(group, std::greater{}, [&](std::size_t part) { return job(part).tail; });
    if (end == with_last)
      std::ranges::stable_sort(group, {}, [&](std::size_t part) { return job(part).head; });
    return group;
  }

  [[nodiscard]] bool fits_with_end(std::size_t end) const {
    Time now = end == with_first ? graph_.first_work : Time{0};
    for (std::size_t part : in_order(end)) {
      if (end == with_last) now = std::max(now, job(part).head);
      now += job(part).work;
      if (is_apart_ && end == with_first && now + job(part).tail > limit_) return false;
    }
    return is_apart_ && end == with_first ? now <= limit_ : now + graph_.last_work <= limit_;
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
  /// Number of empty processors.
  std::size_t free_ = 0;
  std::vector<bool> is_placed_;
  std::array<Group, 2> ends_;
  std::vector<Group> others_;
  std::vector<Place> where_;
  CutJobs cut_;
  SubsetSums sums_;
  std::vector<Job> jobs_;
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
  // The last task waits for the end of a part, and for its message if the part is on another processor.
  const auto put_part = [&](std::size_t part, std::size_t processor, Time start, bool is_with_last) {
    put(graph_.parts[part].task, processor, start, job(part).work);
    const Time delay = is_with_last ? Time{0} : job(part).tail - last_work;
    last_start = std::max(last_start, start + job(part).work + delay);
  };
  if (graph_.first) put(*graph_.first, 0, Time{0}, first_work);
  last_start = std::max(last_start, is_apart_ ? Time{0} : first_work);
  for (std::size_t end : {with_first, with_last}) {
    Time now = end == with_first ? first_work : Time{0};
    for (std::size_t part : in_order(end)) {
      if (end == with_last) now = std::max(now, job(part).head);
      put_part(part, end, now, !is_apart_ || end == with_last);
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
  // Below the lengths that were too hard first, then above them.
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
