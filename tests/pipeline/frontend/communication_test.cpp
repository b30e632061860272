/// Communication of random programs, judged by executing it: every call must read what it reads sequentially.

#include <deque>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/communication/prediction.hpp"
#include "pipeline/frontend/reading/dependences.hpp"
#include "pipeline/frontend/reading/task_graph.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::frontend {
namespace {

/// One byte of every array in a rank's memory: a number that identifies the call that wrote it and all that
/// it read.
using Memory = std::vector<std::vector<std::uint64_t>>;

Memory empty_memory(const Program& program) {
  Memory memory;
  for (const Array& array : program.arrays) memory.emplace_back(array.bytes, 0);
  return memory;
}

template <class Action>
void for_each_byte(const Section& section, const Action& action) {
  for (std::uint64_t row = 0; row < section.rows; ++row)
    for (std::uint64_t i = 0; i < section.bytes; ++i) action(section.offset + row * section.pitch + i);
}

/// Executes a call: returns a hash of what it reads, and writes hashes of that.
std::uint64_t execute(const Program& program, std::size_t number, Memory& memory) {
  const Call& call = program.calls[number];
  std::uint64_t hash = 1469598103934665603ULL + number;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
  const auto each = [&](bool reads, const auto& action) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Access access = program.procedure(call).parameters[i].access;
      const bool is_wanted = reads ? access != Access::out : access != Access::in;
      const Section& section = *call.arguments[i].section;
      if (is_wanted)
        for_each_byte(section,
                      [&](std::uint64_t byte) { action(memory[section.array.index()][byte], byte); });
    }
  };
  each(true, [&](std::uint64_t& value, std::uint64_t) { mix(value); });
  const std::uint64_t result = hash;
  each(false, [&](std::uint64_t& value, std::uint64_t byte) { value = result * 31 + byte; });
  return result;
}

std::vector<std::uint64_t> sequential(const Program& program) {
  Memory memory = empty_memory(program);
  std::vector<std::uint64_t> results;
  for (std::size_t i = 0; i < program.calls.size(); ++i) results.push_back(execute(program, i, memory));
  return results;
}

struct Judgement {
  std::vector<std::uint64_t> results;
  bool ends = false;
  /// Messages of a pair of ranks are received in the order in which they were sent.
  bool is_in_order = true;
};

/// Executes all ranks, each with a memory of its own and buffered messages; an independent reading of the
/// steps.
Judgement run(const Program& program, const ParallelProgram& parallel) {
  Judgement judgement{.results = std::vector<std::uint64_t>(program.calls.size(), 0)};
  std::vector<Memory> memories(parallel.ranks.size(), empty_memory(program));
  std::vector<std::size_t> at(parallel.ranks.size(), 0);
  std::map<std::uint32_t, std::vector<std::uint64_t>> on_the_way;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::uint32_t>> queues;
  for (bool moves = true; moves;) {
    moves = false;
    for (std::size_t rank = 0; rank < parallel.ranks.size(); ++rank)
      for (; at[rank] < parallel.ranks[rank].size(); ++at[rank]) {
        const RankStep& step = parallel.ranks[rank][at[rank]];
        if (step.kind == RankStep::Kind::call) {
          judgement.results[step.subject] = execute(program, step.subject, memories[rank]);
        } else {
          const Transfer& transfer = parallel.transfers[step.subject];
          std::deque<std::uint32_t>& queue = queues[{transfer.from, transfer.to}];
          const auto each_byte = [&](const auto& action) {
            for (const FlowId flow : transfer.flows)
              for (const Section& section : program.flows[flow.index()].sections)
                for_each_byte(section, [&](std::uint64_t byte) {
                  action(memories[rank][section.array.index()][byte]);
                });
          };
          if (step.kind == RankStep::Kind::send) {
            each_byte([&](std::uint64_t value) { on_the_way[step.subject].push_back(value); });
            queue.push_back(step.subject);
          } else {
            const auto found = on_the_way.find(step.subject);
            if (found == on_the_way.end()) break;
            judgement.is_in_order = judgement.is_in_order && queue.front() == step.subject;
            std::erase(queue, step.subject);
            std::size_t next = 0;
            each_byte([&](std::uint64_t& value) { value = found->second[next++]; });
            on_the_way.erase(found);
          }
        }
        moves = true;
      }
  }
  judgement.ends = on_the_way.empty();
  for (std::size_t rank = 0; rank < parallel.ranks.size(); ++rank)
    judgement.ends = judgement.ends && at[rank] == parallel.ranks[rank].size();
  return judgement;
}

/// A random program over a few arrays of eight bytes. Without updates every section is written once.
Program random_program(std::mt19937& random, bool has_updates) {
  const auto below = [&](std::size_t limit) { return random() % limit; };
  Program program;
  Dependences dependences(program);
  std::vector<Section> written;
  const std::size_t calls = 4 + below(12);
  for (std::size_t i = 0; i < calls; ++i) {
    Procedure procedure{.name = "p"};
    if (below(6) == 0) procedure.environment.insert("printf");
    Call call{.procedure = ProcedureId(program.procedures.size())};
    const auto add = [&](const Section& section, Access access) {
      procedure.parameters.push_back({.is_pointer = true, .access = access});
      call.arguments.push_back({.text = "x", .section = section});
    };
    const auto is_free = [&](const Section& section) {
      for (const Argument& argument : call.arguments)
        if (overlap(*argument.section, section)) return false;
      return true;
    };
    // Parts of written sections are read; rows of two bytes at distance four are tiles.
    for (std::size_t reads = below(3); reads > 0 && !written.empty(); --reads) {
      Section section = written[below(written.size())];
      const std::size_t form = below(4);
      if (form == 1) section = {section.array, 4 * below(2), 4};
      if (form == 2) section = {section.array, 2 * below(2), 2, 2, 4};
      add(section, Access::in);
    }
    if (has_updates && !written.empty() && below(2) == 0) {
      Section section = written[below(written.size())];
      if (below(2) == 0) section = {section.array, 2 * below(2), 2, 2, 4};
      if (is_free(section)) add(section, Access::inout);
    }
    for (std::size_t writes = below(2) + (call.arguments.empty() ? 1 : 0); writes > 0; --writes) {
      const ArrayId array(program.arrays.size());
      program.arrays.push_back({.name = "a", .bytes = 8});
      add({array, 0, 8}, Access::out);
      written.push_back({array, 0, 8});
    }
    program.procedures.push_back(std::move(procedure));
    program.calls.push_back(std::move(call));
    EXPECT_TRUE(dependences.add_last_call().empty());
  }
  return program;
}

void expect_right(const Program& program, const Assignment& assignment, bool has_updates) {
  const std::vector<std::uint64_t> expected = sequential(program);
  for (const bool packs : {false, true}) {
    const Judgement judgement = run(program, insert_communication(program, assignment, {.packs = packs}));
    EXPECT_TRUE(judgement.ends);
    EXPECT_EQ(judgement.results, expected);
    // Only updates in place may force a receive behind a later one.
    EXPECT_TRUE(judgement.is_in_order || has_updates);
  }
}

TEST(Communication, of_random_assignments_gives_every_call_its_data) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const bool has_updates = i % 2 == 1;
    const Program program = random_program(random, has_updates);
    std::vector<Time> start;
    for (std::size_t call = 0; call < program.calls.size(); ++call) start.emplace_back(random() % 100);
    Assignment assignment{.ranks = std::vector<std::vector<CallId>>(1 + random() % 4)};
    for (const CallId call : global_order(program, start))
      assignment.ranks[random() % assignment.ranks.size()].push_back(call);
    expect_right(program, assignment, has_updates);
    if (HasFailure()) FAIL() << "program " << i;
  }
}

/// Executes the steps of all ranks on a clock: a message arrives `latency` after it was sent, and nothing
/// else takes time but calls. Returns the end of the last rank.
Time end_of_steps(const ParallelProgram& parallel, const std::vector<Time>& work, Time latency) {
  std::vector<Time> now(parallel.ranks.size(), Time{0});
  std::vector<std::size_t> at(parallel.ranks.size(), 0);
  std::map<std::uint32_t, Time> arrival;
  for (bool moves = true; moves;) {
    moves = false;
    for (std::size_t rank = 0; rank < parallel.ranks.size(); ++rank)
      for (; at[rank] < parallel.ranks[rank].size(); ++at[rank]) {
        const RankStep& step = parallel.ranks[rank][at[rank]];
        if (step.kind == RankStep::Kind::call) now[rank] += work[step.subject];
        if (step.kind == RankStep::Kind::send) arrival[step.subject] = now[rank] + latency;
        if (step.kind == RankStep::Kind::receive) {
          const auto found = arrival.find(step.subject);
          if (found == arrival.end()) break;
          now[rank] = std::max(now[rank], found->second);
        }
        moves = true;
      }
  }
  return std::ranges::max(now);
}

TEST(PredictedTimes, are_those_of_executing_the_steps) {
  std::mt19937 random(4);
  const logp::Machine machine = logp::Machine::constant(3, Time{7}, Time{0}, Time{0});
  for (int i = 0; i < 1000; ++i) {
    // Without updates: a receive that stays behind a later one waits for another message.
    const Program program = random_program(random, false);
    std::vector<Time> work, start;
    std::vector<std::uint32_t> rank_of;
    for (std::size_t call = 0; call < program.calls.size(); ++call) {
      work.emplace_back(1 + random() % 20);
      start.emplace_back(random() % 100);
      rank_of.push_back(static_cast<std::uint32_t>(random() % 3));
    }
    const Assignment assignment = assignment_on(program, rank_of, start, 3);
    for (const bool packs : {false, true}) {
      const ParallelProgram parallel = insert_communication(program, assignment, {.packs = packs});
      EXPECT_EQ(measure(predict_times(program, work, parallel, machine)).makespan,
                end_of_steps(parallel, work, Time{7}))
          << "program " << i << (packs ? ", packed" : "");
    }
    if (HasFailure()) return;
  }
}

TEST(PredictedTimes, count_joined_transfers_as_one_message) {
  // Call 0 writes two sections that call 1 on the other rank reads: in one message or in two.
  Program program;
  Dependences dependences(program);
  program.arrays = {{.name = "a", .bytes = 8}, {.name = "b", .bytes = 8}};
  const auto add = [&](Access access) {
    Procedure procedure{.name = "p"};
    Call call{.procedure = ProcedureId(program.procedures.size())};
    for (std::uint32_t array = 0; array < 2; ++array) {
      procedure.parameters.push_back({.is_pointer = true, .access = access});
      call.arguments.push_back({.text = "x", .section = Section{ArrayId(array), 0, 8}});
    }
    program.procedures.push_back(std::move(procedure));
    program.calls.push_back(std::move(call));
    EXPECT_TRUE(dependences.add_last_call().empty());
  };
  add(Access::out);
  add(Access::in);
  const std::vector<Time> work{Time{10}, Time{10}};
  const Assignment assignment = assignment_on(program, {0, 1}, {Time{0}, Time{0}}, 2);
  const logp::Machine machine = logp::Machine::constant(2, Time{5}, Time{2}, Time{0});
  const auto makespan = [&](bool packs) {
    return measure(predict_times(program, work, insert_communication(program, assignment, {.packs = packs}),
                                 machine))
        .makespan;
  };
  // Call, send, flight, receive, call; and once more a send and a receive, of which one overlaps the flight.
  EXPECT_EQ(makespan(true), Time{10 + 2 + 5 + 2 + 10});
  EXPECT_EQ(makespan(false), Time{10 + 2 + 2 + 5 + 2 + 10});
}

class OfScheduler : public testing::TestWithParam<std::string> {};

TEST_P(OfScheduler, communication_gives_every_call_its_data) {
  const schedulers::Scheduler& scheduler = schedulers::find_scheduler(GetParam());
  std::mt19937 random(2);
  const logp::Machine machine = logp::parse_machine("delay:P=3");
  std::size_t judged = 0;
  for (int i = 0; i < 1000; ++i) {
    const Program program = random_program(random, i % 2 == 1);
    std::vector<Time> work;
    for (std::size_t call = 0; call < program.calls.size(); ++call) work.emplace_back(1 + random() % 20);
    const TaskGraph graph = task_graph(program, work);
    Schedule schedule;
    try {
      schedule = scheduler.schedule(graph, machine, {.effort = 20});
    } catch (const ConfigError&) {
      continue;  // chains and trees only, or moldable tasks only
    }
    ++judged;
    expect_right(program, assignment_of(program, schedule), i % 2 == 1);
    if (HasFailure()) FAIL() << "program " << i;
  }
  RecordProperty("judged", static_cast<int>(judged));
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers())
    names.emplace_back(scheduler.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(every, OfScheduler, testing::ValuesIn(all_names()),
                         [](const auto& info) { return info.param; });

TEST(Assignment, puts_calls_with_output_on_rank_0_in_their_order) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const Program program = random_program(random, true);
    const TaskGraph graph = task_graph(program, std::vector<Time>(program.calls.size(), Time{5}));
    const Assignment assignment = assignment_of(
        program, schedulers::find_scheduler("etf").schedule(graph, logp::parse_machine("delay:P=4"), {}));
    std::size_t last = 0;
    for (std::size_t rank = 0; rank < assignment.ranks.size(); ++rank)
      for (const CallId call : assignment.ranks[rank]) {
        if (!program.procedure(program.calls[call.index()]).uses_environment()) continue;
        EXPECT_EQ(rank, 0U);
        EXPECT_LE(last, call.index());
        last = call.index();
      }
  }
}

}  // namespace
}  // namespace takt::frontend
