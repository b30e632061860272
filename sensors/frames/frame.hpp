#pragma once
/// Frames: the units of a stream, their type, and the header that travels with each of them.

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
  /// Offset binary: half of the range (128, 32768) stands for 0.
  complex_uint8,
  complex_uint16,
};

[[nodiscard]] std::size_t size_of(ElementType type);
[[nodiscard]] std::string_view name_of(ElementType type);
/// Whether an element is two numbers, the real part first.
[[nodiscard]] bool is_complex(ElementType type);
[[nodiscard]] bool is_unsigned(ElementType type);
/// What stands for 0 in its numbers: half of the range of complex unsigned ones (offset binary, the n + 1-th
/// of 2 n values, as SigMF and librtlsdr have it), 0 of all others.
[[nodiscard]] double zero_of(ElementType type);
/// Whether elements can be NaN.
[[nodiscard]] bool is_floating(ElementType type);
/// The type of that name, or nothing.
[[nodiscard]] std::optional<ElementType> find_element(std::string_view name);

/// One dimension of a frame.
struct Axis {
  /// `time`, `channel`, `beamlet`, `polarisation`, `stokes`, `packet`, `lane`, ...
  std::string name;
  std::size_t size = 1;
  /// Value of each index (a channel's centre frequency in Hz, a sample's time in s from the frame's start);
  /// empty where it has none.
  std::vector<double> coordinates;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Why frequencies of an axis cannot be told by the first one and a step, which many files need: which
/// neighbours lie further apart, or closer, than the first two. Empty where they can.
[[nodiscard]] std::string uneven_frequencies(const Axis& axis);

/// A value that each frame carries beside its elements: a gain, where a beam points.
struct SideField {
  std::string name;
  /// `deg`, `ns`; for people.
  std::string unit;
  friend bool operator==(const SideField&, const SideField&) = default;
};

/// What every frame of a stream looks like: elements in row-major order, the last axis fastest.
struct FrameType {
  ElementType element = ElementType::uint8;
  std::vector<Axis> axes;
  /// Frames a second of the stream; 0 when not known.
  double rate_hz = 0;
  /// Unit of the elements (`counts`, `counts^2`), for people.
  std::string unit;
  /// Which parts of a frame may be missing: into how many equal parts each axis is divided, from the first
  /// on; axes that are not named are whole. Empty where frames come whole or not at all, and where
  /// floating-point elements that are missing are NaN. Otherwise one byte for each part lies behind the
  /// elements, in row-major order: 1 where it is missing. They are filled in where the header's
  /// `missing_parts` is above 0.
  std::vector<std::size_t> parts = {};
  /// What stands in the place of integers that are missing.
  std::int64_t blank = 0;
  /// What the first values of FrameHeader::side are. Kernels that make their output's type of their input's
  /// carry them along.
  std::vector<SideField> side = {};
  /// By how many seconds frames begin later than those of the source that they are made of: below 0 behind a
  /// filter, whose results stand for earlier moments. A kernel that moves FrameHeader::utc_ns says so here,
  /// so that kernels know which inputs are of one time (require_one_time). Where the rate is not known, as if
  /// there were one frame a second.
  double start_s = 0;
  /// Whether samples were left out along the time, so that a frame does not begin where the one before it
  /// ends.
  bool has_gaps = false;

  [[nodiscard]] std::size_t element_count() const;
  /// Bytes of the elements.
  [[nodiscard]] Bytes data_size() const { return Bytes{element_count() * size_of(element)}; }
  /// Bytes of the flags behind them.
  [[nodiscard]] std::size_t flag_count() const;
  /// Bytes of both.
  [[nodiscard]] Bytes size() const { return data_size() + Bytes{flag_count()}; }
  /// The axis of that name, or null.
  [[nodiscard]] const Axis* find_axis(std::string_view name) const;
  /// `complex_float32[beamlet=244][time=256][polarisation=2]`.
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const FrameType&, const FrameType&) = default;
};

/// Travels with each frame, unchanged from source to sink unless a kernel combines frames. Plain data: it is
/// sent between ranks as it lies in memory.
struct FrameHeader {
  /// Number of the frame in its epoch, from 0; a frame that was lost leaves a hole. A kernel that combines
  /// frames numbers its results anew, in the same way.
  std::uint64_t sequence = 0;
  /// UTC of the first sample, nanoseconds since 1970.
  std::int64_t utc_ns = 0;
  /// Absolute index of the first sample on the source's own clock.
  std::uint64_t first_sample = 0;
  /// When the frame was complete, nanoseconds of CLOCK_MONOTONIC of the ingesting host: latency counts from
  /// here.
  std::int64_t ingested_ns = 0;
  /// Parts (packets) of which the frame is made, and how many of them are missing and filled with zeros.
  std::uint32_t parts = 0;
  std::uint32_t missing_parts = 0;
  /// Where they are missing: bit b stands for the b-th of 64 equal pieces of the frame's time (of as many
  /// pieces as the frame has packets in time, when those are fewer) and is set when any part in that piece is
  /// missing.
  std::uint64_t missing_mask = 0;
  /// How many frames of the source this one stands for (1, or more after integration).
  std::uint32_t combined = 1;
  /// Which source of the pipeline it came from.
  std::uint16_t source = 0;
  /// Number of the epoch: within one, time follows from `sequence` and the rate. A source begins a new one
  /// when its clock jumped or was away for too long; modulo 65536.
  std::uint16_t epoch = 0;

  /// From here on known within a run only.
  ///
  /// Number of the last change of a parameter (`takt set`) that was made before the source gave the frame: a
  /// kernel works at it with the values of that change, wherever it runs. 0 before the first one.
  std::uint32_t change = 0;
  /// Values of FrameType::side.
  static constexpr std::size_t most_side = 6;
  std::array<double, most_side> side{};
};

/// Bytes of a header that files and other programs get: without what is known within a run only.
inline constexpr std::size_t written_header_bytes = 56;
static_assert(offsetof(FrameHeader, change) == written_header_bytes);

/// The index of the side value of that name, which is added where there is none. Throws ConfigError where
/// there is no room for another one.
[[nodiscard]] std::size_t add_side(FrameType& type, const std::string& name, const std::string& unit);

/// A frame to read: the header and the elements. Memory is aligned to 64 bytes.
struct FrameView {
  const FrameHeader* header = nullptr;
  std::span<const std::byte> bytes;

  template <class Element>
  [[nodiscard]] std::span<const Element> as() const {
    return {reinterpret_cast<const Element*>(bytes.data()), bytes.size() / sizeof(Element)};
  }
};

/// A frame to fill.
struct FrameBuffer {
  FrameHeader* header = nullptr;
  std::span<std::byte> bytes;

  template <class Element>
  [[nodiscard]] std::span<Element> as() const {
    return {reinterpret_cast<Element*>(bytes.data()), bytes.size() / sizeof(Element)};
  }
};

}  // namespace takt::sensors
