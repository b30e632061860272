#pragma once
/// A byte stream from an input file, with decompression of gzip and zstd.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>

namespace takt::sensors {

/// Whether compressed files are decompressed or read unchanged.
enum class Compression : std::uint8_t { detect, none };

/// Reports whether the file is readable and begins with the magic number of gzip or zstd.
[[nodiscard]] bool is_compressed(const std::filesystem::path& file);

/// Reads as std::ifstream does, and decompresses streams that begin with the magic numbers of gzip (RFC
/// 1952) or zstd (RFC 8878), including concatenated ones. A truncated or damaged compressed stream ends
/// where it can no longer be decoded, and `fault` contains the reason. A seek in a compressed stream
/// decompresses up to the position, from the beginning for backward seeks; a seek relative to the end
/// fails.
class InputStream final : public std::istream {
 public:
  /// Throws ConfigError if the file is not readable, is a folder, or has another compression (xz, bzip2,
  /// lz4); the message contains the command to convert it.
  explicit InputStream(const std::filesystem::path& path, Compression compression = Compression::detect);
  ~InputStream() override;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool is_compressed() const { return is_compressed_; }
  /// Returns the size of the stream in bytes; empty for a compressed one.
  [[nodiscard]] std::optional<std::uint64_t> size() const;
  /// Throws ConfigError if a compressed stream is empty, or damaged before its first byte of data.
  void require_data();
  /// Appends at most `most` bytes; allocates in proportion to the available data.
  void append_to(std::string& bytes, std::size_t most);
  /// Returns why a compressed stream ended prematurely, with file name and byte; otherwise empty.
  /// Thread-safe.
  [[nodiscard]] std::string fault() const;

 private:
  class Decompressor;
  std::filesystem::path path_;
  bool is_compressed_ = false;
  std::unique_ptr<std::streambuf> buffer_;
  /// The `buffer_` of a compressed file.
  Decompressor* decompressor_ = nullptr;
};

/// Reads a whole compressed file; returns InputStream::fault without the file's name.
[[nodiscard]] std::string stream_fault(const std::filesystem::path& file);

}  // namespace takt::sensors
