#pragma once
/// Pieces of YAML text, for writers.

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/formats/letters.hpp"

namespace takt {

/// The text as a YAML scalar that every reader takes as this text: plain where that is safe, otherwise
/// quoted. Plain decimal numbers stay plain; YAML readers of other languages see them as numbers.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

/// Appends the same.
void append_scalar(std::string& text, std::string_view scalar);

/// The same behind what `line` has, which is appended first where the scalar is too long for it.
void put_scalar(ShortText& line, std::string& text, std::string_view scalar);

/// Appends a whole number.
void append_number(std::string& text, std::integral auto number) {
  constexpr std::size_t most_digits = 20;
  char digits[most_digits];
  text.append(digits, std::to_chars(digits, digits + most_digits, number).ptr);
}

/// Every line of the text behind `spaces` blanks.
[[nodiscard]] std::string indented(std::string_view text, std::size_t spaces);

}  // namespace takt
