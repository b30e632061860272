/// Does the GOAL text say what the schedule does?

#include "logp/goal.hpp"

#include <map>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>

#include "core/generators.hpp"
#include "logp/timing.hpp"

namespace takt::logp {
namespace {

using ::testing::HasSubstr;

TEST(Goal, is_written_as_documented) {
  const TaskGraph graph = generate("chain:depth=1,cost=4,data=8");
  const Machine machine = parse_machine("logp:P=2,L=1,o=2,g=3");
  const Schedule schedule = time_task_messages(graph, machine, {{{TaskId(0)}, {TaskId(1)}}});
  EXPECT_EQ(to_goal(machine, schedule),
            "// schedule of takt's \n"
            "// LogGOPSim -L 1 -o 2 -g 3 -G 0 -O 0 -S 1000000000 -f FILE.bin\n"
            "num_ranks 2\n"
            "\n"
            "rank 0 {\n"
            "l1: calc 4\n"
            "l2: send 8b to 1 tag 0\n"
            "l2 requires l1\n"
            "}\n"
            "\n"
            "rank 1 {\n"
            "l1: recv 8b from 0 tag 0\n"
            "l2: calc 4\n"
            "l2 requires l1\n"
            "}\n");
}

TEST(Goal, of_costs_that_depend_on_size_warns) {
  const TaskGraph graph = generate("chain:depth=0,cost=1");
  const Machine machine = parse_machine("loglinear:P=2,L=1+1");
  EXPECT_THAT(to_goal(machine, time_task_messages(graph, machine, {{{TaskId(0)}, {}}})),
              HasSubstr("LogGOPSim has no exact counterpart"));
}

/// What a simulator of LogP without capacity makes of GOAL text with total orders: the last end of all ranks.
long makespan_of(const std::string& goal, long latency, long overhead, long gap) {
  struct Action {
    std::string kind;
    long amount = 0;
    long tag = 0;
  };
  std::vector<std::vector<Action>> ranks;
  std::istringstream lines(goal);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string label, kind, amount, word;
    words >> label >> kind >> amount;
    if (label == "rank") ranks.emplace_back();
    if (kind != "calc" && kind != "send" && kind != "recv") continue;
    Action action{kind, std::stol(amount)};
    while (words >> word)
      if (word == "tag") words >> action.tag;
    ranks.back().push_back(action);
  }
  std::map<long, long> arrivals;
  struct State {
    std::size_t next = 0;
    long ready = 0, next_send = 0, next_receive = 0;
  };
  std::vector<State> states(ranks.size());
  long last = 0;
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      State& state = states[rank];
      for (; state.next < ranks[rank].size(); ++state.next, progress = true) {
        const Action& action = ranks[rank][state.next];
        if (action.kind == "recv" && !arrivals.contains(action.tag)) break;
        if (action.kind == "calc") {
          state.ready += action.amount;
        } else if (action.kind == "send") {
          const long start = std::max(state.ready, state.next_send);
          state.ready = start + overhead;
          state.next_send = start + std::max(overhead, gap);
          arrivals[action.tag] = start + overhead + latency;
        } else {
          const long start = std::max({state.ready, state.next_receive, arrivals[action.tag]});
          state.ready = start + overhead;
          state.next_receive = start + std::max(overhead, gap);
        }
        last = std::max(last, state.ready);
      }
    }
  }
  return last;
}

TEST(Goal, read_by_another_simulator_has_the_same_makespan) {
  for (const char* shape : {"fft:depth=3,cost=1..20", "layered:tasks=50,jump=3,cost=1..30,seed=3"}) {
    const TaskGraph graph = generate(shape);
    const Machine machine = parse_machine("logp:P=4,L=50,o=2,g=3");  // the capacity of 17 is never reached
    Allocation allocation{std::vector<std::vector<TaskId>>(4)};
    for (TaskId task : graph.topological_order()) allocation.order[task.index() % 4].push_back(task);
    const Schedule schedule = time_task_messages(graph, machine, allocation);
    EXPECT_EQ(makespan_of(to_goal(machine, schedule), 50, 2, 3), measure(schedule).makespan.count());
  }
}

}  // namespace
}  // namespace takt::logp
