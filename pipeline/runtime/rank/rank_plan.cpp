#include "pipeline/runtime/rank/rank_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/available_memory.hpp"
#include "core/system/caches.hpp"
#include "core/system/host_name.hpp"
#include "logp/calibration/quick.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/costs/core_choice.hpp"
#include "pipeline/costs/host_costs.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/planning/candidates.hpp"
#include "pipeline/planning/memory_room.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/planning/placed_plans.hpp"
#include "pipeline/planning/verdict.hpp"
#include "pipeline/protocol/sent_schedule.hpp"
#include "pipeline/runtime/channels/channel_endpoint.hpp"
#include "pipeline/runtime/pinning.hpp"
#include "pipeline/runtime/rank/early_packets.hpp"
#include "pipeline/runtime/rank/host_profile.hpp"
#include "pipeline/runtime/rank/kept_values.hpp"
#include "pipeline/runtime/rank/restarting.hpp"
#include "pipeline/runtime/trials/group_measurement.hpp"
#include "pipeline/runtime/trials/trial_runs.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

Bytes largest_frame(const Pipeline& pipeline) {
  Bytes largest{64};
  for (const Stage& stage : pipeline.stages) largest = std::max(largest, stage.output.size());
  return largest;
}

/// True if the frames of a pipeline evict each other from the cache that the ranks of a node share. Each rank
/// uses one written and one read frame of each stage.
bool leave_cache(const Pipeline& pipeline) {
  std::uint64_t bytes = 0;
  for (const Stage& stage : pipeline.stages)
    if (stage.kind != StageKind::sink) bytes += stage.output.size().count;
  const std::optional<Bytes> cache = largest_cache();
  return cache && 2 * bytes * pipeline.deployment.ranks > cache->count;
}

/// Depth of a channel, in frames, while links are measured.
constexpr std::size_t measured_window = 8;

/// Returns, on rank 0, the machine that the pipeline names, or the links between these ranks, as measured now
/// or by an earlier run. Collective.
std::optional<logp::Machine> find_machine(const Pipeline& pipeline, const std::vector<int>& nodes,
                                          KeptValues& kept) {
  if (!pipeline.deployment.machine.empty()) return logp::parse_machine(pipeline.deployment.machine);
  const auto from_text = [](const std::string& text) { return logp::machine_from_yaml(text, "kept links"); };
  if (std::optional<logp::Machine> links = kept.find(Kept::links, from_text)) return links;
  set_phase(Phase::measuring_links);
  std::optional<logp::Machine> links = logp::measure_quickly(
      MPI_COMM_WORLD,
      {.largest = largest_frame(pipeline),
       .endpoints = channel_endpoints(MPI_COMM_WORLD, measured_window, nodes, leave_cache(pipeline)),
       .window = measured_window});
  kept.keep(Kept::links, links ? to_yaml(*links) : "");
  return links;
}

/// Plans that rank 0 considers; empty on the other ranks.
struct ConsideredPlans {
  std::vector<PipelinePlan> plans;
  /// Whether trial runs may choose among them, and improve the prediction.
  bool may_be_tried = true;
};

/// Returns a machine of these ranks with links that cost nothing.
logp::Machine free_links(const std::vector<int>& nodes) {
  const logp::Machine flat = logp::parse_machine(fmt::format("logp:P={},L=0,o=0,g=0", nodes.size()));
  Platform platform = flat.platform();
  std::map<int, std::uint32_t> numbers;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    platform.node_of[rank] =
        numbers.try_emplace(nodes[rank], static_cast<std::uint32_t>(numbers.size())).first->second;
  platform.cluster_of_node.assign(numbers.size(), 0);
  return logp::Machine(std::move(platform), flat.level_costs());
}

/// Returns the costs of tasks: given ones on rank 0, otherwise those measured now or by an earlier run, on
/// all ranks. Collective.
std::vector<StageCost> find_costs(const Pipeline& pipeline, const RankOptions& options, int rank,
                                  KeptValues& kept, RankTasks& tasks) {
  if (options.profile) return rank == 0 ? read_profile(*options.profile, pipeline) : std::vector<StageCost>{};
  if (std::optional<std::vector<StageCost>> costs = kept.find(Kept::costs, costs_from_text)) return *costs;
  std::vector<StageCost> costs = costs_of_best_cores(pipeline, tasks, [&] {
    return profile_hosts(pipeline, MPI_COMM_WORLD, {.checks_memory = options.run.checks_memory});
  });
  kept.keep(Kept::costs, costs_to_text(costs));
  return costs;
}

/// Returns the plans of rank 0: that of the given schedule, or those that follow from measured costs.
/// Measures the links if more than one rank may be needed. Collective.
ConsideredPlans consider_plans(const Pipeline& pipeline, const RankOptions& options,
                               const std::vector<int>& nodes, const std::vector<NodeShare>& shares, int rank,
                               KeptValues& kept, RankTasks& tasks, const RankPlaces& places) {
  // Cores of the node with the fewest.
  const std::size_t processors = std::ranges::min(shares, {}, &NodeShare::processors).processors;
  const auto ranks_at_once = [&] { return std::max<std::size_t>(1, processors / tasks.cores()); };
  ConsideredPlans considered;
  if (options.schedule) {
    if (rank == 0)
      considered.plans.push_back(plan_from_yaml(sent_schedule(*options.schedule), options.schedule->string(),
                                                pipeline, ranks_at_once()));
    return considered;
  }
  std::vector<StageCost> costs = find_costs(pipeline, options, rank, kept, tasks);
  if (!costs.empty()) tasks.use(pipeline.deployment.cores_per_rank.value_or(costs.front().cores));
  const std::size_t cores = ranks_at_once();
  const std::string& named = pipeline.deployment.machine;
  // A run that may adapt re-plans with the machine of its plan, and must know the links.
  if (rank == 0 && (!options.adapts || !named.empty())) {
    const logp::Machine machine = named.empty() ? free_links(nodes) : logp::parse_machine(named);
    if (auto plan = low_load_in_places(pipeline, costs, {machine, cores}, places.ranks))
      considered.plans.push_back(*std::move(plan));
  }
  considered.may_be_tried = mpi::broadcast(considered.plans.empty() ? "1" : "0", MPI_COMM_WORLD) == "1";
  if (!considered.may_be_tried) return considered;
  const auto has_groups = [](const StageCost& cost) { return !cost.groups.empty(); };
  if (!options.profile && costs.front().by_rank.empty() && std::ranges::none_of(costs, has_groups)) {
    measure_groups(pipeline, costs, MPI_COMM_WORLD);
    kept.keep(Kept::costs, costs_to_text(costs));
  }
  const std::optional<logp::Machine> machine = find_machine(pipeline, nodes, kept);
  if (rank != 0) return considered;
  set_phase(Phase::planning);
  considered.plans = candidates_in_places(
      pipeline, costs, {*machine, cores, pipeline.deployment.machine.empty()}, places.ranks);
  if (options.profile)
    for (const std::string& warning : profile_warnings(*options.profile, pipeline))
      for (PipelinePlan& plan : considered.plans) plan.summary.notes.push_back(warning);
  return considered;
}

/// Returns the plans of rank 0 on all ranks. Collective.
std::vector<SharedPlan> share_plans(const std::vector<PipelinePlan>& plans) {
  const std::string count = mpi::broadcast(fmt::format("{}", plans.size()), MPI_COMM_WORLD);
  std::vector<SharedPlan> shared(std::stoul(count));
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const bool is_mine = i < plans.size();
    const std::string text = is_mine ? to_text(SharedPlan{plans[i].summary, to_yaml(plans[i])}) : "";
    shared[i] = shared_plan_from_text(mpi::broadcast(text, MPI_COMM_WORLD));
  }
  return shared;
}

/// Keeps, on rank 0, the plans whose trial runs fit into the time and the memory of this host. Without the
/// best one by costs among them, keeps only that one. Returns the time for trial runs, 0 for none.
Time keep_plans_to_try(const Pipeline& pipeline, const RankOptions& options, ConsideredPlans& considered) {
  std::vector<PipelinePlan>& plans = considered.plans;
  const std::size_t best = best_by_costs(pipeline, plans);
  const std::optional<Bytes> free = available_memory();
  const Time time = time_for_trials(options.trial, pipeline, plans[best].summary, options.run.limits);
  const auto fits = [&](const PipelinePlan& plan) {
    const std::vector<std::uint64_t>& bytes = plan.summary.memory_bytes;
    const bool has_room =
        !free || std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}) <= free->count;
    return has_room && fits_trial(pipeline, plan.summary, time);
  };
  if (!considered.may_be_tried || !fits(plans[best])) {
    plans = {choose_by_costs(pipeline, std::move(plans))};
    return Time{0};
  }
  std::erase_if(plans, [&](const PipelinePlan& plan) { return !fits(plan); });
  return time;
}

/// Throws ConfigError, on rank 0, if the pipeline has a required latency and no plan holds it with the rate.
/// A given schedule is used all the same, and a dry run only reports it.
void refuse_misfit(const Pipeline& pipeline, const RankOptions& options, const PlanGoal& goal,
                   const std::vector<PlanFigures>& figures, int rank) {
  if (rank != 0 || options.schedule || options.is_dry_run) return;
  if (const std::optional<std::string> misfit = misfit_of(goal, figures))
    throw ConfigError(pipeline.latency_where, fmt::format("'latency': {}", *misfit));
}

/// A new plan, and whether a later run may use it again.
struct MadePlan {
  SharedPlan plan;
  bool is_settled = true;
};

/// Returns the plan to run, chosen by trial runs if they can matter; `output_placements` keeps their results.
/// Collective.
MadePlan make_plan(const Pipeline& pipeline, const RankOptions& options, const std::vector<int>& nodes,
                   int rank, Monitor& monitor, OutputPlacements& output_placements, KeptValues& kept,
                   RankTasks& tasks, const RankPlaces& places) {
  const std::vector<NodeShare> shares = node_shares(MPI_COMM_WORLD);
  ConsideredPlans considered = consider_plans(pipeline, options, nodes, shares, rank, kept, tasks, places);
  // Only rank 0 reads costs from a file.
  tasks.use(std::stoull(mpi::broadcast(fmt::format("{}", tasks.cores()), MPI_COMM_WORLD)));
  set_phase(Phase::waiting_for_plan);
  const Time on_rank_0 = rank == 0 ? keep_plans_to_try(pipeline, options, considered) : Time{0};
  std::vector<SharedPlan> plans = share_plans(considered.plans);
  const Time time(std::stoll(mpi::broadcast(fmt::format("{}", on_rank_0.count()), MPI_COMM_WORLD)));
  // Hosts differ in disk space for the output of sinks.
  const bool fit_here = std::ranges::all_of(
      plans, [&](const SharedPlan& plan) { return fits_trial(pipeline, plan.summary, time); });
  const bool are_tried =
      time > Time{0} && std::ranges::min(mpi::gather(fit_here ? 1 : 0, MPI_COMM_WORLD)) > 0;
  if (!are_tried) {
    std::vector<PlanFigures> figures;
    for (const SharedPlan& plan : plans) figures.push_back(figures_of(plan.summary));
    const PlanGoal goal = goal_by_costs(pipeline);
    refuse_misfit(pipeline, options, goal, figures, rank);
    return {std::move(plans[best_plan_of(goal, figures)]), !considered.may_be_tried};
  }
  // A kernel may fail in the trial run; the launcher needs the plan for the message.
  monitor.send({RankMessageKind::plan, to_text(plans.front().summary)});
  check_memory_of_node(plans.front().summary, nodes, rank);
  RunOptions run = options.run;
  run.output_placements = &output_placements;
  run.share = shares[static_cast<std::size_t>(rank)];
  run.share.cores = tasks.cores();
  run.processors = processors_to_keep_to(pipeline.deployment.pinning, places, nodes, tasks, MPI_COMM_WORLD);
  const TrialResults results = try_plans(pipeline, plans, nodes, run, time, MPI_COMM_WORLD);
  const PlanGoal goal = goal_by_trials(pipeline);
  refuse_misfit(pipeline, options, goal, results.figures, rank);
  MadePlan chosen{plans[results.chosen]};
  note_trials(chosen.plan.summary, plans, results);
  if (const std::optional<std::string> misfit = misfit_of(goal, results.figures))
    chosen.plan.summary.notes.push_back(*misfit);
  return chosen;
}

}  // namespace

void check_memory_of_node(const RunPlan& plan, const std::vector<int>& nodes, int rank) {
  const std::optional<Bytes> free = available_memory();
  if (!free || nodes[static_cast<std::size_t>(rank)] != rank) return;
  std::vector<std::size_t> ranks;
  for (std::size_t other = 0; other < nodes.size(); ++other)
    if (nodes[other] == rank) ranks.push_back(other);
  check_memory_room(plan, ranks, *free, host_name());
}

SharedPlan choose_plan(const Pipeline& pipeline, const RankOptions& options, const std::vector<int>& nodes,
                       int rank, Monitor& monitor, OutputPlacements& output_placements, RankTasks& tasks,
                       const RankPlaces& places) {
  if (auto plan = share_plan_of_before(MPI_COMM_WORLD)) return *std::move(plan);
  KeptValues kept(pipeline, options.cache_settings, options.is_fresh, rank);
  if (auto plan = kept.find(Kept::plan, shared_plan_from_text)) return *std::move(plan);
  std::optional<EarlyPackets> early;
  if (!options.is_dry_run) early.emplace(pipeline, nodes, rank);
  auto [plan, is_settled] =
      make_plan(pipeline, options, nodes, rank, monitor, output_placements, kept, tasks, places);
  // The launcher uses the plan of the rank that reports first.
  plan.summary.kept_files = is_settled ? kept.files_with_plan() : kept.files();
  if (is_settled) kept.keep(Kept::plan, to_text(plan));
  // Not kept with the plan: other runs have other packets.
  if (early) early->note(pipeline, plan.summary);
  return plan;
}

}  // namespace takt::pipeline
