#pragma once
/// Frames on disk, in a ring of records.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include <sys/types.h>

#include "core/units.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// For one writing and one reading thread, which must not access the same record. The caller knows which
/// records are still needed: record n replaces record n - `records`.
class SpillFile {
 public:
  /// Frames so far that are not in the file.
  struct Gone {
    std::uint64_t dropped = 0;
    /// Lost frames without a hole in the numbers.
    std::uint64_t lost = 0;
  };
  struct Head {
    FrameHeader header;
    std::uint64_t is_cut_off = 0;
    /// Before this frame.
    Gone gone;
    /// Number of the record plus one; last, so that it is written last.
    std::uint64_t number = 0;
  };

  /// Returns an unnamed file that vanishes with the process, in the system's temporary folder if `folder` is
  /// empty. Throws WorkError.
  [[nodiscard]] static SpillFile unnamed(const std::filesystem::path& folder, std::uint64_t records,
                                         std::size_t frame_bytes);
  /// Returns a file that survives the process, but not a crash of the computer, with the contents left by an
  /// earlier process. Throws WorkError, also if another process uses it.
  [[nodiscard]] static SpillFile kept(const std::filesystem::path& path, std::uint64_t records,
                                      std::size_t frame_bytes);
  SpillFile(SpillFile&& other) noexcept;
  SpillFile(const SpillFile&) = delete;
  ~SpillFile();

  /// Called by the writer.
  [[nodiscard]] const Gone& gone() const { return gone_; }
  void add(const Gone& more);

  /// Returns false, with errno set, on failure.
  [[nodiscard]] bool write(std::uint64_t record, const FrameView& frame, bool is_cut_off);
  [[nodiscard]] bool read(std::uint64_t record, Head& head, std::span<std::byte> bytes) const;

  struct Range {
    std::uint64_t first = 0, next = 0;
  };
  /// Returns the range of complete records; empty if there are none.
  [[nodiscard]] std::optional<Range> found() const;
  /// Returns the header of a record in that range.
  [[nodiscard]] Head head(std::uint64_t record) const;
  /// Discards all contents. Throws WorkError.
  void clear();

 private:
  SpillFile(int file, std::uint64_t records, std::size_t frame_bytes);
  [[nodiscard]] off_t place(std::uint64_t record) const;
  [[nodiscard]] bool holds(std::uint64_t record) const;

  int file_;
  std::uint64_t records_;
  std::size_t frame_bytes_;
  /// As in the file's first bytes.
  Gone gone_;
};

/// Returns the number of records that fit this many bytes.
[[nodiscard]] std::uint64_t records_in(Bytes bytes, std::size_t frame_bytes);

}  // namespace takt::sensors
