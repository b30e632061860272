#pragma once
/// Formatting of YAML scalars for writers.

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/formats/letters.hpp"

namespace takt {

/// Returns a YAML scalar that every reader treats as this text: plain if that is safe, otherwise quoted.
/// Plain decimal numbers stay plain; YAML readers of other languages treat them as numbers.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

/// Appends the scalar.
void append_scalar(std::string& text, std::string_view scalar);

/// Appends the scalar to `line`, which is appended to `text` first if the scalar does not fit.
void put_scalar(ShortText& line, std::string& text, std::string_view scalar);

/// Appends a whole number.
void append_number(std::string& text, std::integral auto number) {
  constexpr std::size_t most_digits = 20;
  char digits[most_digits];
  text.append(digits, std::to_chars(digits, digits + most_digits, number).ptr);
}

/// Returns the text with every line after `spaces` blanks.
[[nodiscard]] std::string indented(std::string_view text, std::size_t spaces);

}  // namespace takt
