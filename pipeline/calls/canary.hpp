#pragma once
/// Canaries: known bytes after each output, which reveal that a kernel has written past its end.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace takt::pipeline {

/// Bytes after an output with a canary that belong to the runtime: writes to them damage nothing.
inline constexpr std::size_t canary_bytes = 64;

namespace canary {

/// Neither zeros nor ones, not text, and as a number neither small nor NaN.
inline constexpr std::uint64_t word = 0x5aa5c33c'96695ff1;
using Line = std::array<std::uint64_t, canary_bytes / sizeof(std::uint64_t)>;
inline constexpr Line line{word, word, word, word, word, word, word, word};

}  // namespace canary

/// Call before a kernel: writes one cache line, next to those that the kernel writes.
inline void plant_canary(std::span<std::byte> output) noexcept {
  std::memcpy(output.data() + output.size(), canary::line.data(), canary_bytes);
}

/// Call after a kernel: returns true if the canary is unchanged.
[[nodiscard]] inline bool canary_lives(std::span<const std::byte> output) noexcept {
  return std::memcmp(output.data() + output.size(), canary::line.data(), canary_bytes) == 0;
}

/// Throws WorkError that lists the changed bytes.
[[noreturn]] void throw_dead_canary(std::span<const std::byte> output);

}  // namespace takt::pipeline
