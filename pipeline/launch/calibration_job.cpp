#include "pipeline/launch/calibration_job.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/system/clock.hpp"
#include "core/system/foreign_work.hpp"
#include "logp/calibration/calibration_text.hpp"
#include "logp/mpi/session.hpp"
#include "pipeline/launch/jobs/job.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CalibrationOutcome, machine, summary, objections)

namespace {

CalibrationOutcome outcome_of(const logp::Calibration& calibration) {
  return {.machine = calibration.has_costs() ? to_yaml(calibration) : "",
          .summary = to_text(calibration),
          .objections = calibration.objections()};
}

JobOptions job_options(const CalibrationJob& job) {
  const std::size_t cores = logp::usable_cores();
  JobOptions options{.ranks = job.ranks, .site = job.site, .arguments = job.arguments};
  // For other hosts mpirun counts the cores itself.
  if (job.ranks > cores || !is_on_this_host(job.site)) options.mpirun_options.emplace_back("--oversubscribe");
  // Only the two measured ranks wait inside MPI, each on its own core if there are two.
  options.environment.emplace_back("OMPI_MCA_mpi_yield_when_idle", cores > 1 ? "0" : "1");
  return options;
}

}  // namespace

CalibrationOutcome launch_calibration(const CalibrationJob& options,
                                      const logp::CalibrationOptions& calibration) {
  // A busy machine takes up to three times the configured duration.
  const std::int64_t latest = now_ns() + (4 * calibration.duration + std::chrono::minutes{1}).count();
  const ForeignWork others;
  Job job(job_options(options));
  std::optional<CalibrationOutcome> outcome;
  for (bool has_ended = false; !has_ended;) {
    has_ended = job.ended().has_value();
    for (const RankMessage& message : job.wait()) {
      if (message.kind == RankMessageKind::progress && options.on_progress) options.on_progress(message.text);
      if (message.kind == RankMessageKind::outcome)
        outcome = value_from_json<CalibrationOutcome>(message.text);
    }
    if (job.stop_requests() > 0) throw WorkError("the calibration was interrupted");
    if (now_ns() > latest) throw WorkError("the ranks have hung");
  }
  if (const int status = *job.ended(); !WIFEXITED(status) || WEXITSTATUS(status) != 0 || !outcome) {
    const std::optional<Death> death = job.output().death(status);
    if (!death) throw WorkError("the ranks did not run to the end: " + job.output().end_of_starter(status));
    throw WorkError(to_text(*death, death->rank ? fmt::format("rank {}", *death->rank) : "a rank"));
  }
  // Ranks on other hosts are not child processes, and their processors are not observed.
  constexpr double worth_saying = 0.03;
  if (const auto processors = others.processors();
      processors && *processors >= worth_saying && is_on_this_host(options.site))
    outcome->summary +=
        fmt::format("other processes used {:.2f} of this computer's {} processors meanwhile\n", *processors,
                    std::thread::hardware_concurrency());
  return *std::move(outcome);
}

std::optional<CalibrationOutcome> calibrate_as_rank(
    logp::CalibrationOptions options, const std::function<void(const std::string&)>& on_progress) {
  const RankFolder folder;
  const std::unique_ptr<RankLink> link = link_to_launcher();
  int last_percent = -1;
  options.on_progress = [&](const logp::CalibrationProgress& now) {
    const int percent = static_cast<int>(100 * now.share);
    if (percent == last_percent) return;
    last_percent = percent;
    const std::string line = fmt::format("{:3} %  {}", percent, now.phase);
    if (link)
      link->send({RankMessageKind::progress, line});
    else
      on_progress(line);
  };

  const mpi::Session session;
  try {
    const std::optional<logp::Calibration> calibration = logp::calibrate(MPI_COMM_WORLD, options);
    if (!calibration) return std::nullopt;
    CalibrationOutcome outcome = outcome_of(*calibration);
    if (!link) return outcome;
    link->send({RankMessageKind::outcome, json_line(outcome)});
  } catch (const std::exception& error) {
    // Other ranks may be waiting for this one.
    fmt::print(stderr, "takt: {}\n", error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, dynamic_cast<const ConfigError*>(&error) != nullptr ? 2 : 1);
  }
  return std::nullopt;
}

}  // namespace takt::pipeline
