#pragma once
/// Texts made small enough to mail.

#include <string>
#include <string_view>

namespace takt {

/// The bytes as raw DEFLATE (RFC 1951). O(bytes).
[[nodiscard]] std::string deflated(std::string_view bytes);

/// The text compressed (raw DEFLATE, RFC 1951) and in base64 (RFC 4648): as browsers' `DecompressionStream`
/// takes it after `atob`. O(bytes); some 100 MB a second.
[[nodiscard]] std::string packed(std::string_view text);

}  // namespace takt
