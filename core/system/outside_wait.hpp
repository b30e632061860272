#pragma once
/// Waits for other programs, which are nobody's hang.

#include <cstdint>
#include <optional>
#include <string>

namespace takt {

/// While it lives, its thread waits for another program: a reader of a pipe, a receiver of a stream. Such a
/// wait has no deadline and is shown to the user. What waits looks at asked_to_stop_at() meanwhile, a few
/// times a second.
class OutsideWait {
 public:
  /// `what` is the object of "waits for": `a reader of the pipe '/tmp/p'`.
  explicit OutsideWait(std::string what);
  OutsideWait(const OutsideWait&) = delete;
  OutsideWait& operator=(const OutsideWait&) = delete;
  ~OutsideWait();
};

/// What threads of this process wait for. Any thread.
struct AwaitedOutside {
  /// The thread that started the process; nothing where it does not wait.
  std::optional<std::string> by_main_thread;
  /// The thread that has waited longest, that one or another, and since when on the clock of now_ns().
  std::optional<std::string> by_any_thread;
  std::int64_t since_ns = 0;
};
[[nodiscard]] AwaitedOutside awaited_outside();

}  // namespace takt
