#pragma once
/// A sink that frames wait for: it writes on a thread of its own, so that the pipeline goes on while it is
/// slow.

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "sensors/backlog/frame_backlog.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

/// What the sink throws is thrown by the next `write`, or by `close`, which waits until everything is
/// written.
class BackloggedSink final : public Sink {
 public:
  /// For frames of this type.
  BackloggedSink(std::unique_ptr<Sink> sink, const FrameType& type, const BacklogOptions& options)
      : sink_(std::move(sink)), backlog_(options, type.size()) {}
  ~BackloggedSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void trigger(const std::optional<UtcSpan>& when) override { sink_->trigger(when); }
  void note(const std::string& line) override { sink_->note(line); }
  /// At the frame that is written next: those that wait go to the new file.
  void begin_file() override { sink_->begin_file(); }
  [[nodiscard]] std::string location() const override { return sink_->location(); }
  /// Behind `close` those of the sink, too.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void run();
  void join();

  std::unique_ptr<Sink> sink_;
  FrameBacklog backlog_;
  std::exception_ptr failure_;
  std::atomic<bool> has_failed_{false};
  std::thread thread_;
};

}  // namespace takt::sensors
