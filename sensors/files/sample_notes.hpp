#pragma once
/// The warnings of a source of samples in files.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "sensors/files/sample_layout.hpp"

namespace takt::sensors {

/// Returns a warning about times that were rounded to the grid of samples; empty up to a tenth of a sample.
[[nodiscard]] std::string rounded_time_note(std::uint64_t rounded_ns, double sample_hz);

/// Collects warnings: those of the first header, and a few others. Thread-safe.
class SampleNotes {
 public:
  explicit SampleNotes(const std::vector<SamplePiece>& pieces);

  void add(std::string text);
  /// Adds the first gap; `finish` adds the number of all and their samples. `at` is the number of the gap's
  /// first sample.
  void add_gap(const SamplePiece& piece, bool is_within, std::uint64_t at, std::uint64_t samples);
  /// Called at the end of the stream; later calls have no effect.
  void finish(std::uint64_t rounded_ns, double sample_hz);

  [[nodiscard]] std::vector<std::string> all() const;

 private:
  void add_locked(std::string text);

  mutable std::mutex mutex_;
  std::vector<std::string> all_;
  /// Further warnings, in addition to those of the first header, add no information.
  std::size_t most_ = 8;
  /// The first gap's place in `all_`, and the number of all gaps and their samples.
  std::size_t gap_at_ = 0;
  std::uint64_t gaps_ = 0, missing_ = 0;
  bool is_finished_ = false;
};

}  // namespace takt::sensors
