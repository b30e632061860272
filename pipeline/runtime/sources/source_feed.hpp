#pragma once
/// A source of this rank: which frames it has lent, and when its stream is over.

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "pipeline/config/stream_limits.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/runtime/sources/awakening.hpp"
#include "sensors/frames/stream_continuation.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Numbers of the frames of a shared source that are not given back, in the order in which they were taken: a
/// ring. Its size is a power of two: a division costs as much as all else that is done with it.
class LentFrames {
 public:
  /// Of the k-th frame that was taken.
  [[nodiscard]] std::uint64_t operator[](std::uint64_t k) const { return numbers_[place_of(k)]; }
  /// The frame that is taken as the `taken`-th one, when so many were given back.
  void add(std::uint64_t frame, std::uint64_t taken, std::uint64_t released);

 private:
  static constexpr std::size_t least_room = 8;
  [[nodiscard]] std::size_t place_of(std::uint64_t k) const { return k & (numbers_.size() - 1); }

  std::vector<std::uint64_t> numbers_;
};

/// All but `counters` is for the thread that processes frames.
class SourceFeed {
 public:
  /// `drains` is set, from any thread, when the source is to stop receiving; what it took in is still given.
  /// It must outlive the feed.
  SourceFeed(std::unique_ptr<sensors::Source> source, const StreamLimits& limits,
             const std::atomic<bool>& drains)
      : source_(std::move(source)), limits_(limits), drains_(&drains) {}

  /// The same behind a checkpoint: before it starts. Frames of a stream that cannot be had again are numbered
  /// behind those of before, in one epoch where the source's own clock tells how many are missing in between
  /// (no more than 10 s), and otherwise in an epoch of their own; so are those of sources that are joined,
  /// whose numbers must remain the same.
  void resume(const SavedStage::Stream& before, bool is_joined);
  /// Before it starts: `save` will be asked.
  void follow_stream() { follows_stream_ = true; }
  /// How it stands, for a checkpoint. For the thread that processes frames, between two of them.
  [[nodiscard]] SavedStage::Stream save() const;
  /// Numbers a frame that was given, where its own number is not the stream's.
  void renumber(sensors::FrameHeader& header) const { numbers_.renumber(header); }
  [[nodiscard]] bool renumbers() const { return numbers_.renumbers(); }
  /// Frames that nobody has between the checkpoint and the first one that came then; nothing before that.
  /// Any thread.
  [[nodiscard]] std::optional<std::uint64_t> lost_in_outage() const;

  /// Before it starts: other ranks run it, too, and this one takes some of its frames, those of a round in
  /// any order. When the stream is over early they agree on (`end_early`).
  void share() { is_shared_ = true; }
  /// Whether its time is up, or the user has asked for its end.
  [[nodiscard]] bool is_due_to_stop(std::int64_t now) const;
  /// The stream is over, with the frames that it has given.
  void end_early();

  /// From now on this says when to stop.
  void obey(const std::atomic<bool>& drains) { drains_ = &drains; }

  [[nodiscard]] sensors::Source& source() { return *source_; }
  [[nodiscard]] const sensors::Source& source() const { return *source_; }

  /// Takes the next frame, which has this number, without waiting; `ended` for good once the stream is over.
  /// `now` on the clock of now_ns(), perhaps some rounds old; `seen` is not (Source::poll_at).
  [[nodiscard]] sensors::SourceState poll(std::uint64_t frame, std::int64_t now, sensors::FrameView& view,
                                          std::optional<std::int64_t> seen = {});
  /// Waits until a frame may have come, a request to stop, the end of the stream's time, or this moment
  /// (now_ns).
  void sleep(std::int64_t latest_ns);
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  /// Frames that it has given.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  /// Number of the oldest frame that was taken and not given back; nothing when there is none.
  [[nodiscard]] std::optional<std::uint64_t> oldest() const {
    if (released_ == taken_) return std::nullopt;
    return is_shared_ ? lent_[released_] : released_;
  }
  /// Gives it back.
  void release() {
    source_->release();
    ++released_;
  }

  /// What became of the stream; once it has had its limit of frames, what had become of it then, since nobody
  /// wanted what came later. From any thread.
  [[nodiscard]] sensors::SourceCounters counters() const;

  /// Stops the source where the run is to end, or its duration is over. Sources that are joined end together,
  /// so each of them is asked while a rank waits for another one.
  void stop_when_due(std::int64_t now);

 private:
  void keep_counters();
  /// There is no such frame, and none behind it.
  void end(std::uint64_t frame);
  /// Of the first frame behind a checkpoint of a stream that cannot be had again.
  void note(const sensors::FrameHeader& header);
  void go_on_with(const sensors::FrameHeader& first);

  std::unique_ptr<sensors::Source> source_;
  StreamLimits limits_;
  const std::atomic<bool>* drains_;
  bool is_shared_ = false;
  /// Of a source that is shared.
  LentFrames lent_;
  /// Of a source that is shared: the frame that it gives next, and the first one that there is not.
  std::uint64_t next_ = 0, end_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t taken_ = 0, released_ = 0;
  /// Frames taken with parts missing.
  std::uint64_t incomplete_ = 0;
  std::optional<std::int64_t> first_frame_ns_;
  bool was_stopped_ = false, has_ended_ = false;
  std::optional<std::int64_t> begun_utc_ns_;
  /// Behind the last frame given, as the source numbers it, where that is followed.
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
