#pragma once
/// A pipeline and its schedule as ranks carry them out: with the groups of the schedule taken apart.
///
/// Where a schedule has groups (core/graphs/task_groups.hpp), each member of a task's group becomes a stage
/// of its own, and so does the redistribution of data between groups: on the receiver's side the parts that a
/// member needs are put together; on the sender's side a part is cut out of a block first where the two ranks
/// share no memory. The stages of the file keep their numbers (a task's is that of its first member, which
/// counts its frames), the others follow them. Data then move by messages like those of any other schedule.
///
/// All ranks carry out what the schedule says in one order, that of its starts; so ranks that wait for each
/// other, in groups and at channels, never do so in a circle: what is first in that order of all that is left
/// can always go on.

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

/// The type of stages that only move data: they hold nothing back at the end of the stream, so that all
/// members of a group see it with the same frame, whether or not their data were moved by such a stage.
inline constexpr std::string_view redistribution_type = "redistribution";

/// One member of a task's group.
struct Member {
  std::size_t index = 0;
  std::size_t size = 1;
  /// By instance of the schedule: the ranks of the group.
  std::vector<std::vector<std::size_t>> groups;

  /// The group in which a rank is this member; they are all the same (execution_of sees to it).
  [[nodiscard]] const std::vector<std::size_t>& group_of(std::size_t rank) const;
};

/// What a stage of an execution is, where it is not simply one of the pipeline's.
struct StageRole {
  /// The stage of the pipeline that it belongs to.
  std::size_t stage = 0;
  std::optional<Member> member = {};
  /// Of a redistribution: the whole frame's type, what is made, and what of each input is there.
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
  /// A configured kernel for a stage of this execution of `whole`; a member's keeps its group.
  using GroupMaker = std::function<std::unique_ptr<Group>(std::size_t stage, const Member&)>;
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage, const Pipeline& whole,
                                                    const GroupMaker& make_group) const;
};

/// Whether two ranks share memory.
using SharesMemory = std::function<bool(std::size_t, std::size_t)>;

/// Pure. The graph is the pipeline's own task graph; the schedule must be valid for it. Throws ConfigError
/// where a run cannot do what it says: a task on several ranks whose kernel is not data-parallel, or on more
/// than there are indices to divide; groups of a task that differ in size from one instance to the next, or
/// in which a rank is the same member of different groups.
[[nodiscard]] Execution execution_of(const Pipeline& pipeline, const TaskGraph& graph,
                                     const Schedule& schedule, const SharesMemory& shares_memory);

}  // namespace takt::pipeline
