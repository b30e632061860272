/// How an executor changes parameters of kernels between two frames.
///
/// A change is told to every rank first. When all of them know of it, the ranks with sources let it begin:
/// from then on their frames carry its number, and a kernel that meets a higher number than before takes over
/// what has changed, wherever it runs and however many replicas it has. So the ranks agree on the frame
/// without waiting for each other.

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "pipeline/runtime/executor.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

namespace {

/// `2026-11-23T00:12:56.123456Z`.
std::string utc_text(std::int64_t utc_ns) {
  using std::chrono::microseconds, std::chrono::sys_time;
  const sys_time<microseconds> moment(
      std::chrono::duration_cast<microseconds>(std::chrono::nanoseconds(utc_ns)));
  const auto whole = std::chrono::floor<std::chrono::seconds>(moment);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)),
                     (moment - whole).count());
}

/// Whether what `stage` is given depends on what `task` makes.
bool is_behind(const Pipeline& pipeline, std::size_t stage, std::size_t task) {
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

}  // namespace

void Executor::stamp(Datum& datum, std::size_t slot_index) {
  if (options_.changes == nullptr) return;
  const std::uint32_t allowed = claims_  ? claims_->change()
                                : turns_ ? turns_->change()
                                         : options_.changes->allowed();
  if (allowed == 0) return;
  FrameHeader& header = headers_[slot_index];
  if (datum.header != &header) header = *datum.header;
  header.change = allowed;
  datum.header = &header;
  // Of a shared source, one rank has the first frame with it.
  const std::size_t instance = slot_index / pipeline_.stages.size();
  const bool is_first = claims_  ? claims_->begins_change() && claimed_place_[instance] == 0
                        : turns_ ? instance == 0
                                 : true;
  if (is_first) options_.changes->begin(allowed, header);
}

std::vector<Change> Executor::take_over_changes(std::size_t stage, std::uint32_t number) {
  const std::uint32_t before = std::exchange(known_changes_[stage], number);
  if (options_.changes == nullptr) return {};
  options_.changes->known(stage).number = number;
  return options_.changes->between(before, number);
}

void Executor::change_parameters(std::size_t stage, std::uint32_t number) {
  for (const Change& change : take_over_changes(stage, number)) {
    if (change.stage != stage) continue;
    std::optional<Parameters>& own = options_.changes->known(stage).parameters;
    own = with_change(pipeline_, own ? *own : pipeline_.stages[stage].parameters, change);
    as_stage(pipeline_, stage, 0, [&] {
      if (kernels_[stage] && !kernels_[stage]->change(*own))
        kernels_[stage] = pipeline_.make_kernel(stage, *own);
      change_tiles(stage, *own);
      return 0;
    });
  }
}

void Executor::change_tiles(std::size_t stage, const Parameters& parameters) {
  // Groups that do the same for different instances share their kernels.
  for (const auto& [first, group] : program_.tiled)
    for (const TileGroup::Member& member : group.members)
      if (member.stage == stage) return tile_kernels_.change(member, parameters);
}

void Executor::note_descriptions(std::size_t stage) {
  for (std::size_t source = 0; source < stage; ++source) {
    const Stage& each = pipeline_.stages[source];
    if (each.description.empty() || !is_behind(pipeline_, stage, source)) continue;
    for (const std::string& line : each.description)
      sinks_[stage]->note(fmt::format("source {}: {}", each.name, line));
  }
}

void Executor::note_changes(std::size_t stage, const FrameHeader& header) {
  for (const Change& change : take_over_changes(stage, header.change)) {
    if (!is_behind(pipeline_, stage, change.stage)) continue;
    sinks_[stage]->note(fmt::format("{} frame {}{}: {}.{} = {} (was {})", utc_text(header.utc_ns),
                                    header.sequence,
                                    header.epoch > 0 ? fmt::format(" of epoch {}", header.epoch) : "",
                                    change.task, change.key, change.value, change.old_value));
  }
}

}  // namespace takt::pipeline
