#pragma once
/// The rules for the names of a sink's files and for the switch to the next one.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/saved_state.hpp"
#include "core/units.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

struct OutputOptions {
  /// A name, optionally with a time pattern (sensors/files/file_pattern.hpp) for the file's first frame.
  std::filesystem::path path;
  /// Whether to replace files of earlier runs; otherwise they are kept and the run is refused.
  bool overwrite = false;
  /// Largest size of a file before the next one begins; 0: unlimited. A file holds at least one frame.
  Bytes rotate_size{0};
  /// A file holds frames of one such interval of UTC, counted from 1970; 0: of any time.
  Time rotate_every{0};
  /// Longest interval between synchronisations to disk; 0: only when a file is closed.
  Time sync{0};
};

/// Throws ConfigError.
void validate(const OutputOptions& options);

/// A new file begins with each epoch (within a file, time follows from a frame's number), after a gap that is
/// too long for a file, at the configured sizes and times, and on request.
class OutputTurns {
 public:
  explicit OutputTurns(const OutputOptions& options)
      : rotate_size_(options.rotate_size), rotate_every_(options.rotate_every) {}

  /// Requests a new file at the next frame. Thread-safe.
  void ask() { is_asked_.store(true, std::memory_order_relaxed); }
  /// Returns whether a new file was requested, and clears the request.
  [[nodiscard]] bool take_request() {
    return is_asked_.load(std::memory_order_relaxed) && is_asked_.exchange(false);
  }
  /// Reports whether a file may contain a gap of this many frames of this size: at most 2^22 frames (70
  /// minutes at 1000 frames/s) and 16 GiB.
  [[nodiscard]] static bool is_gap(std::uint64_t frames, std::uint64_t bytes);
  /// Reports whether a frame of this many bytes requires a new file, if the present one has this size.
  [[nodiscard]] bool is_time(const FrameHeader& frame, std::uint64_t size, std::uint64_t bytes) const;
  /// Begins a file with this frame.
  void begin(const FrameHeader& frame);
  /// Records that the frame is in the file.
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

/// Tries names for a run's next file, which begins at this time, until `begin` accepts one: the name itself,
/// then `name-2.ext` and so on. `files`: earlier files of the run. Throws WorkError after a million names.
void begin_numbered(const OutputOptions& options, std::int64_t utc_ns, std::uint64_t files,
                    const std::function<bool(const std::filesystem::path&)>& begin);

}  // namespace takt::sensors
