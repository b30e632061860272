#pragma once
/// Quoting of words for a POSIX shell.

#include <span>
#include <string>
#include <string_view>

namespace takt {

/// Quotes a word for the shell: in single quotes if it contains other characters than letters, digits and
/// `-_./=:,@%+`.
[[nodiscard]] std::string shell_word(std::string_view word);

/// Returns a command line, with spaces between its words.
[[nodiscard]] std::string shell_line(std::span<const std::string> words);

}  // namespace takt
