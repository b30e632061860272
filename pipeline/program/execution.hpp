#pragma once
/// A pipeline and its schedule as executed by ranks, with the groups of the schedule expanded.
///
/// In a schedule with groups (core/graphs/task_groups.hpp), each member of a task's group becomes a stage,
/// and so does each redistribution of data between groups: the receiver assembles the parts that a member
/// needs; if the ranks share no memory, the sender first cuts a part from its block. The stages of the file
/// keep their numbers (a task has that of its first member, which counts its frames), and the added stages
/// follow. Data then move in messages as in any other schedule.
///
/// All ranks execute the schedule in one order, that of its starts; in a pipelined schedule, of those within
/// an iteration. Ranks that wait for each other, in groups or at channels, therefore cannot deadlock: the
/// first remaining item in that order can always proceed.

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/blocks.hpp"
#include "pipeline/program/program.hpp"

namespace takt::pipeline {

/// Type of the stages that only move data. They are stateless at the end of the stream, so that all members
/// of a group end with the same frame, with or without such stages.
inline constexpr std::string_view redistribution_type = "redistribution";

/// One member of a task's group.
struct Member {
  std::size_t index = 0;
  std::size_t size = 1;
  /// By instance of the schedule: the ranks of the group.
  std::vector<std::vector<std::size_t>> groups;

  /// Returns the group in which a rank is this member; it is unique (execution_of checks it).
  [[nodiscard]] const std::vector<std::size_t>& group_of(std::size_t rank) const;
};

/// Role of a stage in an execution, if it differs from the pipeline's stage.
struct StageRole {
  /// The pipeline's stage to which it belongs.
  std::size_t stage = 0;
  std::optional<Member> member = {};
  /// For a redistribution: the type of the whole frame, its output, and the available part of each input.
  struct Parts {
    FrameType frame;
    Box wanted;
    std::vector<Box> pieces;
  };
  std::optional<Parts> parts = {};
};

struct Execution {
  Pipeline pipeline;
  TaskGraph graph;
  Schedule schedule;
  /// By stage of this pipeline.
  std::vector<StageRole> roles;

  [[nodiscard]] RankProgram program_of(ProcessorId processor) const {
    return make_program(pipeline, graph, schedule, processor);
  }
  /// Makes a configured kernel for a stage of this execution of `whole`; a member's kernel owns its group.
  using GroupMaker = std::function<std::unique_ptr<Group>(std::size_t stage, const Member&)>;
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage, const Pipeline& whole,
                                                    const GroupMaker& make_group) const;
};

/// Returns true if two ranks share memory.
using SharesMemory = std::function<bool(std::size_t, std::size_t)>;

/// Pure function. The graph is the pipeline's own task graph; the schedule must be valid for it. Throws
/// ConfigError if a run cannot execute it: a task on several ranks whose kernel is not data-parallel, or on
/// more ranks than there are indices; groups of a task with different sizes in different instances, or with a
/// rank as the same member of different groups.
[[nodiscard]] Execution execution_of(const Pipeline& pipeline, const TaskGraph& graph,
                                     const Schedule& schedule, const SharesMemory& shares_memory);

}  // namespace takt::pipeline
