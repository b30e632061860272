#pragma once
/// Registration of waits for other programs, which are not hangs.

#include <cstdint>
#include <optional>
#include <string>

namespace takt {

/// During its lifetime, its thread waits for another program: a reader of a pipe, a receiver of a stream.
/// Such a wait has no deadline and is displayed to the user. The waiting code checks asked_to_stop_at() a few
/// times per second.
class OutsideWait {
 public:
  /// `what` is the object of "waits for": `a reader of the pipe '/tmp/p'`.
  explicit OutsideWait(std::string what);
  OutsideWait(const OutsideWait&) = delete;
  OutsideWait& operator=(const OutsideWait&) = delete;
  ~OutsideWait();
};

/// The current waits of this process. Thread-safe.
struct AwaitedOutside {
  /// The wait of the main thread; empty if it does not wait.
  std::optional<std::string> by_main_thread;
  /// The longest wait of any thread, and its start on the clock of now_ns().
  std::optional<std::string> by_any_thread;
  std::int64_t since_ns = 0;
};
[[nodiscard]] AwaitedOutside awaited_outside();

}  // namespace takt
