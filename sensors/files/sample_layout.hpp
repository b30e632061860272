#pragma once
/// The layout of a file's samples, and how its rows become the elements of frames.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sensors/files/input_stream.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Reads the rows of one piece of a stream, in time order, in the form that SampleLayout::convert expects.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Reads as many whole rows as fit the space; fewer only at the end. Returns their number. Throws WorkError
  /// if reading fails.
  [[nodiscard]] virtual std::size_t read(std::span<std::byte> rows) = 0;
  /// Skips this many rows; returns the number skipped.
  [[nodiscard]] virtual std::uint64_t skip(std::uint64_t rows) = 0;
  /// At the end, returns the bytes after the last whole row.
  [[nodiscard]] virtual std::uint64_t bytes_left_over() const { return 0; }
  /// At the end, returns why rows are missing (a truncated compressed stream), with the file's name;
  /// otherwise empty.
  [[nodiscard]] virtual std::string fault() const { return {}; }
};

/// Contiguous rows in a file.
struct SampleRun {
  /// Byte of the first row.
  std::uint64_t offset = 0;
  /// The last run of a layout may have more rows than the file, which is then truncated.
  std::uint64_t rows = 0;
  /// Whether the first row begins a new epoch with this time and number. Otherwise it follows the last row of
  /// the previous run, and both are ignored.
  bool begins_epoch = false;
  std::int64_t utc_ns = 0;
  std::uint64_t first_sample = 0;
};

/// The layout of a file's samples, from a header or a description. A row contains all channels and
/// polarisations of one sample time.
struct SampleLayout {
  /// Type of the frames. `rate_hz` is the rate of whole frames in the file's own time.
  FrameType type;
  /// The first byte of the rows, and their limit (0: the end of the file).
  std::uint64_t offset = 0, end = 0;
  std::size_t row_bytes = 0;
  /// Positions of the rows, if they are not all rows from `offset` to `end`.
  std::vector<SampleRun> runs = {};
  /// Rows in a frame.
  std::size_t rows = 0;
  /// Rows per second; 0 if unknown.
  double row_hz = 0;
  /// UTC of the first row, nanoseconds since 1970; 0: not in the file, and the rows follow those of the
  /// previous piece.
  std::int64_t utc_ns = 0;
  /// UTC from which the header counts elapsed time; 0: `utc_ns`.
  std::int64_t counted_from_ns = 0;
  /// Number of the first row on the clock of the recording's source.
  std::uint64_t first_sample = 0;
  /// Number of rows according to the header, and the field that contains it; 0 if there is none. A file with
  /// fewer rows is truncated.
  std::uint64_t declared_rows = 0;
  std::string declared_by = {};
  /// Converts the rows of a whole frame to its elements.
  std::function<void(std::span<const std::byte> rows, std::span<std::byte> elements)> convert;
  /// Returns how many values `convert` rounds because float32 has fewer digits. Null if no value can be
  /// rounded.
  std::function<std::size_t(std::span<const std::byte> rows)> count_rounded = {};
  /// Warning displayed once if there are such values.
  std::string rounded_note = {};
  /// Whether the file's values are floating-point: NaN values are missing.
  bool may_hold_nan = false;
  /// For a raw file, whose bytes may look like a compressed stream.
  Compression compression = Compression::detect;
  /// Opens the rows if they are not contiguous in the file from `offset` to `end`.
  std::function<std::unique_ptr<RowReader>(const std::filesystem::path& file)> open = {};
  /// Largest rounding of times by the reader of the header.
  std::uint64_t time_rounded_ns = 0;
  /// What to do, after a warning about a damaged compressed stream; may be empty.
  std::string advice = {};
  /// From the header (HeaderNotes): the description of the observation, and warnings.
  std::vector<std::string> description = {}, warnings = {};
  /// Throws ConfigError if the file contradicts its header (a checksum); too slow for every reading of a
  /// pipeline. May be null.
  std::function<void()> verify = {};
};

/// A file and its layout; or a run of rows of a file with gaps, which has several pieces.
struct SamplePiece {
  std::filesystem::path file;
  SampleLayout layout;
};

/// The frames of a type as runs of rows: [outer][row][inner bytes].
struct RowRuns {
  std::size_t outer = 1, rows = 1, inner_bytes = 1;

  explicit RowRuns(const SampleLayout& layout);

  /// Calls `use` with the first byte and the length of each run of the rows from `first` to `last`.
  template <class Use>
  void for_each(std::size_t first, std::size_t last, const Use& use) const {
    for (std::size_t o = 0; o < outer; ++o)
      use((o * rows + first) * inner_bytes, (last - first) * inner_bytes);
  }
};

/// Makes rows the unconverted elements of `type`, whose first axis is time. `swaps`: the file has the other
/// byte order.
void take_as_they_are(SampleLayout& layout, bool swaps);

/// Converts each value to float32 or complex_float32 in the same order, from integers or float32 of this
/// many bits. Values of 1, 2 and 4 bits are unsigned and packed from the least significant bit of a byte
/// on.
void take_as_floats(SampleLayout& layout, int bits, bool is_signed);

/// Throws OptionError if a frame has more values (of 4 bytes) than a message can hold; called before anything
/// of a header's size is allocated.
void check_frame(double values);

}  // namespace takt::sensors
