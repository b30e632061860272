#pragma once
/// Frames of samples that lie in one file, or in several that follow each other.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// The rows of one piece of a stream, in order of time, in the form that SampleLayout::convert takes.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Reads as many whole rows as the space holds; fewer only at the end. Returns their number. Throws
  /// WorkError when reading fails.
  [[nodiscard]] virtual std::size_t read(std::span<std::byte> rows) = 0;
  /// Passes over so many rows; returns how many there were.
  [[nodiscard]] virtual std::uint64_t skip(std::uint64_t rows) = 0;
  /// At the end: bytes behind the last whole row.
  [[nodiscard]] virtual std::uint64_t bytes_left_over() const { return 0; }
  /// At the end: why there are fewer rows than there should be (a compressed stream cut short), with the
  /// file's name; empty otherwise.
  [[nodiscard]] virtual std::string fault() const { return {}; }
};

/// Rows that lie in a file one after the other without other bytes between them.
struct SampleRun {
  /// Byte of the first row.
  std::uint64_t offset = 0;
  /// The last run of a layout may have more rows than the file, which is cut short then.
  std::uint64_t rows = 0;
  /// Whether the first row begins a new epoch; it has this time and number then. Otherwise it follows the
  /// last row of the run before, and both are ignored.
  bool begins_epoch = false;
  std::int64_t utc_ns = 0;
  std::uint64_t first_sample = 0;
};

/// What the samples of a file are; made from a header, or from a description. A row is what one moment
/// brings: all channels and polarisations of one sample.
struct SampleLayout {
  /// Of the frames that are made. `rate_hz` is that of whole frames in the file's own time.
  FrameType type;
  /// Where rows begin in the file, and where they end at the latest (0: at its end).
  std::uint64_t offset = 0, end = 0;
  std::size_t row_bytes = 0;
  /// Where the rows lie, if they are not all rows from `offset` to `end`.
  std::vector<SampleRun> runs = {};
  /// Rows in a frame.
  std::size_t rows = 0;
  /// Rows a second; 0 when not known.
  double row_hz = 0;
  /// UTC of the first row, nanoseconds since 1970; 0: the file does not tell it, and the rows follow those of
  /// the piece before.
  std::int64_t utc_ns = 0;
  /// Number of the first row on the clock of the recording's source.
  std::uint64_t first_sample = 0;
  /// Rows that the header promises, and which field does so; 0 where nothing is promised. Fewer in the file:
  /// the file is cut short.
  std::uint64_t promised_rows = 0;
  std::string promised_by = {};
  /// From the rows of a whole frame to its elements.
  std::function<void(std::span<const std::byte> rows, std::span<std::byte> elements)> convert;
  /// How many values of the rows `convert` rounds, because float32 holds fewer digits; null where none can
  /// be.
  std::function<std::size_t(std::span<const std::byte> rows)> count_rounded = {};
  /// What the user is told once where there are such values.
  std::string rounded_note = {};
  /// Whether the file's values are floating-point: NaN among them are missing.
  bool may_hold_nan = false;
  /// Of a raw file, whose bytes may look like a compressed stream.
  Compression compression = Compression::detect;
  /// Opens the rows where they do not lie in the file one after the other, from `offset` to `end`.
  std::function<std::unique_ptr<RowReader>(const std::filesystem::path& file)> open = {};
  /// Of the header (HeaderNotes): what it says of the observation, and what the user should know.
  std::vector<std::string> description = {}, warnings = {};
  /// Throws ConfigError where the file is not what its header says (a checksum): too slow for every time that
  /// a pipeline is read. May be null.
  std::function<void()> verify = {};
};

/// A file and what its samples are; or a run of rows of a file that has gaps, for which there are several.
struct SamplePiece {
  std::filesystem::path file;
  SampleLayout layout;
};

/// Lets rows be what the frame is, byte by byte: elements of `type`, whose first axis is time.
/// `swaps`: the file has the other byte order.
void take_as_they_are(SampleLayout& layout, bool swaps);

/// Value by value to float32 or complex_float32 in the same order, from `uint8 int8 uint16 int16
/// float32`-like integers of so many bits; 1, 2 and 4 bits are unsigned and lie in a byte from its least
/// significant bit on.
void take_as_floats(SampleLayout& layout, int bits, bool is_signed);

/// Before anything is made as large as a header says: throws OptionError for frames of more values (of 4
/// bytes) than a message can hold.
void check_frame(double values);

struct SampleFileOptions {
  /// The pieces of one stream, in any order: they are read in the order of their times; those without a time
  /// follow the piece named before them.
  std::vector<SamplePiece> pieces;
  /// Multiple of the stream's own rate; 0: as fast as frames are taken.
  double speed = 0;
  /// A longer gap between pieces begins a new epoch; the frames of a shorter one are lost.
  Time longest_gap{10'000'000'000};
  /// Number of the source in the pipeline, for the frames' headers.
  std::uint32_t source = 0;
};

/// Throws OptionError; ConfigError with both names where the layouts of two pieces differ.
void validate(const SampleFileOptions& options);

/// Reads when it is asked for a frame. Frames lie on the grid of the epoch's first row, whatever file their
/// rows come from; the time of a piece is rounded to that grid. Rows that a gap leaves out are missing: NaN,
/// or flags behind integers (FrameType::parts); frames without any row are lost. Rows that an earlier piece
/// has brought already are passed over. The last frame of an epoch holds what there is; half a row at a
/// piece's end is left out; rows that a header promises and the file lacks are missing. All of it is counted.
/// NaN in files of floating-point values is missing.
class SampleFileSource final : public Source {
 public:
  /// Throws OptionError and ConfigError, as `validate`.
  explicit SampleFileSource(SampleFileOptions options);
  ~SampleFileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  void check() const override;
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
  /// One plain file that is read as fast as frames are taken.
  [[nodiscard]] bool may_be_shared() const override;
  void seek(std::uint64_t frame) override;
  /// Throws ConfigError when a file cannot be read.
  void start() override;
  /// Throws WorkError when reading fails.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override {}
  [[nodiscard]] bool is_cut_off() const override;
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;
  /// What the headers of all files say, each line once.
  [[nodiscard]] std::vector<std::string> description() const override;
  /// Gaps and overlaps between pieces, files cut short, rounded values, and what the headers' readers say.
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
