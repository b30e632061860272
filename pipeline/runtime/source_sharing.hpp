#pragma once
/// Divides the frames of a source among the ranks that run it: alone, in turn, or by self-scheduling.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/reordering.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/sources/self_scheduling.hpp"
#include "pipeline/runtime/sources/source_feed.hpp"
#include "pipeline/runtime/sources/source_turns.hpp"

namespace takt::pipeline {

/// Messages between a rank and the others: the single rank that receives all messages of this one, or one of
/// these values.
enum Traffic : int { no_messages = -1, only_receives = -2, other_traffic = -3 };

/// Agreement between ranks that may share a source.
struct SharingAgreement {
  /// True if each rank takes the next frame when it is free; otherwise they take turns.
  bool is_self_scheduled = false;
  /// The rank that reorders results; nothing if no rank has to.
  std::optional<int> reorders;
};

/// Chooses self-scheduling if no messages pass between ranks, or if all of them go to one rank, which
/// reorders. By rank: its Traffic, and 1 if it runs the source. Pure.
[[nodiscard]] SharingAgreement agree_on_sharing(const std::vector<int>& traffic,
                                                const std::vector<int>& takes_part);

/// Lets a stop request or a parameter update begin with the same frame on all ranks that share a source. A
/// rank with a source of its own needs no agreement and has no cost.
class SourceSharing {
 public:
  /// Collective.
  SourceSharing(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator);

  [[nodiscard]] bool is_shared() const { return turns_ || self_scheduling_; }
  /// Returns the self-scheduling state; null if the ranks do not claim frames.
  [[nodiscard]] const SelfScheduling* self_scheduling() const {
    return self_scheduling_ ? &*self_scheduling_ : nullptr;
  }
  /// Returns the program of the rank that reorders; nothing on other ranks.
  [[nodiscard]] const std::optional<ReorderProgram>& reordering() const { return reordering_; }
  /// Returns the frames of the first iteration of a run that begins with this frame.
  [[nodiscard]] FrameNumbers first_frames(std::uint64_t first_frame) const;

  /// Begins iteration `state.round` of a shared source. Ends the source, or raises `change`, if the ranks
  /// have agreed on that. `allowed` is the last parameter update that may begin.
  void begin_iteration(RankState& state, MessageIo& io, SourceFeed& feed, std::uint32_t allowed) {
    if (turns_ && turns_->waits_for(state.round)) [[unlikely]]
      wait_for_slowest(state, io);
    const std::int64_t now = state.timeline.since();
    const bool stops = feed.is_due_to_stop(now);
    if (self_scheduling_)
      self_scheduling_->begin_iteration(now, stops, allowed);
    else
      turns_->begin(state.round, stops, allowed);
    if (self_scheduling_) state.frames.first = self_scheduling_->first();
    if (self_scheduling_ ? self_scheduling_->has_ended() : turns_->has_ended()) feed.end_early();
  }
  /// Ends an iteration, of a shared source or not: the frames are then those of the next one.
  void end_iteration(FrameNumbers& frames) {
    if (!self_scheduling_) {
      frames.first += instances_;
      return;
    }
    self_scheduling_->end_iteration();
    frames.first = self_scheduling_->first();
  }

  /// Returns the update that the frames of this iteration carry. `allowed`: the last one known to this rank.
  [[nodiscard]] std::uint32_t change(std::uint32_t allowed) const {
    return self_scheduling_ ? self_scheduling_->change() : turns_ ? turns_->change() : allowed;
  }
  /// Returns whether the frame at this place may be the first of all ranks to carry an update.
  [[nodiscard]] bool may_begin_change(std::uint64_t place) const {
    if (self_scheduling_) return self_scheduling_->begins_change() && place == 0;
    return !turns_ || place == 0;
  }

 private:
  /// Waits until no rank that shares the source is too far behind this one.
  void wait_for_slowest(RankState& state, MessageIo& io);

  std::uint32_t instances_, phases_;
  std::optional<SourceTurns> turns_;
  std::optional<SelfScheduling> self_scheduling_;
  std::optional<ReorderProgram> reordering_;
  /// By instance: its place among the frames claimed for an iteration.
  std::vector<std::uint64_t> places_;
};

}  // namespace takt::pipeline
