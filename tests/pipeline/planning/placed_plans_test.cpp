/// Tests that all plans keep stages on the ranks that may run them.

#include "pipeline/planning/placed_plans.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "logp/diagnostics.hpp"
#include "pipeline/planning/places.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::HasSubstr;

/// Returns random places of tasks: none, or some of the ranks.
RanksByStage random_places(std::size_t tasks, std::size_t ranks, std::mt19937& random) {
  RanksByStage places(tasks);
  for (auto& place : places)
    for (std::size_t rank = 0; random() % 2 == 0 && rank < ranks; ++rank)
      if (random() % 2 == 0) place.push_back(rank);
  return places;
}

/// Tries all renumberings.
bool has_renumbering(const std::vector<std::size_t>& rank_of, std::size_t ranks, const RanksByStage& places) {
  std::vector<std::size_t> numbers(ranks);
  std::iota(numbers.begin(), numbers.end(), 0);
  do {
    bool is_good = true;
    for (std::size_t task = 0; task < places.size(); ++task)
      is_good =
          is_good && (places[task].empty() || std::ranges::count(places[task], numbers[rank_of[task]]) > 0);
    if (is_good) return true;
  } while (std::ranges::next_permutation(numbers).found);
  return false;
}

TEST(PlacedPlans, find_a_renumbering_if_one_exists) {
  std::mt19937 random(1);
  int found_ones = 0, missing_ones = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t ranks = 1 + random() % 6, tasks = 1 + random() % 8;
    Schedule schedule("test", ranks);
    std::vector<std::size_t> of(tasks), now(tasks);
    for (std::size_t task = 0; task < tasks; ++task) {
      of[task] = random() % ranks;
      schedule.add_compute(ProcessorId(of[task]), TaskId(task), Time{0}, Time{1});
    }
    const DatumId datum(0);
    const MessageId message =
        schedule.add_message(ProcessorId(0), ProcessorId(ranks - 1), Bytes{1}, std::span(&datum, 1));
    const RanksByStage places = random_places(tasks, ranks, random);
    const std::optional<Schedule> found = renumbered(schedule, places);
    ASSERT_EQ(found.has_value(), has_renumbering(of, ranks, places)) << trial;
    (found ? found_ones : missing_ones) += 1;
    if (!found) continue;
    for (std::size_t p = 0; p < ranks; ++p)
      for (const Operation& operation : found->processors[p]) now[operation.subject] = p;
    for (std::size_t a = 0; a < tasks; ++a) {
      EXPECT_TRUE(places[a].empty() || std::ranges::count(places[a], now[a]) > 0);
      EXPECT_TRUE(of[a] != 0 || found->message(message).from.index() == now[a]);
      for (std::size_t b = 0; b < tasks; ++b) EXPECT_EQ(now[a] == now[b], of[a] == of[b]);
    }
  }
  EXPECT_GT(found_ones, 50);
  EXPECT_GT(missing_ones, 50);
}

/// s 1 ms, a to d 2 to 5 ms, o 1 ms; every stage may have a place.
Pipeline pipeline_of(const std::vector<std::string>& places, const std::string& settings) {
  const auto place = [&](std::size_t stage) {
    return stage >= places.size() || places[stage].empty() ? "" : ", place: {" + places[stage] + "}";
  };
  return load(fmt::format(R"(sources: {{s: {{type: synthetic, axes: [time=4]{}}}}}
tasks:
  a: {{kernel: pass, input: s{}}}
  b: {{kernel: spin, input: a, time: 1 ms, state: true{}}}
  c: {{kernel: pass, input: b{}}}
  d: {{kernel: spin, input: a, time: 1 ms, state: true{}}}
sinks: {{o: {{type: 'null', input: c{}}}, p: {{type: 'null', input: d}}}}
deployment: {{ranks: 3}}
{})",
                          place(0), place(1), place(2), place(3), place(4), place(5), settings));
}

std::vector<StageCost> costs_of(const Pipeline& pipeline) {
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    costs.push_back({.stage = pipeline.stages[i].name,
                     .cost = std::chrono::milliseconds(
                         pipeline.stages[i].kind == StageKind::kernel ? 1 + static_cast<int>(i) : 1)});
  return costs;
}

void expect_in_places(const Pipeline& pipeline, const RanksByStage& ranks, const PipelinePlan& plan) {
  EXPECT_TRUE(logp::diagnose(plan.graph, plan.machine, plan.schedule(), {.limit = 1}).empty());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (const std::size_t rank : plan.summary.stages[i].ranks)
      EXPECT_TRUE(ranks[i].empty() || std::ranges::count(ranks[i], rank) > 0)
          << pipeline.stages[i].name << " of " << plan.summary.scheduler << " on rank " << rank;
}

TEST(PlacedPlans, keep_every_task_in_its_place) {
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=100000,o=50000,g=50000");
  std::mt19937 random(2);
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<std::string> places(6);
    for (std::string& place : places)
      if (random() % 2 == 0) place = fmt::format("rank: {}", random() % 3);
    for (const char* const settings : {"", "rate: 40 Hz\n", "rate: 20 Hz\nobjective: processors\n"}) {
      const Pipeline pipeline = pipeline_of(places, settings);
      const RanksByStage ranks = find_places(pipeline, std::vector<RankHost>(3)).ranks;
      const std::vector<PipelinePlan> plans =
          candidates_in_places(pipeline, costs_of(pipeline), {machine, 3}, ranks);
      ASSERT_FALSE(plans.empty());
      for (const PipelinePlan& plan : plans) expect_in_places(pipeline, ranks, plan);
      expect_in_places(pipeline, ranks, plan_in_places(pipeline, costs_of(pipeline), {machine, 3}, ranks));
    }
  }
}

TEST(PlacedPlans, are_the_same_without_places) {
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=100000,o=50000,g=50000");
  const Pipeline pipeline = pipeline_of({}, "rate: 40 Hz\n");
  const RanksByStage ranks = find_places(pipeline, std::vector<RankHost>(3)).ranks;
  EXPECT_EQ(plan_in_places(pipeline, costs_of(pipeline), {machine, 3}, ranks).schedule(),
            plan_pipeline(pipeline, costs_of(pipeline), {machine, 3}).schedule());
}

TEST(PlacedPlans, of_one_rank_move_to_that_rank) {
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=100000,o=50000,g=50000");
  const Pipeline pipeline = pipeline_of({"rank: 2"}, "rate: 1 Hz\n");
  const RanksByStage ranks = find_places(pipeline, std::vector<RankHost>(3)).ranks;
  const auto plan = low_load_in_places(pipeline, costs_of(pipeline), {machine, 3}, ranks);
  ASSERT_TRUE(plan);
  for (const PlannedStage& stage : plan->summary.stages) EXPECT_EQ(stage.ranks, std::vector<std::size_t>{2});
}

TEST(PlacedPlans, that_are_read_are_refused_at_the_place_that_they_miss) {
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=100000,o=50000,g=50000");
  const Pipeline anywhere = pipeline_of({}, "rate: 1 Hz\n");
  const PipelinePlan plan = plan_pipeline(anywhere, costs_of(anywhere), {machine, 3});
  const Pipeline pipeline = pipeline_of({"", "rank: 1"}, "rate: 1 Hz\n");
  const RankPlaces places = find_places(pipeline, std::vector<RankHost>(3));
  try {
    check_places(pipeline, places, plan_from_yaml(to_yaml(plan), "s.yaml", pipeline, 3).summary);
    FAIL() << "it was accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("p.yaml:3:38: 'place' (rank 1): the plan has 'a' on rank 0: expected rank 1"));
  }
}

}  // namespace
}  // namespace takt::pipeline::test
