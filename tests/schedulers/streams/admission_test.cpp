/// Are streams admitted when there is room, refused when there is none, and are running streams unchanged?

#include "schedulers/streams/admission.hpp"

#include <array>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "logp/schedule_file.hpp"
#include "logp/stream_figures.hpp"

namespace takt::schedulers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Stream stream(std::string name, std::string_view graph, double period, int priority = 0) {
  return {std::move(name), generate(graph), {period}, priority};
}

void expect_valid(const Admission& admission) {
  const CyclicTimetable& timetable = admission.timetable;
  for (const logp::Finding& finding :
       logp::diagnose(timetable.graph(), timetable.machine(), timetable.schedule()))
    ADD_FAILURE() << finding.rule << ": " << finding.message;
  EXPECT_EQ(measure(timetable.schedule()).repetition, timetable.cycle());
}

TEST(Admission, fills_a_processor_with_commensurable_periods_to_the_last_tick) {
  // 20 every 40, 30 every 120, 10 every 40: 1/2 + 1/4 + 1/4 of one processor. The free intervals between the
  // frames of the fast streams are 10, so that 3 tasks of 10 of the slow one fit.
  const logp::Machine machine = logp::parse_machine("logp:P=1,L=1,o=1,g=1");
  const Admission admission =
      admit({stream("fast", "chain:depth=1,cost=10", 40), stream("slow", "chain:depth=2,cost=10", 120),
             stream("light", "chain:depth=0,cost=10", 40)},
            machine);
  expect_valid(admission);
  for (const StreamVerdict& verdict : admission.verdicts) EXPECT_TRUE(verdict.is_admitted) << verdict.name;
  EXPECT_EQ(admission.timetable.cycle(), Time{120});
  EXPECT_EQ(admission.timetable.busy(ProcessorId(0)), Time{120});
}

TEST(Admission, cuts_a_stream_over_processors_when_no_single_one_has_room) {
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=2,o=1,g=1");
  const Admission admission = admit({stream("heavy", "chain:depth=5,cost=10,data=1", 35)}, machine);
  expect_valid(admission);
  EXPECT_TRUE(admission.verdicts[0].is_admitted);
  EXPECT_EQ(admission.verdicts[0].processors.size(), 2U);
}

TEST(Admission, refuses_a_stream_with_the_reason_and_a_remedy) {
  const logp::Machine machine = logp::parse_machine("delay:P=2");
  const Admission admission =
      admit({stream("a", "chain:depth=2,cost=10", 30), stream("b", "chain:depth=5,cost=5", 15)}, machine);
  expect_valid(admission);
  EXPECT_TRUE(admission.verdicts[0].is_admitted);
  EXPECT_FALSE(admission.verdicts[1].is_admitted);
  // It needs 30 / 15 = 2 processors; 1 is free, which suffices for a frame every 30.
  EXPECT_THAT(admission.verdicts[1].reason,
              HasSubstr("2 processors, but 1 are free; of the rest (in processors): 'a' 1"));
  EXPECT_EQ((Period{admission.timetable.cycle(), admission.verdicts[1].possible_frames}),
            (Period{Time{30}, 1}));
  EXPECT_THAT(to_text(admission), HasSubstr("one frame every 30 fits; use 1 more processor"));
}

TEST(Admission, refuses_a_stream_whose_frames_would_take_longer_than_its_latency) {
  const logp::Machine machine = logp::parse_machine("delay:P=2");
  Stream late = stream("late", "chain:depth=2,cost=10", 60), in_time = late;
  late.latency_limit = Time{29};
  in_time.latency_limit = Time{30};
  const Admission refused = admit({late}, machine);
  EXPECT_FALSE(refused.verdicts[0].is_admitted);
  EXPECT_THAT(refused.verdicts[0].reason,
              HasSubstr("its frames would take 30, longer than the required latency of 29"));
  EXPECT_EQ(refused.verdicts[0].possible_frames, 0U);
  const Admission admitted = admit({in_time}, machine);
  EXPECT_TRUE(admitted.verdicts[0].is_admitted);
  EXPECT_EQ(admitted.verdicts[0].latency, Time{30});
}

TEST(Admission, reports_when_a_rate_exceeds_the_machine_even_alone) {
  // Three tasks of 10 on two processors: two of them share one.
  const Admission admission =
      admit({stream("a", "chain:depth=2,cost=10", 15)}, logp::parse_machine("delay:P=2"));
  EXPECT_THAT(admission.verdicts[0].reason,
              HasSubstr("even alone on this machine its period is at least 20, 1.33 times the required one"));
}

TEST(Admission, names_the_obstacles_of_a_task_and_of_a_cut) {
  // Two streams take 30 of 50 on a processor each: 20 are free on both.
  const auto with_another = [](const std::string& graph) {
    return admit({stream("a", "chain:depth=0,cost=30", 50), stream("b", "chain:depth=0,cost=30", 50),
                  stream("c", graph, 50)},
                 logp::parse_machine("delay:P=2"))
        .verdicts[2];
  };
  const StreamVerdict task = with_another("chain:depth=0,cost=25");
  EXPECT_THAT(task.reason, HasSubstr("needs 50 % of a processor, but the most suitable one, 0, has 40 % "
                                     "free; of the rest (in processors): 'a' 0.6"));
  EXPECT_THAT(task.advice, ElementsAre("use 1 more processor"));
  // Of three tasks of 12, two must share one of the intervals of 20.
  const StreamVerdict cut = with_another("chain:depth=2,cost=12,data=0");
  EXPECT_THAT(
      cut.reason,
      HasSubstr(
          "takes 1.2 times the free time of its processor; of the rest (in processors): 'a' 0.6, 'b' 0.6"));
  EXPECT_THAT(cut.advice, ElementsAre("use 1 more processor"));
}

TEST(Admission, names_the_task_that_takes_longer_than_the_period) {
  const Admission admission =
      admit({stream("a", "chain:depth=0,cost=50", 20)}, logp::parse_machine("delay:P=4"));
  EXPECT_THAT(admission.verdicts[0].reason,
              HasSubstr("takes 50, more than the 20 that rate and margin leave"));
}

TEST(Admission, shows_measured_times_with_units) {
  const auto measured = [](const char* name, const char* graph, Time::rep period) {
    Stream result = stream(name, graph, static_cast<double>(period));
    result.is_measured = true;
    return result;
  };
  // Tasks of 10 ms, a frame every 30 ms, and every 15 ms.
  const Admission admission = admit({measured("a", "chain:depth=2,cost=10000000", 30'000'000),
                                     measured("b", "chain:depth=5,cost=5000000", 15'000'000)},
                                    logp::parse_machine("delay:P=2"));
  const std::string text = to_text(admission);
  EXPECT_THAT(text, AllOf(HasSubstr("hyperperiod of 30 ms"), HasSubstr("33.3 Hz"), HasSubstr("66.7 Hz"),
                          HasSubstr("33.3 Hz fits"), Not(HasSubstr("0000"))));
  const Admission slow =
      admit({measured("a", "chain:depth=0,cost=50000000", 20'000'000)}, logp::parse_machine("delay:P=4"));
  EXPECT_THAT(slow.verdicts[0].reason,
              HasSubstr("takes 50 ms, more than the 20 ms that rate and margin leave"));
  EXPECT_THAT(to_text(admit({stream("a", "chain:depth=2,cost=10", 30)}, logp::parse_machine("delay:P=2"))),
              HasSubstr("hyperperiod of 30 ticks"));
}

TEST(Admission, puts_no_operations_on_closed_processors) {
  const logp::Machine machine = logp::parse_machine("delay:P=3");
  const std::vector<ProcessorId> closed{ProcessorId(0), ProcessorId(2)};
  const Stream small = stream("a", "chain:depth=0,cost=10", 20);
  const Admission admission = admit({small, stream("b", "chain:depth=0,cost=10", 20)}, machine, {}, closed);
  expect_valid(admission);
  for (const StreamVerdict& verdict : admission.verdicts)
    EXPECT_THAT(verdict.processors, ElementsAre(ProcessorId(1)));
  // Both open processors of the first admission are closed for a third stream: running streams stay.
  const Admission none = admit({stream("c", "chain:depth=0,cost=10", 20)}, machine, admission.timetable,
                               {ProcessorId(0), ProcessorId(1), ProcessorId(2)});
  EXPECT_FALSE(none.verdicts[0].is_admitted);
  EXPECT_THAT(none.verdicts[0].reason, HasSubstr("3 of the 3 processors are closed"));
  EXPECT_EQ(none.timetable.busy(ProcessorId(1)), admission.timetable.busy(ProcessorId(1)));
  // Open again, there is room.
  const Admission again = admit({stream("c", "chain:depth=0,cost=10", 20)}, machine, none.timetable);
  EXPECT_TRUE(again.verdicts[0].is_admitted);
}

TEST(Admission, places_each_frame_of_a_stateless_stream_on_its_own_processor) {
  const Admission admission =
      admit({stream("a", "chain:depth=0,cost=50,stateless=1", 20)}, logp::parse_machine("delay:P=4"));
  expect_valid(admission);
  EXPECT_TRUE(admission.verdicts[0].is_admitted);
  EXPECT_EQ(admission.verdicts[0].latency, Time{50});
}

TEST(Admission, places_higher_priorities_first) {
  const logp::Machine machine = logp::parse_machine("delay:P=1");
  const Admission admission =
      admit({stream("low", "chain:depth=0,cost=20", 30, 1), stream("high", "chain:depth=0,cost=20", 30, 5)},
            machine);
  EXPECT_FALSE(admission.verdicts[0].is_admitted);
  EXPECT_TRUE(admission.verdicts[1].is_admitted);
}

/// Whether all streams are admitted in this order of placement, which priorities enforce.
bool fits_in_order(std::vector<Stream> streams, const std::vector<std::size_t>& order,
                   const logp::Machine& machine) {
  for (std::size_t i = 0; i < order.size(); ++i) streams[order[i]].priority = -static_cast<int>(i);
  const Admission admission = admit(streams, machine);
  return std::ranges::all_of(admission.verdicts, &StreamVerdict::is_admitted);
}

TEST(Admission, admits_few_streams_if_they_fit_in_any_order) {
  const logp::Machine machine = logp::parse_machine("delay:P=1");
  Random random(1);
  std::size_t reordered = 0;
  for (int trial = 0; trial < 60; ++trial) {
    constexpr std::array periods{20.0, 30.0, 40.0, 60.0};
    std::vector<Stream> streams;
    double load = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double period = periods[random.below(periods.size())];
      const auto work = 1 + random.below(static_cast<std::uint64_t>(period) / 2);
      load += static_cast<double>(work) / period;
      if (load > 1) break;
      streams.push_back(stream(fmt::format("s{}", i), fmt::format("chain:depth=0,cost={}", work), period));
    }
    std::vector<std::size_t> order(streams.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const bool fits_as_given = fits_in_order(streams, order, machine);
    bool fits = fits_as_given;
    while (!fits && std::ranges::next_permutation(order).found) fits = fits_in_order(streams, order, machine);
    const Admission admission = admit(streams, machine);
    expect_valid(admission);
    EXPECT_EQ(std::ranges::all_of(admission.verdicts, &StreamVerdict::is_admitted), fits) << trial;
    EXPECT_EQ(admission.is_reordered, fits && !fits_as_given) << trial;
    if (admission.is_reordered) {
      ++reordered;
      EXPECT_THAT(to_text(admission), HasSubstr("fit in this order"));
    }
  }
  EXPECT_GT(reordered, 0U);
}

TEST(Admission, sustains_rates_without_a_common_multiple) {
  const logp::Machine machine = logp::parse_machine("logp:P=4,L=3,o=1,g=2");
  const Admission admission = admit({stream("a", "fft:depth=2,cost=1..9,seed=1,data=2", 70.7),
                                     stream("b", "send_tree:depth=2,cost=1..9,seed=2,data=2", 31.4),
                                     stream("c", "diamond:depth=2,cost=1..9,seed=3,data=2", 101.3)},
                                    machine);
  expect_valid(admission);
  for (const StreamVerdict& verdict : admission.verdicts) {
    ASSERT_TRUE(verdict.is_admitted) << verdict.name;
    EXPECT_TRUE(verdict.rate.is_held_by({admission.timetable.cycle(), verdict.frames}));
  }
}

TEST(Admission, adds_a_stream_to_running_ones_without_moving_them) {
  const logp::Machine machine = logp::parse_machine("logp:P=2,L=2,o=1,g=1");
  const Admission before = admit(
      {stream("a", "chain:depth=3,cost=10,data=1", 25), stream("b", "chain:depth=0,cost=5", 50)}, machine);
  expect_valid(before);
  // Through a file, as a user does.
  const logp::ScheduleFile file = logp::schedule_from_yaml(
      logp::schedule_to_yaml(before.timetable.graph(), machine, before.timetable.schedule()), "running");
  const CyclicTimetable running(machine, file.graph, file.schedule, 1);
  const Admission after = admit({stream("c", "chain:depth=0,cost=3", 60)}, machine, running);
  expect_valid(after);
  EXPECT_TRUE(after.verdicts[0].is_admitted);
  ASSERT_EQ(after.timetable.cycle() % running.cycle(), Time{0});

  // Every earlier operation has the same time in every cycle.
  const Schedule old = running.schedule(), now = after.timetable.schedule();
  const TaskGraph old_graph = running.graph(), now_graph = after.timetable.graph();
  for (std::size_t p = 0; p < 2; ++p)
    for (const Operation& operation : old.processors[p]) {
      if (operation.kind != OperationKind::compute) continue;
      const std::string& name = old_graph.task(operation.task()).name;
      const auto same = std::ranges::find_if(now.processors[p], [&](const Operation& other) {
        return other.kind == OperationKind::compute && now_graph.task(other.task()).name == name;
      });
      ASSERT_NE(same, now.processors[p].end()) << name;
      EXPECT_EQ(same->start, operation.start) << name;
    }
}

TEST(Admission, stores_required_and_granted_rates_in_the_schedule) {
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=2,o=1,g=1");
  Stream careful = stream("careful", "chain:depth=2,cost=10,data=1", 90);
  careful.margin = 1.5;
  const Admission first = admit({stream("heavy", "chain:depth=5,cost=10,data=1", 35), careful}, machine);
  const auto file_of = [&](const Admission& admission) {
    return logp::schedule_from_yaml(
        logp::schedule_to_yaml(admission.timetable.graph(), machine, admission.timetable.schedule(), {},
                               admission.timetable.requirements()),
        "s.yaml");
  };
  // A later stream does not remove the earlier ones.
  const logp::ScheduleFile before = file_of(first);
  CyclicTimetable running(machine, before.graph, before.schedule, 1);
  for (const StreamRequirement& each : before.requirements) running.note(each);
  const Admission second = admit({stream("light", "chain:depth=0,cost=2", 70)}, machine, running);
  expect_valid(second);
  const logp::ScheduleFile file = file_of(second);
  EXPECT_THAT(file.requirements,
              ElementsAre(StreamRequirement{"heavy", 35, 1}, StreamRequirement{"careful", 90, 1.5},
                          StreamRequirement{"light", 70, 1}));
  const std::vector<logp::StreamFigures> figures = logp::stream_figures(file);
  ASSERT_EQ(figures.size(), 3U);
  // As in the report of the admission, which is computed from the timetable.
  const auto told = nlohmann::json::parse(to_json(second));
  EXPECT_EQ(figures[2].name, "light");
  EXPECT_EQ(figures[2].period.ticks(), told["streams"][0]["period"]);
  EXPECT_EQ(figures[2].frames, told["streams"][0]["frames"]);
  EXPECT_DOUBLE_EQ(figures[2].slack, told["streams"][0]["slack"]);
  EXPECT_EQ(figures[2].processors, second.verdicts[0].processors);
  for (const logp::StreamFigures& each : figures) {
    EXPECT_TRUE(each.holds()) << each.name;
    EXPECT_GT(each.latency, Time{0});
  }
  // 3 tasks of 10; 6 on two processors with a message of o + L + o between them: the least time of a frame.
  EXPECT_GE(figures[1].latency, Time{30});
  EXPECT_GE(figures[0].latency, Time{60 + 4});
  EXPECT_LE(figures[0].latency, first.verdicts[0].latency) << "which counts from the frame's release";

  logp::ScheduleFile slower = file;
  slower.requirements[0].period = 1;
  EXPECT_FALSE(logp::stream_figures(slower)[0].holds());
  EXPECT_THAT(logp::check_stream_rates(file), IsEmpty());
  slower.requirements.push_back({"missing", 10, 1});
  const std::vector<logp::Finding> findings = logp::check_stream_rates(slower);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].message, AllOf(HasSubstr("'heavy'"), HasSubstr("required 1")));
  EXPECT_THAT(findings[1].message, HasSubstr("'missing' has no tasks"));
  CyclicTimetable rest = second.timetable;
  rest.remove("heavy");
  EXPECT_THAT(rest.requirements(),
              ElementsAre(StreamRequirement{"careful", 90, 1.5}, StreamRequirement{"light", 70, 1}));
  EXPECT_TRUE(logp::stream_figures(
                  logp::schedule_from_yaml(
                      logp::schedule_to_yaml(generate("fft:depth=2"), machine, Schedule("x", 3)), "x.yaml"))
                  .empty());
}

TEST(Admission, refuses_a_running_schedule_without_streams) {
  const logp::Machine machine = logp::parse_machine("delay:P=1");
  const TaskGraph graph = generate("chain:depth=0,cost=5");
  Schedule schedule("x", 1);
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{0}, Time{5});
  EXPECT_THROW(CyclicTimetable(machine, graph, schedule, 1), ConfigError);
}

TEST(Admission, writes_json_with_a_verdict_for_each_stream_and_the_load_of_each_processor) {
  const Admission admission =
      admit({stream("a", "chain:depth=0,cost=20", 30), stream("b", "chain:depth=0,cost=20", 30)},
            logp::parse_machine("delay:P=1"));
  const auto json = nlohmann::json::parse(to_json(admission));
  EXPECT_EQ(json["admitted"], false);
  EXPECT_EQ(json["valid"], true);
  EXPECT_EQ(json["streams"][0]["admitted"], true);
  EXPECT_NEAR(json["load"][0]["load"].get<double>(), 2.0 / 3, 1e-9);
}

}  // namespace
}  // namespace takt::schedulers
