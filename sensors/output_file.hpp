#pragma once
/// A file that grows by whole records and never ends in half a one.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>

namespace takt::sensors {

/// All errors are WorkErrors with the path and the system's reason.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Makes sure that the file can be written, and leaves an old one as it is: the first record creates or
  /// empties it. Of a named pipe it waits for the reader.
  void open(const std::filesystem::path& path);
  /// Appends the pieces as one record. When that fails (disk full), what was written of it is taken back
  /// first, except from a pipe.
  void append(std::initializer_list<std::span<const std::byte>> record);
  /// To the disk, then closes. Without a record there is no file, or the old one.
  void close();

 private:
  void begin();
  /// The error number, or 0.
  [[nodiscard]] int write(std::span<const std::byte> bytes, std::uint64_t offset);
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool has_begun_ = false;
  /// A pipe or a terminal, which has no places to write at.
  bool is_stream_ = false;
};

}  // namespace takt::sensors
