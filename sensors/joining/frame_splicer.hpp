#pragma once
/// Frames cut anew along time: pieces of a source's frames become frames of another length that begin
/// elsewhere, and what nobody gave is marked as missing.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// How frames divide along time: `outer` runs of `rows` rows of `bytes` bytes. Rows follow the axis `packet`
/// where there is one, whose packets stay whole, otherwise the axis `time`; a frame with neither is one row.
struct FrameRows {
  std::size_t axis = 0;
  /// Whether there is such an axis.
  bool has_axis = false;
  std::size_t outer = 1, rows = 1, bytes = 0;
};

[[nodiscard]] FrameRows rows_of(const FrameType& type);

/// The type of frames of so many rows, which last as much longer or shorter. Throws ConfigError where rows
/// cannot be gathered: no axis of time, or flags of missing parts that are longer than a row.
[[nodiscard]] FrameType with_rows(const FrameType& type, std::size_t rows);

/// Makes one frame after the other. Missing samples are NaN in floating-point elements, otherwise zeros with
/// their flags set where the type has any (docs/decisions/0011-missing-samples-are-nan.md).
class FrameSplicer {
 public:
  /// From frames of the one type to frames of the other, which differ in rows only.
  FrameSplicer(const FrameType& from, const FrameType& to);

  /// Begins a frame of which nothing is there yet.
  void begin(const FrameBuffer& frame);
  /// Rows of a source's frame, to the next place in it; the first ones tell the frame's time of ingestion.
  void copy(const FrameView& from, std::size_t first, std::size_t rows);
  /// The next rows are missing.
  void skip(std::size_t rows);
  /// Rows that are settled.
  [[nodiscard]] std::size_t filled() const { return filled_; }
  [[nodiscard]] std::size_t rows() const { return to_.rows; }
  /// Counts parts and says what is missing in the header; all its rows are settled.
  void end();

 private:
  void copy_flags(const FrameView& from, std::size_t first, std::size_t rows);
  void mark(std::size_t first, std::size_t rows);
  [[nodiscard]] bool is_whole(std::size_t first, std::size_t rows) const;

  ElementType element_;
  FrameRows from_, to_;
  std::size_t from_data_ = 0, to_data_ = 0;
  /// The flags, in the same way: a run is `bytes` flags of each row. Nothing where there are none.
  FrameRows flags_;
  FrameBuffer frame_;
  std::size_t filled_ = 0;
  /// Parts of a whole frame of the source, as far as known, and of this one what is missing.
  double parts_ = 1;
  double missing_ = 0;
  bool is_incomplete_ = false;
};

}  // namespace takt::sensors
