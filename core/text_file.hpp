#pragma once
/// Whole files as text.

#include <filesystem>
#include <string>
#include <string_view>

namespace takt {

/// The whole file as text, without a byte order mark. Throws ConfigError when it cannot be read, or is
/// UTF-16.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path);

/// Writes beside the path and renames when complete, so that no reader ever sees half a file; the permissions
/// of a file that was there stay, and a link still leads to it. What is no regular file (a device, a pipe) is
/// written to as it is. Throws WorkError with the system's reason; a file that was there is then unchanged.
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Throws ConfigError when a file could not be written, before long work is done in vain. An empty path names
/// no file and is fine.
void expect_writable(const std::filesystem::path& path);

}  // namespace takt
