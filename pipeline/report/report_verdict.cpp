#include "pipeline/report/report_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/pictures/text_fill.hpp"
#include "core/told_apart.hpp"

namespace takt::pipeline {

namespace {

std::string count_of(std::uint64_t frames) {
  return fmt::format("{} frame{}", frames, frames == 1 ? "" : "s");
}

/// The ranks could have taken the required rate, and waited for a source that gave less.
std::optional<std::string> slow_source(const Report& report) {
  constexpr double most_of_the_time = 0.5;
  if (report.capacity_hz.value_or(0) < report.required_hz.value_or(0)) return std::nullopt;
  for (const Report::Rank& rank : report.ranks)
    for (const Report::Rank::SourceWait& wait : rank.source_waits)
      if (wait.starved > most_of_the_time)
        return fmt::format("source '{}' delivers {}: raise its rate, or lower 'rate'",
                           report.tasks[wait.stage].name, to_string(Frequency{*report.sustained_hz}));
  return std::nullopt;
}

/// `other processes had 59 % of the core of rank 1: keep that core free`.
std::optional<std::string> taken_processor(const Report& report) {
  constexpr double notable = 0.1;
  const auto delayed = [](const Report::Rank& rank) { return rank.delayed.value_or(0); };
  const auto most = std::ranges::max_element(report.ranks, {}, delayed);
  if (most == report.ranks.end() || delayed(*most) < notable) return std::nullopt;
  return fmt::format("other processes used {:.0f}{}% of the core of rank {}: keep that core free",
                     100 * delayed(*most), no_break, most - report.ranks.begin());
}

/// `(8 frames, 40 ms)`.
std::string queue_text(const Report& report, const Report::Source& source) {
  if (source.queue_frames == 0) return "";
  const double hertz = report.required_hz.value_or(report.sustained_hz.value_or(0));
  const std::string time =
      hertz > 0 ? ", " + to_string(Time(std::llround(1e9 * static_cast<double>(source.queue_frames) / hertz)))
                : "";
  return fmt::format(" ({}{})", count_of(source.queue_frames), time);
}

/// Frames that the queues of sources had no room for.
std::vector<std::string> drops_of_queues(const Report& report) {
  std::vector<std::string> texts;
  for (const Report::Source& source : report.sources)
    if (source.counters.dropped > 0)
      texts.push_back(fmt::format("{} dropped: the queue of '{}'{} was full: raise 'depth'",
                                  count_of(source.counters.dropped), source.name,
                                  queue_text(report, source)));
  return texts;
}

std::optional<std::string> busiest_rank(const Report& report) {
  const auto most = std::ranges::max_element(report.ranks, {}, &Report::Rank::busy);
  if (most == report.ranks.end()) return std::nullopt;
  const auto number = static_cast<std::size_t>(most - report.ranks.begin());
  const Report::Task* longest = nullptr;
  for (const Report::Task& task : report.tasks)
    if (std::ranges::count(task.ranks, number) > 0 && (longest == nullptr || task.mean > longest->mean))
      longest = &task;
  if (longest == nullptr) return std::nullopt;
  return fmt::format("rank {} is {:.0f}{}% busy, '{}' takes {} per frame: `takt plan` lists remedies", number,
                     100 * most->busy(), no_break, longest->name, to_string(longest->mean));
}

/// Causes of a rate that is not held.
std::string causes_of(const Report& report) {
  constexpr double tolerance = 0.01;
  std::vector<std::string> texts;
  const bool is_slow = *report.sustained_hz < *report.required_hz * (1 - tolerance);
  const std::optional<std::string> source = is_slow ? slow_source(report) : std::nullopt;
  const std::optional<std::string> taken = taken_processor(report);
  if (source) texts.push_back(*source);
  for (std::string& text : drops_of_queues(report)) texts.push_back(std::move(text));
  if (is_slow && !source) {
    const auto [sustained, required] =
        told_apart(Frequency{*report.sustained_hz}, Frequency{*report.required_hz});
    texts.push_back(fmt::format("{} sustained, {} required", sustained, required));
  }
  if (taken && !source)
    texts.push_back(*taken);
  else if (is_slow && !source)
    if (const std::optional<std::string> rank = busiest_rank(report)) texts.push_back(*rank);
  if (texts.empty()) texts.push_back(report.why_not_held());
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::string verdict_text(const Report& report) {
  if (!report.failure.empty()) return "FAILED: " + report.failure.substr(0, report.failure.find('\n'));
  if (report.held() == false) return "NOT HELD: " + causes_of(report);
  if (report.held() == true)
    return fmt::format("held: {}{}", to_string(Frequency{*report.required_hz}),
                       report.outages.empty() ? "" : " since the last restart");
  std::string text = count_of(report.delivered) + " delivered";
  if (report.sustained_hz) text += fmt::format(" at {}", to_string(Frequency{*report.sustained_hz}));
  if (report.required_hz) text += ", too few to decide whether the required rate is held";
  for (const std::string& dropped : drops_of_queues(report)) text += "; " + dropped;
  return text;
}

}  // namespace takt::pipeline
