/// Does the common engine compute the times that an algorithm has decided?
///
/// Under the delay model it must, since it starts every task as early as its processor and its data
/// allow.

#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "schedulers/clustering/dcp.hpp"
#include "schedulers/clustering/dsc.hpp"
#include "schedulers/clustering/ez.hpp"
#include "schedulers/clustering/lc.hpp"
#include "schedulers/clustering/md.hpp"
#include "schedulers/clustering/merging.hpp"
#include "schedulers/heterogeneous/cpop.hpp"
#include "schedulers/heterogeneous/heft.hpp"
#include "schedulers/heterogeneous/peft.hpp"
#include "schedulers/list/dls.hpp"
#include "schedulers/list/etf.hpp"
#include "schedulers/list/hlfet.hpp"
#include "schedulers/list/ish.hpp"
#include "schedulers/list/last.hpp"
#include "schedulers/list/mcp.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/registry/worked_examples.hpp"

namespace takt::schedulers {
namespace registry_decided_times_test {

using Decide = Timetable (*)(const DelayModel&, const Options&);

template <Clustering (*cluster)(const DelayModel&, const Options&)>
Timetable clustered(const DelayModel& model, const Options& options) {
  return on_processors(model, cluster(model, options), options);
}

struct Algorithm {
  std::string_view name;
  Decide decide;
};

const Algorithm algorithms[] = {
    {"hlfet", hlfet},      {"ish", ish},
    {"mcp", mcp},          {"etf", etf},
    {"dls", dls},          {"last", last},
    {"heft", heft},        {"cpop", cpop},
    {"peft", peft},        {"ez", clustered<ez>},
    {"lc", clustered<lc>}, {"dsc", clustered<dsc>},
    {"md", clustered<md>}, {"dcp", clustered<dcp>},
};

constexpr std::string_view shapes[] = {
    "layered:tasks=80,jump=2,cost=1..50,seed=1,data=0..100",
    "fft:depth=4,cost=1..100,seed=2,data=0..300",
    "gauss:size=8,cost=1..100,seed=3,data=20",
    "laplace:size=6,cost=0..20,seed=4,data=10",
    "send_tree:depth=5,cost=1..30,seed=5,data=1..60",
    "receive_tree:depth=5,cost=1..30,seed=6,data=1..60",
    "wave:depth=6,width=6,cost=1..100,seed=7,data=0",
};

void expect_decided_times(const Algorithm& algorithm, const TaskGraph& graph, const logp::Machine& machine) {
  const Timetable decided = algorithm.decide(DelayModel(graph, machine), {});
  const Schedule schedule = find_scheduler(algorithm.name).schedule(graph, machine, {});
  EXPECT_EQ(measure(schedule).makespan, decided.length()) << algorithm.name;
  for (ProcessorId p : machine.processors())
    for (const Operation& operation : schedule.processors[p.index()])
      if (operation.kind == OperationKind::compute) {
        EXPECT_EQ(decided.processor[operation.subject], p) << algorithm.name;
        // Processors do not start earlier than needed, so a task may be later than decided, never earlier.
        EXPECT_GE(operation.start, decided.start[operation.subject]) << algorithm.name;
      }
}

TEST(DecidedTimes, equal_those_of_the_engine_on_equal_processors) {
  for (std::string_view shape : shapes) {
    SCOPED_TRACE(shape);
    const TaskGraph graph = generate(shape);
    for (std::size_t processors : {1, 2, 5, 200})
      for (const Algorithm& algorithm : algorithms)
        expect_decided_times(algorithm, graph, logp::Machine::delay(processors));
  }
}

TEST(DecidedTimes, equal_those_of_the_engine_on_processors_of_different_speeds) {
  const logp::Machine machine = logp::parse_machine("delay:P=4,speed=1/0.5/2.5/1");
  for (std::string_view shape : shapes) {
    SCOPED_TRACE(shape);
    for (const Algorithm& algorithm : algorithms) expect_decided_times(algorithm, generate(shape), machine);
  }
}

TEST(DecidedTimes, equal_those_of_the_engine_on_unrelated_processors) {
  for (const TaskGraph& graph : {examples::topcuoglu(), examples::arabnejad_barbosa()})
    for (const Algorithm& algorithm : algorithms)
      expect_decided_times(algorithm, graph, logp::Machine::delay(3));
}

/// Works per processor; about a third of works and sizes are zero.
TaskGraph random_graph(Random& draw, std::size_t processors) {
  const auto tasks = static_cast<std::size_t>(draw.between(2, 14));
  const std::int64_t most = draw.between(1, 60), most_size = draw.between(1, 100);
  const auto one_in = static_cast<std::uint64_t>(draw.between(2, 6));
  auto none_or_up_to = [&](std::int64_t limit) {
    return draw.below(3) == 0 ? std::int64_t{0} : draw.between(1, limit);
  };
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i) {
    const TaskId task = builder.add_task({fmt::format("t{}", i), Time{0}, false});
    std::vector<Time> works;
    for (std::size_t p = 0; p < processors; ++p) works.emplace_back(none_or_up_to(most));
    builder.set_work_table(task, std::move(works));
  }
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (draw.below(one_in) == 0)
        builder.add_edge(TaskId(from), TaskId(to),
                         Bytes{static_cast<std::uint64_t>(none_or_up_to(most_size))});
  return std::move(builder).build();
}

// Of tasks of length 0 at the same time the engine may start another one first, and so be shorter.
TEST(DecidedTimes, are_kept_by_the_engine_for_tasks_without_length) {
  Random draw(3);
  for (int round = 0; round < 300; ++round) {
    const auto processors = static_cast<std::size_t>(draw.between(1, 5));
    const TaskGraph graph = random_graph(draw, processors);
    const logp::Machine machine = logp::Machine::delay(processors);
    for (const Algorithm& algorithm : algorithms) {
      const Time decided = algorithm.decide(DelayModel(graph, machine), {}).length();
      const Schedule schedule = find_scheduler(algorithm.name).schedule(graph, machine, {});
      EXPECT_LE(measure(schedule).makespan, decided) << algorithm.name << ", round " << round;
    }
  }
}

}  // namespace registry_decided_times_test
}  // namespace takt::schedulers
