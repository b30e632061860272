#pragma once
/// Which steps of its program a rank does in an iteration, while its pipeline fills and drains.

#include <cstdint>
#include <limits>

#include "pipeline/program/program.hpp"
#include "pipeline/runtime/rank_state.hpp"

namespace takt::pipeline {

/// A stretch is a number of iterations whose frames pass the rank without others: steps begin with its first
/// frame and end with its last one, each after as many iterations as its offset. The first iterations fill
/// the pipeline, the last ones drain it. Between two stretches a rank holds no frame, so a checkpoint needs
/// none. All ranks have stretches of the same frames. The end of the stream drains the pipeline by itself:
/// its marks follow the last frame (EndOfStream).
///
/// Without offsets an iteration always has all steps.
class Stretches {
 public:
  /// `rounds`: iterations that take frames in each stretch; 0: there is one stretch.
  Stretches(const RankProgram& program, std::uint64_t rounds)
      : depth_(largest_offset(program)),
        length_(rounds > 0 ? rounds : std::numeric_limits<std::uint64_t>::max()) {}

  /// Returns whether this iteration has all steps of the program.
  [[nodiscard]] bool has_all(std::uint64_t round) const {
    return depth_ == 0 || (round - begin_ >= depth_ && round - begin_ < length_);
  }
  /// Returns whether this iteration has a step of this offset.
  [[nodiscard]] bool has(std::uint64_t round, std::uint32_t offset) const {
    return depth_ == 0 || (round - begin_ >= offset && round - begin_ - offset < length_);
  }
  /// Called after each iteration; sets the number and the frames of the next one. Returns whether the rank
  /// holds no frame.
  bool end_round(RankState& state) {
    ++state.round;
    if (depth_ == 0) return true;
    if (length_ == std::numeric_limits<std::uint64_t>::max() || state.round - begin_ < length_ + depth_)
      return false;
    state.round -= depth_;
    state.frames.first -= depth_ * state.frames.instances;
    begin_ = state.round;
    return true;
  }

 private:
  std::uint64_t depth_, length_;
  /// First iteration of the stretch.
  std::uint64_t begin_ = 0;
};

}  // namespace takt::pipeline
