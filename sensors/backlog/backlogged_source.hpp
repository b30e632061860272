#pragma once
/// A source whose frames wait for the pipeline, by a policy of the user's.

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "sensors/backlog/frame_backlog.hpp"
#include "sensors/frames/stream_continuation.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// Takes what the source has as soon as it is there, on a thread of its own, by one copy. What a backlog
/// drops or leaves out is counted among the dropped frames.
///
/// With a file that is kept, frames go on from it behind a restart, and those of the source are numbered
/// behind them (stream_continuation.hpp).
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
  /// Where no frame was dropped on the way: under `block`, and of `spill` as long as there was room.
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
  [[nodiscard]] std::optional<GoingOn> going_on() const override;
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
  /// With the first frame that comes behind those that were kept.
  void begin_numbers(FrameHeader first);

  std::unique_ptr<Source> source_;
  const BacklogOptions options_;
  std::optional<FrameBacklog> backlog_;
  /// With a file that is kept: whether there were frames before this process, how the stream stood behind
  /// them, and how those of the source are numbered then, once the first one is there.
  bool goes_on_ = false;
  StreamStand stand_;
  std::optional<Continuation> numbers_;
  /// Frames that the process before has dropped, and those of them behind the last one that it kept; others
  /// that are missing among those, and behind them; -1: not known yet.
  std::uint64_t dropped_before_ = 0, dropped_last_ = 0, lost_before_ = 0;
  std::atomic<std::int64_t> lost_in_outage_{-1};
  std::atomic<bool> is_started_{false}, stops_{false}, is_abandoned_{false}, has_failed_{false};
  std::exception_ptr failure_;
  std::thread thread_;
};

/// As if the frames that wait had not come yet: behind a restart they come again, or are lost. Nothing where
/// there is no backlog.
void leave_out_waiting(SourceCounters& counters);

}  // namespace takt::sensors
