#include "sensors/joining/frame_splicer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::sensors {

namespace {

/// Bits of a header's `missing_mask`.
constexpr std::size_t most_pieces = 64;

/// Returns the same division for the flags after the elements, one byte each.
FrameRows flag_rows(const FrameType& type, const FrameRows& rows) {
  FrameRows flags{.axis = rows.axis, .has_axis = rows.has_axis, .rows = rows.rows, .bytes = 1};
  for (std::size_t i = 0; i < type.parts.size(); ++i) {
    if (rows.has_axis && i == rows.axis) continue;
    (rows.has_axis && i < rows.axis ? flags.outer : flags.bytes) *= type.parts[i];
  }
  return flags;
}

void fill_missing(ElementType element, std::byte* at, std::size_t bytes) {
  if (is_floating(element))
    fill_with_nan(element, {at, bytes});
  else
    std::memset(at, 0, bytes);
}

}  // namespace

FrameRows rows_of(const FrameType& type) {
  FrameRows rows{.bytes = size_of(type.element)};
  const Axis* axis = type.find_axis("packet");
  if (axis == nullptr) axis = type.find_axis("time");
  rows.has_axis = axis != nullptr;
  if (rows.has_axis) rows.axis = static_cast<std::size_t>(axis - type.axes.data());
  for (std::size_t i = 0; i < type.axes.size(); ++i) {
    if (rows.has_axis && i == rows.axis)
      rows.rows = type.axes[i].size;
    else
      (rows.has_axis && i < rows.axis ? rows.outer : rows.bytes) *= type.axes[i].size;
  }
  return rows;
}

FrameType with_rows(const FrameType& type, std::size_t rows) {
  const FrameRows from = rows_of(type);
  const std::size_t flags_along = from.axis < type.parts.size() ? type.parts[from.axis] : 1;
  if (from.has_axis && !type.parts.empty() && flags_along != from.rows)
    throw ConfigError(
        fmt::format("cannot cut frames whose flags cover several rows each: expected a flag for each row: {}",
                    type.to_string()));
  if (rows == from.rows) return type;
  if (!from.has_axis)
    throw ConfigError(
        fmt::format("its frames have no axis 'packet' or 'time' along which to join {} of them: {}", rows,
                    type.to_string()));
  FrameType cut = type;
  Axis& axis = cut.axes[from.axis];
  axis.size = rows;
  if (const std::vector<double>& at = axis.coordinates; !at.empty()) {
    const double step = at.size() > 1      ? (at.back() - at.front()) / static_cast<double>(at.size() - 1)
                        : type.rate_hz > 0 ? 1 / type.rate_hz
                                           : 1;
    std::vector<double> even;
    for (std::size_t i = 0; i < rows; ++i) even.push_back(at.front() + static_cast<double>(i) * step);
    axis.coordinates = std::move(even);
  }
  if (from.axis < cut.parts.size()) cut.parts[from.axis] = rows;
  cut.rate_hz = type.rate_hz * static_cast<double>(from.rows) / static_cast<double>(rows);
  return cut;
}

FrameSplicer::FrameSplicer(const FrameType& from, const FrameType& to)
    : element_(from.element),
      from_(rows_of(from)),
      to_(rows_of(to)),
      from_data_(from.data_size().count),
      to_data_(to.data_size().count),
      parts_(static_cast<double>(std::max<std::size_t>(from.flag_count(), 1))) {
  if (from.flag_count() > 0) flags_ = flag_rows(from, from_);
}

void FrameSplicer::begin(const FrameBuffer& frame) {
  frame_ = frame;
  *frame_.header = {};
  std::ranges::fill(frame_.bytes.subspan(to_data_), std::byte{0});
  filled_ = 0;
  missing_ = 0;
  is_incomplete_ = false;
}

bool FrameSplicer::is_whole(std::size_t first, std::size_t rows) const {
  return first == 0 && filled_ == 0 && rows == from_.rows && rows == to_.rows;
}

void FrameSplicer::copy(const FrameView& from, std::size_t first, std::size_t rows) {
  const FrameHeader& header = *from.header;
  const std::size_t run = rows * to_.bytes;
  for (std::size_t i = 0; i < to_.outer; ++i)
    std::memcpy(frame_.bytes.data() + (i * to_.rows + filled_) * to_.bytes,
                from.bytes.data() + (i * from_.rows + first) * from_.bytes, run);
  parts_ = static_cast<double>(std::max<std::uint32_t>(header.parts, 1));
  frame_.header->ingested_ns = std::max(frame_.header->ingested_ns, header.ingested_ns);
  if (header.missing_parts > 0) {
    copy_flags(from, first, rows);
    is_incomplete_ = true;
    missing_ += header.missing_parts * static_cast<double>(rows) / static_cast<double>(from_.rows);
    // The mask locates missing parts to 1/64 of the frame: a section of it may lack them anywhere.
    if (is_whole(first, rows))
      frame_.header->missing_mask = header.missing_mask;
    else
      mark(filled_, rows);
  }
  filled_ += rows;
}

void FrameSplicer::copy_flags(const FrameView& from, std::size_t first, std::size_t rows) {
  const std::span<const std::byte> flags = from.bytes.subspan(from_data_);
  const std::span<std::byte> to = frame_.bytes.subspan(to_data_);
  if (flags.empty()) return;
  if (is_whole(first, rows)) {
    std::ranges::copy(flags, to.begin());
    return;
  }
  for (std::size_t i = 0; i < flags_.outer; ++i)
    std::copy_n(flags.begin() + static_cast<std::ptrdiff_t>((i * from_.rows + first) * flags_.bytes),
                rows * flags_.bytes,
                to.begin() + static_cast<std::ptrdiff_t>((i * to_.rows + filled_) * flags_.bytes));
}

void FrameSplicer::skip(std::size_t rows) {
  for (std::size_t i = 0; i < to_.outer; ++i)
    fill_missing(element_, frame_.bytes.data() + (i * to_.rows + filled_) * to_.bytes, rows * to_.bytes);
  const std::span<std::byte> flags = frame_.bytes.subspan(to_data_);
  if (rows == to_.rows)
    std::ranges::fill(flags, std::byte{1});
  else
    for (std::size_t i = 0; i < flags_.outer && !flags.empty(); ++i)
      std::fill_n(flags.begin() + static_cast<std::ptrdiff_t>((i * to_.rows + filled_) * flags_.bytes),
                  rows * flags_.bytes, std::byte{1});
  is_incomplete_ = true;
  missing_ += parts_ * static_cast<double>(rows) / static_cast<double>(from_.rows);
  mark(filled_, rows);
  filled_ += rows;
}

void FrameSplicer::mark(std::size_t first, std::size_t rows) {
  const std::size_t pieces = std::min(most_pieces, to_.rows);
  const std::size_t from = first * pieces / to_.rows;
  const std::size_t last = ((first + rows) * pieces - 1) / to_.rows;
  for (std::size_t piece = from; piece <= last; ++piece)
    frame_.header->missing_mask |= std::uint64_t{1} << piece;
}

void FrameSplicer::end() {
  const double parts = std::ceil(parts_ * static_cast<double>(to_.rows) / static_cast<double>(from_.rows));
  frame_.header->parts = static_cast<std::uint32_t>(std::max(parts, 1.0));
  if (!is_incomplete_) return;
  const double missing = std::clamp(std::ceil(missing_), 1.0, std::max(parts, 1.0));
  frame_.header->missing_parts = static_cast<std::uint32_t>(missing);
}

}  // namespace takt::sensors
