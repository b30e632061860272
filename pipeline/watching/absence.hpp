#pragma once
/// Whether whoever watches others was away himself.

#include <cstdint>

namespace takt::pipeline {

/// Notices that its own process was not let run: it was stopped (Ctrl-Z), or its virtual machine was. What
/// others have not said or done meanwhile tells nothing of them, since they may have been stopped with it.
class Absence {
 public:
  /// `now` is now_ns().
  explicit Absence(std::int64_t now) : last_look_(now) {}

  /// At each look, several a second: for how long it was away since the last one; 0 where it was not.
  std::int64_t until(std::int64_t now) {
    const std::int64_t passed = now - last_look_;
    last_look_ = now;
    return passed > longest_look ? passed : 0;
  }

 private:
  /// A busy computer lets a process wait for less.
  static constexpr std::int64_t longest_look = 2'000'000'000;

  std::int64_t last_look_;
};

}  // namespace takt::pipeline
