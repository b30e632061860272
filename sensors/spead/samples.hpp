#pragma once
/// Conversion of numbers in a heap to and from floating point.

#include <cstddef>
#include <span>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Decodes the numbers in `bytes` to consecutive numbers at `to`: float64 if `element` is, otherwise
/// float32.
void decode_numbers(ElementType element, bool is_big_endian, std::span<const std::byte> bytes, std::byte* to);

/// Encodes numbers, rounded and clipped to the type's range.
void encode_numbers(ElementType element, bool is_big_endian, std::span<const float> numbers,
                    std::span<std::byte> bytes);

}  // namespace takt::sensors
