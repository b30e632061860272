#pragma once
/// What kernels ask of frames: how an axis divides the elements, how often samples come, whether one frame
/// follows another, and what becomes of headers.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

inline constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

/// `outer` runs of `size` groups of `inner` numbers (two of a complex element).
struct AxisShape {
  std::size_t dimension = 0;
  std::size_t outer = 1, size = 1, inner = 1;
};

/// Of float32 and complex_float32 frames. Throws InputError when they are of another type or have no such
/// axis.
[[nodiscard]] AxisShape shape_of(const FrameType& type, std::string_view axis, std::size_t input = 0);

/// Numbers of an element: 2 of complex ones.
[[nodiscard]] std::size_t numbers_of(ElementType element);

/// Samples a second along the axis `time`: by its coordinates, or by the frames' rate where there are none.
/// 0 when not known.
[[nodiscard]] double sample_rate(const FrameType& type);

/// Coordinates of a time axis of so many rows.
[[nodiscard]] std::vector<double> even_times(std::size_t rows, double rate_hz);

/// A list of numbers, each as it is written. Throws at the parameter's place.
[[nodiscard]] std::vector<double> numbers(const Parameters& parameters, std::string_view name);

/// The parameter `least` of kernels that average over inputs: the share of them that must have a value for
/// the average to be there, from 0 (one of them) to 1 (all).
[[nodiscard]] ParameterSpec least_parameter(const char* help);
/// How many of so many inputs that is, at least 1.
[[nodiscard]] float least_count(double share, std::size_t inputs);

/// The output's header is the first input's; parts and what of them is missing are of all inputs.
void merge_headers(std::span<const FrameView> inputs, FrameHeader& header);

/// From here on something in the frame is missing, whether or not packets are: whoever takes it looks for
/// NaN.
void mark_incomplete(FrameHeader& header);

/// Moves the frame's time back, where its first sample stands for an earlier moment than the input's.
void shift_time(FrameHeader& header, double seconds);

/// exp(-2 pi i cycles), for less than 2^62 cycles: those that are whole are taken off first.
[[nodiscard]] inline std::complex<float> turn_of(double cycles) {
  const double part = cycles - static_cast<double>(static_cast<std::int64_t>(cycles));
  return std::polar(1.0F, static_cast<float>(-2 * std::numbers::pi * part));
}

/// How a frame follows the last one: as the next one, behind lost ones, or as the first one of a stream or of
/// an epoch.
enum class Following : std::uint8_t { next, behind_lost, anew };

/// Whether frames follow one another without a hole.
class Succession {
 public:
  /// How this frame follows the last one asked for.
  [[nodiscard]] Following follow(const FrameHeader& header) {
    const bool is_anew = !has_last_ || header.epoch != epoch_;
    const bool is_next = header.sequence == next_;
    lost_ = is_anew || header.sequence < next_ ? 0 : header.sequence - next_;
    has_last_ = true;
    epoch_ = header.epoch;
    next_ = header.sequence + 1;
    return is_anew ? Following::anew : is_next ? Following::next : Following::behind_lost;
  }
  /// How many frames of this stream are missing before the last one asked for.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// Whether this frame is the next one behind the last one asked for.
  [[nodiscard]] bool continues(const FrameHeader& header) { return follow(header) == Following::next; }

 private:
  bool has_last_ = false;
  std::uint16_t epoch_ = 0;
  std::uint64_t next_ = 0, lost_ = 0;
};

/// For KernelKind::make.
template <class AnyKernel>
std::unique_ptr<Kernel> make_from(const Parameters& parameters) {
  return std::make_unique<AnyKernel>(parameters);
}

}  // namespace takt::pipeline
