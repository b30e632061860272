#pragma once
/// How the ranks that run one source divide its frames: alone, in turn, or by self-scheduling.

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

/// Messages between a rank and the others: the rank that receives all messages which this one sends, or one
/// of these values.
enum Traffic : int { no_messages = -1, only_receives = -2, other_traffic = -3 };

/// What ranks that may share a source agree on.
struct SharingAgreement {
  /// Whether each rank takes the next frame when it is free; otherwise they take turns.
  bool is_self_scheduled = false;
  /// The rank that puts results into the order of their frames; nothing where no rank has to.
  std::optional<int> reorders;
};

/// Frames are self-scheduled where no messages pass between ranks, or all of them go to one rank, which
/// reorders. By rank: its Traffic, and 1 where it runs the source. Pure.
[[nodiscard]] SharingAgreement agree_on_sharing(const std::vector<int>& traffic,
                                                const std::vector<int>& takes_part);

/// What comes from outside the stream, a request to stop or a parameter update, begins with the same frame on
/// all ranks that share a source. A rank that has its source alone agrees with no rank, and pays nothing.
class SourceSharing {
 public:
  /// Collective.
  SourceSharing(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator);

  [[nodiscard]] bool is_shared() const { return turns_ || claims_; }
  /// By claims; null elsewhere.
  [[nodiscard]] const SelfScheduling* claims() const { return claims_ ? &*claims_ : nullptr; }
  /// The program of the rank that reorders; nothing on others.
  [[nodiscard]] const std::optional<ReorderProgram>& reordering() const { return reordering_; }
  /// Of the first iteration of a run that begins with this frame.
  [[nodiscard]] FrameNumbers first_frames(std::uint64_t first_frame) const;

  /// Where it is shared, before an iteration, whose number is `state.round`: ends the source, or raises
  /// `change`, where the ranks have agreed on that. `allowed` is the last parameter update that may begin.
  void begin_round(RankState& state, MessageIo& io, SourceFeed& feed, std::uint32_t allowed) {
    if (turns_ && turns_->waits_for(state.round)) [[unlikely]]
      wait_for_slowest(state, io);
    const std::int64_t now = state.timeline.since();
    const bool stops = feed.is_due_to_stop(now);
    if (claims_)
      claims_->begin_round(now, stops, allowed);
    else
      turns_->begin(state.round, stops, allowed);
    if (claims_) state.frames.first = claims_->first();
    if (claims_ ? claims_->has_ended() : turns_->has_ended()) feed.end_early();
  }
  /// After it, with or without others: the frames are those of the next iteration.
  void end_round(FrameNumbers& frames) {
    if (!claims_) {
      frames.first += instances_;
      return;
    }
    claims_->end_round();
    frames.first = claims_->first();
  }

  /// The parameter update that the frames of this iteration carry, of which this rank knows that one.
  [[nodiscard]] std::uint32_t change(std::uint32_t allowed) const {
    return claims_ ? claims_->change() : turns_ ? turns_->change() : allowed;
  }
  /// Whether the frame at this place of an iteration may be the first one of all ranks to carry it.
  [[nodiscard]] bool may_begin_change(std::uint64_t place) const {
    if (claims_) return claims_->begins_change() && place == 0;
    return !turns_ || place == 0;
  }

 private:
  /// Until no other rank that shares the source is too far behind.
  void wait_for_slowest(RankState& state, MessageIo& io);

  std::uint32_t instances_;
  std::optional<SourceTurns> turns_;
  std::optional<SelfScheduling> claims_;
  std::optional<ReorderProgram> reordering_;
  /// By instance: its place among the frames that are claimed for an iteration.
  std::vector<std::uint64_t> places_;
};

}  // namespace takt::pipeline
