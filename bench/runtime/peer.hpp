#pragma once
/// Arguments of all peers, and the frames that they pass on.

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

/// Parses `BYTES WORK stateless|stateful SECONDS`.
inline Case parse_case(char** words) {
  return {std::stoul(words[0]), parse_work(words[1]), std::string(words[2]) == "stateless",
          std::chrono::duration<double>(std::stod(words[3]))};
}

/// A frame, aligned like takt's frames.
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

/// Buffers of a frame in the three stages, where one thread runs them all.
struct Buffers {
  explicit Buffers(const Case& one) : a(one), b(one), c(one) {}
  Frame a, b, c;
};

/// Frames between two readings of the clock.
inline constexpr std::uint64_t batch = 16;

/// Threads of a peer that assigns work to them itself, and its frames in flight.
inline constexpr std::size_t threads = 2, tokens = 8;

/// Each returns the number of frames that passed all stages within the duration.
std::uint64_t run_tbb(const Case& one);
std::uint64_t run_taskflow(const Case& one);
std::uint64_t run_fastflow(const Case& one);
std::uint64_t run_streampu(const Case& one);

}  // namespace takt::bench
