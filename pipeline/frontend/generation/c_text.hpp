#pragma once
/// Parts of generated programs: the program's own text without main, and sections as C.

#include <span>
#include <string>
#include <string_view>

#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

/// Returns the program's text without main and without functions that no procedure uses, with their comments.
[[nodiscard]] std::string procedures_text(const ReadProgram& program);

/// Returns main's variables and parameters of the command line as definitions at file scope.
[[nodiscard]] std::string variables_text(const ReadProgram& program);
[[nodiscard]] std::string parameters_text(const ReadProgram& program);

/// Returns statements that use static variables of the program that only main used, so that no compiler warns
/// of them; and allocations of all arrays that main allocates.
[[nodiscard]] std::string preparations_text(const ReadProgram& program);

/// Returns a section as an initialiser of `struct section`: `SECTION(data[3][0])`, `RUN(a[10], 64)`,
/// `TILE(...)`; `prefix` comes before the macro's name.
[[nodiscard]] std::string section_text(const Program& program, const Section& section,
                                       const std::string& prefix = {});

/// Returns the text with `prefix` in front of each of these words.
[[nodiscard]] std::string with_prefix(std::string_view text, std::span<const std::string_view> words,
                                      std::string_view prefix);

/// Returns the file's name without folder and ending.
[[nodiscard]] std::string base_name(const Program& program);
/// Returns the file's ending with its dot: `.c`, or one of C++.
[[nodiscard]] std::string ending_of(const Program& program);

}  // namespace takt::frontend
