/// Are clusters mapped to few processors as a whole, by the selected kind of merging?

#include "schedulers/clustering/merging.hpp"

#include <string>

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/clustering/cluster_placement.hpp"
#include "schedulers/clustering/dcp.hpp"
#include "schedulers/clustering/ez.hpp"
#include "schedulers/delay/assignment.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace clustering_merging_test {

using ClusteringFunction = Clustering (*)(const DelayModel&, const Options&);

constexpr std::string_view shapes[] = {
    "layered:tasks=80,jump=3,cost=1..40,seed=1,data=0..60", "fft:depth=4,cost=1..30,seed=2,data=1..30",
    "gauss:size=8,cost=1..20,seed=3,data=8", "laplace:size=8,cost=1..9,seed=4,data=1..9"};

Time length(const TaskGraph& graph, const logp::Machine& machine, std::string_view scheduler,
            ClusterMerging merging) {
  const Evaluation evaluation = evaluate(find_scheduler(scheduler), graph, machine, {.merging = merging});
  EXPECT_TRUE(evaluation.figures.valid) << scheduler << ": " << evaluation.findings.front().message;
  return evaluation.figures.makespan;
}

TEST(Merging, best_is_the_shorter_of_both_kinds) {
  for (std::string_view shape : shapes)
    for (std::string_view text : {"delay:P=2", "delay:P=5", "delay:P=3,speed=1/2/3"}) {
      const TaskGraph graph = generate(shape);
      const logp::Machine machine = logp::parse_machine(text);
      for (const char* name : {"ez", "lc", "dsc", "md", "dcp"}) {
        const Time by_load = length(graph, machine, name, ClusterMerging::load),
                   by_communication = length(graph, machine, name, ClusterMerging::communication);
        EXPECT_EQ(length(graph, machine, name, ClusterMerging::best), std::min(by_load, by_communication))
            << name << " on " << shape;
      }
    }
}

TEST(Merging, keeps_every_cluster_on_one_processor) {
  for (std::string_view shape : shapes) {
    const TaskGraph graph = generate(shape);
    const DelayModel model(graph, logp::Machine::delay(3));
    for (const ClusteringFunction cluster : std::initializer_list<ClusteringFunction>{ez, dcp}) {
      const Clustering clustering = cluster(model, {});
      const std::vector<Time> level =
          b_levels(model.averaged(clustering.count), clustering.timetable.processor);
      for (const NewHome new_home : {NewHome::first_start, NewHome::first_start_and_least_work}) {
        const Timetable made = place_clusters(model, clustering, level, Homes(clustering.count), new_home);
        std::vector<std::optional<ProcessorId>> home(clustering.count);
        for (TaskId task : graph.tasks()) {
          auto& its = home[clustering.timetable.processor[task.index()].index()];
          if (!its) its = made.processor[task.index()];
          EXPECT_EQ(*its, made.processor[task.index()]) << shape;
        }
      }
    }
  }
}

/// Independent tasks of the given works, each in a cluster of its own.
struct Independent {
  explicit Independent(std::initializer_list<int> works) {
    TaskGraphBuilder builder;
    for (int work : works) builder.add_task({std::to_string(work), Time{work}});
    graph = std::move(builder).build();
    clustering.timetable = Timetable(works.size());
    clustering.count = works.size();
    for (std::size_t i = 0; i < works.size(); ++i) clustering.timetable.processor[i] = ProcessorId(i);
  }
  TaskGraph graph;
  Clustering clustering;
};

TEST(Merging, by_load_assigns_the_heaviest_cluster_first) {
  // 7 and 6 go to processors 0 and 1, then 5 to 1 (6 + 5), 4 to 0 (7 + 4), 3 to 0 (both at 11).
  const Independent tasks{3, 4, 5, 6, 7};
  const std::vector<ProcessorId> merged =
      merge_by_load(DelayModel(tasks.graph, logp::Machine::delay(2)), tasks.clustering);
  EXPECT_EQ(merged, (std::vector<ProcessorId>{ProcessorId(0), ProcessorId(0), ProcessorId(1), ProcessorId(1),
                                              ProcessorId(0)}));
}

// Two clusters {a, c} and {b} of the chain a (1) -> c (9) and of b (2); x (5)
// alone. Levels 10, 9, 2, 5: a goes to processor 0 at 0. x, the highest of those
// without a processor, could start on processor 1 at 0, before c on 0 at 1. b
// then starts first on processor 1 at 5, c on 0 at 1 before. So b ends at 7, c
// at 10. By the work ahead b also goes to 1: it starts at 5 there, at 10 on 0.
TEST(Merging, by_communication_assigns_new_clusters_to_idle_processors) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{2}}),
               c = builder.add_task({"c", Time{9}}), x = builder.add_task({"x", Time{5}});
  builder.add_edge(a, c, Bytes{4});
  const TaskGraph graph = std::move(builder).build();
  const DelayModel model(graph, logp::Machine::delay(2));
  Clustering clustering{Timetable(4), 3};
  clustering.timetable.processor = {ProcessorId(0), ProcessorId(1), ProcessorId(0), ProcessorId(2)};
  const std::vector<Time> level{Time{10}, Time{2}, Time{9}, Time{5}};
  for (const NewHome new_home : {NewHome::first_start, NewHome::first_start_and_least_work}) {
    const Timetable made = place_clusters(model, clustering, level, Homes(3), new_home);
    EXPECT_EQ(made.start[a.index()], Time{0});
    EXPECT_EQ(made.start[x.index()], Time{0});
    EXPECT_EQ(made.start[c.index()], Time{1});
    EXPECT_EQ(made.start[b.index()], Time{5});
    EXPECT_NE(made.processor[a.index()], made.processor[x.index()]);
    EXPECT_EQ(made.processor[b.index()], made.processor[x.index()]);
  }
}

}  // namespace clustering_merging_test
}  // namespace takt::schedulers
