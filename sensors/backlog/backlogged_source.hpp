#pragma once
/// A source with a queue for the pipeline, with a policy chosen by the user.

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "sensors/backlog/frame_backlog.hpp"
#include "sensors/frames/stream_continuation.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// Reads the source's frames as soon as they are available, on its own thread, with one copy. Frames that the
/// backlog drops or decimates count as dropped.
///
/// With a kept file, frames continue from it after a restart, and those of the source are numbered after them
/// (stream_continuation.hpp).
class BackloggedSource final : public Source {
 public:
  BackloggedSource(std::unique_ptr<Source> source, const BacklogOptions& options)
      : source_(std::move(source)), options_(options) {}
  ~BackloggedSource() override;

  [[nodiscard]] const FrameType& type() const override { return source_->type(); }
  void check() const override { source_->check(); }
  void begin_at(std::int64_t utc_ns) override { source_->begin_at(utc_ns); }
  [[nodiscard]] std::unique_ptr<PacketCount> count_packets() const override {
    return source_->count_packets();
  }
  /// Possible if no frame was dropped: under `block`, and under `spill` while there was space.
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  [[nodiscard]] std::optional<Resumed> resumed() const override;
  void start() override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override { backlog_->release(); }
  void wait(std::int64_t latest_ns) override { backlog_->wait(latest_ns); }
  [[nodiscard]] bool is_cut_off() const override { return backlog_->is_cut_off(); }
  void stop() override { stops_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void run();
  void recover(const StreamPlace& place);
  void put(const FrameView& frame);
  /// Called with the first frame after the kept ones.
  void begin_numbers(FrameHeader first);

  std::unique_ptr<Source> source_;
  const BacklogOptions options_;
  std::optional<FrameBacklog> backlog_;
  /// With a kept file: whether an earlier process had frames, the stream's state after them, and the
  /// numbering of the source's frames, once the first one has arrived.
  bool goes_on_ = false;
  StreamStand stand_;
  std::optional<Continuation> numbers_;
  /// Of the earlier process: all frames that it dropped, those dropped after its last kept frame, and frames
  /// lost otherwise. `lost_in_outage_`: frames lost since then; -1: unknown yet.
  std::uint64_t dropped_before_ = 0, dropped_last_ = 0, lost_before_ = 0;
  std::atomic<std::int64_t> lost_in_outage_{-1};
  std::atomic<bool> is_started_{false}, stops_{false}, is_abandoned_{false}, has_failed_{false};
  std::exception_ptr failure_;
  std::thread thread_;
};

/// Excludes the waiting frames from the counts: after a restart they arrive again, or are lost. Does nothing
/// without a backlog.
void leave_out_waiting(SourceCounters& counters);

}  // namespace takt::sensors
