#pragma once
/// Shows recorded frames as a page: spectrum, waterfall, waveform.

#include <string>
#include <vector>

#include "core/pictures/page.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Summary of all frames of a source in bounded memory: at most 800 rows of 512 columns
/// (sensors/frames/row_sampler.hpp), means over equal numbers of frames; for data in time, the extremes of
/// 2,000 pieces of the first 4 streams. O(elements); rows sample large frames.
struct RecordingSummary {
  struct Wave {
    std::string name;
    std::vector<double> least, most;
  };

  sensors::FrameType type;
  std::uint64_t frames = 0, missing_frames = 0, incomplete_frames = 0;
  std::uint16_t epochs = 0;
  std::int64_t first_utc_ns = 0, last_utc_ns = 0;
  /// Name and unit of the columns.
  std::string column_name, column_unit;
  /// Coordinates of the columns.
  std::vector<double> places;
  /// The same for a picture with columns of equal width (sensors/frames/row_sampler.hpp).
  std::string picture_unit;
  double first_column = 0, last_column = 0;
  /// True for decibels: powers that are not all 0.
  bool is_power = false;
  std::size_t columns = 0;
  /// The rows, and the mean of all; NaN for missing data, minus infinity for a power of 0.
  std::vector<double> rows, mean;
  std::size_t frames_per_row = 1;
  std::vector<Wave> waves;
  /// Samples in a piece of a wave.
  std::size_t samples_per_piece = 1;
  double sample_hz = 0;
  /// Counters of the source.
  std::vector<sensors::Counter> counters;
};

/// Starts the source and reads it to its end. It must produce frames as fast as they are consumed.
[[nodiscard]] RecordingSummary summarise(sensors::Source& source);

[[nodiscard]] Page recording_page(const std::string& name, const std::string& format,
                                  const RecordingSummary& summary);
/// Formats a summary for users.
[[nodiscard]] std::string recording_to_text(const std::string& name, const std::string& format,
                                            const RecordingSummary& summary);
/// Formats the mean spectrum: one line for each column.
[[nodiscard]] std::string recording_to_csv(const RecordingSummary& summary);

}  // namespace takt::pipeline
