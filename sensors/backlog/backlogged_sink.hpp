#pragma once
/// A sink with a queue: it writes on its own thread, so that a slow sink does not delay the
/// pipeline.

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "sensors/backlog/frame_backlog.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

/// The next `write`, or `close`, which waits until everything is written, rethrows the sink's
/// errors.
class BackloggedSink final : public Sink {
 public:
  /// For frames of this type.
  BackloggedSink(std::unique_ptr<Sink> sink, const FrameType& type, const BacklogOptions& options)
      : sink_(std::move(sink)),
        keeps_frames_on_disk_(options.policy == BacklogPolicy::spill),
        backlog_(options, type.size()) {}
  ~BackloggedSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void trigger(const std::optional<UtcSpan>& when) override { sink_->trigger(when); }
  void note(const std::string& line) override { sink_->note(line); }
  /// Includes the waiting frames. Empty while a frame is being written, unless `save` also failed during the
  /// previous one: the writing thread then keeps the sink's state in between, so that `save` never waits.
  /// Empty if frames wait on disk.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void use_output_book(const OutputBook& book) override { sink_->use_output_book(book); }
  /// Applies to the next written frame: waiting frames go to the new file.
  void begin_file() override { sink_->begin_file(); }
  [[nodiscard]] std::string location() const override { return sink_->location(); }
  /// Returns the counts, after `close` including the sink's own.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void run();
  void start();
  void join();
  [[nodiscard]] std::optional<FrameView> begin_write();
  void end_write();

  std::unique_ptr<Sink> sink_;
  const bool keeps_frames_on_disk_;
  FrameBacklog backlog_;
  /// Never held while a frame is written.
  mutable std::mutex turn_;
  bool is_writing_ = false;
  /// Whether `save` was called while a frame was written; and the sink's state before the frame that is being
  /// written since then.
  mutable bool is_saved_between_ = false;
  std::optional<std::vector<std::byte>> between_;
  std::exception_ptr failure_;
  std::atomic<bool> has_failed_{false};
  std::thread thread_;
};

}  // namespace takt::sensors
