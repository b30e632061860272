#pragma once
/// Text files, read whole or in parts of whole lines.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace takt {

/// Returns the whole file as text, without a byte order mark. Throws ConfigError if it is not readable, or is
/// UTF-16.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path);

/// The same text in parts of whole lines. Reading a file of a hundred megabytes as a whole takes half a
/// second, most of it for the memory's pages; in parts that fit the processor's caches, a tenth of
/// that.
class TextParts {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 20;

  /// Reads this many bytes at a time. Throws as read_text_file does, as does next().
  explicit TextParts(std::filesystem::path path, std::size_t size = usual_size);

  /// Returns some of the next lines, each with its end, which the file's last one may lack; empty at the end.
  /// At least one line of any length. Valid until the next call.
  [[nodiscard]] std::string_view next();

  /// Returns the characters of the whole file, 0 if unknown.
  [[nodiscard]] std::size_t size() const;

 private:
  /// Appends the next bytes of the file; returns false at its end.
  bool fill();

  std::filesystem::path path_;
  std::size_t size_;
  std::ifstream file_;
  /// `end_` characters that were read, of which the first `returned_` were returned.
  std::string buffer_;
  std::size_t returned_ = 0, end_ = 0;
};

/// Writes a temporary file in the same folder and renames it, so that no reader sees an incomplete file. The
/// permissions of an existing file stay, and a link still leads to it. Devices and pipes are written
/// directly. Throws WorkError with the system's reason; an existing file is then unchanged.
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Throws ConfigError if a file could not be written, before long work is wasted. An empty path is valid and
/// refers to no file.
void expect_writable(const std::filesystem::path& path);

}  // namespace takt
