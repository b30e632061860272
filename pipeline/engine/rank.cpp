#include "pipeline/engine/rank.hpp"

#include <array>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "logp/calibration/quick.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/engine/channel_endpoint.hpp"
#include "pipeline/engine/monitor.hpp"
#include "pipeline/launch/last_words.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/planning/source_copies.hpp"

namespace takt::pipeline {

namespace {

Bytes largest_frame(const Pipeline& pipeline) {
  Bytes largest{64};
  for (const Stage& stage : pipeline.stages) largest = std::max(largest, stage.output.size());
  return largest;
}

/// What the plan is made of, measured by rank 0 and the same on all ranks.
struct Measurements {
  std::vector<StageCost> costs;
  logp::Machine machine;
};

Measurements measure_all(const Pipeline& pipeline, const RankOptions& options, MPI_Comm communicator) {
  int rank = 0, size = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  const auto ranks = static_cast<std::size_t>(size);

  std::string text;
  std::optional<logp::Machine> machine;
  set_phase("measuring the links");
  if (pipeline.deployment.machine.empty()) {
    constexpr std::size_t window = 8;
    machine = logp::measure_quickly(communicator, {.largest = largest_frame(pipeline),
                                                   .endpoints = channel_endpoints(communicator, window),
                                                   .window = window});
  } else if (rank == 0) {
    machine = logp::parse_machine(pipeline.deployment.machine);
    if (machine->processor_count() != ranks)
      throw ConfigError(fmt::format("the machine '{}' has {} processors, but {} ranks run",
                                    pipeline.deployment.machine, machine->processor_count(), ranks));
  }
  if (rank == 0) {
    const std::vector<StageCost> costs =
        options.profile ? read_profile(*options.profile, pipeline) : profile(pipeline);
    nlohmann::json json;
    for (const StageCost& cost : costs)
      json["costs"].push_back({{"cost", cost.cost.count()}, {"copy", cost.copy.count()}});
    json["machine"] = logp::to_yaml(*machine);
    text = json.dump();
  }
  set_phase("waiting for rank 0 to measure the tasks");
  const nlohmann::json json = nlohmann::json::parse(mpi::broadcast(std::move(text), communicator));
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    costs.push_back({.stage = pipeline.stages[i].name,
                     .cost = Time(json["costs"][i]["cost"].get<std::int64_t>()),
                     .copy = Time(json["costs"][i]["copy"].get<std::int64_t>())});
  return {std::move(costs), logp::machine_from_yaml(json["machine"].get<std::string>(), "measured machine")};
}

/// Without it Open MPI prints a page about an error and hides which rank met it.
void die_of_mpi_error(MPI_Comm* /*communicator*/, int* error, ...) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(*error, text.data(), &length);
  die(text.data());
}

/// MPI for the life of the process.
class MpiSession {
 public:
  MpiSession() {
    set_phase("starting MPI");
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(die_of_mpi_error, &handler);
    // Communicators made from this one inherit it.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession() {
    set_phase("ending MPI");
    MPI_Finalize();
  }
  [[nodiscard]] int rank() const { return rank_; }

 private:
  int rank_ = 0;
};

/// Tells why, then ends all ranks; does not return.
[[noreturn]] void end_job(Monitor& monitor, const Pipeline& pipeline, int rank, const std::string& reason,
                          std::optional<std::size_t> stage, bool is_config_error) {
  const RankStatus last = monitor.fail(reason, stage, is_config_error);
  if (!monitor.has_launcher()) {
    fmt::print(stderr, "takt: {}rank {} ({}): {}\n",
               stage ? fmt::format("task '{}' on ", pipeline.stages[*stage].name) : "", rank, last.host,
               reason);
    for (const SinkStatus& sink : last.sinks)
      fmt::print(stderr, "takt: {} frames delivered to '{}' until then\n", sink.delivered,
                 pipeline.stages[sink.stage].name);
  }
  MPI_Abort(MPI_COMM_WORLD, is_config_error ? 2 : 1);
  std::abort();
}

}  // namespace

int run_rank(const Pipeline& pipeline, const RankOptions& options,
             const std::function<void(const RunRecord&)>& on_end) {
  Monitor::take_over_signals();
  const char* link = std::getenv(link_variable);
  RankTally tally(pipeline.stages.size());
  // Before MPI, so that a rank which hangs or dies as MPI starts has been heard of.
  Monitor monitor(own_rank().value(), link == nullptr ? "" : link, pipeline, tally);
  const MpiSession mpi;
  // Outside the try block: a failing rank's last status still reads the executor's counters.
  std::optional<Plan> plan;
  std::optional<RankProgram> program;
  std::optional<Executor> executor;
  try {
    const Measurements measurements = measure_all(pipeline, options, MPI_COMM_WORLD);
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    set_phase("planning");
    plan = make_plan_with_copies(pipeline, measurements.costs, measurements.machine, cores);
    // Every rank tells the plan, so that the launcher has it whichever rank fails first.
    monitor.send("plan", to_text(plan->summary));

    set_phase("setting up");
    program = make_program(pipeline, plan->graph, plan->schedule,
                           ProcessorId(static_cast<std::size_t>(mpi.rank())));
    executor.emplace(pipeline, *program, MPI_COMM_WORLD, options.limits, tally);
    monitor.watch(*executor);
    executor->run();

    set_phase("ending");
    const RankStatus last = monitor.finish();
    if (monitor.has_launcher()) return 0;
    RunRecord record{.plan = plan->summary};
    for (const std::string& text : mpi::gather(to_text(last), MPI_COMM_WORLD))
      record.ranks.emplace_back(status_from_text(text));
    if (mpi.rank() == 0) on_end(record);
    return 0;
  } catch (const StageError& error) {
    end_job(monitor, pipeline, mpi.rank(), error.what(), error.stage, error.is_config_error);
  } catch (const ConfigError& error) {
    end_job(monitor, pipeline, mpi.rank(), error.what(), std::nullopt, true);
  } catch (const std::exception& error) {
    end_job(monitor, pipeline, mpi.rank(), error.what(), std::nullopt, false);
  } catch (...) {
    end_job(monitor, pipeline, mpi.rank(), "an exception of unknown type", std::nullopt, false);
  }
}

}  // namespace takt::pipeline
