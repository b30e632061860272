/// takt::tasking.

#include <array>
#include <memory>

#include "bench/tasking/cases.hpp"
#include "pipeline/tasking/pool.hpp"

namespace takt::bench {
namespace {

std::unique_ptr<tasking::Pool> pool;

std::uint64_t fibonacci(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  tasking::spawn([n, &a] { a = fibonacci(n - 1); });
  tasking::spawn([n, &b] { b = fibonacci(n - 2); });
  tasking::wait();
  return a + b;
}

std::uint64_t skynet(std::uint64_t first, std::uint64_t size) {
  if (size == 1) return first;
  std::array<std::uint64_t, 10> parts{};
  for (std::uint64_t i = 0; i < 10; ++i)
    tasking::spawn([=, &parts] { parts[i] = skynet(first + i * size / 10, size / 10); });
  tasking::wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t part : parts) sum += part;
  return sum;
}

}  // namespace

TaskLibrary takt_tasks() {
  return {
      "takt",
      [](int workers) { pool = std::make_unique<tasking::Pool>(tasking::Options{.workers = workers}); },
      [] { pool.reset(); },
      [](std::uint64_t tasks) {
        pool->run([tasks] {
          for (std::uint64_t i = 0; i < tasks; ++i) tasking::spawn([] {});
          tasking::wait();
        });
        return tasks;
      },
      [](std::uint64_t n) { return pool->run([n] { return fibonacci(n); }); },
      [](std::uint64_t depth) {
        std::uint64_t size = 1;
        for (std::uint64_t i = 0; i < depth; ++i) size *= 10;
        return pool->run([size] { return skynet(0, size); });
      },
  };
}

}  // namespace takt::bench
