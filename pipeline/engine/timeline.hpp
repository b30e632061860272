#pragma once
/// What a rank's time goes into.

#include <array>
#include <cstdint>

#include "core/clock.hpp"
#include "pipeline/engine/trace_recorder.hpp"
#include "sensors/counter.hpp"

namespace takt::pipeline {

/// Uses of a rank's time. At any moment there is one, so that they add up to the time that has passed.
enum class Use : std::uint8_t {
  /// The stages' own code.
  compute,
  /// Sending and receiving.
  message,
  /// Waiting for a frame: of the source, or from another rank.
  starved,
  /// Waiting for another rank to take a frame.
  blocked,
  /// The loop itself.
  other
};
inline constexpr std::size_t use_count = 5;

using UseTallies = std::array<sensors::Tally, use_count>;

/// Gives each nanosecond since `start` to one use.
class Timeline {
 public:
  explicit Timeline(UseTallies& totals) : totals_(totals) {}

  /// From now on every use is told to this, which must live as long.
  void record(TraceRecorder* recorder) { recorder_ = recorder; }

  void start() { since_ = now_ns(); }

  /// From now on the time is used for this. Returns now_ns().
  std::int64_t enter(Use use) { return enter(use, now_ns()); }
  /// The same, from a moment on that has passed, but not before the last change.
  std::int64_t enter(Use use, std::int64_t moment) {
    totals_[static_cast<std::size_t>(use_)].add(static_cast<std::uint64_t>(moment - since_));
    if (recorder_ != nullptr) [[unlikely]]
      tell(moment);
    use_ = use;
    since_ = moment;
    return moment;
  }
  /// From now on the time is used for this, counted from the last change on where that was to `other`: the
  /// few instructions between two stages are not worth a look at the clock (24 ns). Returns the moment.
  std::int64_t follow(Use use) {
    if (use_ != Use::other) return enter(use);
    use_ = use;
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->enter();
    return since_;
  }
  [[nodiscard]] Use use() const { return use_; }
  [[nodiscard]] std::int64_t since() const { return since_; }

 private:
  void tell(std::int64_t moment) {
    if (use_ == Use::compute) recorder_->took(TraceKind::task, since_, moment);
    if (use_ == Use::message)
      recorder_->took(recorder_->step() == TraceKind::task ? TraceKind::copy : recorder_->step(), since_,
                      moment);
    if (use_ == Use::starved) recorder_->took(TraceKind::starved, since_, moment);
    if (use_ == Use::blocked) recorder_->took(TraceKind::blocked, since_, moment);
    recorder_->enter();
  }

  UseTallies& totals_;
  TraceRecorder* recorder_ = nullptr;
  Use use_ = Use::other;
  std::int64_t since_ = 0;
};

}  // namespace takt::pipeline
