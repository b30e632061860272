#pragma once
/// Frames: the units of a stream, their type, and the header of each frame.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace takt::sensors {

enum class ElementType : std::uint8_t {
  int8,
  uint8,
  int16,
  int32,
  float32,
  float64,
  complex_int8,
  complex_int16,
  complex_float32,
  uint16,
  /// Offset binary: half of the range (128, 32768) represents 0.
  complex_uint8,
  complex_uint16,
};

[[nodiscard]] std::size_t size_of(ElementType type);
[[nodiscard]] std::string_view name_of(ElementType type);
/// Reports whether an element is two numbers, the real part first.
[[nodiscard]] bool is_complex(ElementType type);
[[nodiscard]] bool is_unsigned(ElementType type);
/// Returns the value that represents 0: half of the range for complex unsigned types (offset binary, the n +
/// 1-th of 2 n values, as in SigMF and librtlsdr), 0 for all others.
[[nodiscard]] double zero_of(ElementType type);
/// Reports whether elements can be NaN.
[[nodiscard]] bool is_floating(ElementType type);
/// Returns the type with that name, or nothing.
[[nodiscard]] std::optional<ElementType> find_element(std::string_view name);

/// One dimension of a frame.
struct Axis {
  /// `time`, `channel`, `beamlet`, `polarisation`, `stokes`, `packet`, `lane`, ...
  std::string name;
  std::size_t size = 1;
  /// Value of each index (a channel's centre frequency in Hz, a sample's time in s from the frame's start);
  /// empty if it has none.
  std::vector<double> coordinates;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Explains why an axis's frequencies are not a first value and a step, which many files need: names the
/// neighbours whose distance differs from the first one. Empty if they are equidistant.
[[nodiscard]] std::string uneven_frequencies(const Axis& axis);

/// A value in each frame in addition to its elements: a gain, the direction of a beam.
struct SideField {
  std::string name;
  /// `deg`, `ns`; for display.
  std::string unit;
  friend bool operator==(const SideField&, const SideField&) = default;
};

/// The layout of all frames of a stream: elements in row-major order, the last axis fastest.
struct FrameType {
  ElementType element = ElementType::uint8;
  std::vector<Axis> axes;
  /// Frames per second of the stream; 0 if unknown.
  double rate_hz = 0;
  /// Unit of the elements (`counts`, `counts^2`), for display.
  std::string unit;
  /// The parts of a frame that may be missing: the number of equal parts of each axis, from the
  /// first on; further axes are not divided. Empty if frames arrive whole or not at all, and if
  /// missing floating-point elements are NaN. Otherwise one byte per part follows the elements, in
  /// row-major order: 1 if the part is missing. The flags are valid if the header's `missing_parts`
  /// is above 0.
  std::vector<std::size_t> parts = {};
  /// The value of missing integers.
  std::int64_t blank = 0;
  /// Names of the first values of FrameHeader::side. Kernels that derive their output type from their input's
  /// preserve them.
  std::vector<SideField> side = {};
  /// Start of the frames relative to those of the source, in seconds: negative after a filter, whose
  /// results represent earlier times. A kernel that changes FrameHeader::utc_ns sets it, so that kernels
  /// know which inputs have the same time (require_one_time). If the rate is unknown, assumes one frame per
  /// second.
  double start_s = 0;
  /// Whether samples were left out in time, so that a frame does not begin at the end of its
  /// predecessor.
  bool has_gaps = false;

  [[nodiscard]] std::size_t element_count() const;
  /// Returns the bytes of the elements.
  [[nodiscard]] Bytes data_size() const { return Bytes{element_count() * size_of(element)}; }
  /// Returns the bytes of the flags after them.
  [[nodiscard]] std::size_t flag_count() const;
  /// Returns the bytes of both.
  [[nodiscard]] Bytes size() const { return data_size() + Bytes{flag_count()}; }
  /// Returns the axis of that name, or null.
  [[nodiscard]] const Axis* find_axis(std::string_view name) const;
  /// Returns text such as `complex_float32[beamlet=244][time=256][polarisation=2]`.
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const FrameType&, const FrameType&) = default;
};

/// The header of each frame, unchanged from source to sink unless a kernel combines frames. Plain data: it is
/// sent between ranks as it lies in memory.
struct FrameHeader {
  /// Number of the frame in its epoch, from 0; a lost frame leaves a hole. A kernel that combines frames
  /// renumbers its results in the same way.
  std::uint64_t sequence = 0;
  /// UTC of the first sample, nanoseconds since 1970.
  std::int64_t utc_ns = 0;
  /// Absolute index of the first sample on the source's own clock.
  std::uint64_t first_sample = 0;
  /// When the frame was complete, in nanoseconds of CLOCK_MONOTONIC of the ingesting host; latency counts
  /// from here.
  std::int64_t ingested_ns = 0;
  /// Parts (packets) of the frame, and how many of them are missing and filled with zeros.
  std::uint32_t parts = 0;
  std::uint32_t missing_parts = 0;
  /// Positions of missing parts: bit b stands for the b-th of 64 equal pieces of the frame's time (or of as
  /// many pieces as the frame has packets in time, if fewer). It is set if any part in that piece is
  /// missing.
  std::uint64_t missing_mask = 0;
  /// Number of source frames that this one represents (1, or more after integration).
  std::uint32_t combined = 1;
  /// The pipeline's source of the frame.
  std::uint16_t source = 0;
  /// Number of the epoch, modulo 65536: within one, time follows from `sequence` and the rate. A source
  /// begins a new one when its clock jumped or it was silent for too long.
  std::uint16_t epoch = 0;

  /// The members from here on are known within a run only.
  ///
  /// Number of the last parameter change (`takt set`) before the source delivered the frame: kernels on all
  /// ranks process the frame with the values of that change. 0 before the first one.
  std::uint32_t change = 0;
  /// Values of FrameType::side.
  static constexpr std::size_t most_side = 6;
  std::array<double, most_side> side{};
};

/// Header bytes in files and messages to other programs: without the members known within a run only.
inline constexpr std::size_t written_header_bytes = 56;
static_assert(offsetof(FrameHeader, change) == written_header_bytes);

/// Returns the index of the side value with that name, which is added if necessary. Throws ConfigError if no
/// further value fits.
[[nodiscard]] std::size_t add_side(FrameType& type, const std::string& name, const std::string& unit);

/// A read-only frame: the header and the elements. Memory is aligned to 64 bytes.
struct FrameView {
  const FrameHeader* header = nullptr;
  std::span<const std::byte> bytes;

  template <class Element>
  [[nodiscard]] std::span<const Element> as() const {
    return {reinterpret_cast<const Element*>(bytes.data()), bytes.size() / sizeof(Element)};
  }
};

/// A writable frame.
struct FrameBuffer {
  FrameHeader* header = nullptr;
  std::span<std::byte> bytes;

  template <class Element>
  [[nodiscard]] std::span<Element> as() const {
    return {reinterpret_cast<Element*>(bytes.data()), bytes.size() / sizeof(Element)};
  }
};

}  // namespace takt::sensors
