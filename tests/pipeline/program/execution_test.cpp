/// Tests that ranks which execute a schedule with groups, or a pipelined one, get the data that they need,
/// without deadlock.
///
/// A step machine simulates the ranks: it runs their programs with the smallest
/// channels, groups that begin together, and frames of known numbers. The test
/// compares the data of a member with those that its indices require.

#include "pipeline/program/execution.hpp"

#include <deque>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/task_groups.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/pipeline/program/pipelined_schedules.hpp"
#include "tests/pipeline/program/random_pipelines.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<std::uint32_t>;

/// Returns element `index` of a stage's whole frame.
std::uint32_t number_of(std::size_t stage, std::uint64_t frame, std::size_t index) {
  return static_cast<std::uint32_t>(stage * 1'000'003 + frame * 10'007 + index);
}

Numbers part_of(const FrameType& type, const Box& box, std::size_t stage, std::uint64_t frame) {
  Numbers numbers;
  for (std::size_t i = 0; i < type.element_count(); ++i) {
    std::size_t rest = i;
    bool is_in = true;
    for (std::size_t d = type.axes.size(); d-- > 0;) {
      const std::size_t index = rest % type.axes[d].size;
      rest /= type.axes[d].size;
      is_in = is_in && index >= box[d].begin && index < box[d].end;
    }
    if (is_in) numbers.push_back(number_of(stage, frame, i));
  }
  return numbers;
}

class StepMachine {
 public:
  StepMachine(const Pipeline& whole, const Execution& execution, std::size_t ranks)
      : whole_(whole), execution_(execution) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      ranks_.emplace_back();
      ranks_.back().program = execution.program_of(ProcessorId(rank));
      ranks_.back().held.resize(ranks_.back().program.receives.size());
      ranks_.back().released = ranks_.back().held;
    }
  }

  /// Returns whether all ranks complete this number of iterations.
  bool run(std::uint64_t rounds, std::mt19937& random) {
    std::size_t idle = 0;
    const auto is_over = [&] {
      return std::ranges::all_of(ranks_, [&](const Rank& rank) { return is_done(rank); });
    };
    rounds_ = rounds;
    while (!is_over()) {
      Rank& rank = ranks_[random() % ranks_.size()];
      const bool moved = !is_done(rank) && step(rank);
      idle = moved ? 0 : idle + 1;
      if (idle > 200 * ranks_.size()) return false;
    }
    return true;
  }

 private:
  struct Rank {
    RankProgram program;
    std::uint64_t round = 0;
    std::size_t next = 0;
    /// By frame and stage.
    std::map<std::pair<std::uint64_t, std::size_t>, Numbers> data;
    /// By channel of `receives`: messages received and not released, and those released.
    std::vector<std::size_t> held, released;
  };

  [[nodiscard]] bool is_done(const Rank& rank) const {
    return rank.program.steps.empty() || rank.round == rounds_ + largest_offset(rank.program);
  }
  [[nodiscard]] static std::uint64_t frame_of(const Rank& rank, const Step& step) {
    return (rank.round - step.offset) * rank.program.instances + step.instance;
  }

  [[nodiscard]] std::size_t number(const Rank& rank) const {
    return static_cast<std::size_t>(&rank - ranks_.data());
  }

  bool step(Rank& rank) {
    const Step& step = rank.program.steps[rank.next];
    const bool takes_part = rank.round >= step.offset && rank.round - step.offset < rounds_;
    if (takes_part && !do_step(rank, step)) return false;
    if (++rank.next < rank.program.steps.size()) return true;
    rank.next = 0;
    release(rank);
    ++rank.round;
    return true;
  }

  bool do_step(Rank& rank, const Step& step) {
    switch (step.kind) {
      case OperationKind::receive: {
        auto& channel = channel_to(rank, step.index);
        if (channel.size() == rank.held[step.index]) return false;
        const ChannelPlan& plan = rank.program.receives[step.index];
        rank.data[{frame_of(rank, step), plan.parts.front().stage}] = channel[rank.held[step.index]];
        ++rank.held[step.index];
        return true;
      }
      case OperationKind::send: {
        const ChannelPlan& plan = rank.program.sends[step.index];
        auto& channel = channels_[{number(rank), static_cast<std::size_t>(plan.peer), plan.tag}];
        if (channel.size() == plan.least_depth) return false;
        channel.push_back(rank.data.at({frame_of(rank, step), plan.parts.front().stage}));
        return true;
      }
      case OperationKind::compute:
        return compute(rank, step);
    }
    return false;
  }

  std::deque<Numbers>& channel_to(const Rank& rank, std::size_t index) {
    const ChannelPlan& plan = rank.program.receives[index];
    return channels_[{static_cast<std::size_t>(plan.peer), number(rank), plan.tag}];
  }

  /// Messages are released at the end of an iteration.
  void release(Rank& rank) {
    for (const Step& step : rank.program.steps) {
      if (step.kind != OperationKind::receive) continue;
      const std::uint64_t last_use = step.offset + rank.program.receives[step.index].kept;
      if (rank.held[step.index] == 0 || rank.released[step.index] + last_use > rank.round) continue;
      channel_to(rank, step.index).pop_front();
      --rank.held[step.index];
      ++rank.released[step.index];
    }
  }

  bool compute(Rank& rank, const Step& step) {
    const std::uint64_t frame = frame_of(rank, step);
    const StageRole& role = execution_.roles[step.index];
    const Stage& stage = execution_.pipeline.stages[step.index];
    const auto data = [&](std::size_t input) -> const Numbers& { return rank.data.at({frame, input}); };
    Numbers& made = rank.data[{frame, step.index}];
    if (role.parts) {
      std::vector<FrameView> inputs;
      for (const std::size_t input : stage.inputs)
        inputs.push_back({nullptr, std::as_bytes(std::span(data(input)))});
      made.assign(type_of(role.parts->frame, role.parts->wanted).element_count(), 0);
      (void)redistribution_kernel(role.parts->frame, role.parts->wanted, role.parts->pieces)
          ->process(inputs, {nullptr, std::as_writable_bytes(std::span(made))});
      return true;
    }
    if (role.member) {
      const std::vector<std::size_t>& group = role.member->group_of(number(rank));
      EXPECT_EQ(group, role.member->groups[step.instance]);
      EXPECT_EQ(group[role.member->index], number(rank));
      std::size_t& arrived = meetings_[{role.stage, frame}][number(rank)];
      arrived = 1;
      if (meetings_[{role.stage, frame}].size() < group.size()) return false;
    }
    const Stage& task = whole_.stages[role.stage];
    const std::size_t size = role.member ? role.member->size : 1,
                      index = role.member ? role.member->index : 0;
    for (std::size_t i = 0; i < task.inputs.size(); ++i) {
      const FrameType& type = whole_.stages[task.inputs[i]].output;
      const Box wanted =
          role.member ? box_of(type, task.distribution->inputs[i], size, index) : whole_frame(type);
      EXPECT_EQ(data(stage.inputs[i]), part_of(type, wanted, task.inputs[i], frame))
          << task.name << " " << index << " of " << size << ", input " << i;
    }
    const Box box =
        role.member ? box_of(task.output, task.distribution->output, size, index) : whole_frame(task.output);
    made = part_of(task.output, box, role.stage, frame);
    EXPECT_EQ(made.size() * sizeof(float), stage.output.size().count);
    return true;
  }

  const Pipeline& whole_;
  const Execution& execution_;
  std::vector<Rank> ranks_;
  std::uint64_t rounds_ = 0;
  /// From, to, tag: as many messages as the least depth.
  std::map<std::tuple<std::size_t, std::size_t, int>, std::deque<Numbers>> channels_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::map<std::size_t, std::size_t>> meetings_;
};

TEST(Execution, of_any_schedule_with_groups_moves_the_right_data_without_deadlock) {
  std::size_t with_groups = 0, with_copies = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const Pipeline pipeline = random_pipeline(random);
    const TaskGraph graph = random_graph(pipeline, random);
    const logp::Machine machine =
        logp::parse_machine(seed % 2 == 0 ? "logp:P=5,L=1000,o=500,g=500" : "logp:P=5,L=0,o=0,g=0");
    for (const char* const name : {"mixed_fo", "m_heft", "mcgas", "cpa"}) {
      const Schedule schedule = schedulers::find_scheduler(name).schedule(graph, machine, {});
      ASSERT_TRUE(logp::diagnose(graph, machine, schedule).empty());
      if (!runs_in_groups(graph, schedule)) continue;
      ++with_groups;
      with_copies += schedule.replicas > 1;
      // All ranks on one node, each on its own, and two nodes.
      for (const std::size_t node : {5U, 1U, 2U}) {
        const Execution execution = execution_of(
            pipeline, graph, schedule, [&](std::size_t a, std::size_t b) { return a / node == b / node; });
        EXPECT_TRUE(StepMachine(pipeline, execution, 5).run(3, random)) << name << " of seed " << seed;
      }
      if (HasFailure()) FAIL() << name << " of seed " << seed;
    }
  }
  EXPECT_GT(with_groups, 100U);
  EXPECT_GT(with_copies, 10U);
}

TEST(Execution, of_any_pipelined_schedule_moves_the_right_data_without_deadlock) {
  std::uint32_t largest_lag = 0, most_phases = 0, most_kept = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const Pipeline pipeline = random_pipeline(random);
    const TaskGraph graph = random_graph(pipeline, random);
    PipelinedSchedules::Shape shape{.processors = 1 + random() % 5,
                                    .replicas = 1 + static_cast<std::uint32_t>(random() % 3)};
    const bool has_groups = seed % 3 == 0 && shape.processors > 1;
    if (has_groups)
      for (const TaskId task : graph.tasks())
        shape.members.push_back(
            graph.task(task).moldable ? 1 + random() % std::min<std::size_t>(shape.processors, 4) : 1);
    if (std::ranges::count(shape.members, 1U) == std::ssize(shape.members)) shape.members.clear();
    const Schedule schedule = PipelinedSchedules(graph, shape, random).make();
    for (const std::size_t node : {5U, 1U, 2U}) {
      const Execution execution = execution_of(
          pipeline, graph, schedule, [&](std::size_t a, std::size_t b) { return a / node == b / node; });
      for (std::size_t rank = 0; rank < shape.processors; ++rank) {
        const RankProgram program = execution.program_of(ProcessorId(rank));
        largest_lag = std::max(largest_lag, largest_offset(program));
        most_phases = std::max(most_phases, program.phases);
        for (const ChannelPlan& plan : program.receives) most_kept = std::max(most_kept, plan.kept);
      }
      EXPECT_TRUE(StepMachine(pipeline, execution, shape.processors).run(1 + random() % 8, random));
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(largest_lag, 2U);
  EXPECT_GT(most_phases, 2U);
  EXPECT_GT(most_kept, 1U);
}

TEST(Execution, without_groups_is_the_schedule_itself) {
  std::mt19937 random(1);
  const Pipeline pipeline = random_pipeline(random);
  const TaskGraph graph = random_graph(pipeline, random);
  const logp::Machine machine = logp::parse_machine("logp:P=5,L=1000,o=500,g=500");
  const Schedule schedule = schedulers::find_scheduler("single").schedule(graph, machine, {});
  const Execution execution = execution_of(pipeline, graph, schedule, {});
  EXPECT_EQ(execution.schedule, schedule);
  EXPECT_EQ(execution.pipeline.stages.size(), pipeline.stages.size());
}

/// Returns the error for a data-parallel task of 4 rows between a source and a sink, with these groups.
std::string refusal(const std::vector<std::vector<std::size_t>>& groups, bool is_parallel = true) {
  Pipeline pipeline;
  const FrameType type{.element = ElementType::float32, .axes = {{"row", 4, {}}}};
  pipeline.stages = {stage_of(StageKind::source, "s", {}, type), stage_of(StageKind::kernel, "a", {0}, type),
                     stage_of(StageKind::sink, "o", {1}, type)};
  pipeline.stages[1].stateless = true;
  if (is_parallel) pipeline.stages[1].distribution = BlockDistribution{{0}, 0, 4};
  TaskGraphBuilder builder;
  for (const Stage& stage : pipeline.stages)
    builder.add_task({stage.name, Time(10), stage.stateless, MoldableProfile{.serial = 0.1}});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  Schedule schedule("hand", 6);
  schedule.replicas = static_cast<std::uint32_t>(groups.size());
  for (std::uint32_t instance = 0; instance < groups.size(); ++instance) {
    schedule.add_compute(ProcessorId(0), TaskId(0), Time(0), Time(1), instance);
    for (const std::size_t rank : groups[instance])
      schedule.add_compute(ProcessorId(rank), TaskId(1), Time(1), Time(2), instance);
    schedule.add_compute(ProcessorId(0), TaskId(2), Time(2), Time(3), instance);
  }
  try {
    (void)execution_of(pipeline, graph, schedule, [](std::size_t, std::size_t) { return true; });
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Execution, refuses_impossible_groups) {
  EXPECT_EQ(refusal({{0, 1}}), "taken");
  EXPECT_EQ(refusal({{0, 1}, {2, 3}}), "taken");
  EXPECT_THAT(refusal({{0, 2}}, false),
              HasSubstr("task 'a' is on 2 ranks at once (0, 2), but its kernel 'pass' is not data-parallel"));
  EXPECT_THAT(refusal({{0, 1, 2, 3, 4}}), HasSubstr("divided among 4 at most"));
  EXPECT_THAT(refusal({{0, 1}, {2, 3, 4}}), HasSubstr("uses 2 ranks for one frame and 3 for another"));
  EXPECT_THAT(refusal({{0, 1}, {0, 2}}), HasSubstr("has rank 0 in two groups, ranks 0, 1 and ranks 0, 2"));
}

}  // namespace
}  // namespace takt::pipeline::test
