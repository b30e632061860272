#pragma once
/// When one of a sink's files ends and the next one begins, and what it is called.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/saved_state.hpp"
#include "core/units.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

struct OutputOptions {
  /// A name, perhaps with a time in it (sensors/files/file_pattern.hpp): that of the file's first frame.
  std::filesystem::path path;
  /// Whether files of earlier runs are replaced; otherwise they are kept and the run is refused.
  bool overwrite = false;
  /// A file is followed by another one before it grows beyond this; 0: never. One frame is always written.
  Bytes rotate_size{0};
  /// A file holds frames of one such interval of UTC, counted from 1970; 0: of any time.
  Time rotate_every{0};
  /// What is written goes to the disk at least so often; 0: when a file is closed.
  Time sync{0};
};

/// Throws ConfigError.
void validate(const OutputOptions& options);

/// A new file begins with each epoch (within a file, time follows from a frame's number), behind a gap that
/// no file should have, by size and time as the options say, and when somebody asks for one.
class OutputTurns {
 public:
  explicit OutputTurns(const OutputOptions& options)
      : rotate_size_(options.rotate_size), rotate_every_(options.rotate_every) {}

  /// The next frame begins a new file. Any thread.
  void ask() { is_asked_.store(true, std::memory_order_relaxed); }
  /// Whether somebody has asked; once.
  [[nodiscard]] bool take_request() {
    return is_asked_.load(std::memory_order_relaxed) && is_asked_.exchange(false);
  }
  /// Whether a file may have this gap in it, of frames of so many bytes: 2^22 frames at most, 70 minutes at
  /// 1000 frames a second, and 16 GiB.
  [[nodiscard]] static bool is_gap(std::uint64_t frames, std::uint64_t bytes);
  /// Whether a frame of so many bytes does not belong into the present file, which has this size.
  [[nodiscard]] bool is_time(const FrameHeader& frame, std::uint64_t size, std::uint64_t bytes) const;
  /// A file begins with this frame.
  void begin(const FrameHeader& frame);
  /// The frame is in the file.
  void note(const FrameHeader& frame) { next_ = frame.sequence + 1; }

  void save(StateWriter& state) const { state.add(epoch_).add(interval_).add(next_); }
  void load(StateReader& state) { state.get(epoch_).get(interval_).get(next_); }

 private:
  [[nodiscard]] std::int64_t interval_of(const FrameHeader& frame) const;

  Bytes rotate_size_;
  Time rotate_every_;
  std::atomic<bool> is_asked_{false};
  std::uint16_t epoch_ = 0;
  std::int64_t interval_ = 0;
  /// Number of the frame after the last one.
  std::uint64_t next_ = 0;
};

/// Tries names for the file that begins at this time, behind so many files of the run, until `begin` takes
/// one: the name itself, then `name-2.ext` and so on. Throws WorkError after a million.
void begin_numbered(const OutputOptions& options, std::int64_t utc_ns, std::uint64_t files,
                    const std::function<bool(const std::filesystem::path&)>& begin);

}  // namespace takt::sensors
