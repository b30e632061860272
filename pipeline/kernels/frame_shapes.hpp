#pragma once
/// What kernels ask of frames: how an axis divides the elements, how often samples come, whether one frame
/// follows another, and what becomes of headers.

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

/// `outer` runs of `size` groups of `inner` numbers (two of a complex element).
struct AxisShape {
  std::size_t dimension = 0;
  std::size_t outer = 1, size = 1, inner = 1;
};

/// Of float32 and complex_float32 frames. Throws InputError when they are of another type or have no such
/// axis.
[[nodiscard]] AxisShape shape_of(const FrameType& type, std::string_view axis, std::size_t input = 0);

/// Of float32 frames only; where `is_first`, with that axis in front. Throws InputError, which says what
/// complex numbers and integers want.
[[nodiscard]] AxisShape real_shape_of(const FrameType& type, std::string_view axis, bool is_first = false);

/// What makes float32 of such frames, for messages; empty for float32.
[[nodiscard]] std::string advice_to_power(const FrameType& type);

/// Numbers of an element: 2 of complex ones.
[[nodiscard]] std::size_t numbers_of(ElementType element);

using sensors::sample_rate;

/// Throws InputError where samples lie between one frame and the next, which a filter would take for
/// neighbours.
void require_steady(const FrameType& type, std::size_t input = 0);

/// Coordinates of a time axis of so many rows.
[[nodiscard]] std::vector<double> even_times(std::size_t rows, double rate_hz);

/// A list of numbers, each as it is written. Throws at the parameter's place.
[[nodiscard]] std::vector<double> numbers(const Parameters& parameters, std::string_view name);

/// So many numbers in one text: `12.5:-3:0`. Throws at the parameter's place, with the example.
[[nodiscard]] std::vector<double> colon_numbers(const Parameters& parameters, const char* name,
                                                const std::string& text, std::size_t count,
                                                const char* example);

/// The parameter `least` of kernels that average over inputs: the share of them that must have a value for
/// the average to be there, from 0 (one of them) to 1 (all).
[[nodiscard]] ParameterSpec least_parameter(const char* help);
/// How many of so many inputs that is, at least 1.
[[nodiscard]] float least_count(double share, std::size_t inputs);

/// The output's header is the first input's; parts and what of them is missing are of all inputs.
void merge_headers(std::span<const FrameView> inputs, FrameHeader& header);

/// Inputs that are combined sample by sample, and so must be of one time.
class OneTime {
 public:
  /// Throws UnlikeTimes where their types say that they are not (require_one_time).
  void require(std::span<const FrameType> inputs);
  /// merge_headers. Throws WorkError where the frames of one source begin more than half a sample apart,
  /// although their types did not say so: a kernel moved their time without telling.
  void merge(std::span<const FrameView> inputs, FrameHeader& header) const;

 private:
  /// 0: samples are as far apart as nobody knows.
  double sample_hz_ = 0;
};

/// From here on something in the frame is missing, whether or not packets are: whoever takes it looks for
/// NaN.
void mark_incomplete(FrameHeader& header);

/// For results of float32 or complex_float32 that may be NaN although nothing of the input is missing, as
/// differences of infinities are: mark_incomplete where one is, so that it counts as missing. O(elements), at
/// the speed of memory, where nothing is missing yet.
void mark_nan(const FrameBuffer& output);

/// Frames of so many samples earlier than they came, as a filter gives them: tells the output's type, and
/// moves headers.
class Lag {
 public:
  Lag() = default;
  /// `samples` of the input, which need not be whole.
  Lag(const FrameType& input, double samples, FrameType& output);
  /// So long; below 0 later.
  [[nodiscard]] static Lag of_time(const FrameType& input, double seconds, FrameType& output);
  /// Moves the frame's time back. O(1).
  void shift(FrameHeader& header) const;

 private:
  double seconds_ = 0;
};

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
  /// How many of the `kept` numbers before the last frame asked for are missing, those next to it: what lost
  /// frames of `frame` numbers had, and all of them where a stream or an epoch begins.
  [[nodiscard]] std::size_t gap(Following following, std::size_t kept, std::size_t frame) const {
    if (following == Following::next) return 0;
    return lost_ == 0 || lost_ > kept / frame ? kept : lost_ * frame;
  }
  /// Moves what a kernel keeps on to the last frame asked for: `window` is `kept` numbers, and behind them
  /// the `frame` numbers of the frame before.
  void move_on(Following following, std::size_t kept, std::size_t frame, float* window) const {
    const std::size_t missing = gap(following, kept, frame);
    std::copy_n(window + frame + missing, kept - missing, window);
    std::fill_n(window + kept - missing, missing, missing_value);
  }
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
