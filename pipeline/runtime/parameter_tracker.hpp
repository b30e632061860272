#pragma once
/// Which parameter updates the stages of a rank have taken over.
///
/// An update is sent to every rank first. When all of them have it, the ranks with sources let it begin: from
/// then on their frames carry its number, and a stage that meets a higher number than before takes over what
/// has changed, wherever it runs and however many replicas it has. So the ranks agree on the frame without
/// waiting for each other.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/runtime/update_queue.hpp"
#include "sensors/sink.hpp"

namespace takt::pipeline {

/// Whether the input of `stage` depends on the output of `task`.
[[nodiscard]] bool is_downstream(const Pipeline& pipeline, std::size_t stage, std::size_t task);

class ParameterTracker {
 public:
  /// `updates` may be null and must outlive it; `is_kept` says by stage whether it was here before: others
  /// begin with the parameters of the pipeline file.
  ParameterTracker(const Pipeline& pipeline, UpdateQueue* updates, const std::vector<bool>& is_kept);

  /// Of the last update that a stage has taken over.
  [[nodiscard]] std::uint32_t known(std::size_t stage) const { return known_[stage]; }
  /// Of the last update that sources here may let begin; 0: none.
  [[nodiscard]] std::uint32_t allowed() const { return updates_ != nullptr ? updates_->allowed() : 0; }
  /// An update begins with this frame of a source here.
  void begin(std::uint32_t number, const FrameHeader& header) { updates_->begin(number, header); }
  /// Takes over the updates up to this number: returns the new parameters of a task after each one of its
  /// own.
  [[nodiscard]] std::vector<Parameters> take_over(std::size_t stage, std::uint32_t number);
  /// The same for a sink: adds the updates upstream of it to its history, with the first frame that has them.
  void note(std::size_t stage, const FrameHeader& header, sensors::Sink& sink);

 private:
  [[nodiscard]] std::vector<Change> updates_until(std::size_t stage, std::uint32_t number);

  const Pipeline& pipeline_;
  UpdateQueue* updates_;
  /// By stage.
  std::vector<std::uint32_t> known_;
};

}  // namespace takt::pipeline
