#include "pipeline/streams/run_streams.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>

#include "pipeline/launch/jobs/stop_requests.hpp"
#include "pipeline/launch/run_registry.hpp"
#include "pipeline/protocol/run_folder.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

std::string progress_of(const std::vector<PlacedStream>& streams,
                        const std::vector<std::unique_ptr<StreamJob>>& jobs) {
  const std::vector<RunningRun> runs = running_runs();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]->look()) continue;
    const auto run = std::ranges::find(runs, jobs[i]->pid(), &RunningRun::pid);
    if (run != runs.end() && run->record.plan)
      texts.push_back(
          fmt::format("{} {} frames", streams[i].name, make_report(run->record).figures.count("delivered")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Until one of them says something, no longer than this.
void wait_for_output(const std::vector<std::unique_ptr<StreamJob>>& jobs) {
  constexpr int longest_ms = 200;
  std::vector<pollfd> outputs;
  for (const auto& job : jobs)
    if (!job->look()) outputs.push_back({job->output(), POLLIN, 0});
  (void)::poll(outputs.data(), outputs.size(), longest_ms);
}

}  // namespace

std::vector<StreamResult> run_streams(const std::vector<PlacedStream>& streams,
                                      const RunStreamsOptions& options) {
  const StopRequests stop_requests;
  const RunFolder folder;
  // For all of them, whichever ends first (child_process.hpp).
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<std::unique_ptr<StreamJob>> jobs;
  for (const PlacedStream& stream : streams)
    jobs.push_back(std::make_unique<StreamJob>(stream, options.places, folder.path(), options.more));

  int passed_on = 0;
  const auto goes_on = [](const auto& job) { return !job->look(); };
  const auto pass_lines_on = [&] {
    for (std::size_t i = 0; i < jobs.size(); ++i)
      for (const std::string& line : jobs[i]->read_lines())
        if (options.on_line) options.on_line(streams[i].name, line);
  };
  while (std::ranges::any_of(jobs, goes_on)) {
    wait_for_output(jobs);
    pass_lines_on();
    for (; passed_on < stop_requests.count(); ++passed_on)
      for (const auto& job : jobs) job->stop();
    if (options.on_progress) options.on_progress(progress_of(streams, jobs));
  }
  pass_lines_on();
  std::vector<StreamResult> results;
  for (std::size_t i = 0; i < jobs.size(); ++i) results.push_back({streams[i], *jobs[i]->look()});
  return results;
}

}  // namespace takt::pipeline
