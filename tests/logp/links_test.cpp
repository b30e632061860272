/// Are messages over links timed and checked correctly?

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/period.hpp"
#include "logp/simulation.hpp"
#include "logp/timing.hpp"

namespace takt::logp {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// `0:2-5 3:5-8`: link 0 from 2 to 5, then link 3.
std::string route_text(const Schedule& schedule, std::size_t message) {
  std::string text;
  for (const Hop& hop : schedule.route(MessageId(message)))
    text += fmt::format("{}{}:{}-{}", text.empty() ? "" : " ", hop.link.index(), hop.start.count(),
                        hop.end.count());
  return text;
}

/// Tasks a and b on processors 0 and 1 both send 3 units to processor 2, in the line 0 - 1 - 2: links 0 (0 ->
/// 1), 1 back, 2 (1 -> 2), 3 back.
class Line : public ::testing::Test {
 protected:
  Line() {
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{3}}),
                 c = builder.add_task({"c", Time{1}});
    builder.add_edge(a, c, Bytes{3});
    builder.add_edge(b, c, Bytes{3});
    graph_ = std::move(builder).build();
  }
  [[nodiscard]] Schedule schedule(const Machine& machine) const {
    return time_task_messages(graph_, machine, {{{TaskId(0)}, {TaskId(1)}, {TaskId(2)}}},
                              {.routed = true, .start = Start::early});
  }
  TaskGraph graph_;
  const Machine machine_ = parse_machine("delay:P=3,network=mesh:1x3");
};

TEST_F(Line, a_message_uses_one_link_after_the_other_and_waits_for_each) {
  // Links are reserved in the order of the sends: a's message has link 0 at 1..4, then link 2 at 4..7. b's
  // arrives there at 3, but 3..6 is no longer free.
  const Schedule timed = schedule(machine_);
  EXPECT_EQ(route_text(timed, 0), "0:1-4 2:4-7");
  EXPECT_EQ(route_text(timed, 1), "2:7-10");
  EXPECT_EQ(measure(timed).makespan, Time{11});
  EXPECT_THAT(diagnose(graph_, machine_, timed), IsEmpty());
}

TEST_F(Line, a_message_uses_the_first_long_enough_interval) {
  // a's 8 units reach link 2 only at 9; b's 2 units arrive there at 3 and leave at 5.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{3}}),
               c = builder.add_task({"c", Time{1}});
  builder.add_edge(a, c, Bytes{8});
  builder.add_edge(b, c, Bytes{2});
  const TaskGraph graph = std::move(builder).build();
  const Schedule timed = time_task_messages(graph, machine_, {{{TaskId(0)}, {TaskId(1)}, {TaskId(2)}}},
                                            {.routed = true, .start = Start::early});
  EXPECT_EQ(route_text(timed, 0), "0:1-9 2:9-17");
  EXPECT_EQ(route_text(timed, 1), "2:3-5");
  EXPECT_THAT(diagnose(graph, machine_, timed), IsEmpty());
}

TEST_F(Line, a_message_without_bytes_never_waits) {
  // a's 8 units have link 0 at 1..9 and link 2 at 9..17. b's message reaches link 2 at 10 and passes
  // immediately, if links only cost bytes. If they cost each message 1, a's has link 2 at 10..19, and b's
  // waits for it.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{10}}),
               c = builder.add_task({"c", Time{1}}), d = builder.add_task({"d", Time{1}});
  builder.add_edge(a, d, Bytes{8});
  builder.add_edge(b, c, Bytes{0});
  const TaskGraph graph = std::move(builder).build();
  for (const auto& [link, route] : {std::pair{"0+1", "2:10-10"}, std::pair{"1+1", "2:19-20"}}) {
    const Machine machine = parse_machine(fmt::format("delay:P=3,network=mesh:1x3,link={}", link));
    const Schedule timed =
        time_task_messages(graph, machine, {{{a}, {b}, {c, d}}}, {.routed = true, .start = Start::early});
    EXPECT_EQ(route_text(timed, 1), route);
    EXPECT_THAT(diagnose(graph, machine, timed), IsEmpty());
    EXPECT_EQ(simulate(graph, machine, timed, {.frames = 1}).duration, measure(timed).makespan);
  }
}

TEST_F(Line, a_circuit_holds_all_links_of_the_route) {
  // a's message has both links at 1..4; b's is ready at 3 and has link 2 at 4..7.
  const Machine machine = machine_from_yaml(
      "processors: 3\nnetwork: {topology: mesh:1x3, link: 0 + 1, circuits: true}\ncosts: {all: {}}",
      "m.yaml");
  const Schedule timed = schedule(machine);
  EXPECT_EQ(route_text(timed, 0), "0:1-4 2:1-4");
  EXPECT_EQ(route_text(timed, 1), "2:4-7");
  EXPECT_EQ(measure(timed).makespan, Time{8});
  EXPECT_THAT(diagnose(graph_, machine, timed), IsEmpty());
  EXPECT_EQ(simulate(graph_, machine, timed, {.frames = 1}).duration, Time{8});
  Schedule apart = timed;
  apart.hops[1].start += Time{1}, apart.hops[1].end += Time{1};
  EXPECT_THAT(diagnose(graph_, machine, apart), Contains(Field(&Finding::rule, "route")));
  EXPECT_THAT(diagnose(graph_, machine_, timed), Contains(Field(&Finding::rule, "route")));
}

TEST_F(Line, damage_to_routes_is_found) {
  const Schedule timed = schedule(machine_);
  auto damaged = [&](auto damage, const char* rule) {
    Schedule copy = timed;
    damage(copy);
    EXPECT_THAT(diagnose(graph_, machine_, copy), Contains(Field(&Finding::rule, rule)));
  };
  constexpr Time tick{1};
  damaged([&](Schedule& s) { s.hops[1].link = LinkId(3); }, "route");
  damaged([&](Schedule& s) { s.hops[1].link = LinkId(9); }, "route");
  damaged([&](Schedule& s) { s.hops[0].start -= tick, s.hops[0].end -= tick; }, "route");
  damaged([&](Schedule& s) { s.hops[1].start -= tick, s.hops[1].end -= tick; }, "route");
  damaged([&](Schedule& s) { s.hops[1].end += tick; }, "route");
  damaged([&](Schedule& s) { s.messages[0].hop_count = 1; }, "route");
  damaged([&](Schedule& s) { s.messages[0].hop_count = 9; }, "reference");
  damaged([&](Schedule& s) { s.hops[2].start -= tick, s.hops[2].end -= tick; }, "link");
  damaged([&](Schedule& s) { s.processors[2][0].start -= tick, s.processors[2][0].end -= tick; }, "latency");
}

TEST_F(Line, a_link_can_delay_the_next_iteration) {
  // No processor is occupied for longer than 4, but link 2 carries two messages of 3.
  const Schedule timed = schedule(machine_);
  EXPECT_EQ(measure(timed).repetition, Time{6});
  EXPECT_THAT(diagnose(graph_, machine_, timed, {.repetition = Time{5}}),
              Contains(Field(&Finding::message, HasSubstr("modulo the repetition time 5"))));
}

/// Processor 0 sends to processor 1 over a link that takes 1 + size, each after its computation.
TEST(Links, have_a_smallest_period_like_processors) {
  // Two independent tasks of 4 and 6 on processor 0, of which the first sends 3 units to processor 1's task
  // of 5: the message takes 4. Early: 0..4, link 4..8, 8..13 and 4..10: processor 0 is occupied for 10, which
  // no order of times can change. With the link slower (20) the link is the bottleneck: the period is 20,
  // although no processor is busy that long.
  for (const auto& [link, period] : {std::pair{"1+1", 10}, std::pair{"17+1", 20}}) {
    TaskGraphBuilder builder;
    const TaskId first = builder.add_task({"first", Time{4}}), lone = builder.add_task({"lone", Time{6}}),
                 last = builder.add_task({"last", Time{5}});
    builder.add_edge(first, last, Bytes{3});
    const TaskGraph graph = std::move(builder).build();
    const Machine machine = parse_machine(fmt::format("delay:P=2,network=ring:2,link={}", link));
    const Schedule early = time_task_messages(graph, machine, {{{first, lone}, {last}}},
                                              {.routed = true, .start = Start::early});
    const Schedule best = with_least_repetition(machine, early);
    EXPECT_THAT(diagnose(graph, machine, best), IsEmpty());
    EXPECT_EQ(measure(best).repetition, Time{period}) << link;
  }
}

TEST(Links, in_every_network_schedules_are_valid_and_not_faster_than_the_longest_route) {
  Random random(21);
  for (const char* network :
       {"ring:6", "mesh:2x3", "torus:2x3", "hypercube:3", "star:6", "fat_tree:2x3", "complete:6"})
    for (const char* costs : {"delay:P=6", "logp:P=6,o=2,g=3", "loglinear:P=6,o=1+0.5,g=2+1,L=50"})
      for (int seed = 1; seed <= 5; ++seed) {
        const TaskGraph graph =
            generate(fmt::format("layered:tasks=60,jump=2,cost=1..20,data=1..20,seed={}", seed));
        const Machine machine = parse_machine(fmt::format("{},network={},link=3+0.5", costs, network));
        Allocation allocation{std::vector<std::vector<TaskId>>(6)};
        for (TaskId task : graph.topological_order()) allocation.order[random.below(6)].push_back(task);
        const Schedule schedule = time_task_messages(graph, machine, allocation, {.routed = true});
        for (const Finding& finding : diagnose(graph, machine, schedule))
          FAIL() << network << ", " << costs << ": " << finding.rule << ": " << finding.message;
        const Routes routes(machine.platform().network);
        for (MessageId id : ids<MessageId>(schedule.messages.size())) {
          const Message& message = schedule.message(id);
          EXPECT_EQ(message.hop_count,
                    routes.distance(NodeId(message.from.index()), NodeId(message.to.index())));
        }
        const Schedule best = with_least_repetition(machine, schedule);
        EXPECT_THAT(diagnose(graph, machine, best), IsEmpty());
        EXPECT_LE(measure(best).repetition, measure(schedule).repetition);
        EXPECT_EQ(simulate(graph, machine, schedule, {.frames = 10}).delivered, 10U);
      }
}

TEST(Links, are_unused_on_a_machine_without_links) {
  const TaskGraph graph = generate("chain:depth=1,cost=1");
  const Machine machine = parse_machine("delay:P=2");
  const Allocation allocation{{{TaskId(0)}, {TaskId(1)}}};
  EXPECT_EQ(time_task_messages(graph, machine, allocation, {.routed = true}),
            time_task_messages(graph, machine, allocation));
}

}  // namespace
}  // namespace takt::logp
