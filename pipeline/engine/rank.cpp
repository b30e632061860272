#include "pipeline/engine/rank.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include <fmt/format.h>
#include <mpi.h>

#include "core/available_memory.hpp"
#include "core/caches.hpp"
#include "core/error.hpp"
#include "core/host_name.hpp"
#include "core/one_line.hpp"
#include "core/text_file.hpp"
#include "logp/calibration/quick.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/mpi/blocking.hpp"
#include "logp/mpi/session.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/channels/channel_endpoint.hpp"
#include "pipeline/channels/nodes.hpp"
#include "pipeline/engine/change_over.hpp"
#include "pipeline/engine/group_measurement.hpp"
#include "pipeline/engine/host_profile.hpp"
#include "pipeline/engine/monitor.hpp"
#include "pipeline/engine/pinning.hpp"
#include "pipeline/engine/privileges.hpp"
#include "pipeline/engine/rank_run.hpp"
#include "pipeline/engine/restarting.hpp"
#include "pipeline/engine/trial_runs.hpp"
#include "pipeline/launch/last_words.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/launch/restart_folder.hpp"
#include "pipeline/launch/sent_schedule.hpp"
#include "pipeline/planning/candidates.hpp"
#include "pipeline/planning/deep_queues.hpp"
#include "pipeline/planning/memory_room.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/planning/plan_cache.hpp"
#include "pipeline/profiling/profile_file.hpp"

namespace takt::pipeline {

namespace {

Bytes largest_frame(const Pipeline& pipeline) {
  Bytes largest{64};
  for (const Stage& stage : pipeline.stages) largest = std::max(largest, stage.output.size());
  return largest;
}

/// Whether the frames of a pipeline drive each other out of the cache that the ranks of a node share: one
/// that is written, and one that is read of each, on each rank.
bool leave_cache(const Pipeline& pipeline) {
  std::uint64_t bytes = 0;
  for (const Stage& stage : pipeline.stages)
    if (stage.kind != StageKind::sink) bytes += stage.output.size().count;
  const std::optional<Bytes> cache = largest_cache();
  return cache && 2 * bytes * pipeline.deployment.ranks > cache->count;
}

/// Frames in the window of a channel while links are measured.
constexpr std::size_t measured_window = 8;

/// Which ranks are to share memory (channels/nodes.hpp). Collective.
std::vector<int> nodes_of(const Pipeline& pipeline, MPI_Comm communicator) {
  if (pipeline.deployment.transport == Transport::automatic) return nodes_of_ranks(communicator);
  std::vector<int> nodes(pipeline.deployment.ranks);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

/// On rank 0 the machine that the pipeline names, or the links between these ranks as they are. Collective.
std::optional<logp::Machine> find_machine(const Pipeline& pipeline, const std::vector<int>& nodes,
                                          MPI_Comm communicator) {
  if (!pipeline.deployment.machine.empty()) return logp::parse_machine(pipeline.deployment.machine);
  set_phase(Phase::measuring_links);
  return logp::measure_quickly(communicator, {.largest = largest_frame(pipeline),
                                              .endpoints = channel_endpoints(communicator, measured_window,
                                                                             nodes, leave_cache(pipeline)),
                                              .window = measured_window});
}

/// On the first rank of each node: throws ConfigError unless there is room for the frames of its ranks.
void check_memory_of_node(const RunPlan& plan, const std::vector<int>& nodes, int rank) {
  const std::optional<Bytes> free = available_memory();
  if (!free || nodes[static_cast<std::size_t>(rank)] != rank) return;
  std::vector<std::size_t> ranks;
  for (std::size_t other = 0; other < nodes.size(); ++other)
    if (nodes[other] == rank) ranks.push_back(other);
  check_memory_room(plan, ranks, *free, host_name());
}

/// The plans that rank 0 considers; nothing on the other ranks.
struct ConsideredPlans {
  std::vector<PipelinePlan> plans;
  /// Whether trial runs may choose among them, and improve the prediction.
  bool may_be_tried = true;
};

/// The machine of these ranks with links that cost nothing.
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

/// On rank 0 the costs of tasks, given or measured. Collective.
std::vector<StageCost> find_costs(const Pipeline& pipeline, const RankOptions& options, int rank) {
  if (options.profile) return rank == 0 ? read_profile(*options.profile, pipeline) : std::vector<StageCost>{};
  return profile_hosts(pipeline, MPI_COMM_WORLD, {.checks_memory = options.run.checks_memory});
}

/// Rank 0's plans: of the schedule that it was given, or what follows from measured costs. Links are measured
/// where more than one rank may be needed. Collective.
ConsideredPlans consider_plans(const Pipeline& pipeline, const RankOptions& options,
                               const std::vector<int>& nodes, const std::vector<NodeShare>& shares,
                               int rank) {
  // Of the node with the fewest.
  const std::size_t cores = std::ranges::min(shares, {}, &NodeShare::processors).processors;
  ConsideredPlans considered;
  if (options.schedule) {
    if (rank == 0)
      considered.plans.push_back(
          plan_from_yaml(sent_schedule(*options.schedule), options.schedule->string(), pipeline, cores));
    return considered;
  }
  std::vector<StageCost> costs = find_costs(pipeline, options, rank);
  if (rank == 0)
    if (auto plan = plan_for_low_load(pipeline, costs, {free_links(nodes), cores}))
      considered.plans.push_back(*std::move(plan));
  considered.may_be_tried = mpi::broadcast(considered.plans.empty() ? "1" : "0", MPI_COMM_WORLD) == "1";
  if (!considered.may_be_tried) return considered;
  if (!options.profile && costs.front().by_rank.empty()) measure_groups(pipeline, costs, MPI_COMM_WORLD);
  const std::optional<logp::Machine> machine = find_machine(pipeline, nodes, MPI_COMM_WORLD);
  if (rank != 0) return considered;
  set_phase(Phase::planning);
  considered.plans = candidate_plans(pipeline, costs, {*machine, cores, pipeline.deployment.machine.empty()});
  if (options.profile)
    for (const std::string& doubt : doubts_of_profile(*options.profile, pipeline))
      for (PipelinePlan& plan : considered.plans) plan.summary.notes.push_back(doubt);
  return considered;
}

/// Rank 0's plans on all ranks. Collective.
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

/// On rank 0 the plans whose trial runs fit into the time and the memory of this host, if the best one by
/// costs is among them; otherwise that one alone. Tells for how long they are tried, 0 where they are not.
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

/// On all ranks the plan of an earlier run, where rank 0 finds one, and the `key` of a plan to keep.
/// Collective.
std::optional<SharedPlan> find_kept_plan(const Pipeline& pipeline, const RankOptions& options, int rank,
                                         std::string& key) {
  if (!options.cache_settings) return std::nullopt;
  std::string text;
  if (rank == 0) {
    key = cache_key(pipeline, *options.cache_settings);
    if (!options.is_fresh)
      if (const std::optional<SharedPlan> kept = PlanCache().find(key)) text = to_text(*kept);
  }
  key = mpi::broadcast(key, MPI_COMM_WORLD);
  text = mpi::broadcast(text, MPI_COMM_WORLD);
  if (text.empty()) return std::nullopt;
  return shared_plan_from_text(text);
}

/// The plan to run, by trial runs where these can matter; `passages` know what was tried. Collective.
SharedPlan make_plan(const Pipeline& pipeline, const RankOptions& options, const std::vector<int>& nodes,
                     int rank, Monitor& monitor, Passages& passages, std::string& key) {
  const std::vector<NodeShare> shares = node_shares(MPI_COMM_WORLD);
  ConsideredPlans considered = consider_plans(pipeline, options, nodes, shares, rank);
  set_phase(Phase::waiting_for_plan);
  const Time on_rank_0 = rank == 0 ? keep_plans_to_try(pipeline, options, considered) : Time{0};
  std::vector<SharedPlan> plans = share_plans(considered.plans);
  const Time time(std::stoll(mpi::broadcast(fmt::format("{}", on_rank_0.count()), MPI_COMM_WORLD)));
  // Hosts differ in room for what sinks write.
  const bool fit_here = std::ranges::all_of(
      plans, [&](const SharedPlan& plan) { return fits_trial(pipeline, plan.summary, time); });
  const bool are_tried =
      time > Time{0} && std::ranges::min(mpi::gather(fit_here ? 1 : 0, MPI_COMM_WORLD)) > 0;
  if (!are_tried) {
    if (considered.may_be_tried) key.clear();
    std::vector<PlanFigures> figures;
    for (const SharedPlan& plan : plans) figures.push_back(figures_of(plan.summary));
    return std::move(plans[best_plan_of(goal_by_costs(pipeline), figures)]);
  }
  // A kernel may fail in it: the launcher then has what its message needs.
  monitor.send({"plan", to_text(plans.front().summary)});
  check_memory_of_node(plans.front().summary, nodes, rank);
  RunOptions run = options.run;
  run.passages = &passages;
  run.share = shares[static_cast<std::size_t>(rank)];
  run.processors = processors_to_keep_to(pipeline.deployment.pinning, nodes, MPI_COMM_WORLD);
  const TrialResults results = try_plans(pipeline, plans, nodes, run, time, MPI_COMM_WORLD);
  SharedPlan chosen = plans[results.chosen];
  note_trials(chosen.summary, plans, results);
  return chosen;
}

/// That of the run before a restart, that of an earlier run, or a new one. Collective.
SharedPlan choose_plan(const Pipeline& pipeline, const RankOptions& options, const std::vector<int>& nodes,
                       int rank, Monitor& monitor, Passages& passages) {
  if (auto plan = share_plan_of_before(MPI_COMM_WORLD)) return *std::move(plan);
  std::string key;
  if (auto plan = find_kept_plan(pipeline, options, rank, key)) return *std::move(plan);
  SharedPlan plan = make_plan(pipeline, options, nodes, rank, monitor, passages, key);
  // The launcher takes the plan of whichever rank reports first.
  plan.summary.cache_key = key;
  if (rank == 0 && !key.empty()) PlanCache().keep(key, plan);
  return plan;
}

/// Has the rank tell the launcher what a restart needs. Collective.
void keep_checkpoints(Restarting& restarting, const Pipeline& pipeline, const RunPlan& plan,
                      const RankRun& rank_run, Monitor& monitor, int rank) {
  const std::vector<int> works = mpi::gather(rank_run.works() ? 1 : 0, MPI_COMM_WORLD);
  const auto parts = static_cast<std::size_t>(std::ranges::count(works, 1));
  restarting.rounds = rounds_of_checkpoints(pipeline, plan);
  restarting.give = [parts, rank, &monitor](Checkpoint part) {
    part.parts = parts;
    part.rank = static_cast<std::size_t>(rank);
    monitor.send({"checkpoint", to_text(part)});
  };
}

/// A file's first frame waits for its name to be known: a host that dies at once would leave a file that
/// nobody takes away, with frames that are written again elsewhere.
std::function<void(const BegunFiles&)> teller_of_begun_files() {
  // A launcher that is busy for longer must not stop the stream.
  constexpr std::chrono::milliseconds longest{250};
  // Made with the first file: most ranks have no sink. Sinks may write on threads of their own.
  struct Line {
    std::mutex mutex;
    std::unique_ptr<AssuredLink> link;
  };
  return [line = std::make_shared<Line>()](const BegunFiles& begun) {
    const std::lock_guard lock(line->mutex);
    if (!line->link) line->link = assured_link_to_launcher();
    if (line->link) line->link->send({"begun file", to_text(begun)}, longest);
  };
}

/// Tells why, then ends all ranks; does not return.
[[noreturn]] void end_job(Monitor& monitor, const Pipeline& pipeline, int rank, const std::string& reason,
                          std::optional<std::size_t> stage, bool is_config_error) {
  const RankStatus last = monitor.fail(one_line(reason), stage, is_config_error);
  if (!monitor.has_launcher()) {
    fmt::print(stderr, "takt: {}rank {} ({}): {}\n",
               stage ? fmt::format("task '{}' on ", pipeline.stages[*stage].name) : "", rank, last.host,
               last.failure);
    for (const SinkStatus& sink : last.sinks)
      fmt::print(stderr, "takt: {} frames delivered to '{}' until then\n", sink.delivered,
                 pipeline.stages[sink.stage].name);
  }
  MPI_Abort(MPI_COMM_WORLD, is_config_error ? 2 : 1);
  std::abort();
}

}  // namespace

int run_rank(Pipeline pipeline, const RankOptions& options,
             const std::function<void(const RunRecord&)>& on_end) {
  Monitor::take_over_signals();
  const RankFolder folder;
  RankTally tally(pipeline.stages.size());
  ChangeBook changes;
  // Before MPI, so that a rank which hangs or dies as MPI starts has been heard of.
  Monitor monitor(own_rank().value(), link_to_launcher(), pipeline, tally, changes);
  set_phase(Phase::starting_mpi);
  const mpi::Session session(die);
  const int rank = session.rank();
  pipeline.deployment.ranks = static_cast<std::size_t>(session.size());
  // Outside the try block: a failing rank's last status still reads the executor's counters.
  Restarting restarting;
  Passages passages;
  std::optional<RankRun> rank_run;
  try {
    lock_memory(pipeline.deployment);
    const std::vector<int> nodes = nodes_of(pipeline, MPI_COMM_WORLD);
    if (std::ranges::adjacent_find(nodes, std::not_equal_to{}) != nodes.end())
      pipeline.keep_ends_on_one_rank();
    deepen_queues(pipeline);
    SharedPlan plan = choose_plan(pipeline, options, nodes, rank, monitor, passages);
    deepen_queues(pipeline, plan.summary);
    note_queues(pipeline, plan.summary);
    // Every rank tells the plan, so that the launcher has it whichever rank fails first.
    monitor.send({"plan", to_text(plan.summary)});
    if (rank == 0) monitor.send({"schedule", plan.schedule});
    check_memory_of_node(plan.summary, nodes, rank);

    if (!options.is_dry_run) {
      set_phase(Phase::setting_up);
      // None of them opens an output while another one may still give up.
      monitor.begin_stream();
      mpi::barrier(MPI_COMM_WORLD);
      RunOptions run = options.run;
      run.passages = &passages;
      run.changes = &changes;
      run.share = node_shares(MPI_COMM_WORLD)[static_cast<std::size_t>(rank)];
      run.clock_offset_ns = offset_to_source(plan.summary, nodes, MPI_COMM_WORLD);
      run.processors = processors_to_keep_to(pipeline.deployment.pinning, nodes, MPI_COMM_WORLD);
      if (const std::vector<double>& shares = pipeline.deployment.shares; !shares.empty())
        run.niceness = niceness_of_share(shares.at(static_cast<std::size_t>(rank)));
      keep_spills(pipeline);
      rank_run.emplace(pipeline, plan.schedule, nodes, MPI_COMM_WORLD);
      if (!restart_folder().empty()) {
        restarting = {.from = share_checkpoint(MPI_COMM_WORLD),
                      .books = restart_folder(),
                      .begun = share_begun_files(MPI_COMM_WORLD),
                      .give = {},
                      .tell = teller_of_begun_files()};
        run.restarting = &restarting;
      }
      if (const auto& before = restarting.from) {
        run.first_frame = before->frame;
        take_over_counts(*before, plan.summary, static_cast<std::size_t>(rank), tally);
      }
      KeptStages kept;
      while (true) {
        if (run.restarting != nullptr)
          keep_checkpoints(restarting, pipeline, plan.summary, *rank_run, monitor, rank);
        Executor& executor = rank_run->make_executor({}, run, tally, std::move(kept));
        monitor.watch(executor);
        executor.run();
        std::optional<ChangeOver> change;
        if (options.adapts)
          change =
              agree_on_change(executor, pipeline.sources().front(), monitor.wanted_plan(), MPI_COMM_WORLD);
        if (!change) break;
        monitor.unwatch();
        set_phase(Phase::changing_over);
        kept = executor.take_stages();
        move_kernels(pipeline, plan.summary, change->plan.summary, kept, changes, MPI_COMM_WORLD);
        plan = std::move(change->plan);
        run.first_frame = change->first_frame;
        restarting.from.reset();
        rank_run.emplace(pipeline, plan.schedule, nodes, MPI_COMM_WORLD);
        monitor.send({"plan", to_text(plan.summary)});
        if (rank == 0) monitor.send({"schedule", plan.schedule});
      }
    }
    std::optional<RankTrace> trace;
    if (rank_run) trace = rank_run->executor().trace();
    if (trace) {
      trace->rank = rank;
      trace->host = host_name();
      // Members of a group, and what moves their data, are their task.
      for (TraceEvent& event : trace->events)
        if (event.peer < 0)
          event.subject = static_cast<std::uint32_t>(rank_run->execution().roles[event.subject].stage);
      monitor.send({"trace", to_text(*trace)});
    }

    forget_spills(pipeline, MPI_COMM_WORLD);
    if (rank_run) {
      // Destructors are tasks' work, too, and are watched as it is.
      monitor.unwatch();
      set_phase(Phase::closing);
      rank_run.reset();
    }
    set_phase(Phase::ending);
    const RankStatus last = monitor.finish();
    if (monitor.has_launcher()) return 0;
    RunRecord record{.plan = plan.summary, .schedule = plan.schedule};
    for (const std::string& text : mpi::gather(to_text(last), MPI_COMM_WORLD))
      record.ranks.emplace_back(status_from_text(text));
    if (trace)
      for (const std::string& text : mpi::gather(to_text(*trace), MPI_COMM_WORLD))
        record.traces.push_back(rank_trace_from_text(text));
    if (rank == 0) on_end(record);
    return 0;
  } catch (const StageError& error) {
    const std::size_t stage = rank_run ? rank_run->execution().roles[error.stage].stage : error.stage;
    end_job(monitor, pipeline, rank, error.what(), stage, error.is_config_error);
  } catch (const ConfigError& error) {
    end_job(monitor, pipeline, rank, error.what(), std::nullopt, true);
  } catch (const std::exception& error) {
    end_job(monitor, pipeline, rank, error.what(), std::nullopt, false);
  } catch (...) {
    end_job(monitor, pipeline, rank, "an exception of unknown type", std::nullopt, false);
  }
}

}  // namespace takt::pipeline
