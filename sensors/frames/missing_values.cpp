#include "sensors/frames/missing_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/system/wide_registers.hpp"
#include "sensors/frames/frame_time.hpp"

namespace takt::sensors {

namespace {

/// Writes a mask byte for each element of `Parts` numbers: 1 if any of them is NaN.
template <class Number, std::size_t Parts>
std::size_t mark_nan(const std::byte* bytes, std::span<std::byte> mask) {
  const auto* const values = reinterpret_cast<const Number*>(bytes);
  std::size_t count = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    bool is_missing = false;
    for (std::size_t part = 0; part < Parts; ++part) is_missing |= std::isnan(values[i * Parts + part]);
    mask[i] = std::byte{is_missing};
    count += is_missing ? 1 : 0;
  }
  return count;
}

/// Compares in pairs of values that lie half the array apart: one unordered comparison tests
/// both.
template <class Value>
[[gnu::always_inline]] inline bool any_nan_in_pairs(const Value* __restrict values, std::size_t count) {
  const std::size_t half = count / 2;
  unsigned found = count > 0 && values[count - 1] != values[count - 1] ? 1U : 0U;
  for (std::size_t i = 0; i < half; ++i)
    found |= __builtin_isunordered(values[i], values[half + i]) ? 1U : 0U;
  return found != 0;
}
TAKT_WIDE bool any_nan(const float* __restrict values, std::size_t count) {
  return any_nan_in_pairs(values, count);
}
TAKT_WIDE bool any_nan(const double* __restrict values, std::size_t count) {
  return any_nan_in_pairs(values, count);
}

bool holds_nan(const FrameType& type, std::span<const std::byte> elements) {
  if (type.element == ElementType::float64)
    return any_nan(reinterpret_cast<const double*>(elements.data()), elements.size() / sizeof(double));
  return is_floating(type.element) &&
         any_nan(reinterpret_cast<const float*>(elements.data()), elements.size() / sizeof(float));
}

void complete_complex(std::span<std::byte> bytes) {
  auto* const values = reinterpret_cast<float*>(bytes.data());
  for (std::size_t i = 0; i + 1 < bytes.size() / sizeof(float); i += 2)
    if (std::isnan(values[i]) || std::isnan(values[i + 1]))
      values[i] = values[i + 1] = std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

void fill_with_nan(ElementType type, std::span<std::byte> elements) {
  if (type == ElementType::float64)
    std::fill_n(reinterpret_cast<double*>(elements.data()), elements.size() / sizeof(double),
                std::numeric_limits<double>::quiet_NaN());
  else
    std::fill_n(reinterpret_cast<float*>(elements.data()), elements.size() / sizeof(float),
                std::numeric_limits<float>::quiet_NaN());
}

bool any_nan(std::span<const float> values) {
  return any_nan(values.data(), values.size());
}

bool find_nan(const FrameType& type, std::span<std::byte> elements) {
  if (!holds_nan(type, elements)) return false;
  if (type.element == ElementType::complex_float32) complete_complex(elements);
  return true;
}

bool mark_nan(const FrameType& type, std::span<std::byte> frame, FrameHeader& header) {
  const std::span<std::byte> elements = frame.first(type.data_size().count);
  if (!find_nan(type, elements)) return false;
  constexpr std::size_t bits = 64;
  const std::size_t count = type.element_count();
  if (header.parts == 0 || count % header.parts != 0) header.parts = 1;
  const std::size_t parts = header.parts, part = elements.size() / parts, pieces = std::min(bits, parts);
  header.missing_parts = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    if (!holds_nan(type, elements.subspan(i * part, part))) continue;
    ++header.missing_parts;
    header.missing_mask |= std::uint64_t{1} << (i * pieces / parts);
  }
  return true;
}

const std::vector<std::string>& missing_names() {
  static const std::vector<std::string> names{"zero", "hold", "nan", "mask"};
  return names;
}

MissingPolicy parse_missing(const std::vector<std::string>& names, Missing usual) {
  MissingPolicy policy{.value = usual};
  std::string value;
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw ConfigError(fmt::format("'{}' is given twice", excerpt(name)));
    if (name == "mask") {
      policy.mask = true;
      continue;
    }
    if (!value.empty())
      throw ConfigError(
          fmt::format("missing values: {} and {} exclude each other: expected one of zero, hold and nan, and "
                      "optionally mask",
                      value, name));
    value = name;
    if (name == "zero")
      policy.value = Missing::zero;
    else if (name == "hold")
      policy.value = Missing::hold;
    else if (name == "nan")
      policy.value = Missing::nan;
    else
      throw ConfigError(
          unknown_name("way with missing values", name, {missing_names().begin(), missing_names().end()}));
  }
  return policy;
}

Missing missing_as_received(ElementType element) {
  return is_floating(element) ? Missing::nan : Missing::blank;
}

MissingValues::MissingValues(const FrameType& type, Missing value)
    : type_(type), value_(value), element_bytes_(size_of(type.element)), mask_(type.element_count()) {
  if (value == Missing::nan && !is_floating(type.element))
    throw ConfigError(fmt::format("elements of {} cannot be NaN: expected zero or hold for missing values",
                                  name_of(type.element)));
  if (value != Missing::hold) return;
  std::size_t places = 1;
  for (const Axis& axis : type.axes)
    if (!is_in_time(axis.name)) places *= axis.size;
  held_.resize(places * element_bytes_);
}

void MissingValues::find(const FrameView& frame) {
  if (frame.header->missing_parts == 0) {
    if (count_ > 0) std::ranges::fill(mask_, std::byte{0});
    count_ = 0;
    return;
  }
  if (!type_.parts.empty())
    find_flags(frame);
  else if (is_floating(type_.element))
    find_nan(frame);
}

void MissingValues::find_lost() {
  std::ranges::fill(mask_, std::byte{1});
  count_ = mask_.size();
}

void MissingValues::find_nan(const FrameView& frame) {
  const std::byte* const bytes = frame.bytes.data();
  if (type_.element == ElementType::float64)
    count_ = mark_nan<double, 1>(bytes, mask_);
  else if (type_.element == ElementType::float32)
    count_ = mark_nan<float, 1>(bytes, mask_);
  else
    count_ = mark_nan<float, 2>(bytes, mask_);
}

/// A part is a box of elements: along each axis the part of an index is index / (size / parts).
void MissingValues::find_flags(const FrameView& frame) {
  const std::byte* const flags = frame.bytes.data() + type_.data_size().count;
  const std::size_t axes = type_.axes.size();
  std::vector<std::size_t> index(axes);
  count_ = 0;
  const std::size_t run = axes > 0 ? type_.axes.back().size : 1;
  const std::size_t last_parts = axes > 0 && type_.parts.size() == axes ? type_.parts.back() : 1;
  for (std::size_t first = 0; first < mask_.size(); first += run) {
    std::size_t part = 0;
    for (std::size_t axis = 0; axis + 1 < axes; ++axis) {
      const std::size_t parts = axis < type_.parts.size() ? type_.parts[axis] : 1;
      part = part * parts + index[axis] / (type_.axes[axis].size / parts);
    }
    for (std::size_t i = 0; i < run; ++i) {
      const std::byte flag = flags[part * last_parts + i / (run / last_parts)];
      mask_[first + i] = flag == std::byte{0} ? std::byte{0} : std::byte{1};
      count_ += flag == std::byte{0} ? 0 : 1;
    }
    for (std::size_t axis = axes > 1 ? axes - 1 : 0; axis-- > 0;) {
      if (++index[axis] < type_.axes[axis].size) break;
      index[axis] = 0;
    }
  }
}

void MissingValues::fill(std::span<std::byte> elements) {
  if (value_ == Missing::hold)
    fill_held(elements);
  else if (count_ > 0)
    fill_alike(elements);
}

void MissingValues::fill_alike(std::span<std::byte> elements) {
  std::vector<std::byte> value(element_bytes_);
  if (value_ == Missing::nan && type_.element == ElementType::float64) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::memcpy(value.data(), &nan, sizeof(nan));
  } else if (value_ == Missing::nan) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t at = 0; at < element_bytes_; at += sizeof(nan))
      std::memcpy(value.data() + at, &nan, sizeof(nan));
  } else if (value_ == Missing::blank) {
    // In little-endian order the lowest bytes are the smaller integer.
    const std::size_t part = element_bytes_ / (is_complex(type_.element) ? 2 : 1);
    for (std::size_t at = 0; at < element_bytes_; at += part)
      std::memcpy(value.data() + at, &type_.blank, std::min(part, sizeof(type_.blank)));
  }
  for (std::size_t i = 0; i < mask_.size(); ++i)
    if (mask_[i] != std::byte{0})
      std::memcpy(elements.data() + i * element_bytes_, value.data(), element_bytes_);
}

/// Calls `action` with each run of elements that are neighbours in the frame and in `held_`, in time order:
/// the positions of its first elements, and its length.
template <class Action>
void MissingValues::for_each_run(Action action) const {
  const std::size_t axes = type_.axes.size();
  std::size_t run = 1, inner = axes;
  while (inner > 0 && !is_in_time(type_.axes[inner - 1].name)) run *= type_.axes[--inner].size;
  // Distance of neighbours of each axis in `held_`.
  std::vector<std::size_t> step(inner), index(inner);
  std::size_t below = run;
  for (std::size_t axis = inner; axis-- > 0;) {
    if (is_in_time(type_.axes[axis].name)) continue;
    step[axis] = below;
    below *= type_.axes[axis].size;
  }
  for (std::size_t first = 0; first < mask_.size(); first += run) {
    std::size_t place = 0;
    for (std::size_t axis = 0; axis < inner; ++axis) place += step[axis] * index[axis];
    action(first, place, run);
    for (std::size_t axis = inner; axis-- > 0;) {
      if (++index[axis] < type_.axes[axis].size) break;
      index[axis] = 0;
    }
  }
}

void MissingValues::fill_held(std::span<std::byte> elements) {
  std::byte* const data = elements.data();
  for_each_run([&](std::size_t first, std::size_t place, std::size_t run) {
    std::byte* const values = data + first * element_bytes_;
    std::byte* const held = held_.data() + place * element_bytes_;
    if (count_ == 0) {
      std::memcpy(held, values, run * element_bytes_);
      return;
    }
    for (std::size_t i = 0; i < run; ++i) {
      std::byte* const value = values + i * element_bytes_;
      std::byte* const last = held + i * element_bytes_;
      if (mask_[first + i] != std::byte{0})
        std::memcpy(value, last, element_bytes_);
      else
        std::memcpy(last, value, element_bytes_);
    }
  });
}

void MissingValues::forget() {
  std::ranges::fill(held_, std::byte{0});
}

}  // namespace takt::sensors
