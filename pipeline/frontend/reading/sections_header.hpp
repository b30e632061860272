#pragma once
/// The headers that programs include: pipeline/frontend/sections.h, which says how procedures use their
/// sections, and pipeline/c_program/program.h, of libraries of calls.

#include <string_view>

namespace takt::frontend {

/// As programs include it.
inline constexpr std::string_view sections_header_name = "takt/sections.h";
inline constexpr std::string_view program_header_name = "takt/program.h";
/// Their texts.
extern const std::string_view sections_header;
extern const std::string_view program_header;

}  // namespace takt::frontend
