#include <charconv>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "logp/diagnostics.hpp"
#include "logp/schedule_file.hpp"
#include "logp/simulation_report.hpp"

namespace takt::cli {

namespace {

struct SimulateArguments {
  std::string schedule, machine, rate, jitter, drift, format = "table";
  std::vector<std::string> slow_ranks, failures;
  logp::SimulationOptions options;
};

double number(std::string_view what, std::string_view text, std::string_view expected) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size() || !(value > 0))
    throw ConfigError(fmt::format("{} '{}': expected {}", what, text, expected));
  return value;
}

/// Converts frames per tick, or frames/s with a unit of Hz, to the time between frames in ticks.
double frame_interval(const std::string& rate) {
  constexpr std::string_view expected =
      "frames per tick (1 ns), at most 1, such as 0.125, or a rate with a unit, such as '2.4 kHz'";
  if (!rate.ends_with("Hz")) {
    const double per_tick = number("--rate", rate, expected);
    if (per_tick > 1) throw ConfigError(fmt::format("--rate '{}': expected {}", rate, expected));
    return 1 / per_tick;
  }
  const double hertz = parse_frequency_of("--rate", rate).hertz;
  if (!(hertz > 0)) throw ConfigError(fmt::format("--rate '{}': expected {}", rate, expected));
  return 1e9 / hertz;
}

/// Parses `5%` of the computation, or a time.
void set_jitter(const std::string& text, logp::SimulationOptions& options) {
  if (text.ends_with('%'))
    options.jitter_share =
        number("--jitter", std::string_view(text).substr(0, text.size() - 1), "a share such as 5%") / 100;
  else
    options.jitter = parse_time(text);
}

void set_slow_rank(const std::string& text, std::size_t processors, logp::SimulationOptions& options) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  std::size_t rank = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + colon, rank);
  if (error != std::errc{} || rest != text.data() + colon || colon == text.size() || rank >= processors)
    throw ConfigError(fmt::format("--slow-rank '{}': expected RANK:FACTOR such as 1:1.3, RANK from 0 to {}",
                                  text, processors - 1));
  options.slowness.resize(processors, 1.0);
  options.slowness[rank] =
      number("--slow-rank", std::string_view(text).substr(colon + 1), "a factor such as 1.3");
}

/// Parses `3:1ms-5ms`, or `3:1000-5000` in ticks.
void add_outage(const std::string& text, std::size_t processors, logp::SimulationOptions& options) {
  const std::size_t colon = std::min(text.find(':'), text.size()), dash = text.find('-', colon);
  std::size_t rank = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + colon, rank);
  if (error != std::errc{} || rest != text.data() + colon || dash == std::string::npos || rank >= processors)
    throw ConfigError(fmt::format("--fail '{}': expected RANK:FROM-TO such as 1:20ms-35ms, RANK from 0 to {}",
                                  text, processors - 1));
  const auto time = [](const std::string& part) {
    const bool is_ticks = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    return parse_time(is_ticks ? part + " ns" : part);
  };
  options.outages.push_back(
      {ProcessorId(rank), time(text.substr(colon + 1, dash - colon - 1)), time(text.substr(dash + 1))});
}

/// Warns of an invalid schedule: its simulation predicts nothing.
void warn_of_findings(const logp::ScheduleFile& file) {
  const std::vector<logp::Finding> findings =
      logp::diagnose(file.graph, file.machine, file.schedule, {.limit = 1});
  if (!findings.empty())
    std::cerr << fmt::format(
        "takt: warning: the schedule is not valid on this machine, only its order is simulated (see takt "
        "verify): {}: {}\n",
        findings.front().rule, findings.front().message);
}

int simulate(const SimulateArguments& arguments) {
  logp::ScheduleFile file = logp::read_schedule_file(arguments.schedule);
  if (!arguments.machine.empty()) file.machine = read_machine(arguments.machine);
  logp::SimulationOptions options = arguments.options;
  if (!arguments.rate.empty()) options.frame_interval = frame_interval(arguments.rate);
  if (!arguments.drift.empty()) options.drift = number("--drift", arguments.drift, "a share such as 0.05");
  if (!arguments.jitter.empty()) set_jitter(arguments.jitter, options);
  for (const std::string& text : arguments.slow_ranks)
    set_slow_rank(text, file.machine.processor_count(), options);

  for (const std::string& text : arguments.failures)
    add_outage(text, file.machine.processor_count(), options);

  warn_of_findings(file);
  const logp::SimulationResult result = logp::simulate(file.graph, file.machine, file.schedule, options);
  const ScheduleMetrics planned = measure(file.schedule);
  std::cout << (arguments.format == "json" ? logp::to_json(result, planned, options)
                                           : logp::to_text(result, planned, options));
  return 0;
}

}  // namespace

void declare_simulate(Command& command) {
  auto arguments = std::make_shared<SimulateArguments>();
  logp::SimulationOptions& options = arguments->options;
  command.add("schedule", arguments->schedule, "A schedule file, as takt plan --output writes it")
      .value("SCHEDULE")
      .required();
  command.number("--frames", options.frames, "Number of input frames", {.least = 1})
      .fallback(fmt::format("{}", options.frames));
  command
      .add("--rate", arguments->rate,
           "Input rate: frames per tick, such as 0.125, or with a unit, such as '2.4 kHz'; default: input "
           "without limit")
      .value("F");
  command
      .add("--jitter", arguments->jitter,
           "Random extension of every computation, uniform up to a time (5us) or a share (5%)")
      .value("D");
  command
      .add("--drift", arguments->drift,
           "Slow drift of every processor's speed: computations take 1 to 1 + SHARE times as long (default "
           "0.05)")
      .value("SHARE")
      .value_without("0.05");
  command.add("--slow-rank", arguments->slow_ranks, "A slow processor and its factor, such as 1:1.3")
      .value("R:FACTOR");
  command.add("--fail", arguments->failures, "Outage of a processor between two times, such as 1:20ms-35ms")
      .value("R:FROM-TO");
  command
      .number("--buffers", options.buffers, "Iterations by which a sender may be ahead of its receiver",
              {.least = 1})
      .fallback(fmt::format("{}", options.buffers));
  command
      .number("--queue", options.input_places,
              "Length of the input queue, in frames; frames beyond it are lost", {.least = 1})
      .fallback(fmt::format("{}", options.input_places));
  add_machine_option(command, arguments->machine, "Machine to use; overrides the file");
  command.number("--seed", options.seed, "Seed of jitter and drift")
      .fallback(fmt::format("{}", options.seed));
  add_format_option(command, arguments->format, {"table", "json"});
  command.note(
      "A tick is a nanosecond; processors are numbered from 0. Every processor repeats its operations in the "
      "order of the schedule, each as early as possible. Bounded buffers replace the capacity of the "
      "network.");
  command.example("takt plan fft:depth=3 --machine logp:P=4,L=1,o=1,g=2 --output fft.yaml");
  command.example("takt simulate fft.yaml --frames 100000 --jitter 10% --slow-rank 1:1.3");
  command.does([arguments] { return simulate(*arguments); });
}

}  // namespace takt::cli
