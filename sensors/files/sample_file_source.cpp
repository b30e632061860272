#include "sensors/files/sample_file_source.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/leap_seconds.hpp"
#include "core/system/clock.hpp"
#include "sensors/files/sample_notes.hpp"
#include "sensors/files/sample_parts.hpp"
#include "sensors/frames/frame_memory.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Within these limits the times of a file of years fit 64 bits of nanoseconds.
constexpr double least_speed = 1e-3, most_speed = 1e6;
/// A frame above this size may exceed the file's contents by at most this factor.
constexpr double usual_frame_bytes = 64 << 20, most_of_file = 16;
/// Largest expansion of a byte by deflate (zlib, "Technical Details").
constexpr double most_deflated = 1032;

}  // namespace

void validate(const SampleFileOptions& options) {
  if (options.pieces.empty()) throw OptionError("file", "no file is given");
  const SampleLayout& layout = options.pieces.front().layout;
  if (options.speed != 0 && !(options.speed >= least_speed && options.speed <= most_speed))
    throw OptionError(
        "speed", fmt::format("a speed of {} is not valid: expected a multiple of the file's own from {} to "
                             "{}, or 0 for as fast as possible",
                             options.speed, least_speed, most_speed));
  if (options.speed > 0 && !(layout.type.rate_hz > 0))
    throw OptionError("speed", "the rate of the file is not known: expected a rate, or a speed of 0");
  if (options.longest_gap <= Time(0))
    throw OptionError("longest_gap", "the longest gap is 0: expected for example 10 s");
  // A damaged header must not exhaust the memory.
  const auto frame = static_cast<double>(layout.type.size().count);
  double size = 0;
  for (const SamplePiece& piece : options.pieces) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(piece.file, error);
    if (!error) size += static_cast<double>(bytes) * (is_compressed(piece.file) ? most_deflated : 1);
    check_alike(options.pieces.front(), piece);
  }
  if (size > 0 && frame > usual_frame_bytes && frame > most_of_file * size)
    throw OptionError(
        "samples",
        fmt::format("frames of {} for a file of {}: use fewer samples per frame, or the header is damaged",
                    takt::to_string(Bytes{layout.type.size().count}),
                    takt::to_string(Bytes{static_cast<std::size_t>(size)})));
}

class SampleFileSource::Impl {
 public:
  explicit Impl(SampleFileOptions options)
      : options_((validate(options), std::move(options))),
        pieces_(ordered(options_.pieces)),
        parts_(parts_of(pieces_)),
        layout_(pieces_.front().layout),
        may_hold_nan_(
            std::ranges::any_of(pieces_, [](const SamplePiece& piece) { return piece.layout.may_hold_nan; })),
        runs_(layout_),
        notes_(pieces_) {
    for (const SamplePiece& piece : pieces_) rounded_ns_.raise_to(piece.layout.time_rounded_ns);
  }

  /// Throws ConfigError if a file is not readable or contradicts its header, or if there is no sample.
  void check() const {
    for (const SamplePiece& piece : pieces_) {
      const InputStream file(piece.file, piece.layout.compression);
      if (piece.layout.verify) piece.layout.verify();
    }
    for (const SamplePart& part : parts_) {
      const std::unique_ptr<RowReader> reader = open_rows(part);
      if (reader->skip(1) > 0) return;
      if (std::string fault = reader->fault(); !fault.empty()) throw ConfigError(std::move(fault));
    }
    throw ConfigError(fmt::format("{}{}: no samples", pieces_.front().file.string(),
                                  pieces_.size() > 1 ? " and the other files" : ""));
  }

  void start() {
    memory_.emplace(1, layout_.type.size());
    rows_.resize(layout_.rows * layout_.row_bytes);
    open_first();
    if (const std::uint64_t frames = skipped_frames_; frames > 0) {
      if (is_one_plain_file())
        seek(frames);
      else
        for (std::uint64_t i = 0; i < frames && assemble(false); ++i) {
        }
    }
  }

  [[nodiscard]] bool is_one_plain_file() const {
    return parts_.size() == 1 && !layout_.open &&
           (layout_.compression == Compression::none || !is_compressed(pieces_.front().file));
  }

  /// For one plain file.
  void seek(std::uint64_t frame) {
    const std::uint64_t row = frame * layout_.rows;
    if (!reader_ || row < row_) open_first();
    const std::uint64_t skipped = reader_->skip(row - row_);
    const bool is_beyond = skipped < row - row_;
    rows_of_piece_ += skipped;
    row_ = row;
    number_ = frame;
    if (!is_beyond) return;
    // Of the ranks that share the file, the one with the last rows counts its end.
    if (skipped > 0) closed_ = std::max(closed_, part_ + 1);
    close();
  }

  SourceState poll(FrameView& frame) {
    if (!is_read_ && (stopped_ || !assemble(true))) {
      notes_.finish(rounded_ns_.value(), layout_.row_hz);
      return SourceState::ended;
    }
    is_read_ = true;
    if (options_.speed > 0 && !is_due()) return SourceState::waiting;
    if (options_.speed == 0) header_.ingested_ns = now_ns();
    is_read_ = false;
    frames_.add();
    frame = {&header_, memory_->frame(0)};
    return SourceState::frame;
  }

  [[nodiscard]] std::vector<std::string> warnings() const { return notes_.all(); }

  const SampleFileOptions options_;
  /// In reading order.
  const std::vector<SamplePiece> pieces_;
  const std::vector<SamplePart> parts_;
  /// Layout of the first piece; the others are equivalent.
  const SampleLayout& layout_;
  std::uint64_t skipped_frames_ = 0;
  bool is_cut_off_ = false, stopped_ = false;
  std::optional<std::int64_t> next_ns_;
  Tally frames_, incomplete_, lost_, left_over_, cut_off_, rounded_, gaps_, overlapping_, rounded_ns_, jumps_,
      faults_;

 private:
  void open_first() {
    part_ = 0;
    number_ = row_ = rows_of_piece_ = 0;
    epoch_ = 0;
    epoch_first_ = parts_.front().run.first_sample;
    epoch_ns_ = parts_.front().run.utc_ns;
    counted_from_ns_ = counted_from(parts_.front());
    reader_ = open_rows(parts_.front());
  }

  void close() {
    const SamplePart& part = parts_[part_];
    const std::uint64_t rows = std::exchange(rows_of_piece_, part.is_last_of_piece ? 0 : rows_of_piece_);
    // A part may be read again after `seek`.
    if (part_ == closed_) {
      ++closed_;
      count_end(part, rows);
    }
    // Rows announced by the header occupy their time.
    if (const std::uint64_t declared = part.piece->layout.declared_rows;
        part.is_last_of_piece && declared > rows)
      row_ += declared - rows;
    reader_.reset();
    ++part_;
  }

  void count_end(const SamplePart& part, std::uint64_t rows) {
    const std::string file = part.piece->file.string();
    const std::string fault = reader_->fault();
    if (const std::uint64_t bytes = reader_->bytes_left_over(); bytes > 0) {
      left_over_.add(bytes);
      // Otherwise the fault is the reason.
      if (fault.empty())
        warn(fmt::format("{}: ends within a sample: its last {} of {} bytes are skipped", file, bytes,
                         layout_.row_bytes));
    }
    if (!fault.empty()) {
      faults_.add();
      warn(fault + ": the data before it were read" + part.piece->layout.advice);
    }
    if (!part.is_last_of_piece) return;
    const SampleLayout& layout = part.piece->layout;
    if (layout.declared_rows > rows) {
      cut_off_.add(layout.declared_rows - rows);
      warn(fmt::format("{}: truncated: {} declares {} samples, the file holds {}: {} are missing", file,
                       layout.declared_by, layout.declared_rows, rows, layout.declared_rows - rows));
    }
    if (rounded_.value() > 0 && !std::exchange(has_warned_of_rounding_, true))
      warn(fmt::format("{}: {}", file, layout_.rounded_note));
  }

  void warn(std::string text) { notes_.add(std::move(text)); }

  /// Reports whether a part is open whose next row is `row_` of the epoch. False while a new epoch waits
  /// until the previous frame is handed over.
  bool have_part() {
    while (!reader_ && part_ < parts_.size())
      if (stopped_ || !place(parts_[part_])) return false;
    return reader_ != nullptr;
  }

  /// Opens a part at its position after the previous rows; returns false if it begins a new epoch while a
  /// frame is unfinished.
  bool place(const SamplePart& part) {
    const std::int64_t expected_ns = epoch_ns_ + time_of(row_);
    const bool has_time = !part.follows && part.run.utc_ns != 0 && epoch_ns_ != 0 && layout_.row_hz > 0;
    const bool is_far = has_time && part.run.utc_ns - expected_ns > options_.longest_gap.count();
    if (is_far || part.run.begins_epoch) {
      if (is_begun_) return false;
      end_epoch();
      begin_epoch(part, is_far ? part.run.utc_ns - expected_ns : 0);
      reader_ = open_rows(part);
      return true;
    }
    reader_ = open_rows(part);
    if (has_time) find_place(part);
    return true;
  }

  /// Moves to the part's position on the epoch's grid.
  void find_place(const SamplePart& part) {
    const std::string file = part.piece->file.string();
    // A file with gaps has several pieces.
    const bool is_within = part_ > 0 && parts_[part_ - 1].piece->file == part.piece->file;
    const std::uint64_t row = row_at(part.run.utc_ns);
    rounded_ns_.raise_to(static_cast<std::uint64_t>(std::abs(part.run.utc_ns - epoch_ns_ - time_of(row))));
    if (row > row_) {
      gaps_.add();
      notes_.add_gap(*part.piece, is_within, epoch_first_ + row_, row - row_);
      row_ = row;
    } else if (row < row_) {
      const std::uint64_t skipped = reader_->skip(row_ - row);
      rows_of_piece_ += skipped;
      overlapping_.add(skipped);
      warn(is_within ? fmt::format("{}: {} repeated samples are skipped", file, skipped)
                     : fmt::format("{}: its first {} samples repeat the previous file and are skipped", file,
                                   skipped));
      if (skipped < row_ - row) close();
    }
  }

  void begin_epoch(const SamplePart& part, std::int64_t late_ns) {
    jumps_.add();
    if (late_ns > 0)
      warn(fmt::format("{}: it begins {} after the end of the previous file: a new epoch",
                       part.piece->file.string(), takt::to_string(Time(late_ns))));
    ++epoch_;
    epoch_first_ = part.run.begins_epoch ? part.run.first_sample : epoch_first_ + row_at(part.run.utc_ns);
    epoch_ns_ = part.run.utc_ns;
    counted_from_ns_ = counted_from(part);
    number_ = row_ = 0;
  }

  /// Counts frames at the epoch's end whose announced rows are all missing.
  void end_epoch() {
    const std::uint64_t frames = row_ / layout_.rows + (row_ % layout_.rows > 0 ? 1 : 0);
    if (frames > number_) lost_.add(frames - number_);
    number_ = std::max(number_, frames);
  }

  /// Returns the epoch's row at this time, at least its first one. An MJD in a double has a resolution of a
  /// microsecond: a part within that distance of the previous rows follows them directly.
  [[nodiscard]] std::uint64_t row_at(std::int64_t utc_ns) const {
    constexpr std::int64_t mjd_step_ns = 1000;
    if (std::abs(utc_ns - epoch_ns_ - time_of(row_)) <= mjd_step_ns) return row_;
    const std::int64_t since = utc_ns - epoch_ns_;
    if (since <= 0) return 0;
    return static_cast<std::uint64_t>(
        std::llround(static_cast<long double>(since) * 1e-9L * static_cast<long double>(layout_.row_hz)));
  }

  /// Assembles the next frame, or only advances if `wanted` is unset; returns false at the end.
  bool assemble(bool wanted) {
    while (have_part())
      if (fill_frame(wanted)) return true;
    if (!stopped_) end_epoch();
    return false;
  }

  /// Fills the frame from the pieces; returns false if they have no row for it.
  bool fill_frame(bool wanted) {
    if (const std::uint64_t frame = row_ / layout_.rows; frame > number_) {
      lost_.add(frame - number_);
      number_ = frame;
    }
    const std::uint64_t first = number_ * layout_.rows, end = first + layout_.rows;
    const std::span<std::byte> frame = memory_->frame(0);
    const std::size_t data = layout_.type.data_size().count;
    std::ranges::fill(frame.subspan(data), std::byte{0});
    runs_of_frame_.clear();
    is_begun_ = true;
    while (have_part() && row_ < end) {
      const auto at = static_cast<std::size_t>(row_ - first);
      const std::size_t count = wanted ? read_rows(at, frame.first(data), runs_of_frame_.empty())
                                       : static_cast<std::size_t>(reader_->skip(layout_.rows - at));
      if (count > 0) runs_of_frame_.emplace_back(at, at + count);
      row_ += count;
      rows_of_piece_ += count;
      if (row_ < end) close();
    }
    is_begun_ = false;
    if (runs_of_frame_.empty()) return false;
    finish_frame(frame, wanted);
    ++number_;
    return true;
  }

  /// Reads and converts rows of one piece from `at` on. The first rows of a frame are converted as a whole
  /// frame; later ones are inserted.
  std::size_t read_rows(std::size_t at, std::span<std::byte> data, bool is_first) {
    const std::span<std::byte> rows(rows_);
    const std::size_t begin = at * layout_.row_bytes;
    const std::size_t count = reader_->read(rows.subspan(begin));
    if (count == 0) return 0;
    const std::size_t end = begin + count * layout_.row_bytes;
    std::ranges::fill(rows.first(begin), std::byte{0});
    std::ranges::fill(rows.subspan(end), std::byte{0});
    const SampleLayout& layout = parts_[part_].piece->layout;
    if (layout.count_rounded) rounded_.add(layout.count_rounded(rows.subspan(begin, end - begin)));
    if (is_first) {
      layout.convert(rows, data);
      return count;
    }
    scratch_.resize(data.size());
    layout.convert(rows, scratch_);
    runs_.for_each(at, at + count, [&](std::size_t byte, std::size_t length) {
      std::memcpy(data.data() + byte, scratch_.data() + byte, length);
    });
    return count;
  }

  void finish_frame(std::span<std::byte> frame, bool wanted) {
    header_ = {.sequence = number_,
               .utc_ns = utc_scale(epoch_ns_, time_of(number_ * layout_.rows)),
               .first_sample = epoch_first_ + number_ * layout_.rows,
               .parts = static_cast<std::uint32_t>(layout_.rows),
               .source = static_cast<std::uint16_t>(options_.source),
               .epoch = epoch_};
    if (!has_warned_of_leap_seconds_ && !is_certain(counted_from_ns_, header_.utc_ns)) {
      has_warned_of_leap_seconds_ = true;
      warn(expired_leap_seconds(leap_seconds()));
    }
    std::size_t from = 0;
    for (const auto& [begin, end] : runs_of_frame_) {
      mark_missing(from, begin, frame);
      from = end;
    }
    mark_missing(from, layout_.rows, frame);
    const bool is_last = !reader_ && part_ == parts_.size();
    is_cut_off_ = is_last && header_.missing_parts > 0 && runs_of_frame_.size() == 1 &&
                  runs_of_frame_.front().first == 0;
    const bool has_nan = wanted && may_hold_nan_ && mark_nan(layout_.type, frame, header_);
    if ((has_nan || header_.missing_parts > 0) && !is_cut_off_) incomplete_.add();
  }

  /// Marks the rows from `first` to `last`: NaN, or flags after the elements.
  void mark_missing(std::size_t first, std::size_t last, std::span<std::byte> frame) {
    if (first == last) return;
    header_.missing_parts += static_cast<std::uint32_t>(last - first);
    const std::size_t pieces = std::min<std::size_t>(64, layout_.rows);
    for (std::size_t piece = first * pieces / layout_.rows; piece * layout_.rows < last * pieces; ++piece)
      header_.missing_mask |= std::uint64_t{1} << piece;
    const std::size_t data = layout_.type.data_size().count;
    if (is_floating(layout_.type.element))
      runs_.for_each(first, last, [&](std::size_t byte, std::size_t length) {
        fill_with_nan(layout_.type.element, frame.subspan(byte, length));
      });
    else if (frame.size() == data + layout_.rows)
      std::ranges::fill(frame.subspan(data + first, last - first), std::byte{1});
  }

  /// Returns the nanoseconds from the first row to this one.
  [[nodiscard]] std::int64_t time_of(std::uint64_t row) const {
    if (!(layout_.row_hz > 0)) return 0;
    const long double seconds = static_cast<long double>(row) / static_cast<long double>(layout_.row_hz);
    return std::llround(seconds * 1e9L);
  }

  bool is_due() {
    if (!first_ns_) {
      first_ns_ = now_ns();
      first_utc_ns_ = header_.utc_ns;
    }
    const std::int64_t moment =
        *first_ns_ + std::llround(static_cast<double>(header_.utc_ns - first_utc_ns_) / options_.speed);
    header_.ingested_ns = moment;
    next_ns_ = moment;
    return now_ns() >= moment;
  }

  const bool may_hold_nan_;
  const RowRuns runs_;
  SampleNotes notes_;
  /// Set by `start`.
  std::optional<FrameMemory> memory_;
  std::vector<std::byte> rows_, scratch_;
  FrameHeader header_;
  std::unique_ptr<RowReader> reader_;
  /// The open part, or the next one.
  std::size_t part_ = 0;
  /// Parts whose ends were counted.
  std::size_t closed_ = 0;
  /// Within the epoch: the next frame, and the next row of the part.
  std::uint64_t number_ = 0, row_ = 0;
  /// Rows of the part's piece that were read or skipped.
  std::uint64_t rows_of_piece_ = 0;
  std::uint16_t epoch_ = 0;
  /// Rows from the first epoch's beginning to this one's, and its start time.
  std::uint64_t epoch_first_ = 0;
  std::int64_t epoch_ns_ = 0, counted_from_ns_ = 0;
  /// Runs of rows that the frame already has: first row, and one after the last.
  std::vector<std::pair<std::size_t, std::size_t>> runs_of_frame_;
  bool is_begun_ = false, is_read_ = false, has_warned_of_rounding_ = false,
       has_warned_of_leap_seconds_ = false;
  std::optional<std::int64_t> first_ns_;
  std::int64_t first_utc_ns_ = 0;
};

SampleFileSource::SampleFileSource(SampleFileOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
SampleFileSource::~SampleFileSource() = default;

const FrameType& SampleFileSource::type() const {
  return impl_->layout_.type;
}
void SampleFileSource::check() const {
  impl_->check();
}
bool SampleFileSource::resume_after(const StreamPlace& place) {
  impl_->skipped_frames_ = place.frames;
  impl_->frames_.set(place.frames);
  return true;
}
bool SampleFileSource::may_be_shared() const {
  return impl_->options_.speed == 0 && impl_->is_one_plain_file();
}
void SampleFileSource::seek(std::uint64_t frame) {
  impl_->seek(frame);
}
void SampleFileSource::start() {
  impl_->start();
}
SourceState SampleFileSource::poll(FrameView& frame) {
  return impl_->poll(frame);
}
bool SampleFileSource::is_cut_off() const {
  return impl_->is_cut_off_;
}
std::optional<std::int64_t> SampleFileSource::next_frame_ns() const {
  return impl_->next_ns_;
}
void SampleFileSource::stop() {
  impl_->stopped_ = true;
}
std::vector<std::string> SampleFileSource::description() const {
  std::vector<std::string> all;
  for (const SamplePiece& piece : impl_->pieces_)
    for (const std::string& line : piece.layout.description)
      if (std::ranges::find(all, line) == all.end()) all.push_back(line);
  return all;
}
SourceCounters SampleFileSource::counters() const {
  SourceCounters counters;
  counters.ingested = impl_->frames_.value();
  counters.incomplete = impl_->incomplete_.value();
  counters.lost = impl_->lost_.value();
  counters.details = {{"bytes_left_over", "bytes", impl_->left_over_.value()},
                      {"samples_cut_off", "samples", impl_->cut_off_.value()},
                      {"values_rounded", "values", impl_->rounded_.value()},
                      {"gaps_between_files", "gaps", impl_->gaps_.value()},
                      {"samples_overlapping", "samples", impl_->overlapping_.value()},
                      {"time_rounded_by", "ns", impl_->rounded_ns_.value()},
                      {"clock_jumps", "jumps", impl_->jumps_.value()},
                      {"streams_cut_short", "streams", impl_->faults_.value()}};
  return counters;
}
std::vector<std::string> SampleFileSource::warnings() const {
  return impl_->warnings();
}

}  // namespace takt::sensors
