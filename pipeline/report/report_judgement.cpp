#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/distinct_texts.hpp"
#include "core/pictures/text_fill.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

double busiest_share(const Report& report) {
  double share = 0;
  for (const Report::Rank& rank : report.ranks) share = std::max(share, rank.busy());
  return share;
}

/// Returns whether a rank waited for its source for more than this share of the time.
bool waited_for_source(const Report& report, double share) {
  return std::ranges::any_of(report.ranks,
                             [&](const Report::Rank& rank) { return rank.for_sources() > share; });
}

/// Returns whether the run can judge the prediction: a rank was busy for half of the time, or ranks waited
/// for each other. Behind a slow source, caches are cold and clocks low for each frame.
bool was_loaded(const Report& report) {
  return busiest_share(report) >= low_load || !waited_for_source(report, 1 - low_load);
}

/// Returns whether enough iterations ran, under the plan of the prediction.
bool may_judge_prediction(const Report& report) {
  return report.figures.count("delivered") + report.figures.count("absorbed") >=
             least_runs * report.replicas &&
         report.plan_changes == 0;
}

}  // namespace

void note_fast_run(Report& report) {
  if (!report.differs_from_prediction() ||
      report.figures.value("sustained") < report.figures.value("predicted"))
    return;
  report.notes.push_back(
      fmt::format("sustained {}, {:.1f} times the predicted rate{}",
                  takt::to_string(Frequency{*report.figures["sustained"]}),
                  *report.figures["sustained"] / report.figures.value("predicted"),
                  report.trial_hz ? ": the trial run used synthetic frames, or the machine was slower then"
                                  : ": predicted from the costs of single tasks, without a trial run"));
}

void note_idle_ranks(Report& report) {
  if (!report.failure.empty() || !report.figures["capacity"] || was_loaded(report) ||
      *report.figures["capacity"] > (1 - worthwhile_gain) * report.figures.value("predicted"))
    return;
  report.notes.push_back(fmt::format(
      "The ranks were {:.1f}{}% busy, so this run cannot confirm the predicted {}; `takt sustain` can",
      100 * busiest_share(report), no_break, takt::to_string(Frequency{report.figures.value("predicted")})));
}

std::optional<bool> Report::held() const {
  if (!figures["required"] || !figures["sustained"]) return std::nullopt;
  return why_not_held().empty();
}

std::optional<bool> Report::holds_latency() const {
  const std::optional<Time> measured = latency_limit ? latency.at(latency_limit->quantile) : std::nullopt;
  if (!measured) return std::nullopt;
  return *measured <= latency_limit->most;
}

bool Report::is_slow() const {
  return figures["required"] && figures["sustained"] &&
         *figures["sustained"] < *figures["required"] * (1 - held_tolerance);
}

bool Report::loses_rate() const {
  if (!is_slow()) return false;
  const double missing = figures.value("ingested") * (*figures["required"] / *figures["sustained"] - 1);
  return 2 * figures.value("lost") > missing;
}

std::string Report::why_not_held() const {
  std::vector<std::string> reasons;
  const auto count = [&](std::uint64_t frames, std::string_view what) {
    if (frames > 0) reasons.push_back(fmt::format("{} frame{} {}", frames, frames == 1 ? "" : "s", what));
  };
  if (!figures["required"] || !figures["sustained"]) return {};
  if (is_slow())
    reasons.push_back(fmt::format("{:.3g}{}% too slow",
                                  100 * (1 - *figures["sustained"] / *figures["required"]), no_break));
  count(figures.count("dropped"), "dropped");
  std::uint64_t lost_in_restarts = 0;
  for (const Outage& outage : outages) lost_in_restarts += outage.lost.value_or(0);
  count(lost_in_restarts, "lost in restarts");
  if (absorbs) reasons.emplace_back("frames consumed by kernels");
  if (is_miscounted()) reasons.emplace_back("frames miscounted");
  return fmt::format("{}", fmt::join(reasons, ", "));
}

namespace {

/// Returns the sources whose queues dropped frames.
std::string full_queues(const Report& report) {
  std::vector<std::string> names;
  for (const Report::Source& source : report.sources)
    if (source.counts["dropped"] > 0) names.push_back(fmt::format("'{}'", source.name));
  if (names.empty()) return "";
  return fmt::format(": the queue{} of {} {} full", names.size() > 1 ? "s" : "", fmt::join(names, " and "),
                     names.size() > 1 ? "were" : "was");
}

/// Returns the share of time that other processes took from a rank's core, if it is significant.
std::string cpu_of_other_processes(const std::vector<Report::Rank>& ranks) {
  const auto delayed = [](const Report::Rank& rank) { return rank.figures.value("delayed"); };
  const auto most = std::ranges::max_element(ranks, {}, delayed);
  if (most == ranks.end() || delayed(*most) < accuracy_of_trials) return {};
  return fmt::format("; for {:.0f}{}% of the time rank {} was ready while other processes used its core",
                     100 * delayed(*most), no_break, most - ranks.begin());
}

}  // namespace

bool Report::differs_from_prediction() const {
  constexpr double far = 1 + large_share;
  if (!may_judge_prediction(*this)) return false;
  return figures.value("sustained") > far * figures.value("predicted") ||
         (figures["capacity"] && was_loaded(*this) &&
          far * *figures["capacity"] < figures.value("predicted"));
}

bool Report::is_held_up_by_source() const {
  // Ranks also wait briefly between two successive frames.
  return waited_for_source(*this, accuracy_of_trials);
}

namespace {

/// A finding of `--strict`.
struct Shortcoming {
  std::string text;
  bool is_in_verdict = false;
};

std::vector<Shortcoming> all_shortcomings(const Report& report, double tolerance) {
  const FigureValues<Scope::run>& figures = report.figures;
  std::vector<Shortcoming> found;
  const std::uint64_t dropped = figures.count("dropped"), lost = figures.count("lost"),
                      delivered = figures.count("delivered");
  // The verdict names frames dropped at sources.
  std::uint64_t at_sources = 0;
  for (const Report::Source& source : report.sources) at_sources += source.figures.count("dropped");
  if (dropped > 0)
    found.push_back(
        {fmt::format("{} frame{} dropped{}", dropped, dropped == 1 ? "" : "s", full_queues(report)),
         dropped == at_sources});
  if (lost > 0)
    found.push_back({fmt::format("{} frame{} lost", lost, lost == 1 ? "" : "s"), report.loses_rate()});
  for (const auto& source : report.sources)
    for (const sensors::Counter& counter : source.details)
      if (counter.name == "streams_cut" && counter.value > 0)
        found.push_back(
            {fmt::format("the stream of source '{}' ended without its sender's end mark", source.name)});
  if (!report.held().value_or(true)) {
    const auto [required, sustained] =
        distinct_texts(Frequency{*figures["required"]}, Frequency{*figures["sustained"]});
    found.push_back(
        {fmt::format("required {}, sustained {}: {}", required, sustained, report.why_not_held()), true});
  } else if (report.is_miscounted()) {
    found.push_back({"frames were miscounted"});
  }
  if (figures["required"] && !figures["sustained"])
    found.push_back(
        {fmt::format("required {}, but only {} frame{} reached the sinks, too few to measure a rate",
                     takt::to_string(Frequency{*figures["required"]}), delivered, delivered == 1 ? "" : "s"),
         true});
  if (report.latency_limit && report.holds_latency() != true)
    found.push_back(
        {report.holds_latency()
             ? fmt::format("required latency {}, measured {}", report.latency_limit->text(),
                           takt::to_string(*report.latency.at(report.latency_limit->quantile)))
             : fmt::format("required latency {}, but no frame reached a sink", report.latency_limit->text()),
         report.holds_latency().has_value()});
  // The sustained rate includes the time of outages.
  const bool says_more = report.is_held_up_by_source() || !report.outages.empty();
  const double reached = says_more ? figures.value("capacity") : figures.value("sustained");
  if (figures["sustained"] && may_judge_prediction(report) && was_loaded(report) &&
      reached < figures.value("predicted") * (1 - tolerance)) {
    const std::string what = takt::to_string(Frequency{reached});
    found.push_back({fmt::format(
        "predicted {}, {} {}, {:.0f}{}% less{}", takt::to_string(Frequency{figures.value("predicted")}),
        says_more ? "estimated limit" : "sustained", what, 100 * (1 - reached / figures.value("predicted")),
        no_break, cpu_of_other_processes(report.ranks))});
  }
  return found;
}

}  // namespace

std::vector<std::string> Report::shortcomings(double tolerance) const {
  std::vector<std::string> texts;
  for (Shortcoming& each : all_shortcomings(*this, tolerance)) texts.push_back(std::move(each.text));
  return texts;
}

std::vector<std::string> Report::further_shortcomings(double tolerance) const {
  std::vector<std::string> texts;
  for (Shortcoming& each : all_shortcomings(*this, tolerance))
    if (!each.is_in_verdict) texts.push_back(std::move(each.text));
  return texts;
}

}  // namespace takt::pipeline
