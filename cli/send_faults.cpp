#include "cli/send_faults.hpp"

#include <charconv>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/units.hpp"

namespace takt::cli {

namespace {

/// `WHAT@TIME[:LANE]`.
struct TimedEvent {
  std::string what;
  Time at{0};
  std::optional<std::size_t> lane;
};

std::size_t parse_lane(std::string_view option, const std::string& event, std::string_view text) {
  std::size_t lane = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), lane);
  if (text.empty() || error != std::errc{} || rest != text.data() + text.size())
    throw ConfigError(
        fmt::format("{} {}: '{}' is not a lane: expected a number of 0 or more", option, event, text));
  return lane;
}

TimedEvent parse_event(std::string_view option, const std::string& event, const char* example) {
  const std::size_t at = event.find('@');
  if (at == std::string::npos || at == 0)
    throw ConfigError(
        fmt::format("{} {}: the time is missing: expected for example {}", option, event, example));
  TimedEvent parsed{.what = event.substr(0, at)};
  std::string moment = event.substr(at + 1);
  if (const std::size_t colon = moment.find(':'); colon != std::string::npos) {
    parsed.lane = parse_lane(option, event, std::string_view(moment).substr(colon + 1));
    moment.resize(colon);
  }
  parsed.at = parse_duration_of(option, moment);
  return parsed;
}

/// With or without a sign.
Time parse_step(std::string_view option, const std::string& text) {
  const bool is_back = text.starts_with('-');
  const Time length = parse_duration_of(option, is_back || text.starts_with('+') ? text.substr(1) : text);
  return is_back ? -length : length;
}

}  // namespace

sensors::Faults SendFaultArguments::all_faults() const {
  sensors::Faults all = faults;
  if (!jitter.empty()) all.jitter = parse_duration_of("--jitter", jitter);
  return all;
}

sensors::SenderEvents SendFaultArguments::events() const {
  sensors::SenderEvents all;
  for (const std::string& text : pauses) {
    const TimedEvent event = parse_event("--pause", text, "500ms@2s, or 500ms@2s:1 for lane 1 only");
    all.pauses.push_back(
        {.at = event.at, .length = parse_duration_of("--pause", event.what), .lane = event.lane});
  }
  for (const std::string& text : clock_jumps) {
    const TimedEvent event = parse_event("--clock-jump", text, "-1s@2s, or 300ms@2s:0 for lane 0 only");
    all.clock_jumps.push_back(
        {.at = event.at, .step = parse_step("--clock-jump", event.what), .lane = event.lane});
  }
  for (const std::string& text : lane_swaps) {
    const TimedEvent event = parse_event("--swap-lanes", text, "0-1@2s");
    const std::size_t dash = event.what.find('-');
    if (dash == std::string::npos || event.lane)
      throw ConfigError(
          fmt::format("--swap-lanes {}: expected two lanes and a time, for example 0-1@2s", text));
    all.lane_swaps.push_back(
        {.at = event.at,
         .one = parse_lane("--swap-lanes", text, std::string_view(event.what).substr(0, dash)),
         .other = parse_lane("--swap-lanes", text, std::string_view(event.what).substr(dash + 1))});
  }
  return all;
}

void add_fault_options(Command& command, SendFaultArguments& arguments) {
  const auto add = [&](const char* name, double& value, const char* help) {
    command.number(name, value, help, {0, 1}).value("P").group("Faults, with probability P");
  };
  sensors::Faults& faults = arguments.faults;
  add("--drop", faults.drop, "Drop a packet");
  add("--duplicate", faults.duplicate, "Send a packet twice");
  add("--reorder", faults.reorder, "Send a packet 1 to 8 packets of its lane late");
  add("--corrupt", faults.corrupt, "Corrupt a packet, so that the receiver refuses it");
  add("--garbage", faults.garbage, "Send random bytes before a packet");
  const char* const group = "Faults, at given times of the stream";
  command.add("--jitter", arguments.jitter, "Delay each packet by a random time up to this one")
      .value("TIME")
      .group(group);
  const auto at = [&](const char* name, std::vector<std::string>& values, const char* help,
                      const char* form) {
    command.add(name, values, help).value(form).with_commas().group(group);
  };
  at("--pause", arguments.pauses, "Send nothing for a time: 500ms@2s, or 500ms@2s:1 for lane 1",
     "TIME@TIME[:LANE]");
  at("--clock-jump", arguments.clock_jumps, "Step the sender's clock: -1s@2s is one second back at 2 s",
     "[-]TIME@TIME[:LANE]");
  at("--swap-lanes", arguments.lane_swaps, "Exchange the destinations of two lanes: 0-1@2s",
     "LANE-LANE@TIME");
}

std::string describe_faults(const sensors::EmulatorOptions& options, const sensors::EmulatorReport& report,
                            std::span<const std::string_view> names) {
  const sensors::FaultCounts& faults = report.faults;
  std::string text;
  if (options.faults.any()) {
    std::string causes;
    for (std::size_t cause = 0; cause < names.size(); ++cause)
      if (faults.corrupted[cause] > 0)
        causes += fmt::format("{}{} {}", causes.empty() ? " (" : ", ", names[cause], faults.corrupted[cause]);
    text += fmt::format("faults: {} dropped, {} duplicated, {} reordered, {} corrupted{}{}, {} garbage",
                        faults.dropped, faults.duplicated, faults.reordered, faults.corrupted_in_all(),
                        causes, causes.empty() ? "" : ")", faults.garbage);
    if (faults.jittered > 0) text += fmt::format(", {} jittered", faults.jittered);
    text += fmt::format("; {} overtaken by later ones\n", faults.overtaken);
  }
  if (options.events.any())
    text += fmt::format("events: {} paused, {} clock steps, {} packets with shifted time, {} swapped\n",
                        report.events.paused, report.events.clock_jumps, report.events.shifted,
                        report.events.swapped);
  return text;
}

void add_faults(nlohmann::ordered_json& json, const sensors::EmulatorReport& report,
                std::span<const std::string_view> causes) {
  nlohmann::ordered_json corrupted;
  for (std::size_t cause = 0; cause < causes.size(); ++cause)
    corrupted[std::string(causes[cause])] = report.faults.corrupted[cause];
  json["dropped"] = report.faults.dropped;
  json["duplicated"] = report.faults.duplicated;
  json["reordered"] = report.faults.reordered;
  json["corrupted"] = corrupted;
  json["garbage"] = report.faults.garbage;
  json["jittered"] = report.faults.jittered;
  json["overtaken"] = report.faults.overtaken;
  json["paused"] = report.events.paused;
  json["clock_jumps"] = report.events.clock_jumps;
  json["shifted"] = report.events.shifted;
  json["swapped"] = report.events.swapped;
}

}  // namespace takt::cli
