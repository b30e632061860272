#include "pipeline/tasking/pool.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "core/system/allowed_processors.hpp"
#include "core/system/kept_affinity.hpp"
#include "pipeline/tasking/library_threads.hpp"

namespace takt::tasking {

namespace detail {

Task& current_task() {
  const Worker* const worker = Worker::here();
  if (worker == nullptr || worker->current() == nullptr)
    throw std::logic_error("tasks are spawned and awaited inside of Pool::run");
  return *worker->current();
}

Task& new_child() {
  Task& parent = current_task();
  return *Worker::here()->make(&parent);
}

void require_priority(int priority) {
  if (priority < -100 || priority > 100)
    throw std::invalid_argument("priority " + std::to_string(priority) + ": expected -100 to 100");
}

void require_possible(const With& with, const Team& team) {
  const auto workers = static_cast<int>(team.workers.size());
  const auto core_types = static_cast<int>(team.of_core_type.size());
  if (with.worker < -1 || with.worker >= workers)
    throw std::invalid_argument("worker " + std::to_string(with.worker) + ": expected -1 to " +
                                std::to_string(workers - 1));
  if (with.core_type < -1 || with.core_type >= core_types)
    throw std::invalid_argument("core type " + std::to_string(with.core_type) + ": expected -1 to " +
                                std::to_string(core_types - 1));
  if (with.core_type >= 0 && with.worker >= 0)
    throw std::invalid_argument("a task has a worker or a core type, not both");
  require_priority(with.priority);
}

void obey(Task& task, const With& with) {
  task.worker = static_cast<std::int16_t>(with.worker);
  task.priority = static_cast<std::int8_t>(with.priority);
  task.core_type = static_cast<std::int8_t>(with.core_type);
  if (with.cancellation != nullptr) task.cancellation = with.cancellation;
}

Task& new_child(const With& with) {
  Task& parent = current_task();
  Worker& worker = *Worker::here();
  require_possible(with, worker.team());
  Task& task = *worker.make(&parent);
  obey(task, with);
  return task;
}

void submit(Task& task) {
  Worker::here()->submit(&task);
}

}  // namespace detail

Pool::Pool(Options options) : cores_(std::move(options.cores)), core_types_(std::move(options.core_types)) {
  if (options.workers == 0) options.workers = static_cast<int>(allowed_processors().size());
  if (options.workers < 1 || options.workers > 1024)
    throw std::invalid_argument(std::to_string(options.workers) + " workers: expected 0 to 1024");
  if (!core_types_.empty()) {
    constexpr int most = 100;
    if (core_types_.size() != static_cast<std::size_t>(options.workers))
      throw std::invalid_argument("core types: expected one for each worker");
    for (const int each : core_types_)
      if (each < 0 || each > most)
        throw std::invalid_argument("core type " + std::to_string(each) + ": expected 0 to 100");
    team_.of_core_type.resize(static_cast<std::size_t>(*std::ranges::max_element(core_types_)) + 1);
    require_each_type(options.workers);
  }
  team_.limit.store(options.workers);
  if (!cores_.empty() && cores_.size() < static_cast<std::size_t>(options.workers))
    throw std::invalid_argument("cores: expected one for each worker");
  team_.stack_bytes = std::max(options.stack_bytes, std::size_t{64} * 1024);
  team_.seed = options.workers == 1 ? options.seed : 0;
  team_.is_fifo = options.order == Order::oldest_first;
  team_.is_finished.store(true);
  team_.may_spin = static_cast<std::size_t>(options.workers) <= allowed_processors().size();
  for (int i = 0; i < options.workers; ++i)
    team_.workers.push_back(std::make_unique<detail::Worker>(
        team_, static_cast<unsigned>(i),
        core_types_.empty() ? -1 : core_types_[static_cast<std::size_t>(i)]));
  for (int i = 1; i < options.workers; ++i)
    threads_.emplace_back([this, i] {
      const auto index = static_cast<std::size_t>(i);
      if (!cores_.empty()) keep_to_processor(static_cast<std::size_t>(cores_[index]));
      team_.workers[index]->sleeper.thread = ::gettid();
      const OneLibraryThread alone;
      team_.workers[index]->serve();
    });
}

/// A type without a worker would be waited for without end.
void Pool::require_each_type(int workers) const {
  std::vector<bool> has_worker(team_.of_core_type.size());
  for (std::size_t i = 0; i < core_types_.size() && i < static_cast<std::size_t>(workers); ++i)
    has_worker[static_cast<std::size_t>(core_types_[i])] = true;
  for (std::size_t type = 0; type < has_worker.size(); ++type)
    if (!has_worker[type])
      throw std::invalid_argument("core type " + std::to_string(type) + " has no worker");
}

void Pool::limit_workers(int workers) {
  if (workers < 1) throw std::invalid_argument("a limit of " + std::to_string(workers) + " workers");
  require_each_type(workers);
  team_.limit.store(workers, std::memory_order_seq_cst);
  // Those that may work again look for tasks.
  if (team_.sleepers.any())
    for (const auto& worker : team_.workers) team_.sleepers.wake(worker->sleeper);
}

Pool::~Pool() {
  team_.is_stopping.store(true);
  if (team_.sleepers.any())
    for (const auto& worker : team_.workers) team_.sleepers.wake(worker->sleeper);
  threads_.clear();
}

std::uint64_t Pool::processor_ns() {
  std::uint64_t sum = 0;
  for (std::jthread& thread : threads_) {
    clockid_t clock{};
    timespec time{};
    if (::pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || ::clock_gettime(clock, &time) != 0)
      continue;
    sum += static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
  }
  return sum;
}

detail::Task* Pool::begin() {
  if (is_running_.exchange(true)) throw std::logic_error("Pool::run: the pool runs already");
  return team_.workers.front()->make(nullptr);
}

void Pool::complete(detail::Task* task) {
  team_.is_finished.store(false);
  {
    std::optional<KeptAffinity> kept;
    if (!cores_.empty()) {
      kept.emplace();
      keep_to_processor(static_cast<std::size_t>(cores_.front()));
    }
    const OneLibraryThread alone;
    team_.workers.front()->serve_first(task);
  }
  const bool is_finished = team_.is_finished.exchange(true);
  if (!is_finished) throw std::logic_error("deadlock: every task waits for another one, and none is ready");
  std::exception_ptr first;
  further_ = 0;
  if (Failure* const failure = task->failure.load(); failure != nullptr) {
    first = failure->take_first();
    further_ = failure->take_further();
  }
  team_.workers.front()->free(task);
  is_running_.store(false);
  if (first != nullptr) std::rethrow_exception(first);
}

void wait() {
  detail::current_task();
  detail::Worker::wait_for_children();
}

void wait(const Handle& handle) {
  detail::current_task();
  detail::Task* const task = handle.task();
  if (task != nullptr) detail::Worker::wait_for(std::span<detail::Task* const>(&task, 1));
}

void wait(std::span<const Handle> handles) {
  detail::current_task();
  std::vector<detail::Task*> tasks;
  for (const Handle& each : handles)
    if (each.task() != nullptr) tasks.push_back(each.task());
  detail::Worker::wait_for(tasks);
}

bool set_priority(const Handle& handle, int priority) {
  detail::current_task();
  detail::require_priority(priority);
  return handle.task() != nullptr && detail::Worker::here()->team().change_priority(*handle.task(), priority);
}

bool has_children() {
  return detail::current_task().has_children();
}

void run_again() {
  detail::current_task().is_again = true;
}

bool is_cancelled() {
  const detail::Task& task = detail::current_task();
  return task.cancellation != nullptr && task.cancellation->is_cancelled();
}

int this_worker() {
  const detail::Worker* const worker = detail::Worker::here();
  return worker == nullptr ? -1 : static_cast<int>(worker->index());
}

}  // namespace takt::tasking
