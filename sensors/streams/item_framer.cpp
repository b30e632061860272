#include "sensors/streams/item_framer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/system/clock.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/time_after.hpp"

namespace takt::sensors {

namespace {

bool has_nan(ElementType element) {
  return element == ElementType::float32 || element == ElementType::float64 ||
         element == ElementType::complex_float32;
}

}  // namespace

std::size_t stream_rows(const FrameType& type) {
  for (const Axis& axis : type.axes) {
    if (axis.name == "time") return axis.size;
    if (axis.size != 1) break;
  }
  throw OptionError("axes", fmt::format("{}: the stream is one sample after another: expected an axis time "
                                        "with only axes of size 1 before it",
                                        type.to_string()));
}

FrameType with_sample_flags(FrameType type) {
  if (has_nan(type.element)) return type;
  for (const Axis& axis : type.axes) {
    type.parts.push_back(axis.size);
    if (axis.name == "time") break;
  }
  return type;
}

ItemFramer::ItemFramer(const FrameType& type, std::uint32_t source, FrameQueue& frames)
    : type_(type),
      rows_(stream_rows(type)),
      row_(type.data_size().count / rows_),
      source_(static_cast<std::uint16_t>(source)),
      frames_(frames) {}

void ItemFramer::begin(std::uint64_t first) {
  if (begun_) {
    ++epoch_;
    restarts_.add();
  }
  begun_ = true;
  origin_ = next_ = first;
  utc_ns_ = utc_now_ns();
}

void ItemFramer::take(std::uint64_t first, std::span<const std::byte> samples, std::int64_t now_ns) {
  if (begun_ && first < next_ && is_open_) close(true, now_ns);
  if (!begun_ || first < next_) begin(first);
  if (first > next_) skip_to(first, now_ns);
  bytes_left_over_.add(samples.size() % row_);
  while (samples.size() >= row_) {
    const auto at = static_cast<std::size_t>((next_ - origin_) % rows_);
    if (!is_open_) {
      slot_ = frames_.acquire();
      is_open_ = true;
      missing_ = 0;
      mask_ = 0;
      if (slot_) std::ranges::fill(slot_->bytes.subspan(type_.data_size().count), std::byte{0});
      if (at > 0) mark_missing(0, at);
    }
    const std::size_t count = std::min(rows_ - at, samples.size() / row_);
    if (slot_)
      std::ranges::copy(samples.first(count * row_),
                        slot_->bytes.begin() + static_cast<std::ptrdiff_t>(at * row_));
    samples_.add(count);
    samples = samples.subspan(count * row_);
    next_ += count;
    if (at + count == rows_) close(false, now_ns);
  }
}

/// Marks the samples up to this one as missing: the rest of a frame, whole frames, the beginning of one.
void ItemFramer::skip_to(std::uint64_t sample, std::int64_t now_ns) {
  samples_missing_.add(sample - next_);
  if (is_open_) {
    const auto at = static_cast<std::size_t>((next_ - origin_) % rows_);
    const std::uint64_t rest = std::min<std::uint64_t>(rows_ - at, sample - next_);
    mark_missing(at, at + static_cast<std::size_t>(rest));
    next_ += rest;
    if (at + rest == rows_) close(false, now_ns);
  }
  // A frame without any samples leaves a hole.
  lost_.add((sample - origin_) / rows_ - (next_ - origin_) / rows_);
  next_ = sample;
}

void ItemFramer::finish(std::int64_t now_ns) {
  if (is_open_) close(true, now_ns);
}

void ItemFramer::close(bool at_end, std::int64_t now_ns) {
  is_open_ = false;
  const auto done = static_cast<std::size_t>((next_ - origin_) % rows_);
  // The last sample of a frame has been counted.
  const std::uint64_t number = (next_ - origin_ - 1) / rows_;
  if (at_end && done > 0) mark_missing(done, rows_);
  if (!slot_) return dropped_.add();
  const double first_s = type_.rate_hz > 0 ? static_cast<double>(number) / type_.rate_hz : 0;
  slot_->header = {.sequence = number,
                   .utc_ns = time_after(utc_ns_, first_s),
                   .first_sample = origin_ + number * rows_,
                   .ingested_ns = now_ns,
                   .parts = static_cast<std::uint32_t>(rows_),
                   .missing_parts = static_cast<std::uint32_t>(missing_),
                   .missing_mask = mask_,
                   .source = source_,
                   .epoch = epoch_};
  frames_done_.add();
  // Values that the sender marked as missing.
  if (missing_ == 0 && mark_nan(type_, slot_->bytes, slot_->header)) missing_ = slot_->header.missing_parts;
  if (missing_ > 0) (at_end ? cut_off_ : incomplete_).add();
  frames_.push(slot_);
}

void ItemFramer::mark_missing(std::size_t from, std::size_t to) {
  missing_ += to - from;
  const std::size_t pieces = std::min<std::size_t>(64, rows_);
  for (std::size_t row = from; row < to; ++row) mask_ |= std::uint64_t{1} << (row * pieces / rows_);
  if (!slot_) return;
  const std::span<std::byte> bytes = slot_->bytes.subspan(from * row_, (to - from) * row_);
  if (type_.element == ElementType::float64)
    std::fill_n(reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double), std::nan(""));
  else if (has_nan(type_.element))
    std::fill_n(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float),
                std::numeric_limits<float>::quiet_NaN());
  else
    std::ranges::fill(bytes, std::byte{0});
  if (!has_nan(type_.element))
    std::ranges::fill(slot_->bytes.subspan(type_.data_size().count + from, to - from), std::byte{1});
}

SourceCounters ItemFramer::counters() const {
  SourceCounters counters;
  counters.ingested = frames_done_.value();
  counters.lost = lost_.value();
  counters.dropped = dropped_.value();
  counters.incomplete = incomplete_.value();
  counters.details = {{"samples_received", "samples", samples_.value()},
                      {"samples_missing", "samples", samples_missing_.value()},
                      {"bytes_left_over", "bytes", bytes_left_over_.value()},
                      {"frames_cut_off", "frames", cut_off_.value()},
                      {"clock_jumps", "jumps", restarts_.value()}};
  return counters;
}

}  // namespace takt::sensors
