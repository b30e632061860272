#pragma once
/// The common base of sources that receive on their own thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

struct StreamOptions {
  /// Largest number of complete frames waiting for the pipeline, and the action for the next one.
  std::size_t depth = 8;
  WhenFull when_full = WhenFull::drop;
  /// The stream ends after this time without data; 0: only its sender or `stop` ends it.
  Time idle_timeout{0};
};

/// Throws OptionError.
void validate(const StreamOptions& options);

/// A derived class implements opening and receiving; its destructor must call `end` before it destroys the
/// thread's data.
class StreamSource : public Source {
 public:
  [[nodiscard]] const FrameType& type() const override { return type_; }
  void start() override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override { queue_->pop(); }
  [[nodiscard]] std::size_t least_pool() const override { return options_.depth + own_slots_; }
  void use_pool(const FramePool& pool) override { pool_ = pool; }
  void wait(std::int64_t latest_ns) override { queue_->wait(latest_ns); }
  [[nodiscard]] bool is_cut_off() const override;
  [[nodiscard]] std::optional<Reception> reception() const override;
  void stop() override { stopping_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 protected:
  /// `own_slots`: the largest number of frames under assembly.
  StreamSource(FrameType type, const StreamOptions& options, std::size_t own_slots);

  /// Called before the thread starts. Throws the errors of `start`.
  virtual void open() = 0;
  /// Called on the thread, until the end of the stream or `stopping()`. `poll` rethrows its errors.
  virtual void receive() = 0;
  /// Called on the thread, once, at the end of the stream: hands over the frames under assembly.
  virtual void finish(std::int64_t now_ns) = 0;
  /// Thread-safe once `open` has returned.
  [[nodiscard]] virtual SourceCounters counted() const = 0;
  [[nodiscard]] virtual std::vector<std::string> warned() const { return {}; }

  /// Stops and joins the thread.
  void end();
  [[nodiscard]] bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  /// Waits until this number of slots is free, if frames may not be dropped, or until `stopping()`.
  void wait_for_room(std::size_t slots) const;
  [[nodiscard]] FrameQueue& queue() { return *queue_; }
  [[nodiscard]] const StreamOptions& stream_options() const { return options_; }

 private:
  void run();

  const FrameType type_;
  const StreamOptions options_;
  const std::size_t own_slots_;
  FramePool pool_;
  /// Set by `start`.
  std::optional<FrameQueue> queue_;
  std::int64_t last_ingested_ns_ = 0;
  /// When receiving ended; frames handed over later were cut off.
  std::atomic<std::int64_t> end_ns_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<bool> started_{false}, stopping_{false}, finished_{false};
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace takt::sensors
