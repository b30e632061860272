#pragma once
/// Saves the state that a rank needs for a restart.

#include <cstddef>
#include <cstdint>

#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/run_options.hpp"

namespace takt::pipeline {

class Checkpointing {
 public:
  /// `restarting` is null if the run cannot restart. All arguments must outlive it.
  Checkpointing(const Restarting* restarting, RankState& state, const RankStages& stages,
                const EndOfStream& end)
      : restarting_(restarting),
        rounds_(restarting != nullptr ? restarting->rounds : 0),
        state_(state),
        stages_(stages),
        end_(end) {}

  /// Saves a checkpoint if one is due. Called before the first iteration and after each one that leaves no
  /// frame on the rank.
  void save_when_due() {
    if (rounds_ > 0 && state_.round % rounds_ == 0) [[unlikely]]
      save();
  }

 private:
  /// Saves only while the stream goes on and no kernel has flushed.
  void save();
  [[nodiscard]] SavedStage save_stage(std::size_t stage) const;

  const Restarting* restarting_;
  std::uint64_t rounds_;
  RankState& state_;
  const RankStages& stages_;
  const EndOfStream& end_;
};

}  // namespace takt::pipeline
