/// Do plans know what the pipeline's own kernels lose to messages?

#include "pipeline/profiling/boundary_prices.hpp"

#include <gtest/gtest.h>

#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/profiling/boundary_trials.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

constexpr Bytes large{256 << 10}, small{64 << 10};
constexpr Level within = Level::node;

/// s, a, b, c, o: a and b make frames of 256 KiB, c one of 64.
Pipeline chain_of_large_frames() {
  return load(
      "sources: {s: {type: synthetic, element: float32, axes: [sample=65536]}}\n"
      "tasks:\n  a: {kernel: pass, input: s}\n  b: {kernel: pass, input: a}\n"
      "  c: {kernel: select, axis: sample, first: 0, count: 16384, input: b}\n"
      "sinks: {o: {type: 'null', input: c}}\ndeployment: {ranks: 2}\n");
}

std::vector<StageCost> made_up_costs(const Pipeline& pipeline) {
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages) costs.push_back({.stage = stage.name, .cost = Time{1000}});
  return costs;
}

logp::LinkCosts measured() {
  return {.latency = logp::Cost(100, 0.001),
          .send_overhead = logp::Cost(40, 0.01),
          .receive_overhead = logp::Cost(50, 0.1),
          .send_gap = logp::Cost(60, 0.2),
          .receive_gap = logp::Cost(60, 0.2)};
}

/// Two processors of one node.
logp::Machine machine_of_two() {
  return logp::Machine(Platform{.speeds = {1, 1}, .node_of = {0, 0}, .cluster_of_node = {0}, .network = {}},
                       measured());
}

TEST(BoundaryPrices, are_the_means_of_the_kernels_with_such_frames) {
  const Pipeline pipeline = chain_of_large_frames();
  std::vector<StageCost> costs = made_up_costs(pipeline);
  costs[1].reading = Time{10'000};
  costs[1].writing = Time{2'000};
  costs[2].reading = Time{30'000};
  costs[2].writing = Time{6'000};
  const logp::Machine priced = priced_by_kernels(machine_of_two(), pipeline, costs);
  const logp::LinkCosts& costs_within = priced.costs(within);
  EXPECT_EQ(costs_within.send_overhead.at(large), Time{40 + 4'000});
  EXPECT_EQ(costs_within.receive_overhead.at(large), Time{50 + 20'000});
  // The bytes keep nobody else waiting.
  EXPECT_EQ(costs_within.latency.at(large), Time{100});
  EXPECT_EQ(costs_within.send_gap.at(large), Time{60});
  // Twice as much costs twice as much, and smaller ones what they did.
  EXPECT_EQ(costs_within.receive_overhead.at(Bytes{2 * large.count}), Time{50 + 40'000});
  EXPECT_EQ(costs_within.receive_overhead.at(small), measured().receive_overhead.at(small));
  EXPECT_EQ(priced.costs(Level::cluster), measured());
}

TEST(BoundaryPrices, of_an_end_that_was_not_measured_are_those_of_links) {
  const Pipeline pipeline = chain_of_large_frames();
  std::vector<StageCost> costs = made_up_costs(pipeline);
  costs[1].writing = Time{2'000};
  const logp::Machine priced = priced_by_kernels(machine_of_two(), pipeline, costs);
  EXPECT_EQ(priced.costs(within).send_overhead.at(large), Time{40 + 2'000});
  EXPECT_EQ(priced.costs(within).receive_overhead.at(large), measured().receive_overhead.at(large));
}

TEST(BoundaryPrices, stay_what_was_measured_of_links_where_no_kernel_tells) {
  const Pipeline pipeline = chain_of_large_frames();
  const logp::Machine machine = machine_of_two();
  EXPECT_EQ(priced_by_kernels(machine, pipeline, made_up_costs(pipeline)), machine);
}

/// Reads two messages at once: each has its share of what that costs.
TEST(BoundaryPrices, of_several_inputs_are_shared_by_their_sizes) {
  const Pipeline pipeline = load(
      "sources:\n  s: {type: synthetic, element: float32, axes: [sample=65536]}\n"
      "tasks:\n  a: {kernel: pass, input: s}\n  b: {kernel: pass, input: s}\n"
      "  c: {kernel: sum, inputs: [a, b]}\n"
      "sinks: {o: {type: 'null', input: c}}\ndeployment: {ranks: 2}\n");
  std::vector<StageCost> costs = made_up_costs(pipeline);
  costs[3].reading = Time{30'000};
  const logp::Machine priced = priced_by_kernels(machine_of_two(), pipeline, costs);
  EXPECT_EQ(priced.costs(within).receive_overhead.at(large), Time{50 + 15'000});
}

/// Schedulers, the checker and the prediction have them from the machine.
TEST(BoundaryPrices, keep_tasks_together_that_lose_more_than_a_second_rank_gains) {
  Pipeline pipeline = chain_of_large_frames();
  // Or each rank does whole frames.
  for (Stage& stage : pipeline.stages) stage.stateless = false;
  std::vector<StageCost> costs = made_up_costs(pipeline);
  for (StageCost& cost : costs) cost.cost = std::chrono::microseconds(100);
  costs.back().cost = Time{0};
  const auto ranks_of_plan = [&](Time lost) {
    for (const std::size_t stage : {1U, 2U, 3U}) costs[stage].reading = lost;
    for (const std::size_t stage : {1U, 2U}) costs[stage].writing = lost;
    const PipelinePlan plan =
        plan_pipeline(pipeline, costs, {priced_by_kernels(machine_of_two(), pipeline, costs), 2, {}, true});
    std::size_t busy = 0;
    for (const auto& operations : plan.schedule().processors) busy += operations.empty() ? 0 : 1;
    return busy;
  };
  EXPECT_EQ(ranks_of_plan(std::chrono::microseconds(10)), 2U);
  EXPECT_EQ(ranks_of_plan(std::chrono::milliseconds(1)), 1U);
}

}  // namespace
}  // namespace takt::pipeline::test
