#include "schedulers/baseline/one_machine.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace takt::schedulers {

namespace {

/// Schedule without preemption that always runs the available job with the largest tail.
struct SchrageSchedule {
  explicit SchrageSchedule(const std::vector<Job>& jobs);

  /// Jobs in the order of their starts; starts in the order of the jobs.
  std::vector<std::size_t> order;
  std::vector<Time> start;
  /// Largest end plus tail, and the position of its job in the order.
  Time length{0};
  std::size_t last = 0;
};

SchrageSchedule::SchrageSchedule(const std::vector<Job>& jobs) : start(jobs.size()) {
  std::vector<std::size_t> by_head(jobs.size());
  std::iota(by_head.begin(), by_head.end(), std::size_t{0});
  std::ranges::stable_sort(by_head, {}, [&](std::size_t i) { return jobs[i].head; });
  const auto is_less = [&](std::size_t a, std::size_t b) {
    return std::tuple(jobs[a].tail, jobs[a].work, b) < std::tuple(jobs[b].tail, jobs[b].work, a);
  };
  std::vector<std::size_t> waiting;
  Time now{0};
  for (std::size_t next = 0; order.size() < jobs.size();) {
    if (waiting.empty()) now = std::max(now, jobs[by_head[next]].head);
    for (; next < jobs.size() && jobs[by_head[next]].head <= now; ++next) {
      waiting.push_back(by_head[next]);
      std::ranges::push_heap(waiting, is_less);
    }
    std::ranges::pop_heap(waiting, is_less);
    const std::size_t job = waiting.back();
    waiting.pop_back();
    start[job] = now;
    now += jobs[job].work;
    if (order.empty() || now + jobs[job].tail > length) {
      length = now + jobs[job].tail;
      last = order.size();
    }
    order.push_back(job);
  }
}

/// Carlier's branching: of the jobs on the longest path without a gap, one with a smaller tail than the last
/// job's runs before or after all that follow it there.
bool fits(std::vector<Job>& jobs, Time limit, std::uint64_t& effort, std::vector<Time>& start) {
  if (effort == 0 || --effort == 0) return false;
  std::vector<Job> copy = jobs;
  if (preemptive_end(copy) > limit) return false;
  SchrageSchedule made(jobs);
  if (made.length <= limit) {
    start = std::move(made.start);
    return true;
  }
  const auto job_at = [&](std::size_t place) -> const Job& { return jobs[made.order[place]]; };
  const auto start_at = [&](std::size_t place) { return made.start[made.order[place]]; };
  std::size_t first = made.last;
  while (first > 0 && start_at(first - 1) + job_at(first - 1).work == start_at(first)) --first;
  std::size_t branch = made.last;
  Time head = job_at(made.last).head, work{0}, tail = job_at(made.last).tail;
  while (branch > first && job_at(branch).tail >= job_at(made.last).tail) {
    head = std::min(head, job_at(branch).head);
    tail = std::min(tail, job_at(branch).tail);
    work += job_at(branch).work;
    --branch;
  }
  // Without such a job the path is itself a bound.
  if (job_at(branch).tail >= job_at(made.last).tail) return false;
  Job& moved = jobs[made.order[branch]];
  const Job before = moved;
  moved.tail = std::max(moved.tail, work + tail);
  bool is_found = fits(jobs, limit, effort, start);
  moved = before;
  if (is_found) return true;
  moved.head = std::max(moved.head, head + work);
  is_found = fits(jobs, limit, effort, start);
  moved = before;
  return is_found;
}

}  // namespace

Time preemptive_end(std::vector<Job>& jobs) {
  std::ranges::sort(jobs, {}, &Job::head);
  std::vector<std::pair<Time, Time>> waiting;  // Heap of tail and remaining work.
  Time now{0}, end{0};
  std::size_t next = 0;
  while (next < jobs.size() || !waiting.empty()) {
    if (waiting.empty()) now = std::max(now, jobs[next].head);
    for (; next < jobs.size() && jobs[next].head <= now; ++next) {
      waiting.emplace_back(jobs[next].tail, jobs[next].work);
      std::ranges::push_heap(waiting);
    }
    std::ranges::pop_heap(waiting);
    const auto [tail, rest] = waiting.back();
    waiting.pop_back();
    const Time until = next < jobs.size() ? std::min(now + rest, jobs[next].head) : now + rest;
    if (until < now + rest) {
      waiting.emplace_back(tail, rest - (until - now));
      std::ranges::push_heap(waiting);
    } else {
      end = std::max(end, until + tail);
    }
    now = until;
  }
  return end;
}

std::optional<std::vector<Time>> starts_within(const std::vector<Job>& jobs, Time limit,
                                               std::uint64_t& effort) {
  std::vector<Job> changed = jobs;
  std::vector<Time> start;
  if (!fits(changed, limit, effort, start)) return std::nullopt;
  return start;
}

}  // namespace takt::schedulers
