/// Do the schedulers for arbitrary networks follow their papers, and are their own times valid?

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/network/bsa.hpp"
#include "schedulers/network/bu.hpp"
#include "schedulers/network/dls_apn.hpp"
#include "schedulers/network/mh.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/registry/worked_examples.hpp"

namespace takt::schedulers {
namespace network_network_test {

using Decide = RoutedTimetable (*)(const DelayModel&, const logp::Machine&, const Options&);

struct Algorithm {
  std::string_view name;
  Decide decide;
};

const Algorithm algorithms[] = {{"bu", bu}, {"mh", mh}, {"dls_apn", dls_apn}, {"bsa", bsa}};

constexpr std::string_view shapes[] = {
    "layered:tasks=60,jump=3,cost=1..40,seed=1,data=0..60", "fft:depth=3,cost=1..30,seed=2,data=1..30",
    "gauss:size=6,cost=1..20,seed=3,data=8", "fork_join:width=9,cost=1..9,seed=4,data=1..9"};

TEST(NetworkSchedulers, decide_times_that_the_checker_accepts_unchanged) {
  for (std::string_view kind :
       {"ring:8", "mesh:2x4", "torus:2x4", "hypercube:3", "star:8", "fat_tree:2x3", "complete:8"})
    for (std::string_view shape : shapes) {
      const TaskGraph graph = generate(shape);
      const logp::Machine machine = logp::parse_machine(fmt::format("delay:P=8,network={}", kind));
      for (const auto& [name, decide] : algorithms) {
        const RoutedTimetable decided = decide(DelayModel(graph, machine), machine, {});
        const Schedule schedule =
            find_scheduler(name).schedule(graph, machine, {.mapping = NetworkMapping::none});
        EXPECT_EQ(measure(schedule).makespan, decided.length()) << name << " on " << kind;
        for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule))
          ADD_FAILURE() << name << " on " << kind << ": " << finding.rule << ": " << finding.message;
      }
    }
}

TEST(NetworkSchedulers, support_data_that_several_tasks_share) {
  TaskGraphBuilder builder;
  const TaskId source = builder.add_task({"source", Time{1}, false});
  const DatumId datum = builder.add_datum(source, Bytes{2});
  for (const char* name : {"a", "b", "c", "d"})
    builder.add_edge(datum, builder.add_task({name, Time{9}, false}));
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("delay:P=3,network=mesh:1x3");
  for (const auto& [name, decide] : algorithms)
    for (const logp::Finding& finding :
         logp::diagnose(graph, machine, find_scheduler(name).schedule(graph, machine, {})))
      ADD_FAILURE() << name << ": " << finding.rule << ": " << finding.message;
}

/// A source of work 1 with two children of work 10, whose data has size 3; on a line of three processors.
TaskGraph two_children() {
  return examples::make_graph({{1}, {10}, {10}}, {{1, 2, 3}, {1, 3, 3}});
}

TEST(NetworkSchedulers, use_a_neighbour_if_the_message_pays_off) {
  // One child runs on the source's processor from 1 to 11, the other one on a neighbour from 1 + 3 to 14.
  const TaskGraph graph = two_children();
  const logp::Machine machine = logp::parse_machine("delay:P=3,network=mesh:1x3");
  for (const Decide decide : std::initializer_list<Decide>{mh, dls_apn, bsa})
    EXPECT_EQ(decide(DelayModel(graph, machine), machine, {}).length(), Time{14});
}

TEST(NetworkSchedulers, let_messages_wait_for_a_shared_link) {
  // Five children of work 10, data of size 4, on a star with the source (work 1) in its centre for BSA: one
  // child stays, 1..11, each other one has a link of its own and runs 5..15.
  const TaskGraph star = examples::make_graph({{1}, {10}, {10}, {10}, {10}, {10}},
                                              {{1, 2, 4}, {1, 3, 4}, {1, 4, 4}, {1, 5, 4}, {1, 6, 4}});
  const logp::Machine centre = logp::parse_machine("delay:P=5,network=star:5");
  EXPECT_EQ(bsa(DelayModel(star, centre), centre, {}).length(), Time{15});
  // On a line of three with the source at one end (MH: processor 0), 0-1 carries one
  // message at a time. With three children of work 10 the second one runs on
  // processor 1 from 5. The third one's message has 0-1 from 5 to 9 and 1-2 from 9 to
  // 13, so it would end at 23; after the first child on processor 0 it ends at 21.
  const TaskGraph line = examples::make_graph({{1}, {10}, {10}, {10}}, {{1, 2, 4}, {1, 3, 4}, {1, 4, 4}});
  const logp::Machine three = logp::parse_machine("delay:P=3,network=mesh:1x3");
  EXPECT_EQ(mh(DelayModel(line, three), three, {}).length(), Time{21});
}

TEST(Bsa, is_never_longer_than_all_tasks_on_one_processor) {
  for (std::string_view shape : shapes)
    for (std::string_view machine_text : {"delay:P=4,network=mesh:1x4", "delay:P=9,network=mesh:3x3"}) {
      const TaskGraph graph = generate(shape);
      const logp::Machine machine = logp::parse_machine(machine_text);
      EXPECT_LE(bsa(DelayModel(graph, machine), machine, {}).length(), graph.total_work());
    }
}

TEST(Bu, keeps_the_critical_path_on_one_processor) {
  // n1 n7 n9 is the critical path of the nine tasks of Kwok and Ahmad.
  const TaskGraph graph = examples::kwok_ahmad();
  const logp::Machine machine = logp::parse_machine("delay:P=4,network=ring:4");
  const RoutedTimetable decided = bu(DelayModel(graph, machine), machine, {});
  EXPECT_EQ(decided.processor[0], decided.processor[6]);
  EXPECT_EQ(decided.processor[6], decided.processor[8]);
}

}  // namespace network_network_test
}  // namespace takt::schedulers
