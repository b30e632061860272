#pragma once
/// Chooses how a kernel's output gets into the memory from which another rank reads it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/program/placement_kind.hpp"

namespace takt::pipeline {

/// Compares the output placements by trials, repeated while the rank runs. The fastest one depends on the
/// cores, the frame size and the kernel's write pattern. In addition, a virtual machine's cores move while it
/// runs.
class OutputPlacement {
 public:
  /// For outputs of so many bytes, made as a whole (three placements) or by tiles (without
  /// `copied`).
  OutputPlacement(bool is_whole, std::size_t bytes);

  /// Returns the placement of the next output.
  [[nodiscard]] PlacementKind kind() const { return in_trial() ? kinds_[tried_ % kinds_.size()] : kind_; }
  /// Records how long the output since the last call took until it was in the message.
  void took(std::int64_t duration_ns) {
    if (in_trial())
      try_out(duration_ns);
    else if (--until_trial_ == 0)
      tried_ = 0;
  }

 private:
  /// Outputs per placement in one trial.
  static constexpr std::size_t samples = 9;
  /// Outputs between two trials; the number doubles after each trial without a change.
  static constexpr std::size_t shortest_stay = 512, longest_stay = 16'384;
  /// Least relative gain for a placement other than in place.
  static constexpr double least_gain = 0.03;

  [[nodiscard]] bool in_trial() const { return tried_ < kinds_.size() * samples; }
  void try_out(std::int64_t duration_ns);
  [[nodiscard]] PlacementKind best_tried();

  std::vector<PlacementKind> kinds_;
  PlacementKind kind_ = PlacementKind::in_place;
  std::size_t bytes_;
  std::size_t tried_ = 0;
  std::size_t stay_ = shortest_stay;
  std::size_t until_trial_ = 0;
  /// Durations in the current trial, by placement.
  std::vector<std::array<std::int64_t, samples>> durations_;
};

/// Placements of a rank's outputs, kept from its trial runs on, so that no trial is repeated.
class OutputPlacements {
 public:
  /// Returns the placement of a stage's outputs, made as a whole or by tiles. Creates it at the first call.
  [[nodiscard]] OutputPlacement& of(const std::string& stage, bool is_whole, std::size_t bytes) {
    return by_stage_.try_emplace({stage, is_whole}, is_whole, bytes).first->second;
  }

 private:
  std::map<std::pair<std::string, bool>, OutputPlacement> by_stage_;
};

}  // namespace takt::pipeline
