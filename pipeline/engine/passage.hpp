#pragma once
/// How a kernel's output gets into the memory from which another rank reads it.

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt::pipeline {

/// Chooses between two ways by trying both, again and again while the rank runs.
///
/// In place: the kernel writes into the message. Nothing is copied; but each store into a cache line that the
/// reader's core still holds waits until the line is back, 9 ns a line between cores with caches of their
/// own, next to nothing between threads of one core.
/// Copied: the kernel writes into memory that stays in this core's cache, and the copy takes whole lines over
/// unread (core/copy_out.hpp), 2 ns a line.
/// Which one wins depends on the cores, the frame's size and the kernel's manner of writing; and a virtual
/// machine's cores move while it runs.
class Passage {
 public:
  /// Whether the next output is made elsewhere and copied.
  [[nodiscard]] bool copies() const { return in_trial() ? tried_ % 2 == 1 : copies_; }
  /// The output made since the last call took so long, until it lay in the message.
  void took(std::int64_t duration_ns) {
    if (in_trial())
      try_out(duration_ns);
    else if (--until_trial_ == 0)
      tried_ = 0;
  }

 private:
  /// Outputs a way in one trial.
  static constexpr std::size_t samples = 9;
  /// Outputs between two trials: twice as many after each that changes nothing.
  static constexpr std::size_t shortest_stay = 512, longest_stay = 16'384;
  /// A copy is chosen only where it saves so much.
  static constexpr double least_gain = 0.03;

  [[nodiscard]] bool in_trial() const { return tried_ < 2 * samples; }
  void try_out(std::int64_t duration_ns);

  bool copies_ = false;
  std::size_t tried_ = 0;
  std::size_t stay_ = shortest_stay;
  std::size_t until_trial_ = 0;
  /// Of the trial at work: in place, copied.
  std::array<std::array<std::int64_t, samples>, 2> durations_{};
};

}  // namespace takt::pipeline
