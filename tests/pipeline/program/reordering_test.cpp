#include "pipeline/program/reordering.hpp"

#include <gmock/gmock.h>

#include "pipeline/program/layout.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// s -> a -> sums (with state) -> b -> o. For three of the four frames of an
/// iteration, s and a are on other ranks.
struct Collected {
  Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=1, x=100]}
tasks:
  a: {kernel: pass, input: s}
  sums: {kernel: integrate, input: a, factor: 2}
  b: {kernel: pass, input: sums}
sinks:
  o: {type: 'null', input: b}
)");
  RankProgram program{.instances = 4};

  [[nodiscard]] std::size_t stage(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(pipeline.stages, name, &Stage::name) -
                                    pipeline.stages.begin());
  }
  void compute(std::uint32_t instance, std::string_view name) {
    program.steps.push_back({OperationKind::compute, instance, stage(name)});
  }
  void receive(std::uint32_t instance, int rank) {
    ChannelPlan plan{.peer = rank, .instance = instance};
    plan.add(stage("a"), pipeline.stages[stage("a")].output.size().count);
    program.receives.push_back(plan);
    program.steps.push_back({OperationKind::receive, instance, program.receives.size() - 1});
  }
  void collect_all() {
    for (std::uint32_t instance = 0; instance < 4; ++instance)
      for (const char* name : {"sums", "b", "o"}) compute(instance, name);
  }
  /// Returns `2 a` for each step, and `2 <1` for the first message.
  [[nodiscard]] std::vector<std::string> text(const RankProgram& made,
                                              const std::optional<ReorderProgram::Part>& part) const {
    std::vector<std::string> names;
    for (std::size_t i = part.value().first; i < part.value().last; ++i) {
      const Step& step = made.steps[i];
      EXPECT_EQ(step.instance, part->instance);
      names.push_back(step.kind == OperationKind::receive ? "<" + std::to_string(step.index)
                                                          : pipeline.stages[step.index].name);
    }
    return names;
  }
};

TEST(ReorderProgram, separates_work_in_any_order_from_work_in_frame_order) {
  Collected c;
  for (const char* name : {"s", "a"}) c.compute(1, name);
  c.receive(0, 1);
  c.receive(2, 2);
  c.receive(3, 1);
  c.collect_all();
  const ReorderProgram made = reorder_program(c.pipeline, c.program);
  EXPECT_EQ(made.program.instances, 4U);
  EXPECT_EQ(made.work->instance, 1U);
  EXPECT_THAT(c.text(made.program, made.work), ElementsAre("s", "a"));
  EXPECT_THAT(c.text(made.program, made.rest), ElementsAre("sums", "b", "o"));
  ASSERT_EQ(made.received.size(), 3U);
  EXPECT_THAT(c.text(made.program, made.received[0]), ElementsAre("<0", "sums", "b", "o"));
  EXPECT_THAT(c.text(made.program, made.received[1]), ElementsAre("<1", "sums", "b", "o"));
  EXPECT_THAT(c.text(made.program, made.received[2]), ElementsAre("<2", "sums", "b", "o"));
  EXPECT_THAT(made.needed, ElementsAre(c.stage("a")));
  EXPECT_GE(early_frames(c.pipeline, made), 4U);
  EXPECT_EQ(early_memory(c.pipeline, made).count,
            early_frames(c.pipeline, made) * c.pipeline.stages[c.stage("a")].output.size().count);
}

/// Work in frame order, on frames of other ranks or earlier frames of this
/// rank, does not overwrite an output of this rank that waits.
TEST(ReorderProgram, keeps_the_outputs_of_its_early_work) {
  Collected c;
  for (const char* name : {"s", "a"}) c.compute(0, name);
  for (const int rank : {1, 2, 3}) c.receive(static_cast<std::uint32_t>(rank), rank);
  c.collect_all();
  const ReorderProgram made = reorder_program(c.pipeline, c.program);
  const Layout layout =
      lay_out(c.pipeline, made.program, {{}, std::vector<bool>(c.pipeline.stages.size(), true)});
  const auto place = [&](std::uint32_t instance, std::string_view name) {
    return layout.homes[instance * c.pipeline.stages.size() + c.stage(name)].value().place;
  };
  for (std::uint32_t instance = 0; instance < 4; ++instance)
    for (const char* name : {"sums", "b"})
      EXPECT_NE(place(instance, name), place(0, "a")) << instance << name;
}

TEST(ReorderProgram, of_a_rank_that_only_reorders_has_no_work) {
  Collected c;
  for (std::uint32_t instance = 0; instance < 4; ++instance) c.receive(instance, 1);
  c.collect_all();
  const ReorderProgram made = reorder_program(c.pipeline, c.program);
  EXPECT_FALSE(made.work);
  EXPECT_FALSE(made.rest);
  EXPECT_EQ(made.received.size(), 4U);
  EXPECT_THAT(made.needed, IsEmpty());
  EXPECT_EQ(early_memory(c.pipeline, made).count, 0U);
}

TEST(ReorderProgram, is_for_ranks_that_receive_and_do_not_send) {
  Collected c;
  EXPECT_FALSE(may_reorder(c.pipeline, c.program));
  c.receive(0, 1);
  EXPECT_TRUE(may_reorder(c.pipeline, c.program));
  c.pipeline.stages[c.stage("s")].stateless = false;
  EXPECT_FALSE(may_reorder(c.pipeline, c.program));
  c.pipeline.stages[c.stage("s")].stateless = true;
  c.program.sends.push_back(c.program.receives.front());
  EXPECT_FALSE(may_reorder(c.pipeline, c.program));
}

}  // namespace
}  // namespace takt::pipeline::test
