#pragma once
/// Common helpers of kernels for frames: division of elements by an axis, sample rate, continuity of frames,
/// and headers.

#include <algorithm>
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
#include "sensors/frames/frame_time.hpp"

namespace takt::pipeline {

inline constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

/// `outer` runs of `size` groups of `inner` numbers (two per complex element).
struct AxisShape {
  std::size_t dimension = 0;
  std::size_t outer = 1, size = 1, inner = 1;
};

/// Returns the shape of float32 and complex_float32 frames. Throws InputError for another type or a missing
/// axis.
[[nodiscard]] AxisShape shape_of(const FrameType& type, std::string_view axis, std::size_t input = 0);

/// Returns the shape of float32 frames only; with `is_first`, the axis must be the first. Throws InputError
/// with advice for complex numbers and integers.
[[nodiscard]] AxisShape real_shape_of(const FrameType& type, std::string_view axis, bool is_first = false);

/// Returns advice for messages on the conversion of such frames to float32; empty for float32.
[[nodiscard]] std::string advice_to_power(const FrameType& type);

/// Returns the numbers in an element: 2 for complex ones.
[[nodiscard]] std::size_t numbers_of(ElementType element);

using sensors::sample_rate;

/// Throws InputError if there are gaps between the samples of successive frames, which a filter would treat
/// as neighbours.
void require_steady(const FrameType& type, std::size_t input = 0);

/// Returns the coordinates of a time axis of this number of rows.
[[nodiscard]] std::vector<double> even_times(std::size_t rows, double rate_hz);

/// Parses a list of numbers. Throws at the parameter's place.
[[nodiscard]] std::vector<double> numbers(const Parameters& parameters, std::string_view name);

/// Parses several numbers in one text: `12.5:-3:0`. Throws at the parameter's place, with the example.
[[nodiscard]] std::vector<double> colon_numbers(const Parameters& parameters, const char* name,
                                                const std::string& text, std::size_t count,
                                                const char* example);

/// Returns the parameter `least` of kernels that average over inputs: the least share of inputs with a value
/// for a result to be present, from 0 (one of them) to 1 (all).
[[nodiscard]] ParameterSpec least_parameter(const char* help);
/// Returns that share of a number of inputs, at least 1.
[[nodiscard]] float least_count(double share, std::size_t inputs);

/// Copies the first input's header to the output; counts of parts and missing parts are those of all inputs.
void merge_headers(std::span<const FrameView> inputs, FrameHeader& header);

/// Checks inputs that are combined sample by sample, and so must coincide in time.
class OneTime {
 public:
  /// Throws UnlikeTimes if their types differ in time (require_one_time).
  void require(std::span<const FrameType> inputs);
  /// Calls merge_headers. Throws WorkError if the frames of one source begin more than half a sample apart
  /// although their types agree: a kernel has moved their time without declaring it.
  void merge(std::span<const FrameView> inputs, FrameHeader& header) const;

 private:
  /// 0: the sample interval is unknown.
  double sample_hz_ = 0;
};

/// Marks the frame as incomplete, whether or not packets are missing, so that consumers check for
/// NaN.
void mark_incomplete(FrameHeader& header);

/// For results of float32 or complex_float32 that may be NaN without missing input, such as differences
/// of infinities: calls mark_incomplete if there is a NaN. O(elements), at memory speed, for complete
/// frames.
void mark_nan(const FrameBuffer& output);

/// A delay of a filter: sets the output's type, and moves the time of headers back by this number of
/// samples.
class Lag {
 public:
  Lag() = default;
  /// `samples` of the input may be a fraction.
  Lag(const FrameType& input, double samples, FrameType& output);
  /// The same for a time; negative: later.
  [[nodiscard]] static Lag of_time(const FrameType& input, double seconds, FrameType& output);
  /// Moves the frame's time back. O(1).
  void shift(FrameHeader& header) const;

 private:
  double seconds_ = 0;
};

/// Returns exp(-2 pi i cycles), for less than 2^62 cycles; whole cycles are subtracted first.
[[nodiscard]] inline std::complex<float> turn_of(double cycles) {
  const double part = cycles - static_cast<double>(static_cast<std::int64_t>(cycles));
  return std::polar(1.0F, static_cast<float>(-2 * std::numbers::pi * part));
}

/// Relation of a frame to the last one: its successor, a successor after lost frames, or the first one of a
/// stream or epoch.
enum class Following : std::uint8_t { next, after_loss, anew };

/// Detects gaps between frames.
class Succession {
 public:
  /// Returns how this frame follows the last one passed.
  [[nodiscard]] Following follow(const FrameHeader& header) {
    const bool is_anew = !has_last_ || header.epoch != epoch_;
    const bool is_next = header.sequence == next_;
    lost_ = is_anew || header.sequence < next_ ? 0 : header.sequence - next_;
    has_last_ = true;
    epoch_ = header.epoch;
    next_ = header.sequence + 1;
    return is_anew ? Following::anew : is_next ? Following::next : Following::after_loss;
  }
  /// Returns the number of frames lost directly before the last frame passed.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// Returns how many of the `kept` values before the last frame passed are missing, counted from that frame:
  /// those of lost frames of `frame` values each, or all of them at the start of a stream or an epoch.
  [[nodiscard]] std::size_t gap(Following following, std::size_t kept, std::size_t frame) const {
    if (following == Following::next) return 0;
    return lost_ == 0 || lost_ > kept / frame ? kept : lost_ * frame;
  }
  /// Moves stored values on to the last frame passed: `window` holds `kept` values, then the `frame` values
  /// of the frame before.
  void move_on(Following following, std::size_t kept, std::size_t frame, float* window) const {
    const std::size_t missing = gap(following, kept, frame);
    std::copy_n(window + frame + missing, kept - missing, window);
    std::fill_n(window + kept - missing, missing, missing_value);
  }
  /// Returns true if this frame is the direct successor of the last one passed.
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
