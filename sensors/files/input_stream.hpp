#pragma once
/// The bytes of an input file, decompressed where the file is a gzip or zstd stream.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>

namespace takt::sensors {

/// Whether compressed files are decompressed, or their bytes are taken as they are.
enum class Compression : std::uint8_t { detect, none };

/// Whether the file can be read and begins with the magic number of gzip or zstd.
[[nodiscard]] bool is_compressed(const std::filesystem::path& file);

/// Reads as std::ifstream does, and decompresses streams that begin with the magic numbers of gzip (RFC 1952)
/// or zstd (RFC 8878), also several of them one after the other. A compressed stream that is cut short or
/// damaged ends where it can no longer be decoded, and `fault` tells why. Seeking in a compressed stream
/// decompresses up to the place, from the beginning where it lies before the current one; a seek relative to
/// the end fails.
class InputStream final : public std::istream {
 public:
  /// Throws ConfigError when the file cannot be read, is a folder, or is compressed in another way (xz,
  /// bzip2, lz4): by which command to convert it.
  explicit InputStream(const std::filesystem::path& path, Compression compression = Compression::detect);
  ~InputStream() override;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool is_compressed() const { return is_compressed_; }
  /// Bytes that the stream holds; nothing of a compressed one.
  [[nodiscard]] std::optional<std::uint64_t> size() const;
  /// Appends the next bytes, at most so many, with memory in proportion to what there is.
  void append_to(std::string& bytes, std::size_t most);
  /// Why a compressed stream ended before its own end, with the file's name and byte; empty where it did not.
  /// Any thread.
  [[nodiscard]] std::string fault() const;

 private:
  class Decompressor;
  std::filesystem::path path_;
  bool is_compressed_ = false;
  std::unique_ptr<std::streambuf> buffer_;
  /// `buffer_` of a compressed file.
  Decompressor* decompressor_ = nullptr;
};

}  // namespace takt::sensors
