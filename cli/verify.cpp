#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "logp/schedule_file.hpp"
#include "logp/stream_figures.hpp"
#include "schedulers/judge/evaluation_report.hpp"

namespace takt::cli {

namespace {

struct VerifyArguments {
  std::string schedule, machine, period, format = "table";
  bool single = false;
  logp::DiagnosticOptions options;
};

int verify(const VerifyArguments& arguments) {
  logp::ScheduleFile file = logp::read_schedule_file(arguments.schedule);
  if (!arguments.machine.empty()) file.machine = read_machine(arguments.machine);
  logp::DiagnosticOptions options = arguments.options;
  options.repeated = !arguments.single;
  if (!arguments.period.empty()) options.repetition = parse_time(arguments.period) * file.schedule.replicas;
  schedulers::Evaluation evaluation = schedulers::judge(file.graph, file.machine, file.schedule, options);
  if (options.repeated)
    for (logp::Finding& finding : logp::check_stream_rates(file)) {
      evaluation.figures.valid = false;
      evaluation.findings.push_back(std::move(finding));
    }
  std::cout << (arguments.format == "json" ? schedulers::verdict_to_json(evaluation)
                                           : schedulers::verdict_to_text(evaluation));
  return evaluation.figures.valid ? 0 : 1;
}

}  // namespace

void declare_verify(Command& command) {
  auto arguments = std::make_shared<VerifyArguments>();
  command.add("schedule", arguments->schedule, "A schedule file, as takt plan --output writes it")
      .value("SCHEDULE")
      .required();
  add_machine_option(command, arguments->machine, "Machine to check against; overrides the file");
  command.flag("--single", arguments->single, "Check one frame, not the repetition");
  command.add("--period", arguments->period, "Check for this period between frames; overrides the schedule")
      .value("TICKS");
  command.flag("--gap-between-send-and-receive", arguments->options.gap_between_send_and_receive,
               "Also require the gap between a send and a receive of one processor");
  command.number("--limit", arguments->options.limit, "Stop after this many findings", {.least = 1})
      .fallback(fmt::format("{}", arguments->options.limit));
  add_format_option(command, arguments->format, {"table", "json"});
  command.note("The file holds its graph and its machine. The checker shares no code with the schedulers.");
  command.note("Exit code: 0 valid, 1 findings, 2 the file or an option is wrong.");
  command.example("takt plan fft:depth=3 --machine logp:P=4,L=1,o=1,g=2 --output fft.yaml");
  command.example("takt verify fft.yaml");
  command.does([arguments] { return verify(*arguments); });
}

}  // namespace takt::cli
