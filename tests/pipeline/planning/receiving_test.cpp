/// Tests the cost of receiving, and the stage that it is charged to.

#include <gmock/gmock.h>

#include "pipeline/costs/profile.hpp"
#include "pipeline/costs/receiving_cost.hpp"
#include "pipeline/planning/candidates.hpp"
#include "pipeline/planning/receiving_charge.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ReceivingCost, grows_with_the_messages_of_a_frame) {
  const sensors::Reception few{.messages = 10, .bytes = Bytes{8000}},
      many{.messages = 1000, .bytes = Bytes{8000}};
  EXPECT_GT(receiving_cost(few), Time{0});
  EXPECT_GT(receiving_cost(many), 10 * receiving_cost(few));
  EXPECT_GT(receiving_cost({.messages = 4, .bytes = Bytes{65536}, .is_datagrams = false}), Time{0});
  EXPECT_GT(receiving_cost({.messages = 4, .bytes = Bytes{1}}), Time{0});
  EXPECT_EQ(receiving_cost({}), Time{0});
}

TEST(ReceivingCost, is_measured_for_sources_that_receive_on_a_thread) {
  const Pipeline live =
      load(R"(sources: {s: {type: tcp, server: "127.0.0.1:9", element: float32, axes: [time=4096]}}
sinks: {o: {type: 'null', input: s}}
)");
  EXPECT_GT(profile(live, {.budget = milliseconds(1)}).front().receiving, Time{0});
  const Pipeline made = load(R"(sources: {s: {type: synthetic, axes: [time=4096]}}
sinks: {o: {type: 'null', input: s}}
)");
  EXPECT_EQ(profile(made, {.budget = milliseconds(1)}).front().receiving, Time{0});
}

/// Returns a plan of two tasks of 5 ms after a source that receives for 2 ms, on two ranks and nodes.
PipelinePlan plan_on(std::size_t cores_per_rank) {
  const Pipeline pipeline = load(R"(sources: {s: {type: synthetic, axes: [time=4]}}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: a}
sinks: {o: {type: 'null', input: b}}
deployment: {ranks: 2}
scheduler: basic_fo
)");
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back({.stage = stage.name, .cost = milliseconds(stage.kind == StageKind::kernel ? 5 : 0)});
  costs.front().receiving = milliseconds(2);
  return plan_pipeline(pipeline, costs, {logp::parse_machine("logp:P=2,L=0,o=0,g=0"), cores_per_rank});
}

TEST(Receiving, is_charged_to_its_source_when_the_ranks_leave_no_core_free) {
  const PipelinePlan charged = plan_on(1);
  EXPECT_EQ(charged.summary.stages.front().cost_ns, 2'000'000);
  EXPECT_EQ(charged.summary.stages.front().receiving_ns, 2'000'000);
  EXPECT_THAT(charged.summary.notes,
              Contains(HasSubstr("the cost of 's' includes 2 ms of a core per frame for receiving")));
  EXPECT_LE(charged.summary.predicted_hz, 1e9 / 6e6 + 1);
  const PipelinePlan free = plan_on(2);
  EXPECT_EQ(free.summary.stages.front().cost_ns, 0);
  EXPECT_THAT(free.summary.notes, IsEmpty());
  // The latency counts from the arrival of the frame.
  EXPECT_EQ(charged.summary.predicted_latency_ns, free.summary.predicted_latency_ns);
}

/// The latency of a sink excludes the receiving cost of its own sources.
TEST(Receiving, is_not_part_of_the_latency_to_sinks_of_other_sources) {
  RunPlan plan;
  plan.stages = {{.name = "a", .kind = "source"},
                 {.name = "b", .kind = "source"},
                 {.name = "of_a", .kind = "sink", .inputs = {0}, .latency_ns = 1000},
                 {.name = "of_b", .kind = "sink", .inputs = {1}, .latency_ns = 1500},
                 {.name = "of_both", .kind = "sink", .inputs = {0, 1}, .latency_ns = 1000}};
  note_receiving({Time{300}, Time{100}, {}, {}, {}}, plan);
  EXPECT_EQ(plan.stages[2].latency_ns, 700);
  EXPECT_EQ(plan.stages[3].latency_ns, 1400);
  EXPECT_EQ(plan.stages[4].latency_ns, 600);
  EXPECT_EQ(plan.predicted_latency_ns, 1400);
}

}  // namespace
}  // namespace takt::pipeline::test
