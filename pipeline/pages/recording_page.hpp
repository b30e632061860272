#pragma once
/// Recorded frames as a page: spectrum, waterfall, waveform.

#include <string>
#include <vector>

#include "core/pictures/page.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// What all frames of a source show, in bounded memory: rows of 512 columns (sensors/frames/row_sampler.hpp),
/// 800 at most, each the mean of as many frames as it takes; of what lies along time, the least and the most
/// of 2,000 pieces, of the first 4 streams. O(elements), of large frames a part for the rows.
struct RecordingSummary {
  struct Wave {
    std::string name;
    std::vector<double> least, most;
  };

  sensors::FrameType type;
  std::uint64_t frames = 0, missing_frames = 0, incomplete_frames = 0;
  std::uint16_t epochs = 0;
  std::int64_t first_utc_ns = 0, last_utc_ns = 0;
  /// What a row's columns are.
  std::string column_name, column_unit;
  /// Where each of them lies.
  std::vector<double> places;
  /// The same of a picture whose columns are equally wide (sensors/frames/row_sampler.hpp).
  std::string picture_unit;
  double first_column = 0, last_column = 0;
  /// In decibels: of powers, unless all are 0.
  bool is_power = false;
  std::size_t columns = 0;
  /// Row after row, and the mean of all; NaN where nothing is there, minus infinity where a power is 0.
  std::vector<double> rows, mean;
  std::size_t frames_a_row = 1;
  std::vector<Wave> waves;
  /// Samples of a piece of a wave.
  std::size_t samples_a_piece = 1;
  double sample_hz = 0;
  /// What the source counted beside.
  std::vector<sensors::Counter> counters;
};

/// Starts the source and reads it to its end. It must give frames as fast as they are taken.
[[nodiscard]] RecordingSummary summarise(sensors::Source& source);

[[nodiscard]] Page recording_page(const std::string& name, const std::string& format,
                                  const RecordingSummary& summary);
/// For people.
[[nodiscard]] std::string recording_to_text(const std::string& name, const std::string& format,
                                            const RecordingSummary& summary);
/// The mean spectrum: a line a column.
[[nodiscard]] std::string recording_to_csv(const RecordingSummary& summary);

}  // namespace takt::pipeline
