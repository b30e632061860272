#pragma once
/// Re-framing along time: pieces of a source's frames form frames of another length and start; rows without
/// data are marked as missing.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// The division of a frame along time: `outer` runs of `rows` rows of `bytes` bytes. Rows follow the axis
/// `packet` if present, whose packets stay whole, otherwise the axis `time`; a frame with neither is one row.
struct FrameRows {
  std::size_t axis = 0;
  /// Whether there is such an axis.
  bool has_axis = false;
  std::size_t outer = 1, rows = 1, bytes = 0;
};

[[nodiscard]] FrameRows rows_of(const FrameType& type);

/// Returns the type of frames with this number of rows and a proportional duration. Throws ConfigError if
/// rows cannot be combined: no axis of time, or flags of missing parts longer than a row.
[[nodiscard]] FrameType with_rows(const FrameType& type, std::size_t rows);

/// Builds one frame after the other. Missing samples are NaN in floating-point elements, otherwise zeros with
/// their flags set if the type has any (docs/decisions/0011-missing-samples-are-nan.md).
class FrameSplicer {
 public:
  /// The two frame types differ in their rows only.
  FrameSplicer(const FrameType& from, const FrameType& to);

  /// Begins an empty frame.
  void begin(const FrameBuffer& frame);
  /// Copies rows of a source's frame to the next position; the first ones determine the time of ingestion.
  void copy(const FrameView& from, std::size_t first, std::size_t rows);
  /// Marks the next rows as missing.
  void skip(std::size_t rows);
  /// Returns the number of settled rows.
  [[nodiscard]] std::size_t filled() const { return filled_; }
  [[nodiscard]] std::size_t rows() const { return to_.rows; }
  /// Completes the header's counts of parts and missing parts; all rows are settled.
  void end();

 private:
  void copy_flags(const FrameView& from, std::size_t first, std::size_t rows);
  void mark(std::size_t first, std::size_t rows);
  [[nodiscard]] bool is_whole(std::size_t first, std::size_t rows) const;

  ElementType element_;
  FrameRows from_, to_;
  std::size_t from_data_ = 0, to_data_ = 0;
  /// The division of the flags: a run is `bytes` flags of each row. Empty if there are none.
  FrameRows flags_;
  FrameBuffer frame_;
  std::size_t filled_ = 0;
  /// Parts of a complete frame of the source, as far as known, and the missing ones of this frame.
  double parts_ = 1;
  double missing_ = 0;
  bool is_incomplete_ = false;
};

}  // namespace takt::sensors
