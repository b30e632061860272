#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"
#include "pipeline/launch/run_registry.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/report/run_progress.hpp"

namespace takt::cli {

namespace {

struct TopArguments {
  std::optional<std::int64_t> pid;
  bool once = false, all = false;
  std::string format = "text";
};

std::vector<pipeline::RunningRun> look(const TopArguments& arguments) {
  std::vector<pipeline::RunningRun> runs = pipeline::running_runs();
  if (arguments.pid) std::erase_if(runs, [&](const auto& run) { return run.pid != *arguments.pid; });
  return runs;
}

std::string to_text(const std::vector<pipeline::RunningRun>& runs, bool shows_all) {
  std::string text;
  for (const pipeline::RunningRun& run : runs) {
    text += fmt::format("takt run, pid {}: {}\n", run.pid, pipeline::progress_line(run.record));
    if (!run.record.plan) continue;
    const pipeline::Report report = pipeline::make_report(run.record);
    text += (shows_all ? pipeline::to_text(report, true) : pipeline::to_short_text(report)) + '\n';
  }
  return text;
}

std::string to_json(const std::vector<pipeline::RunningRun>& runs) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const pipeline::RunningRun& run : runs)
    json.push_back(
        {{"pid", run.pid},
         {"report", nlohmann::ordered_json::parse(pipeline::to_json(pipeline::make_report(run.record)))}});
  return json_text(json);
}

int top(const TopArguments& arguments) {
  const bool repeats = !arguments.once && arguments.format == "text" && ::isatty(STDOUT_FILENO) != 0;
  const pipeline::StopRequests stop;
  while (true) {
    const std::vector<pipeline::RunningRun> runs = look(arguments);
    if (repeats) std::cout << "\x1b[H\x1b[2J";
    if (arguments.format == "json")
      std::cout << to_json(runs);
    else if (runs.empty())
      std::cout << "no run of this user is in progress here\n";
    else
      std::cout << to_text(runs, arguments.all);
    std::cout.flush();
    if (!repeats) return runs.empty() ? 1 : 0;
    for (int i = 0; i < 10 && stop.count() == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    if (stop.count() > 0) return 0;
  }
}

}  // namespace

void declare_top(Command& command) {
  auto arguments = std::make_shared<TopArguments>();
  command.number("--pid", arguments->pid, "Only the run whose launcher has this pid", {.least = 1});
  command.flag("--once", arguments->once, "Print once, also on a terminal");
  command.flag("--all", arguments->all, "The whole report of each run, without the limit of one screen");
  add_format_option(command, arguments->format, {"text", "json"});
  command.note(
      "Each run on one screen of 24 lines: its six busiest ranks, its six most expensive tasks, and its main "
      "figures; once per second until Ctrl-C on a terminal, once otherwise.");
  command.note("Exit code: 0 shown, 1 no run of this user is in progress here.");
  command.example("takt top");
  command.example("takt top --once --format json");
  command.does([arguments](const Command&) { return top(*arguments); });
}

}  // namespace takt::cli
