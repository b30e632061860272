#pragma once
/// Texts for YAML files that are written.

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// The text as a YAML scalar that every reader takes as this text: plain where that is safe, otherwise
/// quoted. Plain decimal numbers stay plain; YAML readers of other languages see them as numbers.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

/// Every line of the text behind `spaces` blanks.
[[nodiscard]] std::string indented(std::string_view text, std::size_t spaces);

}  // namespace takt
