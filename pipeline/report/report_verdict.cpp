#include "pipeline/report/report_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/distinct_texts.hpp"
#include "core/pictures/text_fill.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

std::string count_of(std::uint64_t frames) {
  return fmt::format("{} frame{}", frames, frames == 1 ? "" : "s");
}

/// The ranks could have taken the required rate, and waited for a source that gave less.
std::optional<std::string> slow_source(const Report& report) {
  if (report.figures.value("capacity") < report.figures.value("required")) return std::nullopt;
  for (const Report::Rank& rank : report.ranks)
    for (const Report::Rank::SourceWait& wait : rank.source_waits)
      if (wait.figures.value("starved") > large_share)
        return fmt::format("source '{}' delivers {}: raise its rate, or lower 'rate'",
                           report.tasks[wait.stage].name, to_string(Frequency{*report.figures["sustained"]}));
  return std::nullopt;
}

/// The rank that waited most for its processor, where that matters.
std::optional<std::string> taken_processor(const Report& report) {
  const auto delayed = [](const Report::Rank& rank) { return rank.figures.value("delayed"); };
  const auto most = std::ranges::max_element(report.ranks, {}, delayed);
  if (most == report.ranks.end() || delayed(*most) < worthwhile_gain) return std::nullopt;
  return fmt::format(
      "rank {} waited {:.0f}{}% of the time for a CPU that other processes used: stop them, or bind the "
      "ranks to free cores ('pin')",
      most - report.ranks.begin(), 100 * delayed(*most), no_break);
}

/// ` since 'b.time' is 30 ms (was 1 ms)`, where the user changed a parameter of the task.
std::string change_of(const Report& report, const std::string& task) {
  std::string text;
  for (const MadeChange& change : report.changes)
    if (change.parameter.starts_with(task + '.'))
      text = fmt::format(" since '{}' is {} (was {})", change.parameter, change.value, change.old_value);
  return text;
}

/// The task on one rank that takes most of a frame, where that is more than there is between frames: by its
/// plan, or as measured where no other process used its core.
std::optional<std::string> slow_task(const Report& report, bool is_core_taken) {
  const double between_ns = 1e9 / *report.figures["required"];
  const Report::Task* slowest = nullptr;
  double longest_ns = between_ns;
  for (const Report::Task& task : report.tasks) {
    if (task.kind == "source" || task.ranks.size() > task.group || report.figures.count("ingested") == 0)
      continue;
    const Time time = is_core_taken ? task.figures.time("planned")
                                    : std::max(task.figures.time("planned"), task.figures.time("work"));
    const double ns = static_cast<double>(time.count()) * static_cast<double>(task.figures.count("runs")) /
                      static_cast<double>(report.figures.count("ingested"));
    if (ns <= longest_ns) continue;
    longest_ns = ns;
    slowest = &task;
  }
  if (slowest == nullptr) return std::nullopt;
  return fmt::format(
      "'{}' takes {} per frame{}, more than the {} between frames: make it {:.3g} times faster, split it, or "
      "lower 'rate'",
      slowest->name, to_string(Time(std::llround(longest_ns))), change_of(report, slowest->name),
      to_string(Time(std::llround(between_ns))), longest_ns / between_ns);
}

/// `(8 frames, 40 ms)`.
std::string queue_text(const Report& report, const Report::Source& source) {
  if (source.queue_frames == 0) return "";
  const double hertz = report.figures["required"].value_or(report.figures.value("sustained"));
  const std::string time =
      hertz > 0 ? ", " + to_string(Time(std::llround(1e9 * static_cast<double>(source.queue_frames) / hertz)))
                : "";
  return fmt::format(" ({}{})", count_of(source.queue_frames), time);
}

/// Frames that the queues of sources had no room for.
std::vector<std::string> drops_of_queues(const Report& report) {
  std::vector<std::string> texts;
  for (const Report::Source& source : report.sources)
    if (source.figures.count("dropped") > 0)
      texts.push_back(fmt::format("{} dropped: the queue of '{}'{} was full",
                                  count_of(source.figures.count("dropped")), source.name,
                                  queue_text(report, source)));
  return texts;
}

std::optional<std::string> busiest_rank(const Report& report) {
  const auto most = std::ranges::max_element(report.ranks, {}, &Report::Rank::busy);
  if (most == report.ranks.end()) return std::nullopt;
  const auto number = static_cast<std::size_t>(most - report.ranks.begin());
  const Report::Task* longest = nullptr;
  for (const Report::Task& task : report.tasks)
    if (std::ranges::count(task.ranks, number) > 0 &&
        (longest == nullptr || task.figures.time("work") > longest->figures.time("work")))
      longest = &task;
  if (longest == nullptr) return std::nullopt;
  return fmt::format("rank {} is {:.0f}{}% busy, '{}' takes {} per frame: `takt plan` lists remedies", number,
                     100 * most->busy(), no_break, longest->name, to_string(longest->figures.time("work")));
}

/// Why the ranks did not process all frames, and what to do; the first reason that explains it.
std::optional<std::string> cause_in_ranks(const Report& report, bool is_slow, bool has_drops) {
  constexpr double full = 1 - accuracy_of_trials;
  const std::optional<std::string> taken = taken_processor(report);
  if (std::optional<std::string> task = slow_task(report, taken.has_value())) return task;
  if (taken) return taken;
  const bool is_full = std::ranges::any_of(report.ranks, [](const auto& rank) { return rank.busy() > full; });
  return is_full || (is_slow && !has_drops) ? busiest_rank(report) : std::nullopt;
}

/// Returns why the required rate is not held, and what to do.
std::string causes_of(const Report& report) {
  const bool is_slow = report.is_slow();
  std::vector<std::string> texts = drops_of_queues(report);
  const bool has_drops = !texts.empty(), has_losses = report.loses_rate();
  // Other processes delay a rank that waits for its source, but not the source.
  if (is_slow && !has_drops && !has_losses)
    if (const std::optional<std::string> source = slow_source(report)) return *source;
  if (has_losses)
    texts.push_back(fmt::format("{} lost before the pipeline", count_of(report.figures.count("lost"))));
  if (is_slow) {
    const auto [sustained, required] =
        distinct_texts(Frequency{*report.figures["sustained"]}, Frequency{*report.figures["required"]});
    texts.push_back(fmt::format("{} sustained, {} required", sustained, required));
  }
  if (const std::optional<std::string> cause = cause_in_ranks(report, is_slow, has_drops || has_losses))
    texts.push_back(*cause);
  else if (has_drops)
    texts.back() += ": raise 'depth'";
  else if (has_losses)
    texts.emplace_back("check the network and the sender");
  if (texts.empty()) texts.push_back(report.why_not_held());
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// `latency p99 25 ms, 20 ms required`.
std::string required_latency_text(const Report& report) {
  const LatencyLimit& limit = *report.latency_limit;
  return fmt::format("latency {} {}, {} required", named(limit.quantile).name,
                     to_string(*report.latency.at(limit.quantile)), to_string(limit.most));
}

/// The sink to which frames take longest, if there are several.
std::string late_sink(const Report& report) {
  if (report.outputs.size() < 2) return "";
  const Report::Output& slowest = *std::ranges::max_element(report.outputs, {}, [&](const auto& output) {
    return output.latency.at(report.latency_limit->quantile);
  });
  return fmt::format(" to '{}'", slowest.sink);
}

/// Returns why the required latency is not held, and what to do.
std::string causes_of_latency(const Report& report) {
  const LatencyLimit& limit = *report.latency_limit;
  const std::string text = required_latency_text(report) + late_sink(report);
  if (report.latency.p50 > limit.most)
    return fmt::format(
        "{}: most frames take longer; more ranks, less work per frame or a lower rate shorten it", text);
  if (const std::optional<std::string> taken = taken_processor(report))
    return fmt::format("{}: {}", text, *taken);
  return fmt::format(
      "{}: the median is {}, so single frames wait: `pin`, `realtime` and a lower load shorten that", text,
      to_string(*report.latency.p50));
}

/// `; since the change of plan held: 100 Hz`, of a run whose last plan may hold the rate that earlier ones
/// did not.
std::string since_change_text(const Report& report) {
  if (!report.since_change) return "";
  const auto& [hertz, dropped] = *report.since_change;
  if (!hertz) return "; too few frames since the change of plan to decide whether it holds the rate";
  const auto [sustained, required] =
      distinct_texts(Frequency{*hertz}, Frequency{*report.figures["required"]});
  if (*hertz < *report.figures["required"] * (1 - held_tolerance))
    return fmt::format("; since the change of plan {} sustained: not held", sustained);
  return dropped > 0 ? fmt::format("; since the change of plan {} dropped: not held", count_of(dropped))
                     : fmt::format("; since the change of plan held: {}", required);
}

}  // namespace

std::string verdict_text(const Report& report) {
  if (!report.failure.empty()) return "FAILED: " + report.failure.substr(0, report.failure.find('\n'));
  const std::optional<bool> rate = report.held(), latency = report.holds_latency();
  if (rate == false || latency == false) {
    std::vector<std::string> causes;
    if (rate == false) causes.push_back(causes_of(report) + since_change_text(report));
    if (latency == false) causes.push_back(causes_of_latency(report));
    return fmt::format("NOT HELD: {}", fmt::join(causes, "; "));
  }
  if (rate == true)
    return fmt::format("held: {}{}{}", to_string(Frequency{*report.figures["required"]}),
                       latency ? ", " + required_latency_text(report) : "",
                       report.outages.empty() ? "" : " since the last restart");
  std::string text = latency ? fmt::format("held: {}; ", required_latency_text(report)) : "";
  text += count_of(report.figures.count("delivered")) + " delivered";
  if (report.figures["sustained"])
    text += fmt::format(" at {}", to_string(Frequency{*report.figures["sustained"]}));
  if (report.figures["required"]) text += ", too few to decide whether the required rate is held";
  for (const std::string& dropped : drops_of_queues(report)) text += "; " + dropped + ": raise 'depth'";
  return text;
}

}  // namespace takt::pipeline
