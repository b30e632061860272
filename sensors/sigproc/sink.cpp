#include "sensors/sigproc/sink.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/frame_time.hpp"
#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

namespace {

/// Of a value that float32 is rounded to.
constexpr int integer_bits = 16;
constexpr float largest_integer = 65535;

[[noreturn]] void refuse(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("cannot write frames {} to a filterbank file: {}", type.to_string(), why));
}

/// Frames as [time][stokes][channel], each with or without the first two axes.
struct Layout {
  std::size_t spectra = 1;
  std::size_t stokes = 1;
  std::size_t channels = 1;
  double first_hz = 0;
  double step_hz = 0;
  double sample_s = 0;
};

void read_channels(const FrameType& type, const Axis& axis, Layout& layout) {
  layout.channels = axis.size;
  const std::vector<double>& hz = axis.coordinates;
  if (hz.size() != axis.size)
    refuse(type,
           fmt::format(
               "the indices of its axis '{}' have no frequencies (does the source have subbands and a band?)",
               axis.name));
  layout.first_hz = hz.front();
  layout.step_hz = axis.size > 1 ? (hz.back() - hz.front()) / static_cast<double>(axis.size - 1) : 0;
  if (const std::string why = uneven_frequencies(axis); !why.empty()) refuse(type, why);
}

Layout layout_of(const FrameType& type) {
  Layout layout;
  if (type.element != ElementType::float32 && type.element != ElementType::uint8)
    refuse(type, fmt::format("its elements are {}: expected float32 or uint8", name_of(type.element)));
  const std::vector<Axis>& axes = type.axes;
  if (axes.empty() || (axes.back().name != "channel" && axes.back().name != "beamlet"))
    refuse(type, "expected the axes [time][stokes][channel], the first two optional");
  read_channels(type, axes.back(), layout);

  const Axis* time = nullptr;
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    if (axes[i].name == "time" && i == 0) {
      time = &axes[i];
      layout.spectra = time->size;
    } else if (axes[i].name == "stokes" && i + 2 == axes.size()) {
      layout.stokes = axes[i].size;
    } else {
      refuse(type, "expected the axes [time][stokes][channel], the first two optional");
    }
  }
  require_unbroken(type);
  if (type.rate_hz > 0)
    layout.sample_s = 1 / (type.rate_hz * static_cast<double>(layout.spectra));
  else if (time && time->coordinates.size() > 1)
    layout.sample_s = time->coordinates[1] - time->coordinates[0];
  else
    refuse(type,
           "the time between spectra is not known, since its rate is not known and its time axis has no "
           "coordinates");
  return layout;
}

/// Bits of a value in the file.
int bits_of(const SigprocOptions& options, const FrameType& type, const Layout& layout) {
  const int bits = type.element == ElementType::uint8 ? 8 : 32;
  if (options.bits == 0 || options.bits == bits) return bits;
  if (type.element == ElementType::float32 && options.bits == integer_bits) {
    if (options.missing.value == Missing::nan)
      refuse(type, "integers of 16 bits cannot be NaN: expected `zero` or `hold` among the flags");
    return integer_bits;
  }
  if (type.element != ElementType::uint8 || (options.bits != 1 && options.bits != 2 && options.bits != 4))
    refuse(type, fmt::format("its elements are {}, and cannot be {} bits each: expected uint8, as `quantise` "
                             "gives it, and 8, 4, 2 or 1 bits, or float32 and 32 or 16",
                             name_of(type.element), options.bits));
  const std::size_t values = layout.stokes * layout.channels;
  if (values * static_cast<std::size_t>(options.bits) % 8 != 0)
    refuse(type, fmt::format("its spectra of {} values of {} bits are not a whole number of bytes", values,
                             options.bits));
  return options.bits;
}

SigprocHeader header_of(const SigprocOptions& options, const FrameType& type, const Layout& layout) {
  SigprocHeader header;
  header.source_name = options.source_name;
  header.telescope_id = options.telescope_id;
  header.machine_id = options.machine_id;
  header.nbits = bits_of(options, type, layout);
  header.nchans = static_cast<int>(layout.channels);
  header.nifs = static_cast<int>(layout.stokes);
  const double last_hz = layout.first_hz + layout.step_hz * static_cast<double>(layout.channels - 1);
  header.fch1_mhz = std::max(layout.first_hz, last_hz) / 1e6;
  header.foff_mhz = -std::abs(layout.step_hz) / 1e6;
  header.tsamp_s = layout.sample_s;
  return header;
}

}  // namespace

class SigprocSink::Impl {
 public:
  Impl(SigprocOptions options, const FrameType& type)
      : options_(std::move(options)),
        series_(options_.output),
        layout_(layout_of(type)),
        header_(header_of(options_, type, layout_)),
        value_bytes_(size_of(type.element)),
        frame_bytes_(type.data_size().count),
        written_bytes_(frame_bytes_ / value_bytes_ * static_cast<std::size_t>(header_.nbits) / 8),
        is_zero_(options_.missing.value == Missing::zero ||
                 (options_.missing.value == Missing::blank && type.blank == 0)),
        missing_(type, options_.missing.value) {
    if (options_.source_name.empty() || options_.source_name.size() > 80)
      throw ConfigError(
          fmt::format("a source name of {} characters does not fit a filterbank file: expected 1 to 80",
                      options_.source_name.size()));
  }

  void open() {
    make_room();
    series_.open();
  }

  std::vector<std::byte> save() const {
    StateWriter state;
    series_.save(state);
    state.add(series_.files() > 0).add(mask_file_.size()).add(next_sequence_);
    state.add(std::as_const(missing_).held());
    state.add(frames_.value()).add(filled_.value()).add(values_missing_.value()).add(values_clipped_.value());
    return state.take();
  }

  void resume(std::span<const std::byte> state) {
    make_room();
    StateReader reader(state);
    series_.go_on(reader);
    bool has_begun = false;
    std::uint64_t mask_size = 0;
    reader.get(has_begun).get(mask_size).get(next_sequence_).get(missing_.held());
    for (Tally* count : {&frames_, &filled_, &values_missing_, &values_clipped_}) {
      std::uint64_t value = 0;
      reader.get(value);
      count->set(value);
    }
    reader.end();
    if (has_begun && options_.missing.mask) series_.open_companion(mask_file_, mask_name(), mask_size);
  }

  void write(const FrameView& frame) {
    if (series_.turn_to(*frame.header, written_bytes_)) begin(*frame.header);
    fill_up_to(*frame.header);
    missing_.find(frame);
    values_missing_.add(missing_.count());
    const std::span<const std::byte> values = frame.bytes.first(frame_bytes_);
    if (missing_.count() == 0 && options_.missing.value != Missing::hold) {
      put(values);
    } else {
      std::ranges::copy(values, filled_values_.begin());
      missing_.fill(filled_values_);
      put(filled_values_);
    }
    append_record();
    frames_.add();
  }

  void note(const std::string& line) { series_.note(line); }

  void close() {
    series_.close();
    mask_file_.close();
  }

  const SigprocOptions options_;
  OutputSeries series_;
  Tally frames_;
  Tally filled_;
  Tally values_missing_;
  /// Beyond what the file's values hold.
  Tally values_clipped_;

  [[nodiscard]] bool is_rounded() const { return header_.nbits == integer_bits; }

 private:
  void begin(const FrameHeader& first) {
    next_sequence_ = first.sequence;
    header_.tstart_mjd = mjd_of_utc(first.utc_ns);
    series_.append({encode(header_)});
    missing_.forget();
    if (!options_.missing.mask) return;
    mask_file_.close();
    series_.open_companion(mask_file_, mask_name());
  }

  void make_room() {
    record_.resize(frame_bytes_);
    filled_values_.resize(frame_bytes_);
    packed_.resize(header_.nbits < 8 || is_rounded() ? written_bytes_ : 0);
    mask_.resize(frame_bytes_ / value_bytes_);
  }

  [[nodiscard]] std::filesystem::path mask_name() const {
    std::filesystem::path name = series_.file();
    return name += ".mask";
  }

  void fill_up_to(const FrameHeader& header) {
    if (header.sequence <= next_sequence_) return;
    const std::uint64_t count = header.sequence - next_sequence_;
    // A pipe can have no further file.
    if (!OutputTurns::is_gap(count, written_bytes_)) return void(next_sequence_ = header.sequence);
    filled_.add(count);
    if (is_zero_ && !options_.missing.mask) {
      series_.append_zeros(count * written_bytes_);
      next_sequence_ = header.sequence;
      return;
    }
    missing_.find_lost();
    missing_.fill(filled_values_);
    put(filled_values_);
    while (next_sequence_ < header.sequence) append_record();
  }

  void append_record() {
    if (packed_.empty()) {
      series_.append({record_});
    } else {
      if (is_rounded())
        round();
      else
        pack();
      series_.append({packed_});
    }
    if (options_.missing.mask) mask_file_.append({mask_});
    ++next_sequence_;
  }

  /// To the nearest integers without sign; NaN where nothing is missing, and what is beyond, to the nearest
  /// bound.
  void round() {
    for (std::size_t i = 0; i < packed_.size() / sizeof(std::uint16_t); ++i) {
      float value = 0;
      std::memcpy(&value, record_.data() + i * sizeof value, sizeof value);
      const float nearest = std::nearbyint(value);
      const bool fits = nearest >= 0 && nearest <= largest_integer;
      if (!fits) values_clipped_.add();
      const auto integer = static_cast<std::uint16_t>(fits ? nearest : value > 0 ? largest_integer : 0);
      std::memcpy(packed_.data() + i * sizeof integer, &integer, sizeof integer);
    }
  }

  /// The first value of a byte lies in its lowest bits.
  void pack() {
    const auto bits = static_cast<std::size_t>(header_.nbits);
    const unsigned most = (1U << bits) - 1;
    const std::size_t values = 8 / bits;
    for (std::size_t i = 0; i < packed_.size(); ++i) {
      unsigned byte = 0;
      for (std::size_t v = 0; v < values; ++v)
        byte |= std::min(std::to_integer<unsigned>(record_[i * values + v]), most) << (v * bits);
      packed_[i] = static_cast<std::byte>(byte);
    }
  }

  /// The frame, and what is missing of it, with its channels from the highest frequency to the lowest.
  void put(std::span<const std::byte> values) {
    const std::span<const std::byte> missing = missing_.mask();
    if (layout_.step_hz <= 0) {
      std::ranges::copy(values, record_.begin());
      std::ranges::copy(missing, mask_.begin());
      return;
    }
    if (value_bytes_ == 1)
      reverse_rows<std::uint8_t>(values, record_);
    else
      reverse_rows<float>(values, record_);
    if (options_.missing.mask) reverse_rows<std::uint8_t>(missing, mask_);
  }

  template <class Value>
  void reverse_rows(std::span<const std::byte> bytes, std::span<std::byte> reversed) const {
    const auto* from = reinterpret_cast<const Value*>(bytes.data());
    auto* to = reinterpret_cast<Value*>(reversed.data());
    for (std::size_t row = 0; row < layout_.spectra * layout_.stokes; ++row)
      std::reverse_copy(from + row * layout_.channels, from + (row + 1) * layout_.channels,
                        to + row * layout_.channels);
  }

  const Layout layout_;
  SigprocHeader header_;
  std::size_t value_bytes_;
  std::size_t frame_bytes_;
  /// Of a frame in the file.
  std::size_t written_bytes_;
  /// The record with another number of bits a value than its elements have.
  std::vector<std::byte> packed_;
  /// Whether zeros stand for what is missing.
  bool is_zero_;
  MissingValues missing_;
  /// The frame with what stands for missing values; as it is written, and which of its values are missing.
  std::vector<std::byte> filled_values_, record_, mask_;
  OutputFile mask_file_;
  /// Number of the frame that comes next in the file.
  std::uint64_t next_sequence_ = 0;
};

SigprocSink::SigprocSink(SigprocOptions options, const FrameType& type)
    : impl_(std::make_unique<Impl>(std::move(options), type)) {}
SigprocSink::~SigprocSink() = default;

void SigprocSink::open() {
  impl_->open();
}
void SigprocSink::write(const FrameView& frame) {
  impl_->write(frame);
}
void SigprocSink::close() {
  impl_->close();
}
std::optional<std::vector<std::byte>> SigprocSink::save() const {
  return impl_->save();
}
void SigprocSink::resume(std::span<const std::byte> state) {
  impl_->resume(state);
}
void SigprocSink::keep_book(const OutputBook& book) {
  impl_->series_.keep_book(book);
}
void SigprocSink::note(const std::string& line) {
  impl_->note(line);
}
void SigprocSink::begin_file() {
  impl_->series_.begin_file();
}
std::string SigprocSink::location() const {
  return impl_->series_.location();
}

std::vector<Counter> SigprocSink::counters() const {
  std::vector<Counter> counters{{"frames_written", "frames", impl_->frames_.value()},
                                {"frames_filled", "frames", impl_->filled_.value()},
                                {"values_missing", "values", impl_->values_missing_.value()},
                                {"files", "files", impl_->series_.files()}};
  if (impl_->is_rounded()) counters.push_back({"values_clipped", "values", impl_->values_clipped_.value()});
  return counters;
}
std::vector<std::string> SigprocSink::warnings() const {
  return impl_->series_.warnings();
}

}  // namespace takt::sensors
