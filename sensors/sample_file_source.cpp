#include "sensors/sample_file_source.hpp"

#include <algorithm>
#include <atomic>
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
  switch (type) {
    case ElementType::complex_int8:
    case ElementType::complex_int16:
    case ElementType::complex_float32:
      return size_of(type) / 2;
    default:
      return size_of(type);
  }
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
    file_.open(options_.file, std::ios::binary);
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(options_.file, error);
    if (!file_ || error || std::filesystem::is_directory(options_.file))
      throw ConfigError(
          fmt::format("{}: cannot read the file: {}", options_.file.string(), std::strerror(errno)));
    const std::uint64_t end = layout_.end > 0 ? std::min(layout_.end, size) : size;
    const std::uint64_t bytes = end - std::min(end, layout_.offset);
    all_rows_ = bytes / layout_.row_bytes;
    half_row_ = bytes % layout_.row_bytes;
    seek(number_);
    memory_.emplace(1, layout_.type.size());
    rows_.resize(layout_.rows * layout_.row_bytes);
    if (all_rows_ == 0) left_over_.set(half_row_);
  }

  void seek(std::uint64_t frame) {
    number_ = frame;
    const std::uint64_t skipped = std::min(number_ * layout_.rows, all_rows_);
    rows_left_ = all_rows_ - skipped;
    file_.seekg(static_cast<std::streamoff>(layout_.offset + skipped * layout_.row_bytes));
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
    if (rows_left_ == 0 || stopped_) return false;
    const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(rows_left_, layout_.rows));
    file_.read(reinterpret_cast<char*>(rows_.data()), static_cast<std::streamsize>(rows * layout_.row_bytes));
    if (!file_)
      throw WorkError(fmt::format("{}: reading failed: {}", options_.file.string(),
                                  file_.eof() ? "the file has become shorter" : std::strerror(errno)));
    std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(rows * layout_.row_bytes), rows_.end(),
              std::byte{0});
    const std::span<std::byte> frame = memory_->frame(0);
    const std::size_t data = layout_.type.data_size().count;
    layout_.convert(rows_, frame.first(data));
    std::ranges::fill(frame.subspan(data), std::byte{0});
    header_ = {.sequence = number_,
               .utc_ns = layout_.utc_ns + time_of(number_ * layout_.rows),
               .first_sample = number_ * layout_.rows,
               .parts = static_cast<std::uint32_t>(layout_.rows),
               .source = static_cast<std::uint16_t>(options_.source)};
    is_cut_off_ = rows < layout_.rows;
    if (is_cut_off_) {
      layout_.mark_missing(rows, frame);
      header_.missing_parts = static_cast<std::uint32_t>(layout_.rows - rows);
      const std::size_t pieces = std::min<std::size_t>(64, layout_.rows);
      for (std::size_t piece = rows * pieces / layout_.rows; piece < pieces; ++piece)
        header_.missing_mask |= std::uint64_t{1} << piece;
    }
    if (layout_.may_hold_nan && mark_nan(layout_.type, frame, header_) && !is_cut_off_) incomplete_.add();
    rows_left_ -= rows;
    if (rows_left_ == 0) left_over_.set(half_row_);
    ++number_;
    is_read_ = true;
    return true;
  }

  /// Nanoseconds from the first row to this one; whole seconds apart, so that all digits are kept.
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

  const SampleFileOptions options_;
  const SampleLayout& layout_;
  /// From `start` on.
  std::optional<FrameMemory> memory_;
  std::vector<std::byte> rows_;
  FrameHeader header_;
  std::ifstream file_;
  /// Of the file: rows, and the bytes of half a row behind them.
  std::uint64_t all_rows_ = 0, half_row_ = 0;
  std::uint64_t rows_left_ = 0, number_ = 0;
  bool is_read_ = false, is_cut_off_ = false, stopped_ = false;
  std::optional<std::int64_t> first_ns_, next_ns_;
  std::int64_t first_utc_ns_ = 0;
  Tally frames_, incomplete_, left_over_;
};

SampleFileSource::SampleFileSource(SampleFileOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
SampleFileSource::~SampleFileSource() = default;

const FrameType& SampleFileSource::type() const {
  return impl_->layout_.type;
}
bool SampleFileSource::begin_behind(const StreamPlace& place) {
  impl_->number_ = place.frames;
  impl_->frames_.set(place.frames);
  return true;
}
bool SampleFileSource::may_be_shared() const {
  return impl_->options_.speed == 0;
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
std::vector<std::string> SampleFileSource::warnings() const {
  return impl_->layout_.warnings;
}
SourceCounters SampleFileSource::counters() const {
  SourceCounters counters;
  counters.ingested = impl_->frames_.value();
  counters.incomplete = impl_->incomplete_.value();
  counters.details = {{"bytes_left_over", "bytes", impl_->left_over_.value()}};
  return counters;
}

}  // namespace takt::sensors
