#pragma once
/// Words for a POSIX shell.

#include <span>
#include <string>
#include <string_view>

namespace takt {

/// A word as a shell reads it back: between single quotes where it holds anything else than letters, digits
/// and `-_./=:,@%+`.
[[nodiscard]] std::string shell_word(std::string_view word);

/// A command line, with spaces between its words.
[[nodiscard]] std::string shell_line(std::span<const std::string> words);

}  // namespace takt
