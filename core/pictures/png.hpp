#pragma once
/// PNG encoding of pixel images.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace takt {

/// Red, green, blue and opacity.
using PixelColour = std::array<std::uint8_t, 4>;

/// Encodes rows of pixels, which are palette indices (at most 256 colours), as PNG: W3C, "Portable Network
/// Graphics Specification", second edition, colour type 3. O(pixels).
[[nodiscard]] std::string png_of(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                                 std::span<const PixelColour> colours);

}  // namespace takt
