#pragma once
/// What all peers are given, and the frames that they hand on.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "bench/runtime/stage.hpp"

namespace takt::bench {

using Clock = std::chrono::steady_clock;

struct Case {
  std::size_t bytes = 0;
  StageWork work;
  bool is_stateless = true;
  std::chrono::duration<double> duration{1};

  [[nodiscard]] std::size_t count() const { return std::max<std::size_t>(bytes / sizeof(float), 1); }
};

/// From `BYTES WORK stateless|stateful SECONDS`.
inline Case parse_case(char** words) {
  return {std::stoul(words[0]), parse_work(words[1]), std::string(words[2]) == "stateless",
          std::chrono::duration<double>(std::stod(words[3]))};
}

/// Aligned as takt's frames are.
class Frame {
 public:
  explicit Frame(const Case& one)
      : data_(static_cast<float*>(std::aligned_alloc(64, (one.count() * sizeof(float) + 63) / 64 * 64))) {
    if (data_ == nullptr) throw std::bad_alloc();
    std::fill_n(data_, one.count(), 0.0F);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { std::free(data_); }
  [[nodiscard]] float* data() const { return data_; }

 private:
  float* data_;
};

/// A frame's way through the three stages, where one thread has it from beginning to end.
struct Buffers {
  explicit Buffers(const Case& one) : a(one), b(one), c(one) {}
  Frame a, b, c;
};

/// Frames between two looks at the clock.
inline constexpr std::uint64_t batch = 16;

/// Threads of a peer that chooses itself what each of them does, and frames that it has under way at once.
inline constexpr std::size_t threads = 2, tokens = 8;

/// Each gives the number of frames that passed all stages within the duration.
std::uint64_t run_tbb(const Case& one);
std::uint64_t run_taskflow(const Case& one);
std::uint64_t run_fastflow(const Case& one);
std::uint64_t run_streampu(const Case& one);

}  // namespace takt::bench
