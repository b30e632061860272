#include "sensors/wav/sink.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/files/rounding.hpp"
#include "sensors/frames/frame_time.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::uint64_t largest_32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t largest_16 = std::numeric_limits<std::uint16_t>::max();
/// Larger sizes do not fit a RIFF file, in which the largest value means an unknown size.
constexpr std::uint64_t unknown_size = largest_32;
constexpr std::int64_t ns_per_millisecond = 1'000'000;

[[noreturn]] void refuse_frames(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("frames {} cannot be a WAV file: {}", type.to_string(), why));
}

std::size_t number_bytes(WavEncoding encoding) {
  return encoding == WavEncoding::int16 ? sizeof(std::int16_t) : sizeof(float);
}

bool is_whole_hertz(double hertz) {
  return hertz > 0 && hertz <= static_cast<double>(largest_32) && std::abs(hertz - std::round(hertz)) < 1e-3;
}

/// Returns the common frequency of all beamlets; 0: unknown.
std::uint32_t frequency_of(const FrameType& type, const WavSinkOptions& options) {
  if (options.frequency_hz) {
    if (!is_whole_hertz(*options.frequency_hz))
      throw OptionError("frequency",
                        fmt::format("{} Hz cannot be in the chunk auxi: expected whole Hz, 1 to {}",
                                    *options.frequency_hz, largest_32));
    return static_cast<std::uint32_t>(std::round(*options.frequency_hz));
  }
  for (const Axis& axis : type.axes) {
    if (axis.name == "time" || axis.name == "polarisation" || axis.coordinates.empty()) continue;
    const double hertz = axis.coordinates.front();
    if (std::ranges::any_of(axis.coordinates, [&](double each) { return each != hertz; }))
      refuse_frames(type,
                    "its beamlets have several frequencies and the file one: select one beamlet, or set "
                    "the sink's frequency");
    if (hertz == 0) return 0;
    if (!is_whole_hertz(hertz))
      refuse_frames(type,
                    fmt::format("the chunk auxi cannot hold its frequency of {} Hz: expected whole Hz, 1 to "
                                "{}; set the sink's frequency",
                                hertz, largest_32));
    return static_cast<std::uint32_t>(std::round(hertz));
  }
  return 0;
}

std::uint32_t sample_rate_of(const FrameType& type, std::size_t samples) {
  if (!(type.rate_hz > 0))
    refuse_frames(type, "the time between its samples is not known: its rate is not known");
  const double hertz = type.rate_hz * static_cast<double>(samples), whole = std::round(hertz);
  if (!(whole >= 1 && whole <= static_cast<double>(largest_32)) || std::abs(hertz - whole) > 1e-12 * hertz)
    refuse_frames(type, fmt::format("it has {:.17g} samples/s: expected a whole number from 1 to {}", hertz,
                                    largest_32));
  return static_cast<std::uint32_t>(whole);
}

WavLayout wav_layout_of(const FrameType& type, const WavSinkOptions& options) {
  constexpr const char* expected =
      "expected the axis time and at most one of beamlet, channel and polarisation with more than one index";
  WavLayout layout;
  require_unbroken(type);
  if (type.element != ElementType::complex_float32 && type.element != ElementType::float32)
    refuse_frames(
        type, fmt::format("its elements are {}: expected float32 or complex_float32", name_of(type.element)));
  bool has_time = false;
  std::size_t step = 1;
  for (std::size_t i = type.axes.size(); i-- > 0;) {
    const Axis& axis = type.axes[i];
    if (axis.name == "time" && !has_time) {
      has_time = true;
      layout.samples = axis.size;
      layout.sample_step = step;
    } else if (axis.name != "beamlet" && axis.name != "channel" && axis.name != "polarisation") {
      refuse_frames(type, expected);
    } else if (axis.size > 1) {
      if (layout.channels > 1) refuse_frames(type, expected);
      layout.channels = axis.size;
      layout.channel_step = step;
    }
    step *= axis.size;
  }
  if (!has_time) refuse_frames(type, expected);
  layout.parts = type.element == ElementType::complex_float32 ? 2 : 1;
  layout.sample_hz = sample_rate_of(type, layout.samples);
  if (layout.parts == 2)
    layout.frequency_hz = frequency_of(type, options);
  else if (options.frequency_hz)
    throw OptionError("frequency", "real samples have no chunk auxi, which holds it: expected none");
  const std::uint64_t row = layout.channels * layout.parts * number_bytes(options.encoding);
  if (row > largest_16)
    refuse_frames(type,
                  fmt::format("a sample of all channels has {} bytes: expected at most {}", row, largest_16));
  if (row * layout.sample_hz > largest_32)
    refuse_frames(type, fmt::format("it has {} bytes per second: expected at most {}", row * layout.sample_hz,
                                    largest_32));
  if (options.encoding == WavEncoding::int16 && options.missing.value == Missing::nan)
    throw OptionError("flags", "integers cannot be NaN: expected zero or hold");
  return layout;
}

/// Writes numbers and names of a header, little-endian.
class ChunkText {
 public:
  explicit ChunkText(std::string& text) : text_(text) { text_.clear(); }
  ChunkText& name(const char* four) {
    text_ += four;
    return *this;
  }
  ChunkText& number(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  ChunkText& zeros(std::size_t count) {
    text_.append(count, '\0');
    return *this;
  }
  /// As SYSTEMTIME, to the nearest millisecond.
  ChunkText& time(std::int64_t utc_ns) {
    using namespace std::chrono;
    const auto moment = round<milliseconds>(sys_time<nanoseconds>(nanoseconds(utc_ns)));
    const auto day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss clock(moment - day);
    const auto count = [&](auto value) { number(static_cast<std::uint64_t>(value), 2); };
    count(static_cast<int>(date.year()));
    count(static_cast<unsigned>(date.month()));
    count(weekday(day).c_encoding());
    count(static_cast<unsigned>(date.day()));
    count(clock.hours().count());
    count(clock.minutes().count());
    count(clock.seconds().count());
    count(clock.subseconds().count());
    return *this;
  }

 private:
  std::string& text_;
};

constexpr std::uint64_t riff_bytes = 8, ds64_bytes = 28, integer_format_bytes = 16, float_format_bytes = 18,
                        auxi_bytes = 164, bext_bytes = 602;
/// Size of all chunks before the samples, including the header of `data`.
std::uint64_t head_bytes(const WavLayout& layout, WavEncoding encoding) {
  const std::uint64_t format =
      encoding == WavEncoding::int16 ? 8 + integer_format_bytes : 8 + float_format_bytes + 8 + 4;
  return riff_bytes + 4 + 8 + ds64_bytes + format + 8 + (layout.parts == 2 ? auxi_bytes : bext_bytes) + 8;
}

}  // namespace

WavSink::WavSink(const WavSinkOptions& options, const FrameType& type)
    : WavSink(options, type, wav_layout_of(type, options)) {}

WavSink::WavSink(const WavSinkOptions& options, const FrameType& type, const WavLayout& layout)
    : GapFillingSink(options.output, options.missing, type,
                     layout.samples * layout.channels * layout.parts * number_bytes(options.encoding)),
      layout_(layout),
      encoding_(options.encoding),
      scale_(static_cast<float>(options.scale)) {
  const std::size_t count = layout_.samples * layout_.channels;
  numbers_.resize(count * layout_.parts);
  if (encoding_ == WavEncoding::int16) integers_.resize(numbers_.size());
  if (options.missing.mask) mask_.resize(count);
}

/// Chunks in the order of EBU Tech 3306: `JUNK` reserves the space of `ds64`.
void WavSink::encode_header() {
  const std::uint64_t head = head_bytes(layout_, encoding_),
                      row = layout_.channels * layout_.parts * number_bytes(encoding_);
  const bool has_size = !series().is_stream();
  const std::uint64_t bytes = std::max(series().size(), head) - head, samples = bytes / row,
                      riff = head + bytes - riff_bytes;
  const bool is_large = has_size && riff >= unknown_size;
  const auto size_32 = [&](std::uint64_t value) { return has_size && !is_large ? value : unknown_size; };
  ChunkText text(header_);
  text.name(is_large ? "RF64" : "RIFF").number(size_32(riff), 4).name("WAVE");
  if (is_large)
    text.name("ds64").number(ds64_bytes, 4).number(riff, 8).number(bytes, 8).number(samples, 8).number(0, 4);
  else
    text.name("JUNK").number(ds64_bytes, 4).zeros(ds64_bytes);
  const bool is_float = encoding_ == WavEncoding::float32;
  constexpr std::uint64_t integers = 1, floating = 3;
  text.name("fmt ").number(is_float ? float_format_bytes : integer_format_bytes, 4);
  text.number(is_float ? floating : integers, 2).number(layout_.channels * layout_.parts, 2);
  text.number(layout_.sample_hz, 4).number(row * layout_.sample_hz, 4).number(row, 2);
  text.number(8 * number_bytes(encoding_), 2);
  // No further fields; and the samples of each channel, which all formats except integers require.
  if (is_float) text.number(0, 2).name("fact").number(4, 4).number(size_32(samples), 4);
  if (layout_.parts == 1) {
    // Description; Originator and its reference; date, time and samples since midnight; Version; no more.
    text.name("bext").number(bext_bytes, 4).zeros(256).name("takt").zeros(28 + 32);
    text.name(origination_.c_str()).number(samples_since_midnight_, 8).number(1, 2).zeros(bext_bytes - 348);
  } else {
    const auto length_ns = static_cast<std::int64_t>(
        std::llround(static_cast<long double>(samples) * 1e9L / static_cast<long double>(layout_.sample_hz)));
    text.name("auxi").number(auxi_bytes, 4).time(first_utc_ns()).time(first_utc_ns() + length_ns);
    // CenterFreq, ADFrequency and IFFrequency (unknown), Bandwidth; five unused numbers and an unused name.
    text.number(layout_.frequency_hz, 4).number(0, 4).number(0, 4).number(layout_.sample_hz, 4);
    text.zeros(auxi_bytes - 2 * 16 - 4 * 4);
  }
  text.name("data").number(size_32(bytes), 4);
}

std::int64_t WavSink::since_midnight_ns() const {
  return std::llround(static_cast<long double>(samples_since_midnight_) * 1e9L /
                      static_cast<long double>(layout_.sample_hz));
}

void WavSink::take_start() {
  if (layout_.parts == 2) {
    const std::int64_t rest = first_utc_ns() % ns_per_millisecond,
                       below = rest < 0 ? rest + ns_per_millisecond : rest;
    largest_shift_.raise_to(static_cast<std::uint64_t>(std::min(below, ns_per_millisecond - below)));
    return;
  }
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  const std::int64_t rest = first_utc_ns() % day_ns, of_day = rest < 0 ? rest + day_ns : rest;
  std::int64_t midnight_ns = first_utc_ns() - of_day;
  samples_since_midnight_ = static_cast<std::uint64_t>(
      std::llround(static_cast<long double>(of_day) * static_cast<long double>(layout_.sample_hz) / 1e9L));
  // The next day, which begins with its own sample 0.
  if (since_midnight_ns() >= day_ns) {
    midnight_ns += day_ns;
    samples_since_midnight_ = 0;
  }
  const std::int64_t start_ns = midnight_ns + since_midnight_ns();
  origination_ = name_at("%Y-%m-%d%H:%M:%S", start_ns);
  largest_shift_.raise_to(static_cast<std::uint64_t>(std::abs(start_ns - first_utc_ns())));
}

void WavSink::begin() {
  take_start();
  encode_header();
  series().append({std::as_bytes(std::span(header_))});
}

void WavSink::settle() {
  if (series().is_stream()) return;
  encode_header();
  series().rewrite(0, std::as_bytes(std::span(header_)));
}

void WavSink::append(const Record& record) {
  in_order(reinterpret_cast<const float*>(record.elements.data()), numbers_.data(), layout_.parts);
  if (encoding_ == WavEncoding::int16) {
    const std::size_t clipped = round_to<std::int16_t>(numbers_, scale_, integers_.data());
    if (!record.is_lost) clipped_.add(clipped);
    return series().append({std::as_bytes(std::span(integers_))});
  }
  if (scale_ != 1)
    for (float& number : numbers_) number *= scale_;
  series().append({std::as_bytes(std::span(numbers_))});
}

std::span<const std::byte> WavSink::in_file_order(std::span<const std::byte> mask) {
  in_order(mask.data(), mask_.data(), 1);
  return mask_;
}

/// Reorders to [time][channel], `parts` numbers each.
template <class Value>
void WavSink::in_order(const Value* from, Value* to, std::size_t parts) const {
  for (std::size_t t = 0; t < layout_.samples; ++t)
    for (std::size_t c = 0; c < layout_.channels; ++c, to += parts)
      std::copy_n(from + (t * layout_.sample_step + c * layout_.channel_step) * parts, parts, to);
}

void WavSink::save_more(StateWriter& state) const {
  state.add(clipped_.value()).add(largest_shift_.value()).add(origination_).add(samples_since_midnight_);
}

void WavSink::load_more(StateReader& state) {
  for (Tally* count : {&clipped_, &largest_shift_}) {
    std::uint64_t value = 0;
    state.get(value);
    count->set(value);
  }
  state.get(origination_).get(samples_since_midnight_);
}

std::vector<Counter> WavSink::counters() const {
  std::vector<Counter> counters = GapFillingSink::counters();
  if (encoding_ == WavEncoding::int16) counters.push_back({"values_clipped", "values", clipped_.value()});
  counters.push_back({"time_rounded_by", "ns", largest_shift_.value()});
  return counters;
}

}  // namespace takt::sensors
