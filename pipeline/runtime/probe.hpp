#pragma once
/// A look at what a stage gives while the run goes on: a few of its frames, as rows of a picture.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sensors/frames/row_sampler.hpp"

namespace takt::pipeline {

/// Between two threads. The one that works at frames copies a bounded sample (sensors::RowSampler) of one
/// when it is asked to, and looks at one atomic number otherwise; what becomes of it is for the one that
/// asks.
class Probe {
 public:
  /// What was seen, as one line of JSON: `stage`, `sequence`, `utc_ns`, `x`, `unit`, `first`, `last`,
  /// `power`, `values` (null where nothing is there).
  using Row = std::string;

  /// From now on this stage is looked at, whose frames are of that type; none: nothing is. The asking
  /// thread's.
  void choose(std::optional<std::size_t> stage, const sensors::FrameType& type = {});
  /// Gives what was seen since the last call, and asks for the next frame. The asking thread's.
  [[nodiscard]] std::optional<Row> look();

  /// Whether a frame of this stage is asked for. The working thread's.
  [[nodiscard]] bool wants(std::size_t stage) const {
    return state_.load(std::memory_order_relaxed) == static_cast<std::int64_t>(stage);
  }
  /// Copies a frame of this stage where one is asked for, which may have changed since.
  void show(std::size_t stage, const sensors::FrameView& frame);

 private:
  /// Above these, the stage of which a frame is asked for.
  static constexpr std::int64_t idle = -1, busy = -2, full = -3;

  std::atomic<std::int64_t> state_{idle};
  /// Whoever asks owns these but while the state is `busy` or asks for a frame.
  std::optional<std::size_t> stage_, next_;
  bool has_next_ = false;
  sensors::FrameType next_type_;
  std::optional<sensors::RowSampler> rows_;
  std::vector<std::byte> sample_;
  sensors::FrameHeader header_;
};

}  // namespace takt::pipeline
