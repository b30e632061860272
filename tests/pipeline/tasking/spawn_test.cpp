#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "core/system/allowed_processors.hpp"
#include "pipeline/tasking/loops.hpp"
#include "pipeline/tasking/pool.hpp"
#include "tests/support/program.hpp"

namespace takt::tasking {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Spawn : public ::testing::TestWithParam<Options> {
 protected:
  Pool pool_{GetParam()};
};

std::uint64_t fibonacci(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  spawn([n, &a] { a = fibonacci(n - 1); });
  spawn([n, &b] { b = fibonacci(n - 2); });
  wait();
  return a + b;
}

std::uint64_t fibonacci_by_handles(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  const Handle first = start([n, &a] { a = fibonacci_by_handles(n - 1); });
  const std::uint64_t b = fibonacci_by_handles(n - 2);
  wait(first);
  return a + b;
}

TEST_P(Spawn, RunReturnsWhatItsCallableReturns) {
  EXPECT_EQ(pool_.run([] { return std::string("done"); }), "done");
  int runs = 0;
  for (int i = 0; i < 100; ++i) pool_.run([&] { ++runs; });
  EXPECT_EQ(runs, 100);
}

TEST_P(Spawn, ChildrenHaveRunAfterWait) {
  // F(20) and F(12) by definition. Where the oldest task comes first, thousands of tasks wait at once.
#ifdef __SANITIZE_THREAD__
  constexpr std::uint64_t n = 12, expected = 144;  // Each waiting task takes a megabyte of the sanitizer's.
#else
  constexpr std::uint64_t n = 20, expected = 6765;
#endif
  EXPECT_EQ(pool_.run([] { return fibonacci(n); }), expected);
  EXPECT_EQ(pool_.run([] { return fibonacci_by_handles(n); }), expected);
}

TEST_P(Spawn, ATaskIsCompleteAfterAllItsDescendants) {
  std::atomic<int> leaves{0};
  const std::function<void(int)> tree = [&](int depth) {
    if (depth == 0) {
      ++leaves;
      return;
    }
    for (int i = 0; i < 3; ++i) spawn([&tree, depth] { tree(depth - 1); });
  };
  pool_.run([&] {
    const Handle root = start([&] { tree(7); });
    wait(root);
    EXPECT_EQ(leaves, 2187);  // 3^7
    EXPECT_TRUE(root.is_complete());
  });
}

TEST_P(Spawn, RunWaitsForTasksThatNoTaskWaitsFor) {
  std::atomic<int> count{0};
  pool_.run([&] {
    for (int i = 0; i < 1000; ++i) spawn([&] { ++count; });
  });
  EXPECT_EQ(count, 1000);
}

TEST_P(Spawn, RecursionHasNoDepthLimit) {
  const std::function<std::int64_t(std::int64_t)> descend = [&](std::int64_t depth) -> std::int64_t {
    if (depth == 0) return 0;
    std::int64_t below = 0;
    spawn([&, depth] { below = descend(depth - 1); });
    wait();
    return below + 1;
  };
#ifdef __SANITIZE_THREAD__
  constexpr std::int64_t depth = 1'000;  // Each stack takes a megabyte of the sanitizer's.
#else
  constexpr std::int64_t depth = 100'000;
#endif
  EXPECT_EQ(pool_.run([&] { return descend(depth); }), depth);
}

TEST_P(Spawn, WaitForOneTaskDoesNotWaitForOthers) {
  std::atomic<bool> may_end{false};
  if (pool_.workers() == 1) return;  // One worker would have to end the other task first.
  pool_.run([&] {
    const Handle slow = start([&] {
      while (!may_end) std::this_thread::yield();
    });
    const Handle quick = start([] {});
    wait(quick);
    EXPECT_FALSE(slow.is_complete());
    may_end = true;
    wait({slow, quick});
    EXPECT_TRUE(slow.is_complete());
  });
}

TEST_P(Spawn, SeveralTasksMayWaitForOne) {
  std::atomic<int> value{0};
  std::atomic<int> seen{0};
  pool_.run([&] {
    const Handle source = start([&] { spawn([&] { value = 7; }); });
    for (int i = 0; i < 50; ++i)
      spawn([&, source] {
        wait(source);
        seen += value;
      });
  });
  EXPECT_EQ(seen, 350);
}

TEST_P(Spawn, AWaiterRunsNoUnrelatedTaskOnItsStack) {
  // Each family is one outer task with children that wait. The address of a local variable tells the stack; a
  // task of another family on the stack of a waiting one would lie between the waiter and its bottom.
  struct Frame {
    int family;
    std::uintptr_t address;
  };
  std::mutex mutex;
  std::vector<Frame> waiting;
  std::atomic<int> wrong{0};
  // Where stacks of 256 KiB lie apart, two addresses within 64 KiB are of one stack.
  const auto check = [&](int family) {
    const char here = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(&here);
    const std::lock_guard lock(mutex);
    for (const Frame& each : waiting)
      if (each.family != family && each.address > address && each.address - address < 64 * 1024) ++wrong;
  };
  const std::function<void(int, int)> work = [&](int family, int depth) {
    check(family);
    if (depth == 0) return;
    for (int i = 0; i < 2; ++i) spawn([&, family, depth] { work(family, depth - 1); });
    const char here = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(&here);
    {
      const std::lock_guard lock(mutex);
      waiting.push_back({family, address});
    }
    wait();
    const std::lock_guard lock(mutex);
    std::erase_if(waiting, [&](const Frame& each) { return each.address == address; });
  };
  pool_.run([&] {
    for (int family = 0; family < 40; ++family) spawn([&, family] { work(family, 4); });
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Spawn, TheFirstExceptionGoesToTheWaiterAndFurtherOnesAreCounted) {
  std::atomic<int> ran{0};
  pool_.run([&] {
    for (int i = 0; i < 10; ++i)
      spawn([&] {
        ++ran;
        throw std::runtime_error("failed");
      });
    EXPECT_THAT([] { wait(); }, ThrowsMessage<std::runtime_error>("failed"));
  });
  EXPECT_EQ(ran, 10);
  EXPECT_EQ(pool_.further_exceptions(), 9U);
}

TEST_P(Spawn, AnExceptionThatNoTaskAwaitsLeavesRun) {
  EXPECT_THAT([&] { pool_.run([] { spawn([] { spawn([] { throw std::runtime_error("deep"); }); }); }); },
              ThrowsMessage<std::runtime_error>("deep"));
  EXPECT_EQ(pool_.run([] { return 5; }), 5);
}

TEST_P(Spawn, AHandlesExceptionIsThrownOnce) {
  pool_.run([] {
    const Handle failing = start([] { throw std::runtime_error("once"); });
    EXPECT_THAT([&] { wait(failing); }, ThrowsMessage<std::runtime_error>("once"));
    wait();
    wait(failing);
  });
}

TEST_P(Spawn, ExceptionsBeingHandledStayWithTheirTask) {
  std::atomic<int> right{0};
  pool_.run([&] {
    for (int i = 0; i < 100; ++i)
      spawn([&, i] {
        try {
          throw i;
        } catch (int) {
          spawn([] {
            try {
              throw std::string("other");
            } catch (const std::string&) {
              std::this_thread::yield();
            }
          });
          wait();
          try {
            throw;
          } catch (int caught) {
            if (caught == i) ++right;
          }
        }
      });
  });
  EXPECT_EQ(right, 100);
}

TEST_P(Spawn, NothingStartsAfterACancellation) {
  std::atomic<int> started{0}, after{0};
  Cancellation cancellation;
  pool_.run([&] {
    spawn({.cancellation = &cancellation}, [&] {
      const bool was_cancelled = cancellation.is_cancelled();
      EXPECT_FALSE(was_cancelled);
      for (int i = 0; i < 200; ++i)
        spawn([&] {
          ++started;
          if (is_cancelled()) ++after;
        });
      cancellation.cancel();
    });
    wait();
  });
  // Those that run at that moment may go on: at most one for each other worker.
  EXPECT_LT(after, pool_.workers());
  EXPECT_EQ(pool_.run([&] {
    int runs = 0;
    spawn({.cancellation = &cancellation}, [&] { ++runs; });
    wait();
    return runs;
  }),
            0);
}

TEST_P(Spawn, AnInnerCancellationObeysItsOuter) {
  Cancellation outer;
  const Cancellation inner(&outer);
  EXPECT_FALSE(inner.is_cancelled());
  outer.cancel();
  EXPECT_TRUE(inner.is_cancelled());
}

TEST_P(Spawn, RunAgainContinuesAfterTheChildren) {
  int entries = 0;
  std::atomic<int> children{0};
  pool_.run([&] {
    spawn([&] {
      EXPECT_EQ(children, 4 * entries);
      if (++entries > 5) return;
      for (int i = 0; i < 4; ++i) spawn([&] { ++children; });
      run_again();
    });
  });
  EXPECT_EQ(entries, 6);
  EXPECT_EQ(children, 20);
}

TEST_P(Spawn, LargeAndMoveOnlyCallablesAreTasks) {
  std::array<int, 100> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0);
  std::atomic<int> sum{0};
  auto owned = std::make_unique<int>(50);
  pool_.run([&] {
    spawn([numbers, &sum] { sum += std::accumulate(numbers.begin(), numbers.end(), 0); });
    spawn([owned = std::move(owned), &sum] { sum += *owned; });
  });
  EXPECT_EQ(sum, 5000);
}

TEST_P(Spawn, ATaskWithAWorkerStartsThere) {
  std::atomic<int> wrong{0};
  pool_.run([&] {
    for (int i = 0; i < 200; ++i) {
      const int worker = i % pool_.workers();
      spawn({.worker = worker}, [&, worker] {
        if (this_worker() != worker) ++wrong;
        spawn([] {});
        wait();
        if (this_worker() != worker) ++wrong;
      });
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Spawn, LoopsVisitEachIndexOnce) {
  std::vector<std::atomic<int>> visits(10'007);
  pool_.run([&] {
    parallel_for(0, std::ssize(visits), [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    parallel_for(5, 5, [&](std::int64_t) { ADD_FAILURE(); });
  });
  for (const auto& each : visits) ASSERT_EQ(each, 1);
  EXPECT_THAT(
      [&] {
        pool_.run([] {
          parallel_for(0, 100, [](std::int64_t i) {
            if (i == 60) throw std::out_of_range("60");
          });
        });
      },
      ThrowsMessage<std::out_of_range>("60"));
}

TEST_P(Spawn, ASumIsTheSameWithAnyNumberOfWorkers) {
  const auto sum = [](Pool& pool) {
    return pool.run([] {
      return reduce(
          1, 100'000, 0.0, [](std::int64_t i) { return 1.0 / static_cast<double>(i); },
          [](double a, double b) { return a + b; });
    });
  };
  Pool alone;
  EXPECT_EQ(sum(pool_), sum(alone));
  EXPECT_NEAR(sum(pool_), 12.09014, 1e-4);  // H(n) = ln n + 0.57722 + 1 / 2n
}

TEST_P(Spawn, MisuseIsRefused) {
  EXPECT_THROW(spawn([] {}), std::logic_error);
  EXPECT_THROW(wait(), std::logic_error);
  pool_.run([&] {
    EXPECT_THROW(spawn({.worker = pool_.workers()}, [] {}), std::invalid_argument);
    EXPECT_THROW(pool_.run([] {}), std::logic_error);
    Handle self;
    std::atomic<bool> is_known{false};
    self = start([&] {
      while (!is_known) std::this_thread::yield();
      EXPECT_THROW(wait(self), std::logic_error);
    });
    is_known = true;
    wait();
  });
}

std::string name_of(const Options& options) {
  return std::to_string(options.workers) + (options.order == Order::oldest_first ? "Fifo" : "") +
         (options.seed == 0 ? "" : "Seed");
}

INSTANTIATE_TEST_SUITE_P(Workers, Spawn,
                         ::testing::Values(Options{.workers = 1}, Options{.workers = 2},
                                           Options{.workers = 4}, Options{.workers = 7},
                                           Options{.workers = 3, .order = Order::oldest_first},
                                           Options{.workers = 1, .seed = 5}),
                         [](const auto& each) { return name_of(each.param); });

TEST(TaskOrder, OneWorkerTakesTheOldestTask) {
  Pool pool;
  std::vector<std::string> order;
  pool.run([&] {
    for (const std::string name : {"a", "b", "c"})
      spawn([&order, name] {
        order.push_back(name);
        spawn([&order, name] { order.push_back(name + name); });
      });
  });
  EXPECT_THAT(order, ElementsAre("a", "b", "c", "aa", "bb", "cc"));
}

TEST(TaskOrder, ChildrenOfOneThatWaitsComeFirst) {
  Pool pool;
  std::string order;
  pool.run([&] {
    for (const char name : {'a', 'b'})
      spawn([&order, name] {
        spawn([&order] { order += '1'; });
        spawn([&order] { order += '2'; });
        wait();
        order += name;
      });
  });
  EXPECT_EQ(order, "12a12b");
}

TEST(TaskOrder, PriorityComesBeforeAge) {
  Pool pool;
  std::string order;
  pool.run([&] {
    spawn({.priority = -1}, [&] { order += 'z'; });
    spawn([&] { order += 'm'; });
    spawn({.priority = 1}, [&] { order += 'b'; });
    spawn({.priority = 2}, [&] { order += 'a'; });
    wait();
  });
  EXPECT_EQ(order, "abmz");
}

TEST(TaskOrder, APriorityChangesUntilTheTaskStarts) {
  Pool pool;
  std::string order;
  pool.run([&] {
    const auto begin = [&order](char name) { return start([&order, name] { order += name; }); };
    const Handle a = begin('a'), b = begin('b'), c = begin('c'), d = begin('d');
    EXPECT_TRUE(set_priority(a, -1));
    EXPECT_TRUE(set_priority(d, 1));
    EXPECT_TRUE(set_priority(c, 5));
    EXPECT_TRUE(set_priority(c, 2));
    const Handle e = start([&, d] {
      // d has ended, a has not started: now it is the next one.
      EXPECT_FALSE(set_priority(d, 3));
      EXPECT_TRUE(set_priority(a, 3));
      order += 'e';
    });
    EXPECT_TRUE(set_priority(e, 1));
    wait();
    for (const Handle& each : {a, b, c, d, e}) EXPECT_FALSE(set_priority(each, 1));
    EXPECT_THROW((void)set_priority(a, 101), std::invalid_argument);
    EXPECT_THROW((void)set_priority(a, -101), std::invalid_argument);
  });
  EXPECT_EQ(order, "cdeab");
  EXPECT_THROW((void)set_priority(Handle(), 1), std::logic_error);
}

TEST_P(Spawn, TasksWhosePrioritiesChangeAllTheTimeRunOnce) {
  constexpr std::size_t count = 200;
  std::array<std::atomic<int>, count> runs{};
  std::atomic<std::uint32_t> seed{1};
  for (int repetition = 0; repetition < 20; ++repetition) {
    pool_.run([&] {
      std::vector<Handle> tasks(count);
      for (std::size_t i = 0; i < count; ++i)
        tasks[i] = start([&runs, i] {
          spawn([&runs, i] { ++runs[i]; });
          if (i % 3 == 0) wait();
          ++runs[i];
        });
      for (int k = 0; k < 4; ++k)
        spawn([&, tasks] {
          std::minstd_rand random(seed.fetch_add(1));
          for (int i = 0; i < 500; ++i)
            (void)set_priority(tasks[random() % count], static_cast<int>(random() % 7) - 3);
        });
      wait(tasks);
    });
  }
  for (const auto& each : runs) EXPECT_EQ(each, 40);
}

TEST(TaskOrder, ASeedGivesOneOrder) {
  const auto order = [](std::uint64_t seed) {
    Pool pool({.workers = 1, .seed = seed});
    std::vector<int> ran;
    pool.run([&] {
      for (int i = 0; i < 20; ++i) spawn([&ran, i] { ran.push_back(i); });
    });
    return ran;
  };
  EXPECT_EQ(order(3), order(3));
  EXPECT_NE(order(3), order(4));
}

TEST(TaskDeadlock, IsAnErrorOfRun) {
  for (const int workers : {1, 3}) {
    auto pool = std::make_unique<Pool>(Options{.workers = workers});
    EXPECT_THAT(
        [&] {
          pool->run([] {
            auto both = std::make_shared<std::pair<Handle, Handle>>();
            both->first = start({.worker = 0}, [both] { wait(both->second); });
            both->second = start({.worker = 0}, [both] { wait(both->first); });
          });
        },
        ThrowsMessage<std::logic_error>(HasSubstr("deadlock")));
    // Its tasks never end.
    static auto* const kept = new std::vector<std::unique_ptr<Pool>>;
    kept->push_back(std::move(pool));
  }
}

TEST(TaskPool, IdleWorkersSleep) {
  const Pool pool({.workers = 4});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto processor_time = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto begin = processor_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // 1 % of a core for each of three workers.
  EXPECT_LT(processor_time() - begin, std::chrono::milliseconds(9));
}

TEST(TaskPool, AMillionTasksTakeLessThan200MB) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const auto resident = [] {
    const std::string status = test::read_file("/proc/self/status");
    return std::stoll(status.substr(status.find("VmHWM:") + 6));
  };
  const auto before = resident();
  Pool pool({.workers = 2});
  pool.run([] {
    for (int i = 0; i < 1'000'000; ++i) spawn([] {});
  });
  EXPECT_LT(resident() - before, 200'000);
}

TEST(TaskPool, StacksAreUsedAgainByAllWorkers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  // Where the oldest task comes first, one worker often suspends tasks that another one continues.
  Pool pool({.workers = 2, .order = Order::oldest_first});
  const auto reserved = [] {
    const std::string status = test::read_file("/proc/self/status");
    return std::stol(status.substr(status.find("VmSize:") + 7)) / 1024;
  };
  const auto run = [&pool](int runs) {
    for (int i = 0; i < runs; ++i)
      pool.run([] {
        for (int k = 0; k < 20; ++k) spawn([] { fibonacci(6); });
      });
  };
  run(500);
  const long before = reserved();
  run(3000);
  EXPECT_LT(reserved() - before, 100) << "MB; a stack that moved at each run would take 750";
}

TEST(TaskPool, OptionsAreChecked) {
  EXPECT_THROW(Pool({.workers = -1}), std::invalid_argument);
  EXPECT_EQ(Pool({.workers = 0}).workers(), static_cast<int>(allowed_processors().size()));
  EXPECT_THROW(Pool({.workers = 2, .cores = {0}}), std::invalid_argument);
}

}  // namespace
}  // namespace takt::tasking
