#pragma once
/// The end of one frame's work in an asynchronous kernel (Kernel::start).

#include <atomic>
#include <cstdint>
#include <exception>

namespace takt::pipeline {

/// Outcome of a call: `produced` if it filled the output frame, `absorbed` if it consumed the input without
/// output. From `finish` also `more`: it filled the frame and has another one. Other values end the run.
enum class Outcome : std::uint8_t { produced, absorbed, more };

/// A frame that a kernel has started: any thread completes it by one call of `done` or `fail`. Afterwards
/// that thread uses neither the frame's memory nor this object. The address is valid until then, also for a
/// callback that takes a `void*`.
class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// The output is filled (`produced`), or the frame has none (`absorbed`).
  void done(Outcome outcome = Outcome::produced) noexcept { complete(outcome, nullptr); }
  /// The work has failed: the exception ends the run, as the kernel's.
  void fail(std::exception_ptr reason) noexcept { complete(Outcome::absorbed, std::move(reason)); }

  /// The members below are for the runtime.
  ///
  /// Begins the next frame.
  void begin();
  [[nodiscard]] bool is_complete() const { return state_.load(std::memory_order_acquire) == complete_; }
  /// Sleeps until it is complete, until this moment (CLOCK_MONOTONIC), or for no reason.
  void sleep(std::int64_t latest_ns);
  /// Returns the outcome of a complete frame; throws the exception of a failed one.
  [[nodiscard]] Outcome outcome() const;
  /// Returns the time of a complete frame from `begin` to its end.
  [[nodiscard]] std::int64_t duration_ns() const { return end_ns_ - begin_ns_; }

 private:
  void complete(Outcome outcome, std::exception_ptr failure) noexcept;

  static constexpr std::uint32_t under_way = 0, awaited = 1, complete_ = 2;
  std::atomic<std::uint32_t> state_{complete_};
  Outcome outcome_ = Outcome::absorbed;
  std::exception_ptr failure_;
  std::int64_t begin_ns_ = 0, end_ns_ = 0;
};

}  // namespace takt::pipeline
