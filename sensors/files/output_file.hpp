#pragma once
/// A file that grows by whole records, never ends in half a one, and belongs to one run alone.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

#include "core/units.hpp"

namespace takt::sensors {

/// What becomes of a file of that name that is there already and holds something.
enum class OldFile : std::uint8_t { keep, replace };

/// Why a file would not be given to a run: it holds something that is to be kept, or another run writes it.
/// Empty where it would be, where there is none, and for pipes and devices. Changes nothing.
[[nodiscard]] std::string claim_on(const std::filesystem::path& path, OldFile old);

/// Errors of the system are WorkErrors with the path and the system's reason.
///
/// From `open` to `close` the file is locked (flock) against other runs, on other hosts too where the file
/// system passes locks on. The lock ends with the process.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Makes sure that the file can be written, and locks it. An old one is left as it is: the first record
  /// empties it. Of a named pipe it waits for the reader. Throws ConfigError with claim_on's reason.
  void open(const std::filesystem::path& path, OldFile old = OldFile::keep);
  /// The same, but false where there is a claim on the file.
  [[nodiscard]] bool try_open(const std::filesystem::path& path, OldFile old = OldFile::keep);
  /// Goes on behind the first so many bytes of a file that a process before has begun; what is behind them
  /// is taken away. A pipe or device goes on where it is. Throws WorkError where there are fewer, or where
  /// somebody else writes the file.
  void go_on(const std::filesystem::path& path, std::uint64_t size);
  /// Written data go to the disk at least so often, while records come; 0: when the file is closed.
  void synchronise_every(Time interval) { synchronise_every_ = interval; }

  /// Appends the pieces as one record. When that fails (disk full), what was written of it is taken back
  /// first, except from a pipe.
  void append(std::initializer_list<std::span<const std::byte>> record);
  /// Appends so many zeros, in no time where the file system knows holes.
  void append_zeros(std::uint64_t bytes);
  /// Replaces bytes that were appended, from this place on, such as a size in a header. Not of a pipe.
  void rewrite(std::uint64_t offset, std::span<const std::byte> bytes);
  /// The file is a whole number of blocks of this size at any time: zeros lie behind the last record, and the
  /// next one replaces them. Before the first record; not of a pipe.
  void keep_whole_blocks(std::uint64_t bytes) { block_bytes_ = bytes; }
  /// To the disk, then closes. Without a record there is no file, or the old one.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Bytes appended, without zeros that complete a block.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool is_stream() const { return is_stream_; }

 private:
  /// What there is against writing it; empty when it is open and locked.
  [[nodiscard]] std::string take(const std::filesystem::path& path, OldFile old);
  void let_go();
  void begin();
  /// The error number, or 0.
  [[nodiscard]] int write(std::span<const std::byte> bytes, std::uint64_t offset);
  void synchronise();
  /// The size with the zeros that complete the last block.
  [[nodiscard]] std::uint64_t whole_size() const {
    return (size_ + block_bytes_ - 1) / block_bytes_ * block_bytes_;
  }
  /// Cuts or extends the file to `whole_size`; 0, or the error number. Devices have no length.
  [[nodiscard]] int fit() const;
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0, block_bytes_ = 1;
  bool has_begun_ = false;
  /// It was not there before; without a record it goes again.
  bool is_new_ = false;
  /// A pipe or a terminal, which has no places to write at.
  bool is_stream_ = false;
  Time synchronise_every_{0};
  std::int64_t synchronised_ns_ = 0;
};

}  // namespace takt::sensors
