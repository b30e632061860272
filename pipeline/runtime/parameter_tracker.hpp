#pragma once
/// Tracks which parameter updates the stages of a rank have applied.
///
/// Every rank receives an update first. When all ranks have it, the ranks with sources begin it: from then
/// on their frames carry its number. A stage that receives a higher number than before applies the changes,
/// on any rank and with any number of replicas. So the ranks agree on the frame without waiting for each
/// other.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/runtime/update_queue.hpp"
#include "sensors/sink.hpp"

namespace takt::pipeline {

/// Returns whether the input of `stage` depends on the output of `task`.
[[nodiscard]] bool is_downstream(const Pipeline& pipeline, std::size_t stage, std::size_t task);

class ParameterTracker {
 public:
  /// `updates` may be null and must outlive it. `is_kept`, by stage: true if the stage was here before. Other
  /// stages begin with the parameters of the pipeline file.
  ParameterTracker(const Pipeline& pipeline, UpdateQueue* updates, const std::vector<bool>& is_kept);

  /// Returns the number of the last update that a stage has applied.
  [[nodiscard]] std::uint32_t known(std::size_t stage) const { return known_[stage]; }
  /// Returns the last update that sources here may begin; 0: none.
  [[nodiscard]] std::uint32_t allowed() const { return updates_ != nullptr ? updates_->allowed() : 0; }
  /// Begins an update with this frame of a source here.
  void begin(std::uint32_t number, const FrameHeader& header) { updates_->begin(number, header); }
  /// Applies the updates up to this number. Returns the new parameters of a task after each of its
  /// own updates.
  [[nodiscard]] std::vector<Parameters> take_over(std::size_t stage, std::uint32_t number);
  /// Adds the updates upstream of a sink to its history, with the first frame that carries them.
  void note(std::size_t stage, const FrameHeader& header, sensors::Sink& sink);

 private:
  [[nodiscard]] std::vector<Change> updates_until(std::size_t stage, std::uint32_t number);

  const Pipeline& pipeline_;
  UpdateQueue* updates_;
  /// Last update applied, by stage.
  std::vector<std::uint32_t> known_;
};

}  // namespace takt::pipeline
