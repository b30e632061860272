#pragma once
/// Base64 encoding of bytes.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// Encodes by RFC 4648, section 4, with padding. O(bytes).
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);
/// Decodes base64; ignores other characters. O(characters).
[[nodiscard]] std::vector<std::byte> from_base64(std::string_view text);

}  // namespace takt
