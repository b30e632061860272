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

/// For one thread that writes and one that reads; they must not be at the same record. Whoever uses it knows
/// which records are still needed: record n takes the place of record n - `records`.
class SpillFile {
 public:
  /// Frames that are not in the file, so far.
  struct Gone {
    std::uint64_t dropped = 0;
    /// Of which no hole in the numbers tells.
    std::uint64_t lost = 0;
  };
  struct Head {
    FrameHeader header;
    std::uint64_t is_cut_off = 0;
    /// Before this frame.
    Gone gone;
    /// Of the record, plus one; last, so that it is written last.
    std::uint64_t number = 0;
  };

  /// A file without a name, gone with the process; in the system's folder for temporary files where `folder`
  /// is empty. Throws WorkError.
  [[nodiscard]] static SpillFile unnamed(const std::filesystem::path& folder, std::uint64_t records,
                                         std::size_t frame_bytes);
  /// One that stays when the process dies, with what such a process has left in it; not when the computer
  /// does. Throws WorkError, also where another process has it.
  [[nodiscard]] static SpillFile kept(const std::filesystem::path& path, std::uint64_t records,
                                      std::size_t frame_bytes);
  SpillFile(SpillFile&& other) noexcept;
  SpillFile(const SpillFile&) = delete;
  ~SpillFile();

  /// By whoever writes.
  [[nodiscard]] const Gone& gone() const { return gone_; }
  void add(const Gone& more);

  /// False, with errno, where it cannot be done.
  [[nodiscard]] bool write(std::uint64_t record, const FrameView& frame, bool is_cut_off);
  [[nodiscard]] bool read(std::uint64_t record, Head& head, std::span<std::byte> bytes) const;

  struct Range {
    std::uint64_t first = 0, next = 0;
  };
  /// Records that are whole; nothing where there are none.
  [[nodiscard]] std::optional<Range> found() const;
  /// Of a record in that range.
  [[nodiscard]] Head head(std::uint64_t record) const;
  /// Nothing that it has is needed. Throws WorkError.
  void clear();

 private:
  SpillFile(int file, std::uint64_t records, std::size_t frame_bytes);
  [[nodiscard]] off_t place(std::uint64_t record) const;
  [[nodiscard]] bool holds(std::uint64_t record) const;

  int file_;
  std::uint64_t records_;
  std::size_t frame_bytes_;
  /// As the file's first bytes tell.
  Gone gone_;
};

/// Records that have room in so many bytes.
[[nodiscard]] std::uint64_t records_in(Bytes bytes, std::size_t frame_bytes);

}  // namespace takt::sensors
