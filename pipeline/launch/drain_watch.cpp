#include "pipeline/launch/drain_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/launch/rank_texts.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Returns the total number of frames that tasks have finished.
std::uint64_t finished_runs(const RunRecord& record) {
  std::uint64_t runs = 0;
  for (const auto& rank : record.ranks)
    if (rank)
      for (const StageStatus& stage : rank->stages) runs += stage.counts["runs"];
  return runs;
}

}  // namespace

std::string DrainWatch::look(const RunRecord& record, bool is_to_end, std::int64_t now) {
  const bool ends_already =
      std::ranges::any_of(record.ranks, [](const auto& rank) { return rank && !rank->failure.empty(); });
  const std::uint64_t runs = finished_runs(record);
  if (!drains(record, is_to_end, now) || ends_already || runs != last_runs_ || standstill_ == Time{0}) {
    last_runs_ = runs;
    last_run_ = now;
    return "";
  }
  if (now - last_run_ <= standstill_.count()) return "";
  const auto is_at_work = [](const auto& rank) { return rank && !rank->task.empty(); };
  std::string text = fmt::format("the run does not end: no progress for {}", takt::to_string(standstill_));
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank)
    if (is_at_work(record.ranks[rank]))
      text += fmt::format("; {}{}", describe_rank(record, rank), last_seen(record, rank));
  if (record.plan && std::ranges::none_of(record.ranks, is_at_work))
    for (const PlannedStage& stage : record.plan->stages)
      if (stage.kind == name_of(StageKind::source))
        text += fmt::format("; source '{}' delivered no more frames", stage.name);
  return text;
}

bool DrainWatch::drains(const RunRecord& record, bool is_to_end, std::int64_t now) {
  // Work of ranks before the stream finishes no frames.
  const bool has_begun =
      std::ranges::any_of(record.ranks, [](const auto& rank) { return rank && rank->has_begun; });
  return (is_to_end && has_begun) || is_time_over(record, now) ||
         std::ranges::any_of(record.ranks, [](const auto& rank) {
           return rank && !rank->final && rank->phase == Phase::draining;
         });
}

/// Ranks check their clock only when a frame arrives.
bool DrainWatch::is_time_over(const RunRecord& record, std::int64_t now) {
  if (!stream_time_) return false;
  const auto runs = [](const auto& rank) { return rank && rank->phase == Phase::running; };
  if (!running_ns_ && std::ranges::any_of(record.ranks, runs)) running_ns_ = now;
  return running_ns_ && now - *running_ns_ > stream_time_->count();
}

}  // namespace takt::pipeline
