#pragma once
/// The cores of a rank, on which its kernels run tasks.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "pipeline/tasking/pool.hpp"
#include "pipeline/tasks.hpp"

namespace takt::pipeline {

/// Tasks on a pool of workers: the thread that calls the kernel, and one further thread for each other core.
/// Workers without tasks sleep. With one core there is no pool.
class RankTasks final : public Tasks {
 public:
  /// `cores`: the most that may be used.
  explicit RankTasks(std::size_t cores);

  /// Uses one core from now on, or all of them. While no kernel is called.
  void use(std::size_t cores);
  /// Binds the further workers to these processors, one each.
  void bind(std::span<const std::size_t> processors);

  [[nodiscard]] std::size_t cores() const override { return is_serial_ ? 1 : most_; }
  /// Return the most cores, and the processor time that the further workers have used. From any thread.
  [[nodiscard]] std::size_t most() const { return most_; }
  [[nodiscard]] std::uint64_t workers_ns();

  void run(const std::function<void()>& work) override;
  void spawn(std::function<void()> work) override;
  void wait() override;

 protected:
  void for_ranges(std::size_t count, std::size_t grain, RangeBody body) override;

 private:
  /// Runs `work` as a task, within the current one or as the pool's first.
  template <class Work>
  void as_task(const Work& work);

  std::size_t most_;
  bool is_serial_;
  std::optional<tasking::Pool> pool_;
  /// A pool runs one first task at a time; threads of one process that measure take turns.
  std::mutex mutex_;
};

}  // namespace takt::pipeline
