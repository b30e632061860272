#pragma once
/// Binds the steps of a rank's program to its stages and memory.

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/runtime/bound_step.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/tile_runner.hpp"

namespace takt::pipeline {

class BoundSteps {
 public:
  /// `releases_early` as in SourceReader. All arguments must outlive it.
  BoundSteps(RankState& state, RankMemory& memory, RankStages& stages, const TravellingStates& travelling,
             MessageIo& io, TileRunner& tiles, bool releases_early);
  BoundSteps(const BoundSteps&) = delete;
  BoundSteps& operator=(const BoundSteps&) = delete;

  /// Returns the steps of an iteration.
  [[nodiscard]] std::span<const BoundStep> of(std::uint64_t round) const {
    return phases_ == 1 ? first_phase() : std::span(steps_).subspan(round % phases_ * count(), count());
  }
  /// Returns the steps `first` to `last - 1` of the program, in the first phase.
  [[nodiscard]] std::span<const BoundStep> between(std::size_t first, std::size_t last) const {
    return first_phase().subspan(places_[first], places_[last] - places_[first]);
  }

 private:
  [[nodiscard]] std::size_t count() const { return places_.back(); }
  [[nodiscard]] std::span<const BoundStep> first_phase() const { return std::span(steps_).first(count()); }
  /// Binds a step of the program for the iterations of a phase.
  [[nodiscard]] BoundStep bind(const Step& step, std::uint32_t phase, RankState& state, RankMemory& memory,
                               RankStages& stages, const TravellingStates& travelling, MessageIo& io);

  std::size_t phases_;
  /// One phase after the other.
  std::vector<BoundStep> steps_;
  /// Inputs of all steps, in the order of the steps.
  std::vector<Datum*> operands_;
  /// By step of the program, then the end: its index among the bound steps of a phase. A tile group is one
  /// step.
  std::vector<std::size_t> places_;
};

}  // namespace takt::pipeline
