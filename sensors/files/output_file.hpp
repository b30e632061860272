#pragma once
/// A file that grows by whole records, never ends within one, and is locked by one run.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

#include "core/units.hpp"

namespace takt::sensors {

/// The action for an existing file of that name that is not empty.
enum class OldFile : std::uint8_t { keep, replace };

/// Returns why a file is not available to a run: it must be kept, or another run is writing it. Empty if it
/// is available or does not exist, and for pipes and devices. Changes nothing.
[[nodiscard]] std::string claim_on(const std::filesystem::path& path, OldFile old);

/// Errors of the system are WorkErrors with the path and the system's reason.
///
/// From `open` to `close` the file is locked (flock) against other runs, on other hosts too if the file
/// system forwards locks. The lock ends with the process.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Checks that the file can be written, and locks it. An old file is unchanged until the first record
  /// empties it. Waits for the reader of a named pipe. Throws ConfigError with claim_on's reason.
  void open(const std::filesystem::path& path, OldFile old = OldFile::keep);
  /// Opens the file likewise, but returns false if claim_on has a reason.
  [[nodiscard]] bool try_open(const std::filesystem::path& path, OldFile old = OldFile::keep);
  /// Continues after the first `size` bytes of a file begun by an earlier process, and truncates the rest. A
  /// pipe or device continues at its position. Throws WorkError if the file is shorter, or another process is
  /// writing it.
  void resume(const std::filesystem::path& path, std::uint64_t size);
  /// Sets the longest interval between synchronisations to disk while records arrive; 0: only on close.
  void synchronise_every(Time interval) { synchronise_every_ = interval; }

  /// Appends the pieces as one record. If that fails (disk full), removes the written part first, except from
  /// a pipe.
  void append(std::initializer_list<std::span<const std::byte>> record);
  /// Appends zeros, without writing them if the file system supports holes.
  void append_zeros(std::uint64_t bytes);
  /// Replaces appended bytes from this offset on, such as a size in a header. Not for pipes.
  void rewrite(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Keeps the file a whole number of blocks of this size at any time: zeros follow the last record until the
  /// next one replaces them. Called before the first record; not for pipes.
  void keep_whole_blocks(std::uint64_t bytes) { block_bytes_ = bytes; }
  /// Synchronises and closes the file. Without a record it is removed, or the old one kept.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Returns the bytes appended, without zeros that complete a block.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool is_stream() const { return is_stream_; }

 private:
  /// Opens and locks the file; returns why it cannot, or an empty text.
  [[nodiscard]] std::string take(const std::filesystem::path& path, OldFile old);
  void let_go();
  void begin();
  /// Returns the error number, or 0.
  [[nodiscard]] int write(std::span<const std::byte> bytes, std::uint64_t offset);
  void synchronise();
  /// Returns the size with the zeros that complete the last block.
  [[nodiscard]] std::uint64_t whole_size() const {
    return (size_ + block_bytes_ - 1) / block_bytes_ * block_bytes_;
  }
  /// Truncates or extends the file to `whole_size`; returns 0, or the error number. Devices have no length.
  [[nodiscard]] int fit() const;
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0, block_bytes_ = 1;
  bool has_begun_ = false;
  /// The file was created by this object; without a record it is removed.
  bool is_new_ = false;
  /// A pipe or a terminal, which cannot seek.
  bool is_stream_ = false;
  Time synchronise_every_{0};
  std::int64_t synchronised_ns_ = 0;
};

}  // namespace takt::sensors
