#pragma once
/// How a kernel's output gets into the memory from which another rank reads it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/program/placement_kind.hpp"

namespace takt::pipeline {

/// Chooses between ways by trying each of them, again and again while the rank runs: which one wins depends
/// on the cores, the frame's size and the kernel's manner of writing; and a virtual machine's cores move
/// while it runs.
class OutputPlacement {
 public:
  /// Of outputs of so many bytes that are made as a whole, in one of three ways, or by tiles, which are not
  /// `copied`.
  OutputPlacement(bool is_whole, std::size_t bytes);

  /// Of the next output.
  [[nodiscard]] PlacementKind way() const { return in_trial() ? ways_[tried_ % ways_.size()] : way_; }
  /// The output made since the last call took so long, until it lay in the message.
  void took(std::int64_t duration_ns) {
    if (in_trial())
      try_out(duration_ns);
    else if (--until_trial_ == 0)
      tried_ = 0;
  }

 private:
  /// Outputs a way in one trial.
  static constexpr std::size_t samples = 9;
  /// Outputs between two trials: twice as many after each that changes nothing.
  static constexpr std::size_t shortest_stay = 512, longest_stay = 16'384;
  /// Another way than in place is chosen only where it saves so much.
  static constexpr double least_gain = 0.03;

  [[nodiscard]] bool in_trial() const { return tried_ < ways_.size() * samples; }
  void try_out(std::int64_t duration_ns);
  [[nodiscard]] PlacementKind best_tried();

  std::vector<PlacementKind> ways_;
  PlacementKind way_ = PlacementKind::in_place;
  std::size_t bytes_;
  std::size_t tried_ = 0;
  std::size_t stay_ = shortest_stay;
  std::size_t until_trial_ = 0;
  /// Of the trial at work, by way.
  std::vector<std::array<std::int64_t, samples>> durations_;
};

/// Those of a rank's outputs, from its trial runs on: what was tried need not be tried again.
class OutputPlacements {
 public:
  /// That of a stage, for outputs that are made as a whole or by tiles; made where there is none yet.
  [[nodiscard]] OutputPlacement& of(const std::string& stage, bool is_whole, std::size_t bytes) {
    return by_stage_.try_emplace({stage, is_whole}, is_whole, bytes).first->second;
  }

 private:
  std::map<std::pair<std::string, bool>, OutputPlacement> by_stage_;
};

}  // namespace takt::pipeline
