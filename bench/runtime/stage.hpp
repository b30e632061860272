#pragma once
/// What one stage does to a frame: the same for takt and for its peers.

#include <chrono>
#include <cstddef>
#include <string>

namespace takt::bench {

struct StageWork {
  /// Every element is read and written; otherwise the first one, which only hands the frame on.
  bool touches = false;
  /// How long the stage works at least.
  std::chrono::nanoseconds time{0};
};

/// `hand`, `touch`, or a time in microseconds, with touching: `100`.
inline StageWork parse_work(const std::string& text) {
  if (text == "hand") return {};
  if (text == "touch") return {.touches = true};
  return {.touches = true, .time = std::chrono::microseconds(std::stol(text))};
}

inline void run_stage(const StageWork& work, const float* in, float* out, std::size_t count) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t touched = work.touches ? count : 1;
  for (std::size_t i = 0; i < touched; ++i) out[i] = 1.5F * in[i];
  while (work.time.count() > 0 && std::chrono::steady_clock::now() - start < work.time) {
  }
}

}  // namespace takt::bench
