#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "core/told_apart.hpp"
#include "pipeline/sustain/sustained_rate.hpp"

namespace takt::pipeline {

namespace {

std::string hertz_text(const std::optional<double>& hertz) {
  return hertz ? to_string(Frequency{*hertz}) : "-";
}

std::string time_text(const std::optional<Time>& time) {
  return time ? to_string(*time) : "-";
}

std::string trials_text(const std::vector<RateTrial>& trials) {
  TextTable table(
      {{"offered", true}, {"sustained", true}, {"frames", true}, {"p50", true}, {"p99", true}, {"verdict"}});
  for (const RateTrial& trial : trials)
    table.add({trial.offered_hz > 0 ? to_string(Frequency{trial.offered_hz}) : "as taken",
               hertz_text(trial.sustained_hz), fmt::format("{}", trial.ingested),
               time_text(trial.latency.p50), time_text(trial.latency.p99),
               trial.holds() ? "holds" : trial.fault});
  return table.to_text(2);
}

nlohmann::json optional_number(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json json_of(const RateTrial& trial) {
  const auto time = [](const std::optional<Time>& value) {
    return value ? nlohmann::json(value->count()) : nlohmann::json(nullptr);
  };
  return {{"offered_hz", trial.offered_hz},
          {"sustained_hz", optional_number(trial.sustained_hz)},
          {"frames",
           {{"ingested", trial.ingested},
            {"delivered", trial.delivered},
            {"lost", trial.lost},
            {"dropped", trial.dropped},
            {"incomplete", trial.incomplete}}},
          {"latency_ns",
           {{"p50", time(trial.latency.p50)},
            {"p90", time(trial.latency.p90)},
            {"p99", time(trial.latency.p99)},
            {"max", time(trial.latency.max)}}},
          {"processor_delayed", optional_number(trial.delayed)},
          {"holds", trial.holds()},
          {"fault", trial.holds() ? nlohmann::json(nullptr) : nlohmann::json(trial.fault)}};
}

nlohmann::json json_of(const std::vector<RateTrial>& trials) {
  nlohmann::json list = nlohmann::json::array();
  for (const RateTrial& trial : trials) list.push_back(json_of(trial));
  return list;
}

/// Returns true if the lowest failed rate was never offered, since its sender was too slow.
bool failed_by_sender(const SustainedRate& found) {
  return std::ranges::any_of(found.trials, [&](const RateTrial& trial) {
    return trial.is_senders_fault && trial.offered_hz == found.rate.failed_hz;
  });
}

std::string emulator_of(const SustainedRate& found) {
  return found.trial.emulator_host.value_or("");
}

/// Compares a prediction with the measurement: in percent, or as a factor for large differences.
std::string compared_text(double ratio) {
  if (ratio > 1.5 || ratio < 1 / 1.5) return fmt::format(", {:.2g} times the measured rate", ratio);
  return fmt::format(", {:.1f}{}% {} the measured rate", 100 * std::abs(ratio - 1), no_break,
                     ratio >= 1 ? "above" : "below");
}

/// ` and within 20 ms (p99)`.
std::string limit_text(const SustainedRate& found) {
  const std::optional<LatencyLimit>& limit = found.trial.latency_limit;
  return limit ? fmt::format(" and within {}", limit->text()) : "";
}

/// The first line: whether the required rate is held, and the highest rate found.
std::string verdict(const SustainedRate& found) {
  const auto& highest = found.rate.highest_hz;
  const std::string sustained =
      highest ? fmt::format("{}{} sustained without loss{}", found.rate.is_complete ? "" : "at least ",
                            hertz_text(highest), limit_text(found))
              : "no rate sustained without loss" + limit_text(found);
  if (!found.holds_required()) return sustained;
  return fmt::format("{}: {}; {}", *found.holds_required() ? "held" : "NOT HELD",
                     hertz_text(found.plan.required_hz), sustained);
}

}  // namespace

std::string to_text(const SustainedRate& found) {
  const RunPlan& plan = found.plan;
  std::string text =
      fill(verdict(found), text_columns) + '\n' +
      fill(fmt::format("{}: {} rank{}, scheduled by {}; trials of {}", plan.pipeline, plan.ranks,
                       plan.ranks == 1 ? "" : "s", plan.scheduler, takt::to_string(found.trial.duration)),
           text_columns) +
      "\n\n";
  std::vector<RateTrial> searched;
  if (found.saturated) searched.push_back(*found.saturated);
  searched.insert(searched.end(), found.trials.begin(), found.trials.end());
  text += trials_text(searched) + '\n';
  if (!found.curve.empty()) text += trials_text(found.curve) + '\n';

  const auto& highest = found.rate.highest_hz;
  text +=
      titled("sustained",
             !highest ? !found.failure.empty() || (!searched.empty() && searched.back().was_interrupted)
                            ? "the search ended before a rate held"
                        : !found.trials.empty() && found.trials.back().is_late
                            ? fmt::format("no rate: the latency is above its limit at {}, too",
                                          to_string(Frequency{found.trials.back().offered_hz}))
                            : "no rate held"
             : found.rate.is_complete
                 ? fmt::format("{}: without loss in {} trial{}; {} did not hold", hertz_text(highest),
                               found.search.repetitions, found.search.repetitions == 1 ? "" : "s in a row",
                               hertz_text(found.rate.failed_hz))
                 : fmt::format("at least {}: the search {}", hertz_text(highest),
                               found.rate.trials < found.search.most_trials
                                   ? "ended early"
                                   : fmt::format("used up its {} trials", found.rate.trials)));
  if (failed_by_sender(found))
    text += titled(
        "note",
        "the sender was the bottleneck of the last trial, so the pipeline may sustain more; --emulator-host "
        "gives the sender processors of its own");
  if (const auto disturbed = std::ranges::count_if(searched, &RateTrial::was_disturbed); disturbed > 0)
    text += titled(
        "note", fmt::format("in {} of {} trials other processes (a sender on this computer is one) took more "
                            "than {:.0f}{}% of a rank's CPU: the pipeline may sustain more without them",
                            disturbed, searched.size(), 100 * RateTrial::worth_saying, no_break));
  if (const auto failed =
          std::ranges::count_if(found.curve, [](const RateTrial& each) { return !each.holds(); });
      failed > 0)
    text += titled("note", fmt::format("{} of the {} trials of the curve did not hold at rates up to the one "
                                       "found: an intermittent disturbance slowed them",
                                       failed, found.curve.size()));
  if (found.trial.emulator_host) text += titled("sent", "by takt send on " + *found.trial.emulator_host);
  text += titled(
      "predicted",
      fmt::format("{}{}", to_string(Frequency{plan.predicted_hz}),
                  highest && plan.predicted_hz > 0 ? compared_text(plan.predicted_hz / *highest) : ""));
  if (plan.required_hz) {
    std::string required = hertz_text(plan.required_hz), verdict = "held";
    if (!*found.holds_required()) {
      verdict = "NOT HELD";
      if (highest) {
        std::string held;
        std::tie(required, held) = told_apart(Frequency{*plan.required_hz}, Frequency{*highest});
        verdict += fmt::format(", {} is the highest that was", held);
      }
    }
    text += titled("required", fmt::format("{}: {}", required, verdict));
  }
  return text;
}

std::string to_json(const SustainedRate& found) {
  nlohmann::ordered_json root;
  root["pipeline"] = found.plan.pipeline;
  root["scheduler"] = found.plan.scheduler;
  root["ranks"] = found.plan.ranks;
  root["sustained_hz"] = optional_number(found.rate.highest_hz);
  root["failed_hz"] = optional_number(found.rate.failed_hz);
  root["complete"] = found.rate.is_complete;
  root["predicted_hz"] = found.plan.predicted_hz;
  root["required_hz"] = optional_number(found.plan.required_hz);
  root["held"] = found.holds_required() ? nlohmann::json(*found.holds_required()) : nlohmann::json(nullptr);
  const std::optional<LatencyLimit>& limit = found.trial.latency_limit;
  root["required_latency_ns"] = limit ? nlohmann::json(limit->most.count()) : nlohmann::json(nullptr);
  root["latency_quantile"] = limit ? nlohmann::json(named(limit->quantile).name) : nlohmann::json(nullptr);
  root["resolution"] = found.search.resolution;
  root["repetitions"] = found.search.repetitions;
  root["trial_ns"] = found.trial.duration.count();
  root["emulator_host"] =
      found.trial.emulator_host ? nlohmann::json(*found.trial.emulator_host) : nlohmann::json(nullptr);
  root["saturated"] = found.saturated ? json_of(*found.saturated) : nlohmann::json(nullptr);
  root["trials"] = json_of(found.trials);
  root["curve"] = json_of(found.curve);
  return json_text(root);
}

std::string to_csv(const SustainedRate& found) {
  TextTable table({{"part"},
                   {"offered_hz"},
                   {"sustained_hz"},
                   {"ingested"},
                   {"delivered"},
                   {"lost"},
                   {"dropped"},
                   {"incomplete"},
                   {"p50_ns"},
                   {"p90_ns"},
                   {"p99_ns"},
                   {"max_ns"},
                   {"processor_delayed"},
                   {"fault"},
                   {"emulator_host"}});
  const auto add = [&](const char* part, const RateTrial& trial) {
    const auto time = [](const std::optional<Time>& value) {
      return value ? fmt::format("{}", value->count()) : "";
    };
    table.add({part, fmt::format("{}", trial.offered_hz),
               trial.sustained_hz ? fmt::format("{}", *trial.sustained_hz) : "",
               fmt::format("{}", trial.ingested), fmt::format("{}", trial.delivered),
               fmt::format("{}", trial.lost), fmt::format("{}", trial.dropped),
               fmt::format("{}", trial.incomplete), time(trial.latency.p50), time(trial.latency.p90),
               time(trial.latency.p99), time(trial.latency.max),
               trial.delayed ? fmt::format("{:.3f}", *trial.delayed) : "", trial.fault, emulator_of(found)});
  };
  if (found.saturated) add("saturated", *found.saturated);
  for (const RateTrial& trial : found.trials) add("search", trial);
  for (const RateTrial& trial : found.curve) add("curve", trial);
  return table.to_csv();
}

}  // namespace takt::pipeline
