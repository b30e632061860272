#include "pipeline/config/joining.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

using sensors::rows_of;

/// Rates that differ by more drift apart by at least one sample within a day at 1 MHz.
constexpr double rate_tolerance = 1e-9;
/// Assumed number of frames in the queue of a live source without a parameter `depth`.
constexpr double usual_depth = 8;
/// The wait if no source is live.
constexpr Time longest_wait{std::chrono::seconds{1}};

Time duration_of(const FrameType& type) {
  return Time(std::llround(1e9 / type.rate_hz));
}

/// Returns the time for which a live source can keep its frames; nothing for other sources.
std::optional<Time> room_of(const Draft& draft, const KernelRegistry& kernels) {
  if (!kernels.find_source(draft.type)->is_live) return std::nullopt;
  const double depth =
      draft.parameters->has("depth") ? static_cast<double>(draft.parameters->integer("depth")) : usual_depth;
  const double more = draft.backlog ? static_cast<double>(draft.backlog->depth) : 0;
  return Time(std::llround((depth + more) * 1e9 / draft.own_frames.rate_hz));
}

void cut_frames(Draft& draft, const Draft& longest) {
  const FrameType& own = draft.own_frames;
  const double rows = static_cast<double>(rows_of(own).rows) * own.rate_hz / longest.own_frames.rate_hz;
  if (std::abs(rows - std::round(rows)) > rate_tolerance * rows)
    throw ConfigError(fmt::format(
        "its samples do not fit the longest frames, those of '{}': {} hold {:.10g} samples: expected rates "
        "of which one is a whole multiple of the other, or frames of equal duration",
        longest.name, to_string(duration_of(longest.own_frames)), rows));
  draft.output = sensors::with_rows(own, static_cast<std::size_t>(std::llround(rows)));
  // Largest frame that MPI can send in one message, with its header.
  constexpr std::uint64_t largest = (std::uint64_t{1} << 31) - 1 - sizeof(FrameHeader);
  if (draft.output.size().count > largest)
    throw ConfigError(fmt::format("its frames, combined to the length of those of '{}', exceed 2 GiB: {}",
                                  longest.name, draft.output.to_string()));
  draft.output.rate_hz = longest.own_frames.rate_hz;
}

void set_wait(const std::vector<Draft*>& sources, const KernelRegistry& kernels, Joining& joining,
              ErrorList& errors) {
  const bool is_written = joining.wait > Time{0};
  if (!is_written) joining.wait = longest_wait;
  for (const Draft* draft : sources) {
    const std::optional<Time> room = room_of(*draft, kernels);
    if (!room) continue;
    if (!is_written) {
      joining.wait = std::clamp(*room / 2, Time{1}, joining.wait);
      continue;
    }
    if (joining.wait <= *room) continue;
    const double frames =
        std::ceil(std::chrono::duration<double>(joining.wait).count() * draft->own_frames.rate_hz);
    errors.add(joining.wait_where,
               fmt::format("'join': parameter 'wait': {} is too long: '{}' buffers frames for {}: expected a "
                           "shorter wait, or a 'depth' of {:.0f} there",
                           to_string(joining.wait), draft->name, to_string(*room), frames));
  }
}

}  // namespace

void join_sources(std::vector<Draft>& drafts, const KernelRegistry& kernels, Joining& joining,
                  ErrorList& errors) {
  std::vector<Draft*> sources;
  bool all_are_known = true;
  for (Draft& draft : drafts) {
    if (draft.kind != StageKind::source) continue;
    all_are_known = all_are_known && !draft.is_broken;
    if (draft.is_broken) continue;
    draft.output = draft.own_frames;
    sources.push_back(&draft);
  }
  if (std::ranges::count(drafts, StageKind::source, &Draft::kind) < 2) {
    if (!sources.empty() && sources.front()->delay != Time{0})
      errors.add(
          sources.front()->delay_where,
          fmt::format(
              "{}: 'delay' needs several sources, which it aligns: remove it, or use the kernel 'delay'",
              sources.front()->title()));
    return;
  }
  for (Draft* draft : sources) {
    if (draft->own_frames.rate_hz > 0) continue;
    errors.add(
        draft->where,
        fmt::format("{}: its rate is not known, which joining several sources by time needs: expected a rate",
                    draft->title()));
    draft->is_broken = true;
    all_are_known = false;
  }
  if (!all_are_known) return;
  const Draft& longest =
      **std::ranges::min_element(sources, {}, [](const Draft* draft) { return draft->own_frames.rate_hz; });
  for (Draft* draft : sources) {
    try {
      cut_frames(*draft, longest);
    } catch (const ConfigError& error) {
      errors.add(draft->where, fmt::format("{}: {}", draft->title(), error.message()));
      draft->is_broken = true;
    }
  }
  set_wait(sources, kernels, joining, errors);
}

}  // namespace takt::pipeline
