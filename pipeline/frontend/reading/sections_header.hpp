#pragma once
/// The header that programs include to say how procedures use their sections: pipeline/frontend/sections.h.

#include <string_view>

namespace takt::frontend {

/// As programs include it.
inline constexpr std::string_view sections_header_name = "takt/sections.h";
/// Its text.
extern const std::string_view sections_header;

}  // namespace takt::frontend
