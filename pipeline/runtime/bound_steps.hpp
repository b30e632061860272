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
  BoundSteps(RankState& state, RankMemory& memory, RankStages& stages, MessageIo& io, TileRunner& tiles,
             bool releases_early);
  BoundSteps(const BoundSteps&) = delete;
  BoundSteps& operator=(const BoundSteps&) = delete;

  [[nodiscard]] std::span<const BoundStep> all() const { return steps_; }
  /// Returns the steps `first` to `last - 1` of the program.
  [[nodiscard]] std::span<const BoundStep> between(std::size_t first, std::size_t last) const {
    return all().subspan(places_[first], places_[last] - places_[first]);
  }

 private:
  [[nodiscard]] BoundStep bind(const Step& step, RankState& state, RankMemory& memory, RankStages& stages,
                               MessageIo& io);

  std::vector<BoundStep> steps_;
  /// Inputs of all steps, in the order of the steps.
  std::vector<Datum*> operands_;
  /// By step of the program: its index among the bound steps. A tile group is one step.
  std::vector<std::size_t> places_;
};

}  // namespace takt::pipeline
