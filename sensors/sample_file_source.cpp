#include "sensors/sample_file_source.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "sensors/frame_memory.hpp"
#include "sensors/missing_values.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Between them all moments of a file of years fit 64 bits of nanoseconds.
constexpr double least_speed = 1e-3, most_speed = 1e6;
/// Frames beyond this size must not be larger than what is in the file by more than this.
constexpr double usual_frame_bytes = 64 << 20, most_of_file = 16;

/// Bytes of the numbers that an element is made of.
std::size_t number_bytes(ElementType type) {
  return size_of(type) / (is_complex(type) ? 2 : 1);
}

void fill_with_nan(ElementType type, std::span<std::byte> bytes) {
  if (type == ElementType::float64)
    std::fill_n(reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double),
                std::numeric_limits<double>::quiet_NaN());
  else
    std::fill_n(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float),
                std::numeric_limits<float>::quiet_NaN());
}

template <class Number>
void convert_numbers(std::span<const std::byte> from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Number number;
    std::memcpy(&number, from.data() + i * sizeof number, sizeof number);
    to[i] = static_cast<float>(number);
  }
}

std::size_t count_rounded_int32(std::span<const std::byte> rows, bool swaps) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < rows.size(); at += sizeof(std::int32_t)) {
    std::array<std::byte, sizeof(std::int32_t)> bytes;
    std::ranges::copy(rows.subspan(at, bytes.size()), bytes.begin());
    if (swaps) std::ranges::reverse(bytes);
    const auto value = static_cast<double>(std::bit_cast<std::int32_t>(bytes));
    count += static_cast<double>(static_cast<float>(value)) != value ? 1 : 0;
  }
  return count;
}

void convert_bits(std::span<const std::byte> from, std::span<float> to, std::size_t bits) {
  const std::size_t in_byte = 8 / bits;
  const unsigned mask = (1U << bits) - 1;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(std::to_integer<unsigned>(from[i / in_byte]) >> (i % in_byte * bits) & mask);
}

}  // namespace

void take_as_they_are(SampleLayout& layout, bool swaps) {
  const ElementType element = layout.type.element;
  const std::size_t number = number_bytes(element);
  layout.convert = [swaps, number](std::span<const std::byte> rows, std::span<std::byte> elements) {
    std::ranges::copy(rows, elements.begin());
    for (std::size_t at = 0; swaps && at < elements.size(); at += number)
      std::ranges::reverse(elements.subspan(at, number));
  };
  if (element == ElementType::int32) {
    layout.count_rounded = [swaps](std::span<const std::byte> rows) {
      return count_rounded_int32(rows, swaps);
    };
    layout.rounded_note = "has integers beyond 2^24, of which float32 holds 24 bits: `unpack` rounds them";
  }
  layout.may_hold_nan = is_floating(element);
  if (!is_floating(element)) layout.type.parts = {layout.rows};
  const std::size_t row = layout.row_bytes, data = layout.type.data_size().count;
  layout.mark_missing = [=](std::size_t first, std::span<std::byte> frame) {
    if (is_floating(element))
      fill_with_nan(element, frame.subspan(first * row));
    else
      std::ranges::fill(frame.subspan(data + first), std::byte{1});
  };
}

void take_as_floats(SampleLayout& layout, int bits, bool is_signed, std::size_t values) {
  layout.convert = [=](std::span<const std::byte> rows, std::span<std::byte> elements) {
    const std::span<float> to(reinterpret_cast<float*>(elements.data()), elements.size() / sizeof(float));
    if (bits == 32)
      convert_numbers<float>(rows, to);
    else if (bits == 16)
      is_signed ? convert_numbers<std::int16_t>(rows, to) : convert_numbers<std::uint16_t>(rows, to);
    else if (bits == 8)
      is_signed ? convert_numbers<std::int8_t>(rows, to) : convert_numbers<std::uint8_t>(rows, to);
    else
      convert_bits(rows, to, static_cast<std::size_t>(bits));
  };
  layout.may_hold_nan = bits == 32;
  layout.mark_missing = [=](std::size_t first, std::span<std::byte> frame) {
    fill_with_nan(ElementType::float32, frame.subspan(first * values * sizeof(float)));
  };
}

void check_frame(double values) {
  constexpr double most = 2147483647.0 / sizeof(float);
  if (!(values >= 1 && values <= most))
    throw OptionError(
        "samples", fmt::format("frames of {} values cannot be, expected 1 to {:.0f}: fewer samples a frame, "
                               "or another file",
                               values, most));
}

void validate(const SampleFileOptions& options) {
  if (options.speed != 0 && !(options.speed >= least_speed && options.speed <= most_speed))
    throw OptionError("speed",
                      fmt::format("a speed of {} cannot be, expected a multiple of the file's own from {} to "
                                  "{}, or 0 for as fast as possible",
                                  options.speed, least_speed, most_speed));
  if (options.speed > 0 && !(options.layout.type.rate_hz > 0))
    throw OptionError("speed", "the file's own rate is not known, expected a rate, or a speed of 0");
  // A damaged header must not make the computer run out of memory.
  const auto frame = static_cast<double>(options.layout.type.size().count);
  std::error_code error;
  const auto size = static_cast<double>(std::filesystem::file_size(options.file, error));
  if (!error && frame > usual_frame_bytes && frame > most_of_file * size)
    throw OptionError("samples", fmt::format("frames of {} for a file of {}: fewer samples a frame, or the "
                                             "header is damaged",
                                             takt::to_string(Bytes{options.layout.type.size().count}),
                                             takt::to_string(Bytes{static_cast<std::size_t>(size)})));
}

class SampleFileSource::Impl {
 public:
  explicit Impl(SampleFileOptions options)
      : options_((validate(options), std::move(options))), layout_(options_.layout) {}

  void start() {
    const std::uint64_t size = open_file();
    find_runs(size);
    seek(number_);
    memory_.emplace(1, layout_.type.size());
    rows_.resize(layout_.rows * layout_.row_bytes);
    if (all_rows_ == 0) count_end();
    has_started_.store(true, std::memory_order_release);
  }

  /// Returns the file's size. Throws ConfigError.
  std::uint64_t open_file() {
    file_.open(options_.file, std::ios::binary);
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(options_.file, error);
    if (!file_ || error || std::filesystem::is_directory(options_.file))
      throw ConfigError(
          fmt::format("{}: cannot read the file: {}", options_.file.string(), std::strerror(errno)));
    return size;
  }

  void seek(std::uint64_t frame) {
    number_ = frame;
    epoch_ = 0;
    while (epoch_ + 1 < epochs_.size() && epochs_[epoch_ + 1].first_frame <= number_) ++epoch_;
  }

  SourceState poll(FrameView& frame) {
    if (!is_read_ && !read()) return SourceState::ended;
    if (options_.speed > 0 && !is_due()) return SourceState::waiting;
    if (options_.speed == 0) header_.ingested_ns = now_ns();
    is_read_ = false;
    frames_.add();
    frame = {&header_, memory_->frame(0)};
    return SourceState::frame;
  }

  /// The next frame; false at the end.
  bool read() {
    if (epoch_ + 1 < epochs_.size() && number_ == epochs_[epoch_ + 1].first_frame) ++epoch_;
    if (epochs_.empty() || stopped_) return false;
    const Epoch& epoch = epochs_[epoch_];
    // Of this epoch: rows before the frame, and those from its first one on.
    const std::uint64_t before = (number_ - epoch.first_frame) * layout_.rows;
    if (before >= epoch.rows) return false;
    const std::uint64_t left = epoch.rows - before;
    const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(left, layout_.rows));
    read_rows(epoch.first_row + before, std::span(rows_).first(rows * layout_.row_bytes));
    std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(rows * layout_.row_bytes), rows_.end(),
              std::byte{0});
    const std::span<std::byte> frame = memory_->frame(0);
    const std::size_t data = layout_.type.data_size().count;
    layout_.convert(rows_, frame.first(data));
    if (layout_.count_rounded) rounded_.add(layout_.count_rounded(rows_));
    std::ranges::fill(frame.subspan(data), std::byte{0});
    header_ = {.sequence = number_ - epoch.first_frame,
               .utc_ns = epoch.utc_ns + time_of(before),
               .first_sample = epoch.first_sample + before,
               .parts = static_cast<std::uint32_t>(layout_.rows),
               .source = static_cast<std::uint16_t>(options_.source),
               .epoch = static_cast<std::uint16_t>(epoch_)};
    const bool is_whole = rows == layout_.rows;
    if (!is_whole) mark_missing(rows, frame);
    is_cut_off_ = !is_whole && epoch_ + 1 == epochs_.size();
    const bool has_nan = layout_.may_hold_nan && mark_nan(layout_.type, frame, header_);
    if (!is_cut_off_ && (has_nan || !is_whole)) incomplete_.add();
    if (rows == left && epoch_ + 1 == epochs_.size()) count_end();
    ++number_;
    is_read_ = true;
    return true;
  }

  /// Nanoseconds from an epoch's first row to this one.
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

  [[nodiscard]] std::vector<std::string> warnings() const {
    if (!has_started_.load(std::memory_order_acquire)) return {};
    std::vector<std::string> all = layout_.warnings;
    const std::string file = options_.file.string();
    if (left_over_.value() > 0)
      all.push_back(fmt::format("{}: ends within a sample: its last {} of {} bytes are left out", file,
                                half_row_, layout_.row_bytes));
    if (const std::uint64_t missing = cut_off_.value(); missing > 0)
      all.push_back(fmt::format("{}: cut short: {} promises {} samples, the file holds {}: {} are missing",
                                file, layout_.promised_by, layout_.promised_rows, all_rows_, missing));
    if (rounded_.value() > 0) all.push_back(fmt::format("{}: {}", file, layout_.rounded_note));
    return all;
  }

  /// Rows without a jump in time, in one or several runs.
  struct Epoch {
    std::uint64_t first_row = 0, rows = 0, first_frame = 0;
    std::int64_t utc_ns = 0;
    std::uint64_t first_sample = 0;
  };

  /// What the file, of so many bytes, has of the layout's runs.
  void find_runs(std::uint64_t size) {
    const std::uint64_t end = layout_.end > 0 ? std::min(layout_.end, size) : size;
    std::vector<SampleRun> runs = layout_.runs;
    if (runs.empty())
      runs = {{.offset = layout_.offset,
               .rows = std::numeric_limits<std::uint64_t>::max(),
               .begins_epoch = true,
               .utc_ns = layout_.utc_ns,
               .first_sample = layout_.first_sample}};
    for (const SampleRun& run : runs) {
      const std::uint64_t bytes = end - std::min(end, run.offset);
      const std::uint64_t rows = std::min(run.rows, bytes / layout_.row_bytes);
      if (rows < run.rows) half_row_ = bytes % layout_.row_bytes;
      if (rows == 0) break;
      if (run.begins_epoch || epochs_.empty())
        epochs_.push_back(
            {.first_row = all_rows_,
             .first_frame = epochs_.empty() ? 0 : epochs_.back().first_frame + frames_of(epochs_.back()),
             .utc_ns = run.utc_ns,
             .first_sample = run.first_sample});
      epochs_.back().rows += rows;
      runs_.push_back({.offset = run.offset, .rows = rows});
      all_rows_ += rows;
      if (rows < run.rows) break;
    }
  }

  [[nodiscard]] std::uint64_t frames_of(const Epoch& epoch) const {
    return (epoch.rows + layout_.rows - 1) / layout_.rows;
  }

  /// Behind the last frame, so that of ranks that share the file one counts.
  void count_end() {
    left_over_.set(half_row_);
    if (layout_.promised_rows <= all_rows_) return;
    cut_off_.set(layout_.promised_rows - all_rows_);
    // The last frame has room for some of them.
    const std::uint64_t room =
        epochs_.empty() ? 0 : frames_of(epochs_.back()) * layout_.rows - epochs_.back().rows;
    const std::uint64_t beyond = cut_off_.value() - std::min(room, cut_off_.value());
    lost_.set((beyond + layout_.rows - 1) / layout_.rows);
  }

  /// Rows from this one of the file on, of one run or several. O(runs).
  void read_rows(std::uint64_t row, std::span<std::byte> to) {
    for (const SampleRun& run : runs_) {
      if (to.empty()) return;
      if (row >= run.rows) {
        row -= run.rows;
        continue;
      }
      const auto bytes =
          static_cast<std::size_t>(std::min<std::uint64_t>((run.rows - row) * layout_.row_bytes, to.size()));
      file_.seekg(static_cast<std::streamoff>(run.offset + row * layout_.row_bytes));
      file_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(bytes));
      if (!file_)
        throw WorkError(fmt::format("{}: reading failed: {}", options_.file.string(),
                                    file_.eof() ? "the file has become shorter" : std::strerror(errno)));
      to = to.subspan(bytes);
      row = 0;
    }
  }

  void mark_missing(std::size_t rows, std::span<std::byte> frame) {
    layout_.mark_missing(rows, frame);
    header_.missing_parts = static_cast<std::uint32_t>(layout_.rows - rows);
    const std::size_t pieces = std::min<std::size_t>(64, layout_.rows);
    for (std::size_t piece = rows * pieces / layout_.rows; piece < pieces; ++piece)
      header_.missing_mask |= std::uint64_t{1} << piece;
  }

  const SampleFileOptions options_;
  const SampleLayout& layout_;
  /// From `start` on.
  std::optional<FrameMemory> memory_;
  std::vector<std::byte> rows_;
  FrameHeader header_;
  std::ifstream file_;
  std::vector<SampleRun> runs_;
  std::vector<Epoch> epochs_;
  /// Of the file: rows, and the bytes of half a row behind them.
  std::uint64_t all_rows_ = 0, half_row_ = 0;
  /// Of the frame that is read next, and of its epoch.
  std::uint64_t number_ = 0;
  std::size_t epoch_ = 0;
  bool is_read_ = false, is_cut_off_ = false, stopped_ = false;
  std::atomic<bool> has_started_ = false;
  std::optional<std::int64_t> first_ns_, next_ns_;
  std::int64_t first_utc_ns_ = 0;
  Tally frames_, incomplete_, left_over_, lost_, cut_off_, rounded_;
};

SampleFileSource::SampleFileSource(SampleFileOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
SampleFileSource::~SampleFileSource() = default;

const FrameType& SampleFileSource::type() const {
  return impl_->layout_.type;
}
void SampleFileSource::check() const {
  Impl impl(impl_->options_);
  (void)impl.open_file();
  if (impl_->layout_.verify) impl_->layout_.verify();
}
bool SampleFileSource::begin_behind(const StreamPlace& place) {
  impl_->number_ = place.frames;
  impl_->frames_.set(place.frames);
  return true;
}
bool SampleFileSource::may_be_shared() const {
  const bool has_epochs = std::ranges::count(impl_->layout_.runs, true, &SampleRun::begins_epoch) > 1;
  return impl_->options_.speed == 0 && !has_epochs;
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
  return impl_->layout_.description;
}
SourceCounters SampleFileSource::counters() const {
  SourceCounters counters;
  counters.ingested = impl_->frames_.value();
  counters.incomplete = impl_->incomplete_.value();
  counters.lost = impl_->lost_.value();
  counters.details = {{"bytes_left_over", "bytes", impl_->left_over_.value()},
                      {"samples_cut_off", "samples", impl_->cut_off_.value()}};
  if (impl_->layout_.count_rounded)
    counters.details.push_back({"values_rounded", "values", impl_->rounded_.value()});
  return counters;
}
std::vector<std::string> SampleFileSource::warnings() const {
  return impl_->warnings();
}

}  // namespace takt::sensors
