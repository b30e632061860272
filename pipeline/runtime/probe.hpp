#pragma once
/// Samples the output of a stage while the run goes on: a few of its frames, as rows of a picture.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sensors/frames/row_sampler.hpp"

namespace takt::pipeline {

/// Connects two threads. The working thread, which processes frames, copies a bounded sample
/// (sensors::RowSampler) of one frame on request, and reads one atomic number otherwise. The asking thread
/// turns the sample into a row.
class Probe {
 public:
  /// A sample as one line of JSON: `stage`, `sequence`, `utc_ns`, `x`, `unit`, `first`, `last`, `power`,
  /// `values` (null for a missing value).
  using Row = std::string;

  /// Selects the stage to sample, and the type of its frames; none: no samples. For the asking
  /// thread.
  void choose(std::optional<std::size_t> stage, const sensors::FrameType& type = {});
  /// Returns the sample taken since the last call, and requests the next one. For the asking thread.
  [[nodiscard]] std::optional<Row> look();

  /// Returns whether a frame of this stage is requested. For the working thread.
  [[nodiscard]] bool wants(std::size_t stage) const {
    return state_.load(std::memory_order_relaxed) == static_cast<std::int64_t>(stage);
  }
  /// Copies a frame of this stage if one is requested; the request may have changed since `wants`.
  void show(std::size_t stage, const sensors::FrameView& frame);

 private:
  /// States without a request. Numbers above these: the stage of which a frame is requested.
  static constexpr std::int64_t idle = -1, busy = -2, full = -3;

  std::atomic<std::int64_t> state_{idle};
  /// The asking thread owns these unless the state is `busy` or a request.
  std::optional<std::size_t> stage_, next_;
  bool has_next_ = false;
  sensors::FrameType next_type_;
  std::optional<sensors::RowSampler> rows_;
  std::vector<std::byte> sample_;
  sensors::FrameHeader header_;
};

}  // namespace takt::pipeline
