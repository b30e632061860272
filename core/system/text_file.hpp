#pragma once
/// Files as text, whole or some lines at a time.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace takt {

/// The whole file as text, without a byte order mark. Throws ConfigError when it cannot be read, or is
/// UTF-16.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path);

/// The same text in parts of whole lines. A file of a hundred megabytes takes half a second to come into
/// memory as a whole, most of it for the memory's pages; in parts that the processor's caches hold, a tenth
/// of that.
class TextParts {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 20;

  /// Reads so many bytes at a time. Throws as read_text_file does, as does next().
  explicit TextParts(std::filesystem::path path, std::size_t size = usual_size);

  /// Some of the next lines, each with its end, which the file's last one may lack; nothing behind that. One
  /// line at least, however long. What is returned stays until the next call.
  [[nodiscard]] std::string_view next();

  /// How many letters the whole file has, 0 where that is not known.
  [[nodiscard]] std::size_t size() const;

 private:
  /// Appends what the next bytes of the file are; false at its end.
  bool fill();

  std::filesystem::path path_;
  std::size_t size_;
  std::ifstream file_;
  /// `end_` letters that were read, the first `told_` of which were returned.
  std::string buffer_;
  std::size_t told_ = 0, end_ = 0;
};

/// Writes beside the path and renames when complete, so that no reader ever sees half a file; the permissions
/// of a file that was there stay, and a link still leads to it. What is no regular file (a device, a pipe) is
/// written to as it is. Throws WorkError with the system's reason; a file that was there is then unchanged.
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Throws ConfigError when a file could not be written, before long work is done in vain. An empty path names
/// no file and is fine.
void expect_writable(const std::filesystem::path& path);

}  // namespace takt
