#pragma once
/// Takes frames from the sources of a rank, and releases them.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "pipeline/runtime/bound_step.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/joined_sources.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/parameter_tracker.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/source_sharing.hpp"

namespace takt::pipeline {

class SourceReader {
 public:
  /// `joined` is null if sources are not joined; `first_frame` is the executor's first frame. All other
  /// arguments must outlive it.
  SourceReader(RankState& state, RankMemory& memory, EndOfStream& end, const RankStages& stages,
               MessageIo& io, ParameterTracker& parameters, const SourceSharing& sharing,
               const JoinedSources* joined, std::uint64_t first_frame)
      : state_(state),
        memory_(memory),
        end_(end),
        stages_(stages),
        io_(io),
        parameters_(parameters),
        sharing_(sharing),
        joined_(joined),
        first_frame_(first_frame) {}

  /// Returns whether frames may be released before the end of their iteration, as soon as this rank has
  /// processed them: BoundStep::number is the place.
  [[nodiscard]] static bool releases_early(const RankProgram& program, const SourceSharing& sharing,
                                           const JoinedSources* joined) {
    return program.instances > 1 && largest_offset(program) == 0 && sharing.self_scheduling() == nullptr &&
           !sharing.reordering() && (joined == nullptr || !joined->has_own());
  }

  /// Waits for the next frame, and sets the step's output to it.
  void take(const BoundStep& step);
  /// Releases the frames that are no longer needed before the step takes a frame.
  void begin_taking(const BoundStep& step) {
    if (step.number == 0) return;
    taking_ = step.number;
    release_frames(*step.feed, step.index);
  }
  /// Notes when the frame came, and writes the parameter update that it carries into its header.
  void stamp(Datum& datum, const BoundStep& step) {
    const auto arrival_ns = static_cast<std::uint64_t>(datum.header->ingested_ns);
    Tallies<Scope::intake>& intake = step.tally->waits;
    if (intake["first_ns"].value() == 0) [[unlikely]]
      intake["first_ns"].set(arrival_ns);
    intake["last_ns"].set(arrival_ns);
    // Another rank that shares the source may have begun an update that is not allowed here yet.
    const std::uint32_t change = sharing_.change(parameters_.allowed());
    if (change > 0) [[unlikely]]
      stamp(datum, step, change);
  }
  /// Releases all frames that no rank reads any more.
  void release_all() {
    for (const std::size_t stage : stages_.own_sources()) release_frames(*stages_.source(stage), stage);
  }

 private:
  void stamp(Datum& datum, const BoundStep& step, std::uint32_t change);
  /// Returns when the source began to produce the frame; nothing at the end of the stream.
  [[nodiscard]] std::optional<std::int64_t> wait_for_frame(const BoundStep& step, FrameView& view);
  void release_frames(SourceFeed& feed, std::size_t stage) {
    while (feed.oldest() && !is_read(stage, *feed.oldest())) release(feed, stage);
  }
  /// Releases the oldest frame.
  void release(SourceFeed& feed, std::size_t stage);
  [[nodiscard]] bool is_read(std::size_t stage, std::uint64_t frame);

  RankState& state_;
  RankMemory& memory_;
  EndOfStream& end_;
  const RankStages& stages_;
  MessageIo& io_;
  ParameterTracker& parameters_;
  const SourceSharing& sharing_;
  const JoinedSources* joined_;
  std::uint64_t first_frame_;
  /// Index of the last step that took a frame from a source, in this iteration or the one before.
  std::size_t taking_ = 0;
};

}  // namespace takt::pipeline
