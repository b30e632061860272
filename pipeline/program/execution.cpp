#include "pipeline/program/execution.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/graphs/task_groups.hpp"
#include "core/offsets.hpp"

namespace takt::pipeline {

namespace {

/// A kernel that is a member of a group.
class MemberKernel final : public Kernel {
 public:
  MemberKernel(std::unique_ptr<Group> group, std::unique_ptr<Kernel> kernel)
      : group_(std::move(group)), kernel_(std::move(kernel)) {
    kernel_->join(*group_);
  }

  FrameType configure(std::span<const FrameType> inputs) override { return kernel_->configure(inputs); }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    return kernel_->process(inputs, output);
  }
  Outcome finish(const FrameBuffer& output) override { return kernel_->finish(output); }

 private:
  std::unique_ptr<Group> group_;
  std::unique_ptr<Kernel> kernel_;
};

/// By instance.
using Ranks = std::vector<std::size_t>;

/// Expands the groups of a schedule.
class Expansion {
 public:
  Expansion(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
            const SharesMemory& shares_memory)
      : pipeline_(pipeline),
        schedule_(schedule),
        shares_memory_(shares_memory),
        groups_(graph, schedule),
        first_starts_(schedule.replicas, std::vector<Time>(pipeline.stages.size())) {
    execution_.pipeline = pipeline;
    execution_.pipeline.keep_whole(schedule.whole_frames);
    names_.resize(pipeline.stages.size());
    places_.resize(pipeline.stages.size());
    execution_.roles.resize(pipeline.stages.size());
    for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) add_members(stage);
    for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) connect(stage);
  }

  Execution take() && {
    std::vector<Stage>& stages = execution_.pipeline.stages;
    // In the graph names must be unique; users see all members of a group under the task's name.
    for (std::size_t i = pipeline_.stages.size(); i < stages.size(); ++i) stages[i].name = names_[i];
    execution_.graph = execution_.pipeline.task_graph(std::vector<Time>(stages.size(), Time{0}));
    for (std::size_t i = pipeline_.stages.size(); i < stages.size(); ++i)
      stages[i].name = pipeline_.stages[execution_.roles[i].stage].name;
    write_schedule();
    return std::move(execution_);
  }

 private:
  /// Position in the order of an iteration: the redistribution before a stage, the stage, and the parts cut
  /// from its output after it.
  enum class Turn : std::uint8_t { before, itself, behind };

  [[noreturn]] void refuse(std::size_t stage, const std::string& why) const {
    throw ConfigError(fmt::format("task '{}' {}", pipeline_.stages[stage].name, why));
  }

  std::vector<std::size_t> ranks_of(std::size_t stage, std::uint32_t instance) const {
    std::vector<std::size_t> ranks;
    for (const ProcessorId processor : groups_.group(TaskId(stage), instance))
      ranks.push_back(processor.index());
    return ranks;
  }

  std::size_t size_of_group(std::size_t stage) const { return members_[stage].size(); }

  void check_group(std::size_t stage, const std::vector<std::vector<std::size_t>>& groups) const {
    const std::size_t size = groups.front().size(), most = pipeline_.most_members(stage);
    for (const auto& group : groups)
      if (group.size() != size)
        refuse(stage,
               fmt::format("uses {} ranks for one frame and {} for another: a run needs groups of one size",
                           size, group.size()));
    if (size > 1 && !pipeline_.stages[stage].distribution)
      refuse(stage,
             fmt::format("is on {} ranks at once ({}), but its {} is not data-parallel: expected one rank",
                         size, fmt::join(groups.front(), ", "), described_type(stage)));
    if (size > most)
      refuse(stage, fmt::format("is on {} ranks at once, but its frames can be divided among {} at most",
                                size, most));
    // A kernel object can have only one group.
    for (const auto& one : groups)
      for (const auto& other : groups)
        for (std::size_t k = 0; k < size && one != other && size > 1; ++k)
          if (one[k] == other[k])
            refuse(stage, fmt::format(
                              "has rank {} in two groups, ranks {} and ranks {}: a run needs disjoint groups",
                              one[k], fmt::join(one, ", "), fmt::join(other, ", ")));
  }

  [[nodiscard]] std::string described_type(std::size_t stage) const {
    const Stage& task = pipeline_.stages[stage];
    return fmt::format("{} '{}'", name_of(task.kind), task.type);
  }

  /// Adds a stage of the execution; returns its index.
  std::size_t add_stage(std::size_t origin, std::string name, std::vector<std::size_t> inputs,
                        FrameType output, Ranks places) {
    std::vector<Stage>& stages = execution_.pipeline.stages;
    stages.push_back(pipeline_.stages[origin]);
    Stage& stage = stages.back();
    stage.kind = StageKind::kernel;
    stage.inputs = std::move(inputs);
    stage.separable.clear();
    stage.output = std::move(output);
    names_.push_back(std::move(name));
    places_.push_back(std::move(places));
    execution_.roles.push_back({.stage = origin});
    return stages.size() - 1;
  }

  /// Adds a stage for each member of the group beyond the first.
  void add_members(std::size_t stage) {
    std::vector<std::vector<std::size_t>> groups;
    for (std::uint32_t instance = 0; instance < schedule_.replicas; ++instance) {
      groups.push_back(ranks_of(stage, instance));
      first_starts_[instance][stage] = groups_.runs(TaskId(stage), instance).front().operation->start;
    }
    check_group(stage, groups);
    const std::size_t size = groups.front().size();
    std::vector<std::size_t>& members = members_.emplace_back();
    for (std::size_t k = 0; k < size; ++k) {
      Ranks places;
      for (const auto& group : groups) places.push_back(group[k]);
      if (k == 0) {
        places_[stage] = std::move(places);
        members.push_back(stage);
      } else {
        members.push_back(add_stage(stage, fmt::format("{}[{}]", pipeline_.stages[stage].name, k), {}, {},
                                    std::move(places)));
      }
      StageRole& role = execution_.roles[members[k]];
      role.stage = stage;
      if (size > 1) role.member = Member{k, size, groups};
    }
    for (std::size_t k = 0; k < size; ++k) {
      Stage& member = execution_.pipeline.stages[members[k]];
      member.output = type_of(pipeline_.stages[stage].output, made_by(stage, k));
      // A member has one kernel, which has joined a group.
      if (size > 1) member.separable.clear();
    }
  }

  [[nodiscard]] Box made_by(std::size_t stage, std::size_t member) const {
    const Stage& task = pipeline_.stages[stage];
    const std::size_t size = size_of_group(stage);
    return size == 1 ? whole_frame(task.output)
                     : box_of(task.output, task.distribution->output, size, member);
  }

  void connect(std::size_t stage) {
    const Stage& task = pipeline_.stages[stage];
    const std::size_t size = size_of_group(stage);
    for (std::size_t k = 0; k < size; ++k) {
      std::vector<std::size_t> inputs;
      for (std::size_t i = 0; i < task.inputs.size(); ++i) {
        const FrameType& type = pipeline_.stages[task.inputs[i]].output;
        const Box wanted =
            size == 1 ? whole_frame(type) : box_of(type, task.distribution->inputs[i], size, k);
        inputs.push_back(input_of(task.inputs[i], wanted, stage, places_[members_[stage][k]]));
      }
      execution_.pipeline.stages[members_[stage][k]].inputs = std::move(inputs);
    }
  }

  /// Returns the stage that provides a box of `from`'s frames to `stage` on these ranks.
  std::size_t input_of(std::size_t from, const Box& wanted, std::size_t stage, Ranks places) {
    const std::vector<std::size_t>& members = members_[from];
    std::vector<std::size_t> inputs;
    std::vector<Box> pieces;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const Box made = made_by(from, m), part = intersection(made, wanted);
      if (part.empty() && !wanted.empty()) continue;
      const bool is_cut = part != made && !is_near(places_[members[m]], places);
      inputs.push_back(is_cut ? cut(from, m, part) : members[m]);
      pieces.push_back(is_cut ? part : made);
    }
    if (inputs.size() == 1 && pieces.front() == wanted) return inputs.front();
    const auto [known, is_new] = gathered_.try_emplace({from, box_key(wanted), places});
    if (!is_new) return known->second;
    const FrameType& type = pipeline_.stages[from].output;
    known->second = add_stage(stage,
                              fmt::format("{}<{}[{}]", pipeline_.stages[stage].name,
                                          pipeline_.stages[from].name, execution_.roles.size()),
                              std::move(inputs), type_of(type, wanted), std::move(places));
    StageRole& role = execution_.roles[known->second];
    role.parts = {type, wanted, std::move(pieces)};
    execution_.pipeline.stages[known->second].type = redistribution_type;
    turns_[known->second] = Turn::before;
    return known->second;
  }

  /// Adds a part of a member's output, on its own rank.
  std::size_t cut(std::size_t from, std::size_t member, const Box& part) {
    const std::size_t made = members_[from][member];
    const auto [known, is_new] = cut_.try_emplace({made, box_key(part)});
    if (!is_new) return known->second;
    const FrameType& type = pipeline_.stages[from].output;
    known->second =
        add_stage(from, fmt::format("{}>[{}]", pipeline_.stages[from].name, execution_.roles.size()), {made},
                  type_of(type, part), places_[made]);
    execution_.roles[known->second].parts = {type, part, {made_by(from, member)}};
    execution_.pipeline.stages[known->second].type = redistribution_type;
    turns_[known->second] = Turn::behind;
    return known->second;
  }

  /// Returns true if the data need not be sent to another node.
  [[nodiscard]] bool is_near(const Ranks& from, const Ranks& to) const {
    for (std::size_t instance = 0; instance < from.size(); ++instance)
      if (from[instance] != to[instance] && !shares_memory_(from[instance], to[instance])) return false;
    return true;
  }

  using BoxKey = std::vector<std::size_t>;
  static BoxKey box_key(const Box& box) {
    BoxKey key;
    for (const Block& block : box) key.insert(key.end(), {block.begin, block.end});
    return key;
  }

  struct Work {
    std::size_t stage = 0;
    std::uint32_t instance = 0;
    /// Position in the order of an iteration. The pipeline's stages are in topological order, so that work of
    /// zero duration comes after its inputs.
    std::tuple<Time, std::uint32_t, std::size_t, Turn, std::size_t> key;
  };

  /// `users`: by stage, the consumers of its output.
  [[nodiscard]] std::vector<Work> work_in_order(const std::vector<std::vector<std::size_t>>& users) const {
    std::vector<Work> order;
    for (std::uint32_t instance = 0; instance < schedule_.replicas; ++instance)
      for (std::size_t stage = 0; stage < users.size(); ++stage) {
        const auto start_of = [&](std::size_t each) {
          const std::size_t origin = execution_.roles[each].stage;
          return std::pair(first_starts_[instance][origin], origin);
        };
        const auto found = turns_.find(stage);
        const Turn turn = found == turns_.end() ? Turn::itself : found->second;
        auto [start, position] = start_of(stage);
        // Before its first consumer.
        if (turn == Turn::before)
          for (const std::size_t user : users[stage])
            std::tie(start, position) = std::min(std::pair(start, position), start_of(user));
        order.push_back({stage, instance, {start, instance, position, turn, stage}});
      }
    std::ranges::sort(order, {}, &Work::key);
    return order;
  }

  /// An operation of the expanded schedule, and its iteration relative to the first one of its frame.
  struct Placed {
    ProcessorId processor;
    Operation operation;
    std::int64_t offset = 0;
    decltype(Work::key) key;
  };

  /// Writes the operations in the order of an iteration, one per tick.
  void write_operations(std::vector<Placed> placed) {
    Schedule& schedule = execution_.schedule;
    const Time iteration(std::ssize(placed));
    std::ranges::stable_sort(placed, {}, &Placed::key);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      Operation& operation = placed[i].operation;
      operation.start = operation.end = Time(i) + placed[i].offset * iteration;
      schedule.add(placed[i].processor, operation);
    }
    if (!schedule_.repetition) return;
    schedule.repetition = iteration;
    for (std::vector<Operation>& operations : schedule.processors)
      std::ranges::sort(operations, {}, &Operation::start);
  }

  /// Each message is sent as soon as it is available and received just before it is needed.
  void write_schedule() {
    const TaskGraph& graph = execution_.graph;
    std::vector<std::vector<std::size_t>> users(graph.task_count());
    std::vector<DatumId> data(graph.task_count(), DatumId(0));
    for (EdgeId id : graph.edges()) {
      const Edge edge = graph.edge(id);
      users[edge.from.index()].push_back(edge.to.index());
      data[edge.from.index()] = edge.datum;
    }
    Schedule& schedule = execution_.schedule;
    schedule = Schedule(schedule_.scheduler, schedule_.processors.size());
    schedule.replicas = schedule_.replicas;
    /// By stage, instance and receiving rank; erased when received.
    std::map<std::tuple<std::size_t, std::uint32_t, std::size_t>, MessageId> under_way;
    std::vector<Placed> placed;
    for (const Work& work : work_in_order(users)) {
      const auto& [stage, instance, work_key] = work;
      const ProcessorId here(places_[stage][instance]);
      const auto add = [&](OperationKind kind, std::size_t subject) {
        Placed& next = placed.emplace_back(Placed{
            here, {kind, instance, static_cast<std::uint32_t>(subject), Time{0}, Time{0}}, 0, work_key});
        if (!schedule_.repetition) return;
        next.operation.start = std::get<Time>(work_key);
        next.offset = offset_of(next.operation, *schedule_.repetition);
        std::get<Time>(next.key) -= next.offset * *schedule_.repetition;
      };
      for (const std::size_t input : execution_.pipeline.stages[stage].inputs) {
        const auto message = under_way.find({input, instance, here.index()});
        if (message == under_way.end()) continue;
        add(OperationKind::receive, message->second.index());
        under_way.erase(message);
      }
      add(OperationKind::compute, stage);
      std::set<std::size_t> receivers;
      for (const std::size_t user : users[stage]) receivers.insert(places_[user][instance]);
      receivers.erase(here.index());
      for (const std::size_t there : receivers) {
        const MessageId message =
            schedule.add_message(here, ProcessorId(there), graph.datum_size(data[stage]), {&data[stage], 1});
        under_way.insert({{stage, instance, there}, message});
        add(OperationKind::send, message.index());
      }
    }
    write_operations(std::move(placed));
  }

  const Pipeline& pipeline_;
  const Schedule& schedule_;
  const SharesMemory& shares_memory_;
  TaskGroups groups_;
  /// By instance and stage of the pipeline.
  std::vector<std::vector<Time>> first_starts_;
  Execution execution_;
  /// By stage of the pipeline: the stages of its members.
  std::vector<std::vector<std::size_t>> members_;
  /// By stage of the execution.
  std::vector<std::string> names_;
  std::vector<Ranks> places_;
  std::map<std::size_t, Turn> turns_;
  std::map<std::tuple<std::size_t, BoxKey, Ranks>, std::size_t> gathered_;
  std::map<std::pair<std::size_t, BoxKey>, std::size_t> cut_;
};

}  // namespace

const std::vector<std::size_t>& Member::group_of(std::size_t rank) const {
  return *std::ranges::find_if(groups, [&](const auto& group) { return group[index] == rank; });
}

std::unique_ptr<Kernel> Execution::make_kernel(std::size_t stage, const Pipeline& whole,
                                               const GroupMaker& make_group) const {
  const StageRole& role = roles[stage];
  if (role.parts) return redistribution_kernel(role.parts->frame, role.parts->wanted, role.parts->pieces);
  std::unique_ptr<Kernel> kernel = whole.make_kernel(role.stage);
  if (!role.member) return kernel;
  return std::make_unique<MemberKernel>(make_group(role.stage, *role.member), std::move(kernel));
}

Execution execution_of(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
                       const SharesMemory& shares_memory) {
  if (runs_in_groups(graph, schedule)) return Expansion(pipeline, graph, schedule, shares_memory).take();
  Execution execution{pipeline, graph, schedule, {}};
  execution.pipeline.keep_whole(schedule.whole_frames);
  // The kernels of tiles have a part of the state each.
  execution.pipeline.keep_whole(schedule.travelling);
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage)
    execution.roles.push_back({.stage = stage});
  return execution;
}

}  // namespace takt::pipeline
