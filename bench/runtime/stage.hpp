#pragma once
/// Work of one stage on a frame: the same for takt and for its peers.

#include <chrono>
#include <cstddef>
#include <string>

namespace takt::bench {

struct StageWork {
  /// Reads and writes every element; otherwise only the first one, to pass the frame on.
  bool touches = false;
  /// Least duration of the stage.
  std::chrono::nanoseconds time{0};
};

/// Parses `hand`, `touch`, or a time in microseconds that includes touching: `100`.
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
