/// Is the makespan that `exact_makespan` proves the minimum?

#include "schedulers/baseline/exact_makespan.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/registry/pair_machines.hpp"

namespace takt::schedulers {
namespace {

/// The least makespan of all: every order of the tasks that respects the edges, on all processors.
class BruteForce {
 public:
  explicit BruteForce(const DelayModel& model)
      : model_(model), made_(model.graph().task_count()), placed_(model.graph().task_count(), false) {
    extend(0, Time{0}, std::vector<Time>(model.processor_count(), Time{0}));
  }
  [[nodiscard]] Time least() const { return least_; }

 private:
  void extend(std::size_t placed, Time length, const std::vector<Time>& free) {
    if (length >= least_) return;
    if (placed == placed_.size()) {
      least_ = length;
      return;
    }
    for (TaskId task : model_.graph().tasks()) {
      if (placed_[task.index()] || !is_ready(task)) continue;
      placed_[task.index()] = true;
      for (ProcessorId p : model_.processors()) {
        const Time end = std::max(free[p.index()], arrival(task, p)) + model_.duration(task, p);
        made_.processor[task.index()] = p;
        made_.end[task.index()] = end;
        std::vector<Time> then = free;
        then[p.index()] = end;
        extend(placed + 1, std::max(length, end), then);
      }
      placed_[task.index()] = false;
    }
  }
  [[nodiscard]] bool is_ready(TaskId task) const {
    return std::ranges::all_of(model_.graph().in_edges(task),
                               [&](EdgeId edge) { return placed_[model_.graph().edge(edge).from.index()]; });
  }
  [[nodiscard]] Time arrival(TaskId task, ProcessorId p) const {
    Time latest{0};
    for (EdgeId edge : model_.graph().in_edges(task)) {
      const std::size_t parent = model_.graph().edge(edge).from.index();
      latest = std::max(latest, made_.end[parent] + model_.delay(edge, made_.processor[parent], p));
    }
    return latest;
  }

  const DelayModel& model_;
  Timetable made_;
  std::vector<bool> placed_;
  Time least_ = Time::max();
};

enum class Shape { any, fork, join, fork_join, independent };
enum class Works { one, per_processor };

/// Ids not in topological order; with many equal works and sizes, and many zeros.
TaskGraph random_graph(Random& draw, Shape shape, Works works, std::size_t processors, std::int64_t unit) {
  const auto tasks = static_cast<std::size_t>(draw.between(2, processors > 2 ? 6 : 7));
  const std::int64_t least = draw.between(0, 1), most = draw.between(1, 12), most_size = draw.between(0, 15);
  const auto one_in = static_cast<std::uint64_t>(draw.between(1, 4));
  auto work = [&] { return Time(draw.between(least, most) * unit); };
  std::vector<std::size_t> id(tasks);
  std::iota(id.begin(), id.end(), std::size_t{0});
  for (std::size_t i = tasks; i > 1; --i) std::swap(id[i - 1], id[draw.below(i)]);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i) {
    const TaskId task = builder.add_task({fmt::format("t{}", i), work(), false});
    if (works == Works::one) continue;
    std::vector<Time> times(processors);
    for (Time& time : times) time = work();
    builder.set_work_table(task, std::move(times));
  }
  auto is_edge = [&](std::size_t from, std::size_t to) {
    const bool forks = from == 0, joins = to == tasks - 1;
    switch (shape) {
      case Shape::any:
        return draw.below(one_in) == 0;
      case Shape::fork:
        return forks;
      case Shape::join:
        return joins;
      case Shape::fork_join:
        return forks != joins;
      case Shape::independent:
        return false;
    }
    return false;
  };
  for (std::size_t from = 0; from < tasks; ++from)
    for (std::size_t to = from + 1; to < tasks; ++to)
      if (is_edge(from, to))
        builder.add_edge(TaskId(id[from]), TaskId(id[to]),
                         Bytes{static_cast<std::uint64_t>(draw.between(0, most_size))});
  return std::move(builder).build();
}

void expect_least(const TaskGraph& graph, const logp::Machine& machine) {
  const DelayModel model(graph, machine);
  const Time least = BruteForce(model).least();
  const ExactMakespan exact = exact_makespan(model, {}, makespan_starts());
  EXPECT_TRUE(exact.proven());
  EXPECT_EQ(exact.timetable.length(), least);
  EXPECT_LE(exact.bound, least);
  // A stopped search must report only true results.
  for (std::uint64_t effort : {0, 1, 5, 20, 100}) {
    const ExactMakespan known = exact_makespan(model, {.effort = effort}, makespan_starts());
    EXPECT_LE(known.bound, least) << "effort " << effort;
    EXPECT_GE(known.timetable.length(), least) << "effort " << effort;
  }
}

constexpr Shape shapes[] = {Shape::any,  Shape::any,       Shape::fork,
                            Shape::join, Shape::fork_join, Shape::independent};

TEST(ExactMakespan, is_the_least_on_equal_processors) {
  Random draw(1);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const auto processors = static_cast<std::size_t>(draw.between(1, 4));
    const Shape shape = shapes[draw.below(std::size(shapes))];
    expect_least(random_graph(draw, shape, Works::one, processors, 1), logp::Machine::delay(processors));
  }
}

TEST(ExactMakespan, is_the_least_on_processors_of_different_speeds) {
  Random draw(2);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const char* machine[] = {"delay:P=2,speed=1/2", "delay:P=3,speed=1/1/4", "delay:P=3,speed=4/1/2"};
    const logp::Machine on = logp::parse_machine(machine[draw.below(3)]);
    const Shape shape = shapes[draw.below(std::size(shapes))];
    expect_least(random_graph(draw, shape, Works::one, on.processor_count(), 4), on);
  }
}

TEST(ExactMakespan, is_the_least_on_unrelated_processors) {
  Random draw(3);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const auto processors = static_cast<std::size_t>(draw.between(1, 3));
    const Shape shape = shapes[draw.below(std::size(shapes))];
    expect_least(random_graph(draw, shape, Works::per_processor, processors, 1),
                 logp::Machine::delay(processors));
  }
}

TEST(ExactMakespan, is_the_least_with_delays_that_differ_by_pair) {
  Random draw(4);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    const Shape shape = shapes[draw.below(std::size(shapes))];
    expect_least(random_graph(draw, shape, Works::one, 3, 1), random_pairs(3, draw.below(1000)));
  }
}

// Links without costs transfer in no time what costs its size under the delay model.
TEST(ExactMakespan, proves_nothing_for_machines_other_than_the_delay_model) {
  const TaskGraph graph = generate("gauss:size=4,ccr=3");
  const Scheduler& exact = find_scheduler("exact_makespan");
  auto bound_on = [&](std::string_view machine) {
    return exact.schedule(graph, logp::parse_machine(machine), {.effort = 100}).makespan_bound;
  };
  EXPECT_TRUE(bound_on("delay:P=3"));
  EXPECT_FALSE(bound_on("delay:P=3,network=star:3,link=0+0"));
  EXPECT_FALSE(bound_on("logp:P=3,L=1,o=1,g=2"));
}

}  // namespace
}  // namespace takt::schedulers
