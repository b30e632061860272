#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#ifdef TAKT_HAS_OPENMP
#include <omp.h>
#endif

#include "core/system/allowed_processors.hpp"
#include "core/system/kept_affinity.hpp"
#include "pipeline/tasking/core_types.hpp"
#include "pipeline/tasking/graph.hpp"
#include "pipeline/tasking/pool.hpp"
#include "pipeline/tasking/sleepers.hpp"
#include "tests/support/program.hpp"

// Which workers and processors tasks run on.

namespace takt::tasking {
namespace affinity_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The workers that have run so many tasks with these properties.
std::set<int> workers_of(Pool& pool, const With& with, int tasks = 200) {
  std::mutex mutex;
  std::set<int> workers;
  pool.run([&] {
    for (int i = 0; i < tasks; ++i)
      spawn(with, [&] {
        const std::lock_guard lock(mutex);
        workers.insert(this_worker());
      });
  });
  return workers;
}

TEST(TaskAffinity, TasksOfACoreTypeRunOnWorkersOfThatType) {
  Pool pool({.workers = 4, .core_types = {0, 1, 1, 0}});
  for (int round = 0; round < 20; ++round) {
    EXPECT_THAT(workers_of(pool, {.core_type = 0}), Each(::testing::AnyOf(0, 3)));
    EXPECT_THAT(workers_of(pool, {.core_type = 1}), Each(::testing::AnyOf(1, 2)));
  }
}

TEST(TaskAffinity, TasksOfOneTypeKeepTheirPriorities) {
  Pool pool({.workers = 1, .core_types = {0}});
  std::string order;
  pool.run([&] {
    spawn({.priority = -1, .core_type = 0}, [&] { order += 'c'; });
    spawn({.core_type = 0}, [&] { order += 'b'; });
    spawn({.priority = 1, .core_type = 0}, [&] { order += 'a'; });
    wait();
  });
  EXPECT_EQ(order, "abc");
}

TEST(TaskAffinity, UnitsOfGraphsObeyWorkersAndTypes) {
  Pool pool({.workers = 3, .core_types = {0, 1, 1}});
  std::atomic<int> wrong{0};
  Graph graph;
  Graph::Unit last = graph.add([] {});
  for (int i = 0; i < 300; ++i) {
    const Graph::Unit next =
        i % 2 == 0 ? graph.add([&] { wrong += this_worker() == 0 ? 1 : 0; }, With{.core_type = 1})
                   : graph.add([&] { wrong += this_worker() != 2 ? 1 : 0; }, With{.worker = 2});
    graph.precede(last, next);
    if (i % 3 == 0) last = next;
  }
  pool.run([&] { graph.run(); });
  EXPECT_EQ(wrong, 0);
  graph.add([] {}, With{.worker = 7});
  EXPECT_THROW(pool.run([&] { graph.run(); }), std::invalid_argument);
}

TEST(TaskAffinity, ALimitTakesEffectAndIsLiftedAgain) {
  Pool pool({.workers = 4});
  for (const int limit : {1, 2, 4, 1}) {
    pool.limit_workers(limit);
    EXPECT_THAT(workers_of(pool, {}), Each(::testing::Lt(limit)));
    // Tasks that name a worker are not affected.
    EXPECT_THAT(workers_of(pool, {.worker = 3}, 5), ElementsAre(3));
  }
}

TEST(TaskAffinity, ALimitThatChangesAllTheTimeLosesNoTask) {
  Pool pool({.workers = 4});
  std::minstd_rand random(3);
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> done{0};
    pool.run([&] {
      for (int i = 0; i < 50; ++i)
        spawn([&, limit = 1 + static_cast<int>(random() % 4)] {
          pool.limit_workers(limit);
          spawn([&] { ++done; });
          spawn([&] { ++done; });
          wait();
          ++done;
        });
    });
    ASSERT_EQ(done, 150);
  }
}

TEST(TaskAffinity, ADeadlockBeyondALimitIsFound) {
  auto pool = std::make_unique<Pool>(Options{.workers = 3});
  pool->limit_workers(1);
  EXPECT_THAT(
      [&] {
        pool->run([] {
          spawn({.worker = 2}, [] {
            auto both = std::make_shared<std::pair<Handle, Handle>>();
            both->first = start({.worker = 2}, [both] { wait(both->second); });
            both->second = start({.worker = 2}, [both] { wait(both->first); });
          });
        });
      },
      ThrowsMessage<std::logic_error>(HasSubstr("deadlock")));
  static auto* const kept = new std::vector<std::unique_ptr<Pool>>;
  kept->push_back(std::move(pool));
}

TEST(TaskAffinity, WorkersStayOnTheirProcessors) {
  const std::vector<std::size_t> allowed = allowed_processors();
  std::vector<int> cores;
  for (int i = 0; i < 3; ++i)
    cores.push_back(static_cast<int>(allowed[static_cast<std::size_t>(i) % allowed.size()]));
  Pool pool({.workers = 3, .cores = cores});
  std::atomic<int> wrong{0};
  pool.run([&] {
    for (int worker = 0; worker < 3; ++worker)
      for (int i = 0; i < 20; ++i)
        spawn({.worker = worker},
              [&, worker] { wrong += ::sched_getcpu() != cores[static_cast<std::size_t>(worker)] ? 1 : 0; });
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(allowed_processors(), allowed) << "the caller may use its processors again";
}

TEST(TaskAffinity, ImpossibleOptionsAreRefused) {
  EXPECT_THROW(Pool({.workers = 2, .core_types = {0}}), std::invalid_argument);
  EXPECT_THROW(Pool({.workers = 2, .core_types = {0, 2}}), std::invalid_argument);
  Pool pool({.workers = 2, .core_types = {0, 1}});
  EXPECT_THROW(pool.limit_workers(1), std::invalid_argument);
  EXPECT_THROW(pool.limit_workers(0), std::invalid_argument);
  EXPECT_THROW(pool.run([] { spawn({.core_type = 2}, [] {}); }), std::invalid_argument);
  EXPECT_THROW(pool.run([] { spawn({.worker = 0, .core_type = 0}, [] {}); }), std::invalid_argument);
}

TEST(TaskAffinity, CoreTypesComeFromTheSystemsFigures) {
  const test::TemporaryFolder folder;
  const std::vector<int> cores{0, 1, 2, 3};
  EXPECT_THAT(core_types_of(cores, (folder / "cpus")), ElementsAre(0, 0, 0, 0));
  const auto write = [&](int core, const std::string& name, int value) {
    const auto file = (folder / "cpus") / ("cpu" + std::to_string(core)) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << value;
  };
  // A processor with two kinds of cores; turbo frequencies differ a little.
  for (const auto& [core, frequency] : {std::pair{0, 5200000}, {1, 5000000}, {2, 3800000}, {3, 3800000}})
    write(core, "cpufreq/cpuinfo_max_freq", frequency);
  EXPECT_THAT(core_types_of(cores, (folder / "cpus")), ElementsAre(0, 0, 1, 1));
  for (const auto& [core, capacity] : {std::pair{0, 381}, {1, 1024}, {2, 381}, {3, 160}})
    write(core, "cpu_capacity", capacity);
  EXPECT_THAT(core_types_of(cores, (folder / "cpus")), ElementsAre(1, 0, 1, 2));
}

#ifdef TAKT_HAS_OPENMP
TEST(TaskAffinity, OpenMpRegionsInTasksHaveOneThread) {
  const int before = ::omp_get_max_threads();
  ::omp_set_num_threads(3);
  Pool pool({.workers = 2});
  std::atomic<int> most{0};
  pool.run([&] {
    for (int i = 0; i < 50; ++i)
      spawn({.worker = i % 2}, [&] {
        int threads = 0;
#pragma omp parallel
#pragma omp single
        threads = ::omp_get_num_threads();
        if (threads > most) most = threads;
      });
  });
  EXPECT_EQ(most, 1);
  EXPECT_EQ(::omp_get_max_threads(), 3);
  ::omp_set_num_threads(before);
}
#endif

TEST(Sleepers, AreWokenOnAnotherProcessorThanTheCallers) {
  const std::vector<std::size_t> processors = allowed_processors();
  if (processors.size() < 2) GTEST_SKIP() << "needs two processors";
  detail::Sleepers sleepers;
  detail::Sleeper sleeper;
  for (const std::size_t here : {processors[0], processors[1], processors[1]}) {
    cpu_set_t left;
    std::jthread thread([&] {
      sleeper.thread = ::gettid();
      sleepers.sleep(sleeper, [] { return false; });
      ::sched_getaffinity(0, sizeof(left), &left);
    });
    const KeptAffinity kept;
    keep_to_processor(here);
    while (!sleepers.wake(sleeper)) std::this_thread::yield();
    thread.join();
    EXPECT_NE(sleeper.woke_on, static_cast<int>(here));
    EXPECT_EQ(CPU_COUNT(&left), static_cast<int>(processors.size()));
  }
}

TEST(Sleepers, StayOnTheOnlyProcessorThatTheyMayUse) {
  const std::size_t only = allowed_processors().front();
  detail::Sleepers sleepers;
  detail::Sleeper sleeper;
  cpu_set_t left;
  std::jthread thread([&] {
    keep_to_processor(only);
    sleeper.thread = ::gettid();
    sleepers.sleep(sleeper, [] { return false; });
    ::sched_getaffinity(0, sizeof(left), &left);
  });
  const KeptAffinity kept;
  keep_to_processor(only);
  while (!sleepers.wake(sleeper)) std::this_thread::yield();
  thread.join();
  EXPECT_EQ(CPU_COUNT(&left), 1);
  EXPECT_TRUE(CPU_ISSET(only, &left));
}

TEST(Sleepers, StayWhereTheyHaveBeenBoundAfterAWake) {
  const std::vector<std::size_t> processors = allowed_processors();
  if (processors.size() < 2) GTEST_SKIP() << "needs two processors";
  detail::Sleepers sleepers;
  detail::Sleeper sleeper;
  cpu_set_t left;
  std::jthread thread([&] {
    sleeper.thread = ::gettid();
    sleepers.sleep(sleeper, [] { return false; });
    keep_to_processor(processors[0]);
    sleepers.sleep(sleeper, [] { return false; });
    ::sched_getaffinity(0, sizeof(left), &left);
  });
  const KeptAffinity kept;
  for (const std::size_t here : {processors[1], processors[0]}) {
    keep_to_processor(here);
    while (!sleepers.wake(sleeper)) std::this_thread::yield();
  }
  thread.join();
  EXPECT_EQ(CPU_COUNT(&left), 1);
  EXPECT_TRUE(CPU_ISSET(processors[0], &left));
}

}  // namespace affinity_test
}  // namespace takt::tasking
