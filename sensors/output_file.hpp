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

  /// Creates the file or empties it.
  void open(const std::filesystem::path& path);
  /// Appends the pieces as one record. When that fails (disk full), what was written of it is taken back
  /// first.
  void append(std::initializer_list<std::span<const std::byte>> record);
  /// Writes over the beginning of the file.
  void overwrite(std::span<const std::byte> head);
  /// To the disk, then closes.
  void close();

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace takt::sensors
