#include "pipeline/runtime/parameter_tracker.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Formats a time as `2026-11-23T00:12:56.123456Z`.
std::string utc_text(std::int64_t utc_ns) {
  using std::chrono::microseconds, std::chrono::sys_time;
  const sys_time<microseconds> moment(
      std::chrono::duration_cast<microseconds>(std::chrono::nanoseconds(utc_ns)));
  const auto whole = std::chrono::floor<std::chrono::seconds>(moment);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)),
                     (moment - whole).count());
}

}  // namespace

bool is_downstream(const Pipeline& pipeline, std::size_t stage, std::size_t task) {
  std::vector<bool> seen(pipeline.stages.size());
  std::vector<std::size_t> open{stage};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (next == task) return true;
    if (seen[next]) continue;
    seen[next] = true;
    open.insert(open.end(), pipeline.stages[next].inputs.begin(), pipeline.stages[next].inputs.end());
  }
  return false;
}

ParameterTracker::ParameterTracker(const Pipeline& pipeline, UpdateQueue* updates,
                                   const std::vector<bool>& is_kept)
    : pipeline_(pipeline), updates_(updates), known_(pipeline.stages.size()) {
  if (updates_ == nullptr) return;
  for (std::size_t stage = 0; stage < known_.size(); ++stage) {
    UpdateQueue::Known& known = updates_->known(stage);
    if (!is_kept[stage]) known = {};
    known_[stage] = known.number;
  }
}

std::vector<Change> ParameterTracker::updates_until(std::size_t stage, std::uint32_t number) {
  const std::uint32_t before = std::exchange(known_[stage], number);
  if (updates_ == nullptr) return {};
  updates_->known(stage).number = number;
  return updates_->between(before, number);
}

std::vector<Parameters> ParameterTracker::take_over(std::size_t stage, std::uint32_t number) {
  std::vector<Parameters> found;
  for (const Change& change : updates_until(stage, number)) {
    if (change.stage != stage) continue;
    std::optional<Parameters>& own = updates_->known(stage).parameters;
    own = with_change(pipeline_, own ? *own : pipeline_.stages[stage].parameters, change);
    found.push_back(*own);
  }
  return found;
}

void ParameterTracker::note(std::size_t stage, const FrameHeader& header, sensors::Sink& sink) {
  for (const Change& change : updates_until(stage, header.change)) {
    if (!is_downstream(pipeline_, stage, change.stage)) continue;
    sink.note(fmt::format("{} frame {}{}: {}.{} = {} (was {})", utc_text(header.utc_ns), header.sequence,
                          header.epoch > 0 ? fmt::format(" of epoch {}", header.epoch) : "", change.task,
                          change.key, change.value, change.old_value));
  }
}

}  // namespace takt::pipeline
