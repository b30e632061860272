/// Is the GOAL text equivalent to the schedule?

#include "logp/goal.hpp"

#include <map>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
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

TEST(Goal, of_a_routed_schedule_warns) {
  const TaskGraph graph = generate("chain:depth=1,cost=4,data=8");
  const Machine machine = parse_machine("logp:P=2,o=1,network=ring:2");
  const Schedule schedule =
      time_task_messages(graph, machine, {{{TaskId(0)}, {TaskId(1)}}}, {.routed = true});
  EXPECT_THAT(to_goal(machine, schedule),
              HasSubstr("links of a network: LogGOPSim has no exact counterpart"));
}

TEST(Goal, of_a_negative_latency_warns) {
  const Machine machine(Platform::uniform(2), LinkCosts{.latency = Cost(-1, 0), .send_overhead = Cost(3, 0)});
  EXPECT_THAT(to_goal(machine, Schedule("hand", 2)), HasSubstr("LogGOPSim has no exact counterpart"));
}

struct Action {
  std::string kind;
  long amount = 0;
  long tag = 0;
};

/// The actions of each rank, which must be numbered from l1 on, each requiring the previous one.
std::vector<std::vector<Action>> read_goal(const std::string& goal) {
  std::vector<std::vector<Action>> ranks;
  std::istringstream lines(goal);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string label, kind, amount, word;
    words >> label >> kind >> amount;
    if (label == "rank") ranks.emplace_back();
    if (kind == "requires") {
      EXPECT_EQ(label, fmt::format("l{}", ranks.back().size()));
      EXPECT_EQ(amount, fmt::format("l{}", ranks.back().size() - 1));
    }
    if (kind != "calc" && kind != "send" && kind != "recv") continue;
    Action action{kind, std::stol(amount)};
    while (words >> word)
      if (word == "tag") words >> action.tag;
    ranks.back().push_back(action);
    EXPECT_EQ(label, fmt::format("l{}:", ranks.back().size()));
  }
  return ranks;
}

/// The events of LogGOPSim for eager messages (Hoefler, Schneider, Lumsdaine 2010, section 3): an operation
/// or an arriving message proceeds when its processor and, for messages, the gap are free; otherwise it is
/// postponed until then. A message takes o when it proceeds, its receive takes no time.
class EventSimulation {
 public:
  EventSimulation(const std::string& goal, long latency, long overhead, long gap)
      : ranks_(read_goal(goal)), latency_(latency), overhead_(overhead), gap_(gap), states_(ranks_.size()) {}

  /// The last end of all ranks.
  long makespan() && {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) issue(rank, 0);
    long last = 0;
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      last = std::max(last, carry_out(event));
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      EXPECT_EQ(states_[rank].next, ranks_[rank].size());
    return last;
  }

 private:
  struct Event {
    long time;
    long number;
    std::size_t rank;
    /// The tag of an arrived message; otherwise it is the rank's next action.
    std::optional<long> arrived;
    bool operator<(const Event& other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };
  struct State {
    std::size_t next = 0;
    long free = 0, next_send = 0, next_receive = 0;
    std::set<long> received;
    std::optional<long> awaited;
  };

  void push(long time, std::size_t rank, std::optional<long> arrived) {
    events_.push({time, number_++, rank, arrived});
  }
  void issue(std::size_t rank, long time) {
    if (states_[rank].next < ranks_[rank].size()) push(time, rank, std::nullopt);
  }
  /// The next action of the rank may begin when it is free.
  void finish(std::size_t rank) {
    ++states_[rank].next;
    issue(rank, states_[rank].free);
  }

  long carry_out(const Event& event) {
    State& state = states_[event.rank];
    if (event.arrived) {
      const long possible = std::max(state.free, state.next_receive);
      if (possible > event.time) {
        push(possible, event.rank, event.arrived);
        return 0;
      }
      state.free = event.time + overhead_;
      state.next_receive = event.time + gap_;
      state.received.insert(*event.arrived);
      if (state.awaited == event.arrived) {
        state.awaited.reset();
        finish(event.rank);
      }
      return state.free;
    }
    const Action& action = ranks_[event.rank][state.next];
    if (action.kind == "recv") {
      if (state.received.contains(action.tag))
        finish(event.rank);
      else
        state.awaited = action.tag;
      return 0;
    }
    const bool is_send = action.kind == "send";
    const long possible = std::max(state.free, is_send ? state.next_send : 0);
    if (possible > event.time) {
      push(possible, event.rank, std::nullopt);
      return 0;
    }
    state.free = event.time + (is_send ? overhead_ : action.amount);
    if (is_send) {
      state.next_send = event.time + gap_;
      push(event.time + overhead_ + latency_, receiver_of(action.tag), action.tag);
    }
    finish(event.rank);
    return state.free;
  }

  [[nodiscard]] std::size_t receiver_of(long tag) const {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      for (const Action& action : ranks_[rank])
        if (action.kind == "recv" && action.tag == tag) return rank;
    ADD_FAILURE() << "no rank receives " << tag;
    return 0;
  }

  const std::vector<std::vector<Action>> ranks_;
  long latency_, overhead_, gap_;
  std::vector<State> states_;
  std::priority_queue<Event> events_;
  long number_ = 0;
};

/// Every fourth task on one processor.
Schedule cyclic_allocation(const TaskGraph& graph, const Machine& machine) {
  Allocation allocation{std::vector<std::vector<TaskId>>(4)};
  for (TaskId task : graph.topological_order()) allocation.order[task.index() % 4].push_back(task);
  return time_task_messages(graph, machine, allocation);
}

constexpr const char* shapes[] = {"fft:depth=3,cost=1..20", "layered:tasks=50,jump=3,cost=1..30,seed=3"};

TEST(Goal, has_the_same_makespan_in_LogGOPSim_without_overheads) {
  for (const char* shape : shapes) {
    const TaskGraph graph = generate(shape);
    const Machine machine = parse_machine("logp:P=4,L=50");
    const Schedule schedule = cyclic_allocation(graph, machine);
    EXPECT_EQ(EventSimulation(to_goal(machine, schedule), 50, 0, 0).makespan(),
              measure(schedule).makespan.count());
  }
}

TEST(Goal, has_the_same_makespan_in_LogGOPSim_if_processors_wait_for_receives) {
  // A chain over four processors: each one waits for its message.
  const TaskGraph graph = generate("chain:depth=7,cost=1..20,seed=5");
  const Machine machine = parse_machine("logp:P=4,L=50,o=2,g=3");
  const Schedule schedule = cyclic_allocation(graph, machine);
  EXPECT_EQ(EventSimulation(to_goal(machine, schedule), 50, 2, 3).makespan(),
            measure(schedule).makespan.count());
}

/// Simulates the GOAL text under LogP without capacity, with receives in order: returns the last end of all
/// ranks.
long makespan_in_order(const std::string& goal, long latency, long overhead, long gap) {
  const std::vector<std::vector<Action>> ranks = read_goal(goal);
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

TEST(Goal, has_the_same_makespan_with_receives_in_order) {
  for (const char* shape : shapes) {
    const TaskGraph graph = generate(shape);
    const Machine machine = parse_machine("logp:P=4,L=50,o=2,g=3");  // the capacity of 17 is never reached
    const Schedule schedule = cyclic_allocation(graph, machine);
    EXPECT_EQ(makespan_in_order(to_goal(machine, schedule), 50, 2, 3), measure(schedule).makespan.count());
  }
}

}  // namespace
}  // namespace takt::logp
