/// Does the search for forks and joins find the shortest schedules, and is its bound never too high?

#include "schedulers/baseline/fork_join_search.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "schedulers/baseline/allocation_search.hpp"
#include "schedulers/baseline/makespan_search.hpp"
#include "schedulers/baseline/one_machine.hpp"

namespace takt::schedulers {
namespace {

constexpr std::uint64_t ample = 10'000'000;

struct Ends {
  bool first = false, last = false;
};

/// With many zeros and equal values.
TaskGraph fork_join_graph(Random& draw, Ends ends, std::int64_t parts, std::int64_t most_size) {
  const std::int64_t least = draw.between(0, 1), most = draw.between(1, 12);
  TaskGraphBuilder builder;
  const auto task = [&](std::string name) {
    return builder.add_task({std::move(name), Time(draw.between(least, most)), false});
  };
  std::vector<TaskId> middle;
  for (std::int64_t i = 0; i < parts; ++i) middle.push_back(task(fmt::format("p{}", i)));
  const auto size = [&] { return Bytes{static_cast<std::uint64_t>(draw.between(0, most_size))}; };
  if (ends.first) {
    const TaskId first = task("first");
    for (TaskId part : middle) builder.add_edge(first, part, size());
  }
  if (ends.last) {
    const TaskId last = task("last");
    for (TaskId part : middle) builder.add_edge(part, last, size());
  }
  return std::move(builder).build();
}

/// Every assignment of the tasks to processors, and every order on each.
class ShortestOfAll {
 public:
  explicit ShortestOfAll(const DelayModel& model) : model_(model), end_(model.graph().task_count()) {
    extend(std::vector<bool>(end_.size(), false), 0, Time{0},
           std::vector<Time>(model.processor_count(), Time{0}));
  }
  [[nodiscard]] Time length() const { return least_; }

 private:
  void extend(const std::vector<bool>& placed, std::size_t count, Time length,
              const std::vector<Time>& free) {
    if (length >= least_) return;
    if (count == placed.size()) {
      least_ = length;
      return;
    }
    const TaskGraph& graph = model_.graph();
    for (TaskId task : graph.tasks()) {
      const auto in = graph.in_edges(task);
      if (placed[task.index()] ||
          std::ranges::any_of(in, [&](EdgeId edge) { return !placed[graph.edge(edge).from.index()]; }))
        continue;
      for (ProcessorId p : model_.processors()) {
        Time start = free[p.index()];
        for (EdgeId edge : in) {
          const auto& [end, home] = end_[graph.edge(edge).from.index()];
          start = std::max(start, end + model_.delay(edge, home, p));
        }
        std::vector<bool> then = placed;
        then[task.index()] = true;
        std::vector<Time> later = free;
        later[p.index()] = start + model_.duration(task, p);
        end_[task.index()] = {later[p.index()], p};
        extend(then, count + 1, std::max(length, later[p.index()]), later);
      }
    }
  }

  const DelayModel& model_;
  std::vector<std::pair<Time, ProcessorId>> end_;
  Time least_ = Time::max();
};

void expect_schedule(const DelayModel& model, const Timetable& made) {
  const TaskGraph& graph = model.graph();
  for (TaskId task : graph.tasks()) {
    const std::size_t i = task.index();
    ASSERT_LT(made.processor[i].index(), model.processor_count());
    EXPECT_GE(made.start[i], Time{0});
    EXPECT_EQ(made.end[i] - made.start[i], graph.task(task).work);
    for (std::size_t other = 0; other < i; ++other)
      if (made.processor[other] == made.processor[i]) {
        EXPECT_TRUE(made.end[i] <= made.start[other] || made.end[other] <= made.start[i]);
      }
  }
  for (EdgeId id : graph.edges()) {
    const std::size_t from = graph.edge(id).from.index(), to = graph.edge(id).to.index();
    EXPECT_GE(made.start[to], made.end[from] + model.delay(id, made.processor[from], made.processor[to]));
  }
}

constexpr Ends all_ends[] = {{false, false}, {true, false}, {false, true}, {true, true}, {true, true}};

TEST(ForkJoinSearch, is_the_shortest_of_all_schedules) {
  Random draw(11);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const Ends ends = all_ends[draw.below(std::size(all_ends))];
    const std::int64_t most_size = draw.between(0, 15);
    const TaskGraph graph = fork_join_graph(draw, ends, draw.between(1, 4), most_size);
    const logp::Machine machine = logp::Machine::delay(static_cast<std::size_t>(draw.between(1, 3)));
    const DelayModel model(graph, machine);
    const Time length = ShortestOfAll(model).length(), above = length + Time{draw.between(1, 20)};
    const auto found = search_fork_join(model, Time{0}, above, ample);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bound, length);
    ASSERT_TRUE(found->timetable);
    EXPECT_EQ(found->timetable->length(), length);
    expect_schedule(model, *found->timetable);
    // From the shortest length on there is no shorter schedule; a stopped search reports only true results.
    EXPECT_FALSE(search_fork_join(model, Time{0}, length, ample)->timetable);
    for (const std::uint64_t effort : {1, 3, 10, 40}) {
      const auto known = search_fork_join(model, Time{0}, above, effort);
      EXPECT_LE(known->bound, length);
      if (known->timetable) {
        EXPECT_GE(known->timetable->length(), length);
        expect_schedule(model, *known->timetable);
      }
    }
  }
}

TEST(ForkJoinSearch, agrees_with_the_search_in_order_of_time) {
  Random draw(12);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    const TaskGraph graph = fork_join_graph(draw, {true, true}, 8, draw.between(0, 20));
    const logp::Machine machine = logp::Machine::delay(static_cast<std::size_t>(draw.between(2, 5)));
    const DelayModel model(graph, machine);
    std::uint64_t effort = ample;
    const MakespanSearch along_time = search_makespan(model, Time{1000}, effort);
    ASSERT_TRUE(along_time.is_complete);
    const auto found = search_fork_join(model, Time{0}, Time{1000}, ample);
    EXPECT_EQ(found->bound, along_time.timetable->length());
    EXPECT_EQ(found->timetable->length(), along_time.timetable->length());
  }
}

// Equal parts together with placed ones: {12, 6}, {12, 6} and {9, 6} by 18, then 12, 6 and 6 on the last
// one's processor.
TEST(ForkJoinSearch, leaves_out_only_equal_parts) {
  TaskGraphBuilder builder;
  std::vector<TaskId> parts;
  for (const int work : {6, 12, 6, 12, 6, 12, 6, 9})
    parts.push_back(builder.add_task({fmt::format("p{}", parts.size()), Time{work}}));
  const TaskId last = builder.add_task({"last", Time{6}});
  for (std::size_t i = 0; const std::uint64_t size : {0, 0, 0, 1, 0, 2, 2, 0})
    builder.add_edge(parts[i++], last, Bytes{size});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::Machine::delay(4);
  const auto found = search_fork_join(DelayModel(graph, machine), Time{0}, Time{100}, ample);
  EXPECT_EQ(found->bound, Time{24});
  EXPECT_EQ(found->timetable->length(), Time{24});
}

// With the ends on separate processors, parts of equal work are not exchanged: p2 follows the first task
// although p3, with a longer tail, does not. After first run p0 until 5 and p2 until 9, just when last
// begins; p4 from 3 to 6 and p1 until 8 before last; p3 from 3 to 7 alone, with its result there at 9. With
// p3 in the place of p2, the result of p2 would be there at 11.
TEST(ForkJoinSearch, keeps_parts_of_equal_work_with_separated_ends) {
  TaskGraphBuilder builder;
  std::vector<TaskId> parts;
  for (const int work : {4, 2, 4, 4, 3})
    parts.push_back(builder.add_task({fmt::format("p{}", parts.size()), Time{work}}));
  const TaskId first = builder.add_task({"first", Time{1}}), last = builder.add_task({"last", Time{2}});
  constexpr std::uint64_t heads[] = {5, 4, 2, 2, 2}, tails[] = {2, 5, 0, 2, 4};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    builder.add_edge(first, parts[i], Bytes{heads[i]});
    builder.add_edge(parts[i], last, Bytes{tails[i]});
  }
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::Machine::delay(3);
  const DelayModel model(graph, machine);
  const auto found = search_fork_join(model, Time{0}, Time{100}, ample);
  EXPECT_EQ(found->bound, Time{11});
  EXPECT_EQ(found->timetable->length(), Time{11});
  expect_schedule(model, *found->timetable);
}

// Few works and small sizes: most parts are interchangeable.
TEST(ForkJoinSearch, agrees_with_the_search_over_allocations_for_equal_works) {
  Random draw(14);
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(round);
    const Ends ends = all_ends[draw.below(std::size(all_ends))];
    TaskGraphBuilder builder;
    std::vector<TaskId> tasks;
    const std::size_t parts = 5 + draw.below(4);
    const std::int64_t most_size = draw.between(1, 15);
    const auto task = [&](std::string name) {
      return builder.add_task({std::move(name), Time{3 * draw.between(2, 4)}});
    };
    for (std::size_t i = 0; i < parts; ++i) tasks.push_back(task(fmt::format("p{}", i)));
    const auto size = [&] { return Bytes{static_cast<std::uint64_t>(draw.between(0, most_size))}; };
    if (ends.first)
      for (const TaskId first = task("first"); TaskId part : tasks) builder.add_edge(first, part, size());
    if (ends.last)
      for (const TaskId last = task("last"); TaskId part : tasks) builder.add_edge(part, last, size());
    const TaskGraph graph = std::move(builder).build();
    const logp::Machine machine = logp::Machine::delay(static_cast<std::size_t>(draw.between(2, 4)));
    const DelayModel model(graph, machine);
    std::uint64_t effort = ample;
    const MakespanSearch exact = search_allocations(model, Time{1000}, effort);
    ASSERT_TRUE(exact.is_complete);
    const auto found = search_fork_join(model, Time{0}, Time{1000}, ample);
    ASSERT_TRUE(found && found->timetable);
    EXPECT_EQ(found->bound, exact.timetable->length());
    EXPECT_EQ(found->timetable->length(), exact.timetable->length());
  }
}

TEST(ForkJoinSearch, supports_these_graphs_only) {
  const auto is_for = [](const TaskGraph& graph, const char* machine) {
    const logp::Machine on = logp::parse_machine(machine);
    return search_fork_join(DelayModel(graph, on), Time{0}, Time{100}, ample).has_value();
  };
  EXPECT_TRUE(is_for(generate("fork_join:depth=1,width=5"), "delay:P=3"));
  EXPECT_TRUE(is_for(generate("chain:depth=2"), "delay:P=3"));
  EXPECT_TRUE(is_for(generate("send_tree:depth=1"), "delay:P=3"));
  EXPECT_TRUE(is_for(generate("receive_tree:depth=1"), "delay:P=3"));
  EXPECT_FALSE(is_for(generate("fork_join:depth=1,width=5"), "delay:P=2,speed=1/2"));
  EXPECT_FALSE(is_for(generate("fork_join:depth=2,width=5"), "delay:P=3"));
  EXPECT_FALSE(is_for(generate("fft:depth=2"), "delay:P=3"));
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{1}}),
               c = builder.add_task({"c", Time{1}});
  builder.add_edge(a, b, Bytes{1});
  builder.add_edge(b, c, Bytes{1});
  builder.add_edge(a, c, Bytes{9});
  EXPECT_FALSE(is_for(std::move(builder).build(), "delay:P=2"));
}

// All orders.
TEST(OneMachine, is_within_the_limit_if_any_order_is) {
  Random draw(13);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::vector<Job> jobs(static_cast<std::size_t>(draw.between(1, 7)));
    for (auto& [head, work, tail] : jobs)
      head = Time{draw.between(0, 15)}, work = Time{draw.between(0, 9)}, tail = Time{draw.between(0, 15)};
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Time least = Time::max();
    do {
      Time now{0}, end{0};
      for (std::size_t i : order) {
        now = std::max(now, jobs[i].head) + jobs[i].work;
        end = std::max(end, now + jobs[i].tail);
      }
      least = std::min(least, end);
    } while (std::ranges::next_permutation(order).found);
    std::uint64_t effort = ample;
    const auto start = starts_within(jobs, least, effort);
    ASSERT_TRUE(start);
    EXPECT_FALSE(starts_within(jobs, least - Time{1}, effort));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_GE((*start)[i], jobs[i].head);
      EXPECT_LE((*start)[i] + jobs[i].work + jobs[i].tail, least);
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_TRUE((*start)[i] + jobs[i].work <= (*start)[j] || (*start)[j] + jobs[j].work <= (*start)[i]);
    }
    std::vector<Job> copy = jobs;
    EXPECT_LE(preemptive_end(copy), least);
  }
}

}  // namespace
}  // namespace takt::schedulers
