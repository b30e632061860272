/// Does a stream's own schedule agree with its timetable, do links carry one message at a time, and does
/// removing a stream leave the others in place?

#include "schedulers/streams/stream_schedule.hpp"

#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::schedulers {
namespace {

const char* const stream_machines[] = {
    "logp:P=3,L=2,o=1,g=2",
    "logp:P=4,L=0,o=1,g=1,network=ring:4,link=0+1",
    "logp:P=4,L=0,o=0,g=0,network=star:4,link=2+1",
    "delay:P=4,network=mesh:2x2,link=0+1",
};

/// Chains and diamonds with state, as in pipelines: their tasks stay in place.
Stream random_stream(std::mt19937& random, const std::string& name) {
  const auto number = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  const TaskGraph shape =
      generate(fmt::format("{}:depth={},cost=1..9,data={},seed={}", number(0, 1) ? "chain" : "diamond",
                           number(1, 3), number(0, 4), number(1, 99)));
  TaskGraphBuilder builder;
  for (TaskId task : shape.tasks()) {
    Task copy = shape.task(task);
    copy.stateless = false;
    (void)builder.add_task(copy);
  }
  for (DatumId datum : ids<DatumId>(shape.datum_count()))
    (void)builder.add_datum(shape.datum_task(datum), shape.datum_size(datum));
  for (EdgeId edge : shape.edges()) (void)builder.add_edge(shape.edge(edge).datum, shape.edge(edge).to);
  TaskGraph graph = std::move(builder).build();
  // With or without the margin, 960 is a multiple of each: hyperperiods are short.
  const double period = 60 << number(0, 2);
  return {.name = name, .graph = std::move(graph), .rate = {period}, .margin = number(0, 1) ? 1.25 : 1.0};
}

/// An independent check of the rule: no tick of the cycle has two messages on one link.
void expect_links_apart(const CyclicTimetable& timetable) {
  std::set<std::pair<std::size_t, Time::rep>> taken;
  const Time::rep cycle = timetable.cycle().count();
  for (const Hop& hop : timetable.schedule().hops)
    for (Time::rep tick = hop.start.count(); tick < hop.end.count(); ++tick)
      EXPECT_TRUE(taken.emplace(hop.link.index(), (tick % cycle + cycle) % cycle).second)
          << "link " << hop.link.index() << " at " << tick;
}

void expect_valid_timetable(const CyclicTimetable& timetable) {
  for (const logp::Finding& finding :
       logp::diagnose(timetable.graph(), timetable.machine(), timetable.schedule()))
    ADD_FAILURE() << finding.rule << ": " << finding.message;
  expect_links_apart(timetable);
}

/// By name: the start of each task, which the end of another stream must not change.
std::map<std::string, std::pair<std::size_t, Time>> starts_of(const CyclicTimetable& timetable) {
  std::map<std::string, std::pair<std::size_t, Time>> starts;
  const TaskGraph graph = timetable.graph();
  const Schedule schedule = timetable.schedule();
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute)
        starts[graph.task(operation.task()).name] = {p, operation.start};
  return starts;
}

TEST(StreamSchedule, is_valid_and_has_the_work_of_the_timetable_on_random_streams_and_machines) {
  std::mt19937 random(14);
  std::size_t admitted = 0;
  for (int round = 0; round < 24; ++round) {
    const logp::Machine machine = logp::parse_machine(stream_machines[round % std::size(stream_machines)]);
    std::vector<Stream> streams;
    for (int i = 0; i < 3; ++i) streams.push_back(random_stream(random, fmt::format("s{}", i)));
    const Admission admission = admit(streams, machine);
    expect_valid_timetable(admission.timetable);
    std::vector<double> load(machine.processor_count(), 0.0);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const StreamVerdict& verdict = admission.verdicts[i];
      if (!verdict.is_admitted) continue;
      ++admitted;
      // The margin is in the granted rate.
      EXPECT_LE(static_cast<double>(admission.timetable.cycle().count()) / verdict.frames * streams[i].margin,
                streams[i].rate.period * (1 + 1e-6));
      const StreamSchedule own = schedule_of(streams[i], admission.timetable);
      EXPECT_EQ(own.processors, verdict.processors);
      for (const logp::Finding& finding : logp::diagnose(streams[i].graph, own.machine, own.schedule))
        ADD_FAILURE() << finding.rule << ": " << finding.message;
      EXPECT_LE(measure(own.schedule).period() * streams[i].margin, streams[i].rate.period * (1 + 1e-6));
      for (std::size_t rank = 0; rank < own.shares.size(); ++rank)
        load[own.processors[rank].index()] += own.shares[rank];
    }
    for (ProcessorId p : machine.processors())
      EXPECT_NEAR(load[p.index()],
                  static_cast<double>(admission.timetable.busy(p).count()) /
                      static_cast<double>(admission.timetable.cycle().count()),
                  1e-12);
  }
  EXPECT_GT(admitted, 40U);
}

TEST(StreamSchedule, a_stream_can_be_removed_and_added_again_without_moving_the_others) {
  std::mt19937 random(41);
  for (int round = 0; round < 12; ++round) {
    const logp::Machine machine = logp::parse_machine(stream_machines[round % std::size(stream_machines)]);
    std::vector<Stream> streams;
    for (int i = 0; i < 3; ++i) streams.push_back(random_stream(random, fmt::format("s{}", i)));
    const Admission before = admit(streams, machine);
    if (!before.verdicts[1].is_admitted) continue;
    CyclicTimetable rest = before.timetable;
    rest.remove("s1");
    expect_valid_timetable(rest);
    auto expected = starts_of(before.timetable);
    std::erase_if(expected, [](const auto& each) { return each.first.starts_with("s1#"); });
    EXPECT_EQ(starts_of(rest), expected);
    // It has fitted, so it fits again.
    const Admission again = admit({streams[1]}, machine, rest);
    EXPECT_TRUE(again.verdicts[0].is_admitted) << again.verdicts[0].reason;
    expect_valid_timetable(again.timetable);
  }
}

TEST(StreamSchedule, a_link_can_be_the_reason_of_a_refusal) {
  // Two stateful tasks of 30, one frame every 40: each needs a processor of its own. The datum of 50 between
  // them takes 5 on a fast link, and on a slow one 50, with 40 between frames.
  const TaskGraph chain = generate("chain:depth=1,cost=30,data=50");
  TaskGraphBuilder builder;
  for (TaskId task : chain.tasks()) {
    Task copy = chain.task(task);
    copy.stateless = false;
    (void)builder.add_task(copy);
  }
  for (DatumId datum : ids<DatumId>(chain.datum_count()))
    (void)builder.add_datum(chain.datum_task(datum), chain.datum_size(datum));
  for (EdgeId edge : chain.edges()) (void)builder.add_edge(chain.edge(edge).datum, chain.edge(edge).to);
  const Stream stream{.name = "s", .graph = std::move(builder).build(), .rate = {40}};
  const auto is_admitted = [&](const char* machine) {
    return admit({stream}, logp::parse_machine(machine)).verdicts[0].is_admitted;
  };
  EXPECT_TRUE(is_admitted("delay:P=2,network=ring:2,link=0+0.1"));
  EXPECT_FALSE(is_admitted("delay:P=2,network=ring:2,link=0+1"));
}

}  // namespace
}  // namespace takt::schedulers
