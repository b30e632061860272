#include "pipeline/config/restart_rules.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/backlog/spill_file.hpp"

namespace takt::pipeline {

namespace {

/// Frames read since the last saved state must still be in the spill file (sensors::BacklogOptions::kept).
void check_spill(const Pipeline& pipeline, const Stage& source, ErrorList& errors) {
  if (pipeline.joins_sources() || source.backlog->policy != sensors::BacklogPolicy::spill) return;
  // A pipeline that catches up reads faster than frames arrive.
  constexpr double twice = 2, halves = 2;
  const double seconds = static_cast<double>(pipeline.deployment.restart->every.count()) / 1e9;
  const auto wanted =
      static_cast<std::uint64_t>(std::ceil(halves * twice * seconds * source.output.rate_hz)) + 4;
  const Bytes needed{wanted * (source.output.size().count + sizeof(sensors::SpillFile::Head))};
  if (source.backlog->spill >= needed) return;
  errors.add(
      source.where,
      fmt::format(
          "source '{}': 'backlog': half of the 'spill' of {} is too small for the frames that a restart "
          "repeats, twice those of {}: expected {} or more, or a shorter 'restart: {{every: ...}}'",
          source.name, takt::to_string(source.backlog->spill),
          takt::to_string(pipeline.deployment.restart->every), takt::to_string(needed)));
}

void check_source_again(const Pipeline& pipeline, std::size_t stage, ErrorList& errors) {
  const Stage& source = pipeline.stages[stage];
  if (pipeline.joins_sources() && !pipeline.kernels.find_source(source.type)->is_live) {
    errors.add(
        source.where,
        fmt::format(
            "source '{}' ({}): a restart joins several sources at their current times, and a file cannot be "
            "read again in step with the others: expected no 'restart', live sources, or one source",
            source.name, source.type));
    return;
  }
  if (!source.backlog || source.backlog->policy == sensors::BacklogPolicy::block) return;
  check_spill(pipeline, source, errors);
  if (pipeline.make_source(stage)->resume_after({}))
    errors.add(
        source.where,
        fmt::format("source '{}': expected 'backlog: {{policy: block}}', or none: after a restart the stream "
                    "is read again, without the frames that the backlog dropped, which are not known",
                    source.name));
}

void check_kernel_again(const Pipeline& pipeline, std::size_t stage, ErrorList& errors) {
  const Stage& kernel = pipeline.stages[stage];
  if (kernel.stateless || pipeline.deployment.restart->forgets || pipeline.make_kernel(stage)->save()) return;
  errors.add(kernel.where,
             fmt::format("task '{}' is stateful and cannot save its state for a restart (Kernel::save): "
                         "expected 'restart: {{forget: true}}' if it may begin anew",
                         kernel.name));
}

void check_sink_again(const Pipeline& pipeline, std::size_t stage, ErrorList& errors) {
  const Stage& sink = pipeline.stages[stage];
  const bool forgets = pipeline.deployment.restart->forgets;
  if (sink.transient && !forgets)
    errors.add(sink.where, fmt::format("sink '{}' ({}) cannot save its buffered frames for a restart: "
                                       "expected 'restart: {{forget: true}}' if they may be lost",
                                       sink.name, sink.type));
  if (pipeline.make_sink(stage)->save()) return;
  const bool has_frames_on_disk = sink.backlog && sink.backlog->policy == sensors::BacklogPolicy::spill;
  errors.add(sink.where,
             fmt::format("sink '{}' ({}) cannot be restarted: {}: expected no 'restart', or another {}",
                         sink.name, sink.type,
                         has_frames_on_disk ? "the frames of its backlog on disk are lost"
                                            : "it cannot continue its output",
                         has_frames_on_disk ? "policy" : "sink, for example raw or sigproc"));
}

}  // namespace

void check_restart(const Pipeline& pipeline, ErrorList& errors) {
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const StageKind kind = pipeline.stages[i].kind;
    if (kind == StageKind::source) check_source_again(pipeline, i, errors);
    if (kind == StageKind::kernel) check_kernel_again(pipeline, i, errors);
    if (kind == StageKind::sink) check_sink_again(pipeline, i, errors);
  }
}

void keep_whole(Pipeline& pipeline) {
  pipeline.keep_ends_on_one_rank();
  for (Stage& stage : pipeline.stages) {
    if (stage.kind != StageKind::kernel || stage.stateless) continue;
    stage.separable.clear();
    stage.distribution.reset();
  }
}

}  // namespace takt::pipeline
