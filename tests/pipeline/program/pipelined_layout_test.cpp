/// Tests that the memory of a pipelined program keeps each output until its last use.
///
/// A simulation of each rank notes which frame was last written to each place and to each message of a ring
/// of the least depth, and looks there for the frames that a step needs.

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pipeline/program/execution.hpp"
#include "pipeline/program/layout.hpp"
#include "tests/pipeline/program/pipelined_schedules.hpp"
#include "tests/pipeline/program/random_pipelines.hpp"

namespace takt::pipeline::test {
namespace {

/// A frame of a stage.
using Content = std::pair<std::size_t, std::uint64_t>;

class MemoryOfRank {
 public:
  MemoryOfRank(const Pipeline& pipeline, const RankProgram& program, const Neighbourhood& neighbourhood)
      : pipeline_(pipeline), program_(program), layout_(lay_out(pipeline, program, neighbourhood)) {
    places_.resize(layout_.places);
    sent_.resize(program.sends.size());
  }

  [[nodiscard]] const Layout& layout() const { return layout_; }

  void run(std::uint64_t rounds) {
    for (round_ = 0; round_ < rounds; ++round_)
      for (const Step& step : program_.steps)
        if (round_ >= step.offset) run(step);
  }

 private:
  [[nodiscard]] std::uint64_t iteration_of(const Step& step) const { return round_ - step.offset; }
  [[nodiscard]] const std::optional<Home>& home(std::size_t stage, const Step& step) const {
    const std::size_t phase = iteration_of(step) % program_.phases;
    return layout_.homes[(phase * program_.instances + step.instance) * pipeline_.stages.size() + stage];
  }

  void run(const Step& step) {
    const std::uint64_t iteration = iteration_of(step);
    if (step.kind == OperationKind::send) {
      EXPECT_EQ(sent_[step.index], iteration);
      for (const ChannelPlan::Part& part : program_.sends[step.index].parts) expect(part.stage, step);
      ++sent_[step.index];
    } else if (step.kind == OperationKind::compute) {
      for (const std::size_t input : pipeline_.stages[step.index].inputs) expect(input, step);
      if (const auto& own = home(step.index, step)) write(*own, step);
    }
  }

  /// Returns where an output of this iteration is.
  std::optional<Content>& memory(const Home& home, std::uint64_t iteration) {
    if (!home.channel) return places_[home.place];
    const std::size_t depth = program_.sends[*home.channel].least_depth;
    return messages_[{*home.channel, home.part, iteration % depth}];
  }
  void write(const Home& home, const Step& step) {
    // The next message of the channel must be that of this frame.
    EXPECT_EQ(home.channel ? sent_[*home.channel] : iteration_of(step), iteration_of(step));
    memory(home, iteration_of(step)) = Content{step.index, iteration_of(step)};
  }
  void expect(std::size_t stage, const Step& step) {
    const auto& place = home(stage, step);
    if (!place) return;
    EXPECT_EQ(memory(*place, iteration_of(step)), (Content{stage, iteration_of(step)}))
        << pipeline_.stages[stage].name << " in iteration " << round_;
  }

  const Pipeline& pipeline_;
  const RankProgram& program_;
  Layout layout_;
  std::uint64_t round_ = 0;
  std::vector<std::optional<Content>> places_;
  /// By channel, part and position in the ring.
  std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, std::optional<Content>> messages_;
  std::vector<std::uint64_t> sent_;
};

TEST(PipelinedLayout, keeps_each_output_until_its_last_use) {
  std::size_t with_copies = 0, in_messages = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Pipeline pipeline = random_pipeline(random);
    const TaskGraph graph = random_graph(pipeline, random);
    const PipelinedSchedules::Shape shape{.processors = 1 + random() % 4,
                                          .replicas = 1 + static_cast<std::uint32_t>(random() % 3)};
    const Schedule schedule = PipelinedSchedules(graph, shape, random).make();
    for (std::size_t rank = 0; rank < shape.processors; ++rank) {
      RankProgram program = make_program(pipeline, graph, schedule, ProcessorId(rank));
      program.tiled.clear();
      Neighbourhood neighbourhood;
      for (std::size_t c = 0; c < program.sends.size(); ++c)
        neighbourhood.is_shared.push_back(random() % 2 == 0);
      neighbourhood.lends_many.assign(pipeline.stages.size(), random() % 2 == 0);
      MemoryOfRank memory(pipeline, program, neighbourhood);
      memory.run(20);
      with_copies += program.phases > 1 && memory.layout().places > 1;
      for (const auto& home : memory.layout().homes) in_messages += home && home->channel;
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(with_copies, 100U);
  EXPECT_GT(in_messages, 100U);
}

/// s -> a -> b -> o on one rank. b works on the frame before that of a: with b first one place holds it.
TEST(PipelinedLayout, has_a_second_copy_only_of_an_output_that_is_made_before_the_earlier_one_is_used) {
  Pipeline pipeline;
  FrameType type{.element = ElementType::float32, .axes = {{"time", 100, {}}}};
  pipeline.stages = {stage_of(StageKind::source, "s", {}, type), stage_of(StageKind::kernel, "a", {0}, type),
                     stage_of(StageKind::kernel, "b", {1}, type), stage_of(StageKind::sink, "o", {2}, type)};
  const TaskGraph graph = pipeline.task_graph({Time{1}, Time{1}, Time{1}, Time{1}});
  const auto places = [&](Time of_b, Time of_a) {
    Schedule schedule("test", 1);
    schedule.repetition = Time{10};
    const ProcessorId rank(0);
    schedule.add_compute(rank, TaskId(0), Time{0}, Time{1});
    schedule.add_compute(rank, TaskId(1), of_a, of_a + Time{1});
    schedule.add_compute(rank, TaskId(2), of_b + Time{10}, of_b + Time{11});
    schedule.add_compute(rank, TaskId(3), of_b + Time{11}, of_b + Time{12});
    const RankProgram program = make_program(pipeline, graph, schedule, rank);
    EXPECT_EQ(largest_offset(program), 1U);
    return std::pair(program.phases, lay_out(pipeline, program, {{}, std::vector<bool>(4)}).places);
  };
  // b's own output needs the other place.
  EXPECT_EQ(places(Time{2}, Time{5}), std::pair(1U, std::size_t{2}));
  EXPECT_EQ(places(Time{5}, Time{2}), std::pair(2U, std::size_t{3}));
}

}  // namespace
}  // namespace takt::pipeline::test
