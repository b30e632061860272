#pragma once
/// A source of this rank: which frames it has lent, and when its stream is over.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "pipeline/config/stream_limits.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// All but `counters` is for the thread that processes frames.
class SourceFeed {
 public:
  /// `drains` is set, from any thread, when the source is to stop receiving; what it took in is still given.
  /// It must outlive the feed.
  SourceFeed(std::unique_ptr<sensors::Source> source, const StreamLimits& limits,
             const std::atomic<bool>& drains)
      : source_(std::move(source)), limits_(limits), drains_(&drains) {}

  /// From now on this says when to stop.
  void obey(const std::atomic<bool>& drains) { drains_ = &drains; }

  [[nodiscard]] sensors::Source& source() { return *source_; }
  [[nodiscard]] const sensors::Source& source() const { return *source_; }

  /// Takes the next frame, which has this number, without waiting; `ended` for good once the stream is over.
  [[nodiscard]] sensors::SourceState poll(std::uint64_t frame, sensors::FrameView& view);
  /// Waits until a frame may have come, a request to stop, the end of the stream's time, or this moment
  /// (now_ns).
  void sleep(std::int64_t latest_ns) const;
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  /// Frames that it has given.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  /// Number of the oldest frame that was taken and not given back; nothing when there is none.
  [[nodiscard]] std::optional<std::uint64_t> oldest() const {
    return released_ < taken_ ? std::optional(released_) : std::nullopt;
  }
  /// Gives it back.
  void release() {
    source_->release();
    ++released_;
  }

  /// What became of the stream; once it has had its limit of frames, what had become of it then, since nobody
  /// wanted what came later. From any thread.
  [[nodiscard]] sensors::SourceCounters counters() const;

 private:
  void stop_when_due();
  void keep_counters();
  void end();

  std::unique_ptr<sensors::Source> source_;
  StreamLimits limits_;
  const std::atomic<bool>* drains_;
  std::uint64_t taken_ = 0, released_ = 0;
  /// Frames taken with parts missing.
  std::uint64_t incomplete_ = 0;
  std::optional<std::int64_t> first_frame_ns_;
  bool was_stopped_ = false, has_ended_ = false;
  mutable std::mutex counters_mutex_;
  std::optional<sensors::SourceCounters> counters_at_limit_;
};

}  // namespace takt::pipeline
