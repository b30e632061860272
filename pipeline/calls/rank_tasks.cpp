#include "pipeline/calls/rank_tasks.hpp"

#include <utility>

#include "core/system/allowed_processors.hpp"
#include "core/system/kept_affinity.hpp"
#include "pipeline/tasking/loops.hpp"

namespace takt::pipeline {

RankTasks::RankTasks(std::size_t cores) : most_(cores), is_serial_(cores == 1) {
  if (cores > 1) pool_.emplace(tasking::Options{.workers = static_cast<int>(cores)});
}

void RankTasks::use(std::size_t cores) {
  is_serial_ = cores == 1;
}

void RankTasks::bind(std::span<const std::size_t> processors) {
  if (!pool_) return;
  const std::lock_guard lock(mutex_);
  pool_->run([&] {
    for (std::size_t i = 0; i < processors.size() && i + 1 < most_; ++i)
      tasking::spawn({.worker = static_cast<int>(i + 1)},
                     [processor = processors[i]] { keep_to_processor(processor); });
    tasking::wait();
  });
}

std::uint64_t RankTasks::workers_ns() {
  return pool_ ? pool_->processor_ns() : 0;
}

template <class Work>
void RankTasks::as_task(const Work& work) {
  const tasking::detail::Worker* const worker = tasking::detail::Worker::here();
  if (worker != nullptr && worker->current() != nullptr)
    return tasking::wait(tasking::start([&work] { work(); }));
  const std::lock_guard lock(mutex_);
  pool_->run(work);
}

void RankTasks::run(const std::function<void()>& work) {
  is_serial_ ? serial_tasks().run(work) : as_task(work);
}

void RankTasks::spawn(std::function<void()> work) {
  if (is_serial_) return serial_tasks().spawn(std::move(work));
  tasking::spawn([own = std::move(work)] { own(); });
}

void RankTasks::wait() {
  is_serial_ ? serial_tasks().wait() : tasking::wait();
}

void RankTasks::for_ranges(std::size_t count, std::size_t grain, RangeBody body) {
  as_task([&] {
    tasking::parallel_for_ranges(
        0, static_cast<std::int64_t>((count + grain - 1) / grain),
        [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t range = first; range < last; ++range) {
            const std::size_t begin = static_cast<std::size_t>(range) * grain;
            body.call(body.body, begin, std::min(count, begin + grain));
          }
        },
        1);
  });
}

}  // namespace takt::pipeline
