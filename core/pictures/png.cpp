#include "core/pictures/png.hpp"

#include <string_view>

#include "core/pictures/packed.hpp"

namespace takt {

namespace {

/// Most significant byte first.
std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

/// ISO 3309, as in PNG's appendix.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
  }
  return ~crc;
}

/// RFC 1950.
std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

std::string chunk(std::string_view name, std::string_view data) {
  const std::string body = std::string(name) + std::string(data);
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc32(body));
}

}  // namespace

std::string png_of(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                   std::span<const PixelColour> colours) {
  // 8 bits per pixel with a palette; the standard compression, filter and row order.
  std::string header =
      big_endian(static_cast<std::uint32_t>(width)) + big_endian(static_cast<std::uint32_t>(height));
  header.append({8, 3, 0, 0, 0});
  std::string palette, opacities, rows;
  for (const PixelColour& each : colours) {
    for (std::size_t i = 0; i < 3; ++i) palette += static_cast<char>(each[i]);
    opacities += static_cast<char>(each[3]);
  }
  for (std::size_t row = 0; row < height; ++row) {
    rows += '\0';
    for (std::size_t column = 0; column < width; ++column)
      rows += static_cast<char>(pixels[row * width + column]);
  }
  // A zlib stream: two header bytes, raw DEFLATE, the checksum of the uncompressed data.
  const std::string data = "\x78\x01" + deflated(rows) + big_endian(adler32(rows));
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", palette) + chunk("tRNS", opacities) +
         chunk("IDAT", data) + chunk("IEND", "");
}

}  // namespace takt
