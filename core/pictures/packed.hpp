#pragma once
/// Compression of texts.

#include <string>
#include <string_view>

namespace takt {

/// Returns the bytes as raw DEFLATE (RFC 1951). O(bytes).
[[nodiscard]] std::string deflated(std::string_view bytes);

/// Returns the text compressed (raw DEFLATE, RFC 1951) and in base64 (RFC 4648), for browsers'
/// `DecompressionStream` after `atob`. O(bytes); some 100 MB/s.
[[nodiscard]] std::string packed(std::string_view text);

}  // namespace takt
