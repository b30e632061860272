#pragma once
/// A source whose frames wait for the pipeline, by a policy of the user's.

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "sensors/backlog/frame_backlog.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// Takes what the source has as soon as it is there, on a thread of its own, by one copy. What a backlog
/// drops or leaves out is counted among the dropped frames.
class BackloggedSource final : public Source {
 public:
  BackloggedSource(std::unique_ptr<Source> source, const BacklogOptions& options)
      : source_(std::move(source)), options_(options) {}
  ~BackloggedSource() override;

  [[nodiscard]] const FrameType& type() const override { return source_->type(); }
  void check() const override { source_->check(); }
  /// Where no frame was dropped on the way: under `block`, and of `spill` as long as there was room.
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override { return source_->begin_behind(place); }
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

  std::unique_ptr<Source> source_;
  const BacklogOptions options_;
  std::optional<FrameBacklog> backlog_;
  std::atomic<bool> is_started_{false}, stops_{false}, is_abandoned_{false}, has_failed_{false};
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace takt::sensors
