#pragma once
/// A line of known bytes behind each output, which shows that a kernel has written past its end.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace takt::pipeline {

/// So many bytes behind an output that has a canary are the runtime's: what is written there damages nothing.
inline constexpr std::size_t canary_bytes = 64;

namespace canary {

/// Neither zeros nor ones, no text, and as numbers neither small nor NaN.
inline constexpr std::uint64_t word = 0x5aa5c33c'96695ff1;
using Line = std::array<std::uint64_t, canary_bytes / sizeof(std::uint64_t)>;
inline constexpr Line line{word, word, word, word, word, word, word, word};

}  // namespace canary

/// Before a call: one line is written, which is beside what the kernel writes.
inline void plant_canary(std::span<std::byte> output) noexcept {
  std::memcpy(output.data() + output.size(), canary::line.data(), canary_bytes);
}

/// After it: whether nothing was written there.
[[nodiscard]] inline bool canary_lives(std::span<const std::byte> output) noexcept {
  return std::memcmp(output.data() + output.size(), canary::line.data(), canary_bytes) == 0;
}

/// Throws WorkError that says which bytes were written.
[[noreturn]] void throw_dead_canary(std::span<const std::byte> output);

}  // namespace takt::pipeline
