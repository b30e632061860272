#include "pipeline/runtime/rank/rank.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/host_name.hpp"
#include "core/text/one_line.hpp"
#include "logp/mpi/blocking.hpp"
#include "logp/mpi/session.hpp"
#include "pipeline/calls/rank_tasks.hpp"
#include "pipeline/costs/core_choice.hpp"
#include "pipeline/planning/deep_queues.hpp"
#include "pipeline/protocol/crash_report.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/protocol/run_folder.hpp"
#include "pipeline/runtime/channels/nodes.hpp"
#include "pipeline/runtime/pinning.hpp"
#include "pipeline/runtime/privileges.hpp"
#include "pipeline/runtime/rank/change_over.hpp"
#include "pipeline/runtime/rank/monitor.hpp"
#include "pipeline/runtime/rank/rank_places.hpp"
#include "pipeline/runtime/rank/rank_plan.hpp"
#include "pipeline/runtime/rank/restarting.hpp"
#include "pipeline/runtime/rank_run.hpp"
#include "pipeline/runtime/stage_error.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Returns the nodes, on which ranks share memory (runtime/channels/nodes.hpp). Collective.
std::vector<int> nodes_of(const Pipeline& pipeline, MPI_Comm communicator) {
  if (pipeline.deployment.transport == Transport::automatic) return nodes_of_ranks(communicator);
  std::vector<int> nodes(pipeline.deployment.ranks);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

/// Returns the most cores of each rank on all nodes. Collective.
std::size_t least_cores(const Deployment& deployment, const NodeShare& share) {
  const std::size_t own = most_cores(deployment, share.processors, share.ranks);
  return static_cast<std::size_t>(std::ranges::min(mpi::gather(static_cast<int>(own), MPI_COMM_WORLD)));
}

/// Makes the rank send its parts of checkpoints to the launcher. Collective.
void keep_checkpoints(Restarting& restarting, const Pipeline& pipeline, const RunPlan& plan,
                      const RankRun& rank_run, Monitor& monitor, int rank) {
  const std::vector<int> works = mpi::gather(rank_run.works() ? 1 : 0, MPI_COMM_WORLD);
  const auto parts = static_cast<std::size_t>(std::ranges::count(works, 1));
  restarting.rounds = rounds_of_checkpoints(pipeline, plan);
  restarting.give = [parts, rank, &monitor](Checkpoint part) {
    part.parts = parts;
    part.rank = static_cast<std::size_t>(rank);
    monitor.send({RankMessageKind::checkpoint, to_text(part)});
  };
}

/// Returns a function that reports new files to the launcher and waits for its answer before the first frame.
/// Otherwise a host that dies could leave an unknown file, with frames that a restart writes again elsewhere.
std::function<void(const BegunFiles&)> begun_files_reporter() {
  // A launcher that is busy for longer must not stop the stream.
  constexpr std::chrono::milliseconds longest{250};
  // Made with the first file, because most ranks have no sink. Sinks may write on their own threads.
  struct Line {
    std::mutex mutex;
    std::unique_ptr<AssuredLink> link;
  };
  return [line = std::make_shared<Line>()](const BegunFiles& begun) {
    const std::lock_guard lock(line->mutex);
    if (!line->link) line->link = assured_link_to_launcher();
    if (line->link) line->link->send({RankMessageKind::begun_file, to_text(begun)}, longest);
  };
}

/// Notes in the plan of all ranks what each of them asked for and did not get, once a host. Collective.
void note_unmet_requests(const std::vector<std::string>& unmet, RunPlan& plan) {
  for (const std::string& text : mpi::gather(fmt::format("{}", fmt::join(unmet, "\n")), MPI_COMM_WORLD)) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (std::ranges::find(plan.notes, line) == plan.notes.end()) plan.notes.push_back(line);
  }
}

/// Reports the reason, then ends all ranks; does not return.
[[noreturn]] void end_job(Monitor& monitor, const Pipeline& pipeline, int rank, const std::string& reason,
                          std::optional<std::size_t> stage, bool is_config_error) {
  const RankStatus last = monitor.fail(one_line(reason), stage, is_config_error);
  if (!monitor.has_launcher()) {
    fmt::print(stderr, "takt: {}rank {} ({}): {}\n",
               stage ? fmt::format("task '{}' on ", pipeline.stages[*stage].name) : "", rank, last.host,
               last.failure);
    for (const SinkStatus& sink : last.sinks)
      fmt::print(stderr, "takt: {} frames delivered to '{}' before that\n", sink.counts["delivered"],
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
  UpdateQueue changes;
  // Outlives the monitor, which reports it, and all kernels.
  std::optional<RankTasks> tasks;
  // Starts before MPI, so that the launcher knows of a rank that hangs or dies in the start of MPI.
  Monitor monitor(own_rank().value(), link_to_launcher(), pipeline, tally, changes);
  set_phase(Phase::starting_mpi);
  const mpi::Session session(die);
  const int rank = session.rank();
  pipeline.deployment.ranks = static_cast<std::size_t>(session.size());
  // Outside the try block: the last status of a failing rank still reads the executor's counters.
  Restarting restarting;
  OutputPlacements output_placements;
  std::optional<RankRun> rank_run;
  try {
    lock_memory(pipeline.deployment);
    const std::vector<int> nodes = nodes_of(pipeline, MPI_COMM_WORLD);
    if (std::ranges::adjacent_find(nodes, std::not_equal_to{}) != nodes.end()) {
      pipeline.keep_ends_on_one_rank();
      pipeline.keep_states_on_one_rank();
    }
    deepen_queues(pipeline);
    NodeShare share = node_shares(MPI_COMM_WORLD)[static_cast<std::size_t>(rank)];
    tasks.emplace(least_cores(pipeline.deployment, share));
    tasks->use(pipeline.deployment.cores_per_rank.value_or(1));
    pipeline.tasks = &*tasks;
    const RankPlaces places = places_of_ranks(pipeline, nodes, MPI_COMM_WORLD);
    SharedPlan plan = choose_plan(pipeline, options, nodes, rank, monitor, output_placements, *tasks, places);
    check_places(pipeline, places, plan.summary);
    note_places(pipeline, places, plan.summary);
    tasks->use(plan.summary.cores_per_rank);
    share.cores = tasks->cores();
    deepen_queues(pipeline, plan.summary);
    note_queues(pipeline, plan.summary);
    std::optional<cpu_set_t> processors;
    std::vector<std::optional<std::size_t>> memory_nodes;
    if (!options.is_dry_run) {
      processors = processors_to_keep_to(pipeline.deployment.pinning, places, nodes, *tasks, MPI_COMM_WORLD);
      std::vector<std::string> unmet =
          unmet_requests(pipeline, given_on_this_host(processors.has_value()), host_name());
      memory_nodes = place_memory(processors, nodes, unmet, MPI_COMM_WORLD);
      note_unmet_requests(unmet, plan.summary);
    }
    // Every rank sends the plan, so that the launcher has it whichever rank fails first.
    monitor.send({RankMessageKind::plan, to_text(plan.summary)});
    if (rank == 0) monitor.send({RankMessageKind::schedule, plan.schedule});
    check_memory_of_node(plan.summary, nodes, rank);

    if (!options.is_dry_run) {
      set_phase(Phase::setting_up);
      // No rank opens an output while another one may still give up.
      monitor.watch(*tasks);
      monitor.begin_stream();
      mpi::barrier(MPI_COMM_WORLD);
      RunOptions run = options.run;
      run.output_placements = &output_placements;
      run.changes = &changes;
      run.share = share;
      run.start_utc_ns = std::stoll(mpi::broadcast(fmt::format("{}", utc_now_ns()), MPI_COMM_WORLD));
      run.clock_offset_ns = offset_to_source(plan.summary, nodes, MPI_COMM_WORLD);
      run.processors = processors;
      run.memory_nodes = memory_nodes;
      if (const std::vector<double>& shares = pipeline.deployment.shares; !shares.empty())
        run.niceness = niceness_of_share(shares.at(static_cast<std::size_t>(rank)));
      keep_spills(pipeline);
      rank_run.emplace(pipeline, plan.schedule, nodes, MPI_COMM_WORLD);
      if (!restart_folder().empty()) {
        restarting = {.from = share_checkpoint(MPI_COMM_WORLD),
                      .books = restart_folder(),
                      .begun = share_begun_files(MPI_COMM_WORLD),
                      .give = {},
                      .tell = begun_files_reporter()};
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
        monitor.send({RankMessageKind::plan, to_text(plan.summary)});
        if (rank == 0) monitor.send({RankMessageKind::schedule, plan.schedule});
      }
    }
    std::optional<RankTrace> trace;
    if (rank_run) trace = rank_run->executor().trace();
    if (trace) {
      trace->rank = rank;
      trace->host = host_name();
      // Members of a group and the transfers of its data count as their task.
      for (TraceEvent& event : trace->events)
        if (event.peer < 0)
          event.subject = static_cast<std::uint32_t>(rank_run->execution().roles[event.subject].stage);
      monitor.send({RankMessageKind::trace, to_text(*trace)});
    }

    forget_spills(pipeline, MPI_COMM_WORLD);
    if (rank_run) {
      // Destructors are part of tasks, so the watchdog covers them, too.
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
