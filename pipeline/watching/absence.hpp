#pragma once
/// Detects whether the watchdog thread itself was descheduled.

#include <cstdint>

namespace takt::pipeline {

/// Detects that its own process did not run: it was stopped (Ctrl-Z), or its virtual machine was. Silence of
/// other processes during that time is no evidence, since they may have been stopped with it.
class Absence {
 public:
  /// `now` is now_ns().
  explicit Absence(std::int64_t now) : last_look_(now) {}

  /// Call at each look, several times a second. Returns the absence since the last look; 0 if there was none.
  std::int64_t until(std::int64_t now) {
    const std::int64_t passed = now - last_look_;
    last_look_ = now;
    return passed > longest_look ? passed : 0;
  }

 private:
  /// On a busy computer a process waits for less.
  static constexpr std::int64_t longest_look = 2'000'000'000;

  std::int64_t last_look_;
};

}  // namespace takt::pipeline
