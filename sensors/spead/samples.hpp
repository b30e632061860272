#pragma once
/// Numbers as they lie in a heap, to and from floating point.

#include <cstddef>
#include <span>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// As many numbers as `bytes` holds, to consecutive elements' numbers at `to`: float64 where `element` is,
/// otherwise float32.
void decode_numbers(ElementType element, bool is_big_endian, std::span<const std::byte> bytes, std::byte* to);

/// The inverse, rounded and clipped to what the type holds.
void encode_numbers(ElementType element, bool is_big_endian, std::span<const float> numbers,
                    std::span<std::byte> bytes);

}  // namespace takt::sensors
