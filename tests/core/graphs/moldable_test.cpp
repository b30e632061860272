/// Moldable profiles: interpretation, validation, reading and generation.

#include "core/graphs/moldable.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/formats/dot.hpp"
#include "core/formats/graph_yaml.hpp"
#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "core/schedule.hpp"

namespace takt {
namespace {

using Point = MoldableProfile::Point;

std::string moldable_error(const std::string& tasks) {
  try {
    (void)graph_from_yaml("tasks:\n" + tasks, "g.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Moldable, profiles_are_copied_with_tasks_and_absent_ones_take_a_pointer) {
  Task task{"a", Time{9}, false, MoldableProfile{0.5, {}}};
  const Task copy = task;
  EXPECT_EQ(copy, task);
  task.moldable->serial = 0.25;
  EXPECT_NE(copy, task);
  EXPECT_EQ(copy.moldable->serial, 0.5);
  task = copy;
  EXPECT_EQ(task, copy);
  const Task moved = std::move(task);
  EXPECT_EQ(moved, copy);
  task = {"a", Time{9}};
  EXPECT_NE(task, copy);
  EXPECT_FALSE(task.moldable);
  EXPECT_EQ(sizeof task.moldable, sizeof(void*));
  // There may be millions of both.
  EXPECT_LE(sizeof(Task), 56U);
  EXPECT_EQ(sizeof(Operation), 24U);
}

TEST(Moldable, times_follow_amdahls_law_or_the_points_between) {
  const MoldableProfile amdahl{0.2, {}};
  EXPECT_DOUBLE_EQ(amdahl.time(Time(100), 4), 20 + 80.0 / 4);
  // Work 40, 60, 80 on 1, 2, 4 processors: 70 on 3.
  const MoldableProfile measured{0, {{1, Time(40)}, {2, Time(30)}, {4, Time(20)}}};
  EXPECT_DOUBLE_EQ(measured.time(Time(40), 3), 70.0 / 3);
  EXPECT_DOUBLE_EQ(measured.time(Time(40), 100), 20);
  EXPECT_EQ(measured.limit(), 4);
}

TEST(Moldable, between_points_times_do_not_rise_and_work_does_not_fall) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<Point> points{{1, Time(random.between(1, 1000))}};
    for (std::uint32_t p = 2; p < 30; p += 1 + static_cast<std::uint32_t>(random.below(5)))
      points.push_back({p, Time(random.between(1, 1200))});
    const MoldableProfile profile{0, monotone_hull(points)};
    const Time work = profile.points.front().time;
    EXPECT_EQ(profile_fault(profile, work), "");
    for (std::size_t p = 1; p < 35; ++p) {
      const double now = profile.time(work, p), next = profile.time(work, p + 1);
      EXPECT_LE(next, now * (1 + 1e-12));
      // Whole ticks at the points: less than one per processor.
      EXPECT_GE(next * static_cast<double>(p + 1) + static_cast<double>(p + 1), now * static_cast<double>(p));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      // Never below the best measured time so far, except where the work would decrease.
      Time best = points[0].time;
      for (std::size_t j = 0; j <= i; ++j) best = std::min(best, points[j].time);
      EXPECT_GE(profile.points[i].time, best);
    }
  }
}

TEST(Moldable, graphs_are_read_from_yaml_and_written_again) {
  const std::string text =
      "tasks:\n"
      "  - {name: a, work: 4 us, alpha: 0.1}\n"
      "  - {name: b, times: [40, 22, 16], stateless: true}\n"
      "  - {name: c, times: {1: 40, 8: 4, 64: 6}, hull: true}\n"
      "  - {name: d, work: 7}\n";
  const TaskGraph graph = graph_from_yaml(text, "g.yaml");
  EXPECT_TRUE(graph.is_moldable());
  EXPECT_EQ(graph.task(TaskId(0)).moldable, (MoldableProfile{0.1, {}}));
  EXPECT_EQ(graph.task(TaskId(1)).work, Time(40));
  // 8 processors cannot do in 4 what one does in 40: 5; 64 are then no slower.
  EXPECT_EQ(graph.task(TaskId(2)).moldable,
            (MoldableProfile{0, {{1, Time(40)}, {8, Time(5)}, {64, Time(5)}}}));
  EXPECT_FALSE(graph.task(TaskId(3)).moldable);
  EXPECT_EQ(graph_from_yaml(graph_to_yaml(graph), "again.yaml"), graph);
}

TEST(Moldable, profile_errors_have_their_place) {
  using ::testing::AllOf, ::testing::HasSubstr;
  EXPECT_THAT(moldable_error("  - {name: a, work: 4, alpha: 1.5}"),
              AllOf(HasSubstr("g.yaml:2:31"), HasSubstr("0 to 1")));
  EXPECT_THAT(moldable_error("  - {name: a, work: 4, alpha: x}"), HasSubstr("g.yaml:2:31"));
  EXPECT_THAT(moldable_error("  - {name: a, times: [40, 10]}"),
              AllOf(HasSubstr("g.yaml:2:22"), HasSubstr("work falls")));
  EXPECT_THAT(moldable_error("  - {name: a, times: [40, 41]}"),
              AllOf(HasSubstr("g.yaml:2:22"), HasSubstr("time rises")));
  EXPECT_THAT(moldable_error("  - {name: a, times: {2: 40}}"), HasSubstr("lacks the time on 1 processor"));
  EXPECT_THAT(moldable_error("  - {name: a, times: []}"), HasSubstr("expected a list"));
  EXPECT_THAT(moldable_error("  - {name: a, times: {0: 40}}"), HasSubstr("g.yaml:2:23"));
  EXPECT_THAT(moldable_error("  - {name: a, work: 3, times: [3]}"), HasSubstr("exclude"));
  EXPECT_THAT(moldable_error("  - {name: a, work: [3, 4], alpha: 0.1}"), HasSubstr("a single number"));
  EXPECT_THAT(moldable_error("  - {name: a, work: 3, hull: true}"), HasSubstr("needs 'times'"));
  EXPECT_THAT(moldable_error("  - {name: a, work: [3, 4]}\n  - {name: b, times: [3]}"),
              HasSubstr("expected equal numbers"));
  EXPECT_THAT(moldable_error("  - {name: a, work: 3, alpha: 0.1, hull: true}"), HasSubstr("needs 'times'"));
}

TEST(Moldable, daggens_files_keep_their_alpha) {
  const std::string text =
      "digraph G {\n  1 [size=\"49659735022\", alpha=\"0.19\"]\n  2 [size=\"379694762866\", alpha=\"0.00\"]\n"
      "  1 -> 2 [size =\"411041792\"]\n}\n";
  const TaskGraph graph = graph_from_dot(text, "d.dot");
  EXPECT_EQ(graph.task(TaskId(0)).work, Time(49'659'735'022));
  EXPECT_EQ(graph.task(TaskId(0)).moldable, (MoldableProfile{0.19, {}}));
  EXPECT_EQ(graph_from_dot(graph_to_dot(graph), "again.dot"), graph);
  EXPECT_THROW((void)graph_from_dot("digraph {a [size=1, alpha=\"2\"]}", "d.dot"), ConfigError);
}

TEST(Moldable, generated_tasks_have_the_complexities_of_the_paper) {
  const double mebi = 1 << 20;
  for (const std::string kind : {"linear", "log", "matrix"}) {
    const TaskGraph graph =
        generate("layered:tasks=200,density=0.2,complexity=" + kind + ",alpha=0..0.25,seed=3");
    for (TaskId id : graph.tasks()) {
      const Task& task = graph.task(id);
      ASSERT_TRUE(task.moldable);
      EXPECT_GE(task.moldable->serial, 0);
      EXPECT_LT(task.moldable->serial, 0.25);
      for (EdgeId edge : graph.out_edges(id)) {
        const double d = static_cast<double>(graph.edge(edge).size.count) / 8;
        EXPECT_GE(d, 4 * mebi);
        EXPECT_LE(d, 100 * mebi);
        const auto operations = static_cast<double>(task.work.count());
        const double iterations = operations / (kind == "linear" ? d : d * std::log2(d));
        if (kind == "matrix") {
          EXPECT_NEAR(operations / std::pow(d, 1.5), 1, 1e-9);
        } else {
          EXPECT_GE(iterations, 64 * (1 - 1e-9));
          EXPECT_LE(iterations, 512 * (1 + 1e-9));
        }
      }
    }
  }
  const TaskGraph alike = generate("fft:depth=3,complexity=mixed,alpha=0..1,alike=1");
  for (TaskId id : alike.tasks())
    for (EdgeId a : alike.in_edges(id))
      for (EdgeId b : alike.in_edges(id))
        EXPECT_EQ(alike.task(alike.edge(a).from).work, alike.task(alike.edge(b).from).work);
  EXPECT_THROW((void)generate("chain:complexity=quadratic"), ConfigError);
  EXPECT_THROW((void)generate("chain:complexity=log,cost=3"), ConfigError);
  EXPECT_THROW((void)generate("chain:alpha=0.5..0.1"), ConfigError);
  EXPECT_THROW((void)generate("chain:alpha=2"), ConfigError);
}

}  // namespace
}  // namespace takt
