#include "schedulers/plan/auto_choice.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace plan_auto_choice_test {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const logp::Machine machine = logp::parse_machine("logp:P=3,L=1,o=1,g=2");

TEST(AutoChoice, is_not_worse_than_any_scheduler) {
  const Options options{.effort = 500};
  for (const char* text :
       {"gauss:size=5,cost=3..9,ccr=1", "fft:depth=3", "layered:tasks=40,cost=1..9,ccr=0.5"}) {
    const TaskGraph graph = generate(text);
    for (const Objective objective : judged_objectives) {
      const AutoChoice choice =
          choose_scheduler(graph, machine, {.objective = objective, .options = options}, 2);
      const Figures chosen = evaluate(*choice.scheduler, graph, machine, options).figures;
      for (const Scheduler& scheduler : all_schedulers()) {
        if (scheduler.traits.proves.value_or(objective) != objective) continue;
        const Figures other = evaluate(scheduler, graph, machine, options).figures;
        EXPECT_FALSE(other.valid && is_better(other, chosen, objective)) << text << ": " << scheduler.name;
      }
    }
  }
}

TEST(AutoChoice, depends_on_the_objective_and_not_on_the_threads) {
  // Pipelines that keep all processors busy have long latencies; a list scheduler has short ones.
  const TaskGraph graph = generate("gauss:size=6,cost=3..9,ccr=1");
  const Options options{.effort = 500};
  const auto name = [&](Objective objective, std::size_t threads) {
    return std::string(choose_scheduler(graph, machine, {.objective = objective, .options = options}, threads)
                           .scheduler->name);
  };
  EXPECT_NE(name(Objective::makespan, 1), name(Objective::frequency, 1));
  EXPECT_EQ(name(Objective::makespan, 1), name(Objective::makespan, 7));
  EXPECT_EQ(name(Objective::frequency, 1), name(Objective::frequency, 7));
}

TEST(AutoChoice, breaks_ties_by_fewer_processors_then_by_the_order_of_the_list) {
  // A chain gains nothing from a second processor: many find all tasks on one, the best by both objectives.
  const AutoChoice choice = choose_scheduler(generate("chain:depth=4"), logp::Machine::delay(2),
                                             {.objective = Objective::makespan}, 1);
  EXPECT_EQ(choice.ranking.front().figures->processors_used, 1U);
  EXPECT_THAT(to_text(choice), StartsWith("auto chose "));
  EXPECT_THAT(to_text(choice), HasSubstr("makespan 5, the lower bound: optimal\n"));
  EXPECT_THAT(to_text(choice), HasSubstr("as good, but they stand later in the list: "));
}

TEST(AutoChoice, leaves_out_slow_schedulers_on_a_large_graph) {
  const Options options{.effort = 10};
  const AutoChoice small = choose_scheduler(generate("layered:tasks=50"), machine,
                                            {.objective = Objective::makespan, .options = options}, 2);
  EXPECT_THAT(small.left_out, IsEmpty());
  const AutoChoice large = choose_scheduler(generate("layered:tasks=6100,density=0.0005"), machine,
                                            {.objective = Objective::makespan, .options = options}, 2);
  EXPECT_THAT(large.left_out, Contains("dcp"));
  EXPECT_THAT(to_text(large), HasSubstr("not tried, graph too large: "));
}

/// With more time it would have succeeded.
TEST(AutoChoice, distinguishes_stopped_schedulers_from_failed_ones) {
  AutoChoice choice = choose_scheduler(generate("chain:depth=4"), logp::Machine::delay(2),
                                       {.objective = Objective::makespan}, 1);
  ComparisonRow stopped, refused;
  stopped.scheduler = "optfo";
  stopped.error = "time limit of 10 s";
  stopped.was_stopped = true;
  refused.scheduler = "brent";
  refused.error = "not for such a graph";
  choice.ranking.push_back(stopped);
  choice.ranking.push_back(refused);
  EXPECT_THAT(to_text(choice), HasSubstr("  stopped at the time limit: optfo\n"));
  EXPECT_THAT(to_text(choice), ContainsRegex("  not supported for this graph and machine:.* brent\n"));
}

/// It would take most of the time, without a benefit.
TEST(AutoChoice, leaves_out_schedulers_that_prove_another_objective) {
  const TaskGraph graph = generate("gauss:size=4,ccr=1");
  const Options options{.effort = 50};
  for (const Objective objective : judged_objectives) {
    const AutoChoice choice =
        choose_scheduler(graph, machine, {.objective = objective, .options = options}, 1);
    const std::string_view other = objective == Objective::makespan ? "exact_fo" : "exact_makespan";
    EXPECT_THAT(choice.proving_else, ElementsAre(other));
    for (const ComparisonRow& row : choice.ranking) EXPECT_NE(row.scheduler, other);
    EXPECT_THAT(to_text(choice), HasSubstr(fmt::format("proof of another objective: {}\n", other)));
  }
}

TEST(AutoChoice, lists_all_tried_schedulers_for_programs) {
  const AutoChoice choice =
      choose_scheduler(generate("fft:depth=2"), machine, {.options = {.effort = 50}}, 1);
  const auto json = nlohmann::json(choice_json(choice));
  EXPECT_EQ(json["objective"], "frequency");
  EXPECT_EQ(json["ranking"].size() + 1, all_schedulers().size());
  EXPECT_EQ(json["proving_else"], nlohmann::json({"exact_makespan"}));
  EXPECT_EQ(json["ranking"][0]["scheduler"], std::string(choice.scheduler->name));
  for (std::size_t i = 1; i < json["ranking"].size(); ++i)
    EXPECT_LE(json["ranking"][i - 1]["period"].get<double>(), json["ranking"][i]["period"].get<double>());
}

}  // namespace plan_auto_choice_test
}  // namespace takt::schedulers
