/// Tests the cores of a rank, and that kernels compute the same bytes on any number of them.

#include "pipeline/calls/rank_tasks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <sched.h>

#include "core/system/allowed_processors.hpp"
#include "pipeline/calls/kernel_call.hpp"
#include "pipeline/kernels/correlate.hpp"
#include "pipeline/kernels/dedisperse.hpp"

namespace takt::pipeline {
namespace {

using ::testing::ThrowsMessage;

TEST(RankTasks, loop_over_every_index_once) {
  for (const std::size_t cores : {1, 2, 3, 7}) {
    RankTasks tasks(cores);
    EXPECT_EQ(tasks.cores(), cores);
    for (const std::size_t count : {0, 1, 2, 100, 1001})
      for (const std::size_t grain : {0, 1, 7, 5000}) {
        std::vector<std::atomic<int>> seen(count);
        tasks.parallel_for(
            count, [&](std::size_t i) { ++seen[i]; }, grain);
        EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& each) { return each == 1; }))
            << cores << ' ' << count << ' ' << grain;
      }
  }
}

long sum_of(Tasks& tasks, long first, long last) {
  if (last - first == 1) return first;
  long left = 0, right = 0;
  const long middle = (first + last) / 2;
  tasks.spawn([&, first, middle] { left = sum_of(tasks, first, middle); });
  tasks.spawn([&, middle, last] { right = sum_of(tasks, middle, last); });
  tasks.wait();
  return left + right;
}

TEST(RankTasks, spawn_and_wait_within_loops_and_other_tasks) {
  for (const std::size_t cores : {1, 2, 4}) {
    RankTasks tasks(cores);
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::vector<long> sums(8);
      tasks.parallel_for(
          sums.size(),
          [&](std::size_t i) { tasks.run([&] { sums[i] = sum_of(tasks, 0, 100 + static_cast<long>(i)); }); },
          1);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const long n = 100 + static_cast<long>(i);
        EXPECT_EQ(sums[i], n * (n - 1) / 2);
      }
    }
  }
}

TEST(RankTasks, rethrow_an_exception_of_a_task_and_stay_usable) {
  for (const std::size_t cores : {1, 3}) {
    RankTasks tasks(cores);
    for (int repetition = 0; repetition < 5; ++repetition) {
      EXPECT_THAT(
          [&] {
            tasks.parallel_for(
                100,
                [](std::size_t i) {
                  if (i == 63) throw std::runtime_error("no signal");
                },
                1);
          },
          ThrowsMessage<std::runtime_error>("no signal"));
      std::atomic<int> count = 0;
      tasks.parallel_for(
          10, [&](std::size_t) { ++count; }, 1);
      EXPECT_EQ(count, 10);
    }
  }
}

TEST(RankTasks, take_turns_where_several_threads_call_kernels) {
  RankTasks tasks(3);
  std::atomic<int> count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k)
          tasks.parallel_for(
              20, [&](std::size_t) { ++count; }, 1);
      });
  }
  EXPECT_EQ(count, 3 * 50 * 20);
}

/// Processor time does not depend on the load of the computer.
TEST(RankTasks, without_work_use_less_than_a_hundredth_of_a_core) {
  RankTasks tasks(4);
  tasks.parallel_for(
      100, [](std::size_t) {}, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds{50});
  const std::uint64_t before = tasks.workers_ns();
  std::this_thread::sleep_for(std::chrono::seconds{1});
  EXPECT_LT(tasks.workers_ns() - before, 10'000'000U);
}

TEST(RankTasks, use_one_core_on_request) {
  RankTasks tasks(3);
  tasks.use(1);
  EXPECT_EQ(tasks.cores(), 1U);
  std::set<std::thread::id> threads;
  tasks.run([&] {
    for (int i = 0; i < 50; ++i) tasks.spawn([&] { threads.insert(std::this_thread::get_id()); });
  });
  EXPECT_EQ(threads.size(), 1U);
  tasks.use(3);
  EXPECT_EQ(tasks.cores(), 3U);
}

TEST(RankTasks, bind_their_workers) {
  const std::vector<std::size_t> allowed = allowed_processors();
  if (allowed.size() < 2) GTEST_SKIP() << "needs two processors";
  RankTasks tasks(2);
  const std::array<std::size_t, 1> processor{allowed[1]};
  tasks.bind(processor);
  // The worker need not take part in a loop: loops go on until it has.
  std::atomic<int> elsewhere = 0;
  for (int i = 0; i < 100'000 && elsewhere == 0; ++i)
    tasks.parallel_for(
        8,
        [&, caller = std::this_thread::get_id()](std::size_t) {
          if (std::this_thread::get_id() == caller) return;
          cpu_set_t set;
          ::sched_getaffinity(0, sizeof(set), &set);
          EXPECT_EQ(CPU_COUNT(&set), 1);
          EXPECT_TRUE(CPU_ISSET(allowed[1], &set));
          ++elsewhere;
        },
        1);
  EXPECT_GT(elsewhere, 0);
}

Parameters parameters_of(const KernelKind& kind, const std::map<std::string, std::string>& written) {
  std::map<std::string, Parameters::Value> values;
  for (const auto& [name, text] : written) values[name] = {.texts = {text}, .where = {}};
  ErrorList errors;
  Parameters parameters(kind.parameters, values, {}, errors);
  errors.throw_if_any();
  return parameters;
}

/// Returns all bytes that a kernel outputs for frames of noise, in which every third frame has holes.
std::vector<std::byte> outputs_of(const KernelKind& kind, const std::map<std::string, std::string>& written,
                                  const std::vector<FrameType>& types, std::size_t cores) {
  RankTasks tasks(cores);
  const std::unique_ptr<Kernel> kernel = kind.make(parameters_of(kind, written));
  const FrameType type = kernel->configure(types);
  kernel->use_tasks(tasks);
  std::vector<std::byte> all, output(type.size().count + canary_bytes);
  std::mt19937 random(5);
  const auto call = [&](const KernelCall& call) {
    const KernelResult result = call_kernel(*kernel, call);
    if (result.outcome == Outcome::produced)
      all.insert(all.end(), output.begin(), output.end() - canary_bytes);
    return result.has_finished;
  };
  FrameHeader header;
  const FrameBuffer buffer{&header, std::span(output).first(type.size().count)};
  for (std::uint64_t frame = 0; frame < 10; ++frame) {
    std::vector<std::vector<float>> elements;
    std::vector<FrameHeader> headers(types.size());
    std::vector<FrameView> views;
    for (std::size_t i = 0; i < types.size(); ++i) {
      std::vector<float>& values = elements.emplace_back(types[i].size().count / sizeof(float));
      for (float& value : values) value = static_cast<float>(random() % 1000) / 37;
      headers[i] = {.sequence = frame, .parts = 8};
      if (frame % 3 == 1) {
        headers[i].missing_parts = 1;
        for (std::size_t k = 0; k < values.size() / 5; ++k) values[random() % values.size()] = std::nanf("");
        std::fill_n(values.begin(), values.size() / 7, std::nanf(""));
      }
    }
    for (std::size_t i = 0; i < types.size(); ++i)
      views.push_back({&headers[i], std::as_bytes(std::span(elements[i]))});
    call({.inputs = views, .output = buffer, .has_canary = true});
  }
  while (!call({.inputs = {}, .finishes = true, .output = buffer, .has_canary = true})) {
  }
  return all;
}

void expect_same_bytes(const KernelKind& kind, const std::map<std::string, std::string>& written,
                       const std::vector<FrameType>& types) {
  const std::vector<std::byte> expected = outputs_of(kind, written, types, 1);
  EXPECT_FALSE(expected.empty());
  for (const std::size_t cores : {2, 3, 8})
    for (int repetition = 0; repetition < 3; ++repetition)
      EXPECT_TRUE(outputs_of(kind, written, types, cores) == expected) << kind.name << ' ' << cores;
}

TEST(Kernels, give_the_same_bytes_on_any_number_of_cores) {
  for (const std::size_t polarisations : {1, 2}) {
    const FrameType spectra{
        .element = ElementType::complex_float32,
        .axes = {Axis{"time", 9, {}}, Axis{"channel", 17, {}}, Axis{"polarisation", polarisations, {}}},
        .rate_hz = 10};
    expect_same_bytes(correlate_kernel(), {{"frames", "3"}}, std::vector(4, spectra));
  }
  FrameType power{.element = ElementType::float32,
                  .axes = {Axis{"time", 64, {}}, Axis{"channel", 48, {}}},
                  .rate_hz = 10};
  for (int c = 0; c < 48; ++c) power.axes[1].coordinates.push_back(1.2e9 + 1e6 * c);
  expect_same_bytes(dedisperse_kernel(), {{"trials", "23"}, {"step", "4"}}, {power});
  expect_same_bytes(dedisperse_kernel(),
                    {{"trials", "150"}, {"step", "0.3"}, {"method", "subband"}, {"tolerance", "2"}}, {power});
}

}  // namespace
}  // namespace takt::pipeline
