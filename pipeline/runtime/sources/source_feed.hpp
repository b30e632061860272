#pragma once
/// A source of this rank: the frames that it has lent, and the end of its stream.

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "pipeline/config/stream_limits.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/protocol/histogram.hpp"
#include "pipeline/runtime/sources/awakening.hpp"
#include "sensors/frames/stream_continuation.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Numbers of the unreleased frames of a shared source, a ring in the order in which they were taken. Its
/// size is a power of two, because a division costs as much as all other work on it.
class LentFrames {
 public:
  /// Returns the number of the k-th frame that was taken.
  [[nodiscard]] std::uint64_t operator[](std::uint64_t k) const { return numbers_[place_of(k)]; }
  /// Appends the frame that is taken as the `taken`-th one, when `released` frames were given back.
  void add(std::uint64_t frame, std::uint64_t taken, std::uint64_t released);

 private:
  static constexpr std::size_t least_room = 8;
  [[nodiscard]] std::size_t place_of(std::uint64_t k) const { return k & (numbers_.size() - 1); }

  std::vector<std::uint64_t> numbers_;
};

/// For the thread that processes frames, except `counters`, `ages` and `lost_in_outage`.
class SourceFeed {
 public:
  /// Any thread sets `drains` to stop reception; frames already received are still delivered. `drains` must
  /// outlive the feed.
  SourceFeed(std::unique_ptr<sensors::Source> source, const StreamLimits& limits,
             const std::atomic<bool>& drains)
      : source_(std::move(source)), limits_(limits), drains_(&drains) {}

  /// Resumes the stream after a checkpoint, before the source starts. Frames of a stream that cannot be
  /// repeated are numbered after the earlier ones. They stay in the epoch if the source's own clock shows how
  /// many frames are missing (at most 10 s), and begin a new epoch otherwise. Frames of joined sources always
  /// begin a new epoch, since their numbers must stay the same.
  void resume(const SavedStage::Stream& before, bool is_joined);
  /// Prepares for `save`; called before the source starts.
  void follow_stream() { follows_stream_ = true; }
  /// Returns the stream's state for a checkpoint. For the thread that processes frames, between two frames.
  [[nodiscard]] SavedStage::Stream save() const;
  /// Renumbers a delivered frame if its own number is not the stream's.
  void renumber(sensors::FrameHeader& header) const { numbers_.renumber(header); }
  [[nodiscard]] bool renumbers() const { return numbers_.renumbers(); }
  /// Returns the number of frames lost between the checkpoint and the first frame after it; nothing before
  /// that frame. Any thread.
  [[nodiscard]] std::optional<std::uint64_t> lost_in_outage() const;

  /// Measures the age of the data of each frame that has a time; called before the source starts.
  void measure_age();
  /// Returns the ages: from the end of a frame's time to the moment when the frame was complete. Any thread.
  [[nodiscard]] Buckets ages() const { return ages_ ? ages_->buckets() : Buckets{}; }

  /// Shares the source with other ranks, before it starts: this rank takes some of its frames, those of an
  /// iteration in any order. The ranks agree on an early end of the stream (`end_early`).
  void share() { is_shared_ = true; }
  /// Returns whether the duration is over or the user has requested the end.
  [[nodiscard]] bool is_due_to_stop(std::int64_t now) const;
  /// Ends the stream after the frames that it has delivered.
  void end_early();

  /// Replaces the flag that stops the source.
  void obey(const std::atomic<bool>& drains) { drains_ = &drains; }

  [[nodiscard]] sensors::Source& source() { return *source_; }
  [[nodiscard]] const sensors::Source& source() const { return *source_; }

  /// Polls for the frame of this number; returns `ended` from the end of the stream on. `now` is on the clock
  /// of now_ns(), possibly some iterations old; `seen` is current (Source::poll_at).
  [[nodiscard]] sensors::SourceState poll(std::uint64_t frame, std::int64_t now, sensors::FrameView& view,
                                          std::optional<std::int64_t> seen = {});
  /// Sleeps until a frame may have come, a request to stop, the end of the duration, or this moment
  /// (now_ns).
  void sleep(std::int64_t latest_ns);
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  /// Returns the number of frames delivered.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  /// Returns the number of the oldest frame taken and not released; nothing if there is none.
  [[nodiscard]] std::optional<std::uint64_t> oldest() const {
    if (released_ == taken_) return std::nullopt;
    return is_shared_ ? lent_[released_] : released_;
  }
  /// Releases the oldest frame.
  void release() {
    source_->release();
    ++released_;
  }

  /// Returns the counters of the stream. At the limit of frames they stop, because later frames are not part
  /// of the run. Any thread.
  [[nodiscard]] sensors::SourceCounters counters() const;

  /// Stops the source at the end of the run or of its duration. Joined sources end together, so a rank calls
  /// this for each of them while it waits for another one.
  void stop_when_due(std::int64_t now);

 private:
  void count_age(const sensors::FrameHeader& header);
  void keep_counters();
  /// Ends the stream before this frame.
  void end(std::uint64_t frame);
  /// Follows the source's frame numbers, for checkpoints.
  void note(const sensors::FrameHeader& header);
  void resume_with(const sensors::FrameHeader& first);

  std::unique_ptr<sensors::Source> source_;
  StreamLimits limits_;
  const std::atomic<bool>* drains_;
  bool is_shared_ = false;
  /// Of a shared source.
  LentFrames lent_;
  /// Of a shared source: the frame that it delivers next, and the first frame that does not exist.
  std::uint64_t next_ = 0, end_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t taken_ = 0, released_ = 0;
  /// Frames taken with missing parts.
  std::uint64_t incomplete_ = 0;
  std::optional<std::int64_t> first_frame_ns_;
  bool was_stopped_ = false, has_ended_ = false;
  /// Null: the age is not measured. The time of a frame.
  std::unique_ptr<Histogram> ages_;
  std::int64_t frame_ns_ = 0;
  std::optional<std::int64_t> begun_utc_ns_;
  /// State after the last frame delivered, in the source's numbers, if `save` needs it.
  bool follows_stream_ = false;
  sensors::StreamStand stand_;
  bool has_epochs_ = false;

  std::optional<SavedStage::Stream> before_;
  bool is_repeated_ = false, is_joined_ = false;
  Awakening awakening_;
  sensors::Continuation numbers_;
  std::optional<std::uint64_t> lost_in_outage_;
  mutable std::mutex counters_mutex_;
  std::optional<sensors::SourceCounters> counters_at_limit_;
};

}  // namespace takt::pipeline
