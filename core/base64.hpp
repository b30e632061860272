#pragma once
/// Bytes as letters.

#include <cstddef>
#include <span>
#include <string>

namespace takt {

/// RFC 4648, section 4, with padding. O(bytes).
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace takt
