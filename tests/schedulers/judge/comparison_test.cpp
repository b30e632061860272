#include "schedulers/judge/comparison.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "schedulers/judge/comparison_report.hpp"
#include "schedulers/judge/figure_columns.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ComparisonInput small_input(std::string_view schedulers) {
  ComparisonInput input;
  for (const char* graph : {"fft:depth=3,cost=1..9,data=1..5", "gauss:size=5,cost=3"})
    input.graphs.emplace_back(graph, generate(graph));
  for (const char* machine : {"delay:P=3", "logp:P=4,L=2,o=1,g=2"})
    input.machines.emplace_back(machine, logp::parse_machine(machine));
  input.schedulers = select_schedulers(schedulers);
  input.options.effort = 200;
  return input;
}

std::vector<std::string> without_seconds(std::vector<ComparisonRow> rows) {
  std::vector<std::string> result;
  for (ComparisonRow& row : rows) {
    if (row.figures) row.figures->seconds = 0;
    result.push_back(comparison_to_json({row}));
  }
  return result;
}

TEST(Comparison, has_a_row_for_each_graph_machine_and_scheduler_in_this_order) {
  const auto rows = compare(small_input("heft,greedy"), 3);
  std::vector<std::string> names;
  for (const ComparisonRow& row : rows)
    names.push_back(row.graph.substr(0, 3) + row.machine[0] + row.scheduler);
  EXPECT_THAT(names, ElementsAre("fftdheft", "fftdgreedy", "fftlheft", "fftlgreedy", "gaudheft", "gaudgreedy",
                                 "gaulheft", "gaulgreedy"));
  for (const ComparisonRow& row : rows) EXPECT_TRUE(row.is_valid()) << row.error;
}

TEST(Comparison, has_the_same_rows_on_one_thread_and_on_many) {
  const ComparisonInput input = small_input("all");
  const auto one = without_seconds(compare(input, 1));
  EXPECT_EQ(without_seconds(compare(input, 2)), one);
  EXPECT_EQ(without_seconds(compare(input, 16)), one);
}

// The thesis, 6.2: ten times the frequency over the best of the compared ones.
TEST(Comparison, shows_the_named_columns_including_the_score) {
  const auto rows = compare(small_input("brent,greedy,basic_fo"), 1);
  for (std::size_t first = 0; first < rows.size(); first += 3) {
    Time least = Time::max();
    for (std::size_t i = first; i < first + 3; ++i) least = std::min(least, rows[i].figures->repetition);
    for (std::size_t i = first; i < first + 3; ++i)
      EXPECT_DOUBLE_EQ(rows[i].score, 10.0 * static_cast<double>(least.count()) /
                                          static_cast<double>(rows[i].figures->repetition.count()));
  }
  const ColumnNames columns = parse_columns("score,period");
  EXPECT_THAT(comparison_to_csv(rows, columns), StartsWith("graph,machine,scheduler,score,period,error\n"));
  const json object = json::parse(comparison_to_json(rows, columns))[0];
  EXPECT_EQ(object.size(), 5U);
  EXPECT_EQ(object["score"], rows[0].score);
  EXPECT_THAT(comparison_to_text(rows, columns), HasSubstr("scheduler  score  period"));
  EXPECT_FALSE(json::parse(comparison_to_json(rows))[0].contains("score"));
  for (const auto& [text, hint] : {std::pair{"scroe", "score"}, {"score,score", "twice"}}) try {
      (void)parse_columns(text);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(hint));
    }
}

TEST(Comparison, reports_every_row_once) {
  std::vector<std::size_t> done;
  const auto rows = compare(small_input("list"), 2, [&](const ComparisonProgress& progress) {
    done.push_back(progress.done);
    EXPECT_EQ(progress.total, 24U);
    EXPECT_EQ(progress.failed, 0U);
    EXPECT_TRUE(progress.row.is_valid());
  });
  ASSERT_EQ(done.size(), rows.size());
  for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], i + 1);
}

TEST(Comparison, loses_only_the_rows_of_a_scheduler_that_fails) {
  const Scheduler refuses{"refuses", "made up", "",
                          [](const TaskGraph&, const logp::Machine&, const Options&) -> Schedule {
                            throw ConfigError("needs links");
                          }};
  const Scheduler breaks{
      "breaks", "made up", "",
      [](const TaskGraph&, const logp::Machine&, const Options&) -> Schedule { throw std::bad_alloc(); }};
  const Scheduler lies{"lies", "made up", "",
                       [](const TaskGraph&, const logp::Machine& machine, const Options&) {
                         return Schedule("lies", machine.processor_count());
                       }};
  ComparisonInput input = small_input("heft");
  input.schedulers = {&refuses, &find_scheduler("heft"), &breaks, &lies};
  const auto rows = compare(input, 2);
  ASSERT_EQ(rows.size(), 16U);
  for (std::size_t i = 0; i < rows.size(); i += 4) {
    EXPECT_EQ(rows[i].error, "needs links");
    EXPECT_TRUE(rows[i + 1].is_valid());
    EXPECT_FALSE(rows[i + 2].figures.has_value());
    EXPECT_FALSE(rows[i + 2].error.empty());
    EXPECT_FALSE(rows[i + 3].figures->valid);
    EXPECT_FALSE(rows[i + 3].error.empty());
  }
  const ComparisonSummary summary = summarise(rows);
  EXPECT_EQ(summary.schedulers[0].failed, 4U);
  EXPECT_EQ(summary.schedulers[1].served, 4U);
  EXPECT_EQ(summary.schedulers[1].best, (std::array<std::size_t, 2>{4, 4}));
  EXPECT_EQ(summary.duels[0][1][3].wins, 0U) << "who does not take part is not beaten";
}

TEST(Comparison, exposes_a_bound_above_another_schedule) {
  const Scheduler boastful{"boastful", "test", "",
                           [](const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
                             Schedule schedule = find_scheduler("single").schedule(graph, machine, options);
                             schedule.makespan_bound = measure(schedule).makespan;
                             return schedule;
                           }};
  ComparisonInput input;
  input.graphs.emplace_back("g", generate("fork_join:depth=1,width=4,cost=9,data=1"));
  input.machines.emplace_back("m", logp::Machine::delay(4));
  input.schedulers = {&boastful, &find_scheduler("etf")};
  const std::vector<ComparisonRow> rows = compare(input, 1);
  EXPECT_FALSE(rows[0].is_valid());
  EXPECT_EQ(rows[0].error, "its lower bound of the makespan is above what 'etf' reaches");
  EXPECT_TRUE(rows[1].is_valid());
  EXPECT_LE(rows[1].figures->makespan_bound, rows[1].figures->makespan);
}

TEST(Comparison, shares_the_best_bound_with_every_scheduler) {
  // Example: two unit tasks, then 100 units of data to the third; on two processors the exact search proves
  // 3, although path (2) and work (2) allow 2.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{1}}),
               c = builder.add_task({"c", Time{1}});
  builder.add_edge(a, c, Bytes{100});
  builder.add_edge(b, c, Bytes{100});
  ComparisonInput input;
  input.graphs.emplace_back("join", std::move(builder).build());
  input.machines.emplace_back("delay:P=2", logp::Machine::delay(2));
  input.schedulers = select_schedulers("hlfet,exact_makespan");
  for (const ComparisonRow& row : compare(input, 1))
    EXPECT_EQ(row.figures->makespan_bound, Time{3}) << row.scheduler;
}

// ---- summaries, worked by hand ----

ComparisonRow made_up(std::string graph, std::string scheduler, Time::rep makespan, Time::rep period) {
  Figures figures;
  figures.scheduler = scheduler;
  figures.valid = true;
  figures.makespan = Time(makespan);
  figures.repetition = Time(period);
  figures.bound = {Time{10}, 1};
  figures.critical_path = Time{10};
  figures.makespan_bound = Time{10};
  figures.sequential = Time{20};
  figures.processors_used = 2;
  figures.seconds = 0.5;
  return {std::move(graph), "m", std::move(scheduler), figures, {}, "made up"};
}

ComparisonRow refused(std::string graph, std::string scheduler) {
  return {std::move(graph), "m", std::move(scheduler), std::nullopt, "cannot", "made up"};
}

const std::vector<ComparisonRow> example{made_up("g", "x", 20, 10), made_up("g", "y", 20, 15),
                                         made_up("g", "z", 40, 30), made_up("h", "x", 30, 20),
                                         made_up("h", "y", 20, 10), refused("h", "z")};

TEST(ComparisonSummary, counts_the_best_scheduler_including_ties) {
  const ComparisonSummary summary = summarise(example);
  EXPECT_EQ(summary.instances, 2U);
  ASSERT_EQ(summary.schedulers.size(), 3U);
  EXPECT_EQ(summary.schedulers[0].best, (std::array<std::size_t, 2>{1, 1}));
  EXPECT_EQ(summary.schedulers[1].best, (std::array<std::size_t, 2>{2, 1}));
  EXPECT_EQ(summary.schedulers[2].best, (std::array<std::size_t, 2>{0, 0}));
}

TEST(ComparisonSummary, has_means_over_valid_schedules) {
  const ComparisonSummary summary = summarise(example);
  const SchedulerSummary &x = summary.schedulers[0], &z = summary.schedulers[2];
  // Makespans 20 and 30 over a path of 10; the best ones are 20 and 20. Periods 10 and 20, the best 10 and
  // 10.
  EXPECT_DOUBLE_EQ(x.mean_nsl, 2.5);
  EXPECT_DOUBLE_EQ(x.least_nsl, 2);
  EXPECT_DOUBLE_EQ(x.largest_nsl, 3);
  EXPECT_DOUBLE_EQ(x.mean_excess[0], 1.25);
  EXPECT_DOUBLE_EQ(x.mean_excess[1], 1.5);
  EXPECT_DOUBLE_EQ(x.mean_ratio, 1.5);
  EXPECT_DOUBLE_EQ(x.mean_speed_up, (1.0 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(x.mean_efficiency, (0.5 + 1.0 / 3) / 2);
  EXPECT_EQ(z.served, 1U);
  EXPECT_EQ(z.failed, 1U);
  EXPECT_DOUBLE_EQ(z.mean_nsl, 4);
  EXPECT_DOUBLE_EQ(z.mean_excess[0], 2);
}

TEST(ComparisonSummary, compares_every_pair_of_schedulers) {
  const ComparisonSummary summary = summarise(example);
  const auto &makespan = summary.duels[0], &frequency = summary.duels[1];
  const auto is = [](const Duel& duel, std::size_t wins, std::size_t ties, std::size_t losses) {
    return duel.wins == wins && duel.ties == ties && duel.losses == losses;
  };
  EXPECT_TRUE(is(makespan[0][1], 0, 1, 1));
  EXPECT_TRUE(is(makespan[1][0], 1, 1, 0));
  EXPECT_TRUE(is(makespan[0][2], 1, 0, 0)) << "only where both have a schedule";
  EXPECT_TRUE(is(frequency[0][1], 1, 0, 1));
}

TEST(ComparisonSummary, counts_two_frames_in_ten_ticks_as_one_in_five) {
  Figures one = *made_up("g", "x", 10, 5).figures, two = *made_up("g", "y", 10, 10).figures;
  two.replicas = 2;
  EXPECT_FALSE(is_better(one, two, Objective::frequency));
  EXPECT_FALSE(is_better(two, one, Objective::frequency));
}

TEST(ComparisonReports, agree_in_json_csv_and_text) {
  const ComparisonSummary summary = summarise(example);
  const json object = json::parse(summary_to_json(summary));
  EXPECT_EQ(object[0]["nsl"], 2.5);
  EXPECT_EQ(object[0]["duels"]["frequency"]["y"], json::parse(R"({"wins": 1, "ties": 0, "losses": 1})"));
  EXPECT_EQ(object[2]["failed"], 1);
  EXPECT_THAT(summary_to_csv(summary),
              StartsWith("scheduler,served,failed,best_makespan,best_frequency,makespan_over_best"));
  EXPECT_THAT(summary_to_csv(summary), HasSubstr("frequency_wins_over_z\nx,2,0,1,1,1.25,1.5,7.5,2.5,"));
  EXPECT_THAT(summary_to_text(summary), HasSubstr("   wins over  1  2  3\n1  x          .  0  1\n"));
}

TEST(ComparisonReports, show_the_proof_state_of_each_row) {
  Figures figures{.repetition = Time{1032}, .bound = {Time{1000}, 1}, .valid = true};
  EXPECT_EQ(proven(figures), "within 3.2 % of the bound");
  figures.repetition = Time{1'000'001};
  figures.bound = {Time{1'000'000}, 1};
  EXPECT_EQ(proven(figures), "within 0.1 % of the bound");
  figures.bound_among = "schedules of one frame at a time";
  EXPECT_EQ(proven(figures), "within 0.1 % of the bound (of schedules of one frame at a time)");
  figures.optimal_among = "relay chains";
  EXPECT_EQ(proven(figures), "optimal among relay chains");
  figures.optimal = true;
  EXPECT_EQ(proven(figures), "optimal among schedules of one frame at a time");
  figures.bound_among.clear();
  EXPECT_EQ(proven(figures), "optimal");
  figures.valid = false;
  EXPECT_EQ(proven(figures), "not valid");

  const auto rows = compare(small_input("optfo,single,exact_makespan"), 1);
  EXPECT_THAT(comparison_to_text(rows, parse_columns("period,proven")), HasSubstr("of the bound"));
  const json object = json::parse(comparison_to_json(rows))[0];
  EXPECT_EQ(object["lower_bound_among"], "all schedules");
  EXPECT_TRUE(object.contains("optimal_among") && object.contains("proven")) << object;
}

TEST(ComparisonReports, leave_out_constant_columns_of_a_table) {
  Figures figures;
  figures.scheduler = "x";
  figures.valid = true;
  std::vector<ComparisonRow> rows{{"g", "m", "x", figures, ""}};
  EXPECT_THAT(comparison_to_text(rows), HasSubstr("\ngraph  scheduler  processors"));
  EXPECT_THAT(comparison_to_csv(rows), StartsWith("graph,machine,scheduler,processors"));
  rows.push_back({"g", "other", "y", std::nullopt, "needs links"});
  EXPECT_THAT(comparison_to_text(rows), HasSubstr("needs links"));
  EXPECT_THAT(comparison_to_text(rows), HasSubstr("machine"));
  EXPECT_EQ(json::parse(comparison_to_json(rows))[1]["error"], "needs links");
  EXPECT_EQ(comparison_to_json({}), "[]\n");
}

TEST(ComparisonReports, show_means_over_no_schedule_as_empty) {
  const ComparisonSummary summary = summarise({refused("g", "x"), made_up("g", "y", 1, 1)});
  EXPECT_TRUE(json::parse(summary_to_json(summary))[0]["nsl"].is_null());
  EXPECT_THAT(summary_to_csv(summary), HasSubstr("\nx,0,1,0,0,,,,"));
}

}  // namespace
}  // namespace takt::schedulers
