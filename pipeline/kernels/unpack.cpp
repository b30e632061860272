#include "pipeline/kernels/unpack.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

namespace {

template <class Number>
[[gnu::always_inline]] inline void unpack_numbers(const std::byte* bytes, float scale, float offset,
                                                  float* __restrict to, std::size_t count) {
  const auto* const __restrict from = reinterpret_cast<const Number*>(bytes);
  for (std::size_t i = 0; i < count; ++i) to[i] = (static_cast<float>(from[i]) - offset) * scale;
}

TAKT_WIDE void unpack_int8(const std::byte* from, float scale, float offset, float* to, std::size_t count) {
  unpack_numbers<std::int8_t>(from, scale, offset, to, count);
}
TAKT_WIDE void unpack_uint8(const std::byte* from, float scale, float offset, float* to, std::size_t count) {
  unpack_numbers<std::uint8_t>(from, scale, offset, to, count);
}
TAKT_WIDE void unpack_int16(const std::byte* from, float scale, float offset, float* to, std::size_t count) {
  unpack_numbers<std::int16_t>(from, scale, offset, to, count);
}
TAKT_WIDE void unpack_uint16(const std::byte* from, float scale, float offset, float* to, std::size_t count) {
  unpack_numbers<std::uint16_t>(from, scale, offset, to, count);
}
TAKT_WIDE void unpack_int32(const std::byte* from, float scale, float offset, float* to, std::size_t count) {
  unpack_numbers<std::int32_t>(from, scale, offset, to, count);
}
TAKT_WIDE void unpack_float64(const std::byte* from, float scale, float offset, float* to,
                              std::size_t count) {
  unpack_numbers<double>(from, scale, offset, to, count);
}

using UnpackNumbers = void (*)(const std::byte*, float, float, float*, std::size_t);

/// Returns null if nothing is to be unpacked.
UnpackNumbers unpacking_of(ElementType element) {
  switch (element) {
    case ElementType::int8:
    case ElementType::complex_int8:
      return unpack_int8;
    case ElementType::uint8:
    case ElementType::complex_uint8:
      return unpack_uint8;
    case ElementType::int16:
    case ElementType::complex_int16:
      return unpack_int16;
    case ElementType::uint16:
    case ElementType::complex_uint16:
      return unpack_uint16;
    case ElementType::int32:
      return unpack_int32;
    case ElementType::float64:
      return unpack_float64;
    case ElementType::float32:
    case ElementType::complex_float32:
      break;
  }
  return nullptr;
}

class Unpack final : public Kernel {
 public:
  explicit Unpack(const Parameters& parameters) { (void)change(parameters); }

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    unpack_ = unpacking_of(type.element);
    if (unpack_ == nullptr)
      throw InputError(fmt::format("expected integers or float64, found {}, which kernels accept directly",
                                   type.to_string()));
    may_be_nan_ = type.element == ElementType::float64;
    middle_ = static_cast<float>(sensors::zero_of(type.element));
    used_offset_ = static_cast<float>(offset_.value_or(middle_));
    missing_.emplace(type, sensors::Missing::zero);
    type.element = is_complex(type.element) ? ElementType::complex_float32 : ElementType::float32;
    type.parts.clear();
    numbers_ = type.element_count() * numbers_of(type.element);
    return type;
  }

  bool change(const Parameters& parameters) override {
    scale_ = static_cast<float>(parameters.number("scale"));
    offset_ = parameters.optional_number("offset");
    used_offset_ = static_cast<float>(offset_.value_or(middle_));
    return true;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override { return axis; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const FrameView& frame = inputs.front();
    const std::span<float> to = output.as<float>();
    unpack_(frame.bytes.data(), scale_, used_offset_, to.data(), numbers_);
    missing_->find(frame);
    if (missing_->count() > 0) {
      const std::span<const std::byte> mask = missing_->mask();
      const std::size_t numbers = numbers_ / mask.size();
      for (std::size_t i = 0; i < mask.size(); ++i)
        if (mask[i] != std::byte{0}) std::fill_n(to.data() + i * numbers, numbers, missing_value);
    }
    if (may_be_nan_) mark_nan(output);
    return Outcome::produced;
  }

 private:
  UnpackNumbers unpack_ = nullptr;
  float scale_ = 1, used_offset_ = 0;
  /// As set by the user.
  std::optional<double> offset_;
  /// Default offset, the code of 0.
  float middle_ = 0;
  /// Values marked missing by flags, or by NaN of float64.
  std::optional<sensors::MissingValues> missing_;
  std::size_t numbers_ = 0;
  bool may_be_nan_ = false;
};

ParameterSpec unpack_number(const char* name, const char* fallback, const char* help) {
  return {.name = name,
          .type = ParameterType::number,
          .fallback = fallback,
          .help = help,
          .minimum = -1e30,
          .maximum = 1e30,
          .may_change = true};
}

}  // namespace

KernelKind unpack_kernel() {
  return {.name = "unpack",
          .summary = "converts integers to floating-point numbers, missing ones to NaN",
          .stateless = true,
          .parameters = {unpack_number("offset", "",
                                       "value that stands for 0, in the unit of the integers; default: 128 "
                                       "or 32768 for complex unsigned integers, else 0"),
                         unpack_number("scale", "1", "factor")},
          .make = make_from<Unpack>};
}

}  // namespace takt::pipeline
