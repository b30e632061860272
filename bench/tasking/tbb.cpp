/// oneTBB's task_group.

#include <array>
#include <memory>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "bench/tasking/cases.hpp"

namespace takt::bench {
namespace {

using oneapi::tbb::task_group;

std::unique_ptr<oneapi::tbb::global_control> control;
std::unique_ptr<oneapi::tbb::task_arena> arena;

std::uint64_t fibonacci(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  task_group group;
  group.run([n, &a] { a = fibonacci(n - 1); });
  group.run([n, &b] { b = fibonacci(n - 2); });
  group.wait();
  return a + b;
}

std::uint64_t skynet(std::uint64_t first, std::uint64_t size) {
  if (size == 1) return first;
  std::array<std::uint64_t, 10> parts{};
  task_group group;
  for (std::uint64_t i = 0; i < 10; ++i)
    group.run([=, &parts] { parts[i] = skynet(first + i * size / 10, size / 10); });
  group.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t part : parts) sum += part;
  return sum;
}

}  // namespace

TaskLibrary tbb_tasks() {
  return {
      "oneTBB",
      [](int workers) {
        control = std::make_unique<oneapi::tbb::global_control>(
            oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
        arena = std::make_unique<oneapi::tbb::task_arena>(workers);
      },
      [] {
        arena.reset();
        control.reset();
      },
      [](std::uint64_t tasks) {
        arena->execute([tasks] {
          task_group group;
          for (std::uint64_t i = 0; i < tasks; ++i) group.run([] {});
          group.wait();
        });
        return tasks;
      },
      [](std::uint64_t n) { return arena->execute([n] { return fibonacci(n); }); },
      [](std::uint64_t depth) {
        std::uint64_t size = 1;
        for (std::uint64_t i = 0; i < depth; ++i) size *= 10;
        return arena->execute([size] { return skynet(0, size); });
      },
  };
}

}  // namespace takt::bench
