#include "sensors/dada/sink.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/file_pattern.hpp"
#include "sensors/frame_time.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t header_bytes = 4096;
constexpr std::int64_t second_ns = 1'000'000'000;
[[noreturn]] void refuse(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("cannot write frames {} to a PSRDADA file: {}", type.to_string(), why));
}

struct Layout {
  std::size_t samples = 1, channels = 1, polarisations = 1, dimensions = 1;
  double sample_s = 0;
  /// Of the whole band; 0 where frequencies are not known.
  double centre_hz = 0, bandwidth_hz = 0;
};

bool has_axes(const FrameType& type, std::initializer_list<std::string_view> names) {
  return std::ranges::equal(type.axes, names, {}, &Axis::name);
}

void read_frequencies(const FrameType& type, const Axis& axis, Layout& layout) {
  const std::vector<double>& hz = axis.coordinates;
  if (hz.size() < 2) return;
  if (const std::string why = uneven_frequencies(axis); !why.empty()) refuse(type, why);
  const double step = (hz.back() - hz.front()) / static_cast<double>(hz.size() - 1);
  layout.centre_hz = (hz.front() + hz.back()) / 2;
  layout.bandwidth_hz = step * static_cast<double>(hz.size());
}

Layout layout_of(const FrameType& type) {
  Layout layout;
  require_unbroken(type);
  if (!(type.rate_hz > 0)) refuse(type, "its sample rate is not known, since its rate is not known");
  if (type.element == ElementType::complex_float32 && has_axes(type, {"beamlet", "time", "polarisation"})) {
    layout = {.samples = type.axes[1].size,
              .channels = type.axes[0].size,
              .polarisations = type.axes[2].size,
              .dimensions = 2};
    read_frequencies(type, type.axes[0], layout);
  } else if (type.element == ElementType::float32 && has_axes(type, {"time", "channel"})) {
    layout = {.samples = type.axes[0].size, .channels = type.axes[1].size};
    read_frequencies(type, type.axes[1], layout);
  } else {
    refuse(type, "expected complex_float32[beamlet][time][polarisation] or float32[time][channel]");
  }
  layout.sample_s = 1 / (type.rate_hz * static_cast<double>(layout.samples));
  return layout;
}

/// A keyword's value ends at white space or a comment.
std::string word(const std::string& text) {
  std::string result = text;
  std::ranges::replace_if(
      result, [](char c) { return c <= ' ' || c == '#' || c > '~'; }, '_');
  return result.empty() ? "unset" : result;
}

std::string encode(const DadaOptions& options, const Layout& layout, std::int64_t utc_ns) {
  const std::int64_t second = utc_ns / second_ns * second_ns;
  const std::size_t row = layout.channels * layout.polarisations * layout.dimensions * sizeof(float);
  std::string text = fmt::format(
      "HEADER DADA\nHDR_VERSION 1.0\nHDR_SIZE {}\nDADA_VERSION 1.0\n"
      "UTC_START {} # of the first sample\nPICOSECONDS {} # beyond the second\nOBS_OFFSET 0\n"
      "SOURCE {}\nTELESCOPE {}\nINSTRUMENT {}\n"
      "NBIT 32 # IEEE floating point\nENDIAN LITTLE\nORDER TFP # time, channel, polarisation\n"
      "NDIM {}\nNPOL {}\nNCHAN {}\n"
      "TSAMP {:.17g} # microseconds\nBYTES_PER_SECOND {:.17g}\n",
      header_bytes, name_at("%Y-%m-%d-%H:%M:%S", second), (utc_ns - second) * 1000, word(options.source_name),
      word(options.telescope), word(options.instrument), layout.dimensions, layout.polarisations,
      layout.channels, layout.sample_s * 1e6, static_cast<double>(row) / layout.sample_s);
  if (layout.bandwidth_hz != 0)
    text += fmt::format("FREQ {:.17g} # MHz, of the centre\nBW {:.17g} # MHz\n", layout.centre_hz / 1e6,
                        layout.bandwidth_hz / 1e6);
  text += "# end of header\n";
  if (text.size() > header_bytes) throw ConfigError("names of source, telescope and instrument are too long");
  text.resize(header_bytes, '\0');
  return text;
}

}  // namespace

class DadaSink::Impl {
 public:
  Impl(DadaOptions options, const FrameType& type)
      : options_(std::move(options)),
        series_(options_.output),
        layout_(layout_of(type)),
        missing_values_(type, options_.missing.value) {
    (void)encode(options_, layout_, 0);
  }

  void open() {
    make_room();
    series_.open();
  }

  std::vector<std::byte> save() const {
    StateWriter state;
    series_.save(state);
    state.add(next_sequence_).add(frames_.value()).add(filled_.value()).add(missing_.value());
    state.add(series_.files() > 0).add(mask_file_.size()).add(std::as_const(missing_values_).held());
    return state.take();
  }

  void resume(std::span<const std::byte> state) {
    make_room();
    StateReader reader(state);
    series_.go_on(reader);
    reader.get(next_sequence_);
    for (Tally* count : {&frames_, &filled_, &missing_}) {
      std::uint64_t value = 0;
      reader.get(value);
      count->set(value);
    }
    bool has_begun = false;
    std::uint64_t mask_size = 0;
    reader.get(has_begun).get(mask_size).get(missing_values_.held()).end();
    if (has_begun && options_.missing.mask) series_.open_companion(mask_file_, mask_name(), mask_size);
  }

  void write(const FrameView& frame) {
    const std::size_t bytes = record_.size() * sizeof(float);
    if (series_.turn_to(*frame.header, bytes)) {
      next_sequence_ = frame.header->sequence;
      const std::string header = encode(options_, layout_, frame.header->utc_ns);
      series_.append({std::as_bytes(std::span(header))});
      begin();
    }
    if (frame.header->sequence > next_sequence_) fill_up_to(*frame.header);
    missing_values_.find(frame);
    missing_.add(missing_values_.count() * layout_.dimensions);
    std::ranges::copy(frame.bytes, values_.begin());
    append();
    next_sequence_ = frame.header->sequence + 1;
    frames_.add();
  }

  void close() {
    series_.close();
    mask_file_.close();
  }

  const DadaOptions options_;
  OutputSeries series_;
  Tally frames_, filled_, missing_;

 private:
  /// Floats of one channel at one time.
  [[nodiscard]] std::size_t run() const { return layout_.polarisations * layout_.dimensions; }

  void begin() {
    missing_values_.forget();
    if (!options_.missing.mask) return;
    mask_file_.close();
    series_.open_companion(mask_file_, mask_name());
  }

  void make_room() {
    record_.resize(layout_.samples * layout_.channels * run());
    values_.resize(record_.size() * sizeof(float));
    mask_.resize(record_.size() / layout_.dimensions);
  }

  [[nodiscard]] std::filesystem::path mask_name() const {
    std::filesystem::path name = series_.file();
    return name += ".mask";
  }

  void fill_up_to(const FrameHeader& header) {
    const std::uint64_t count = header.sequence - next_sequence_;
    // A pipe can have no further file.
    if (!OutputTurns::is_gap(count, record_.size() * sizeof(float)))
      return void(next_sequence_ = header.sequence);
    filled_.add(count);
    if (options_.missing.value == Missing::zero && !options_.missing.mask)
      return series_.append_zeros(count * record_.size() * sizeof(float));
    missing_values_.find_lost();
    for (std::uint64_t i = 0; i < count; ++i) append();
  }

  /// What is in `values_`, without what is missing of it.
  void append() {
    missing_values_.fill(values_);
    in_order(reinterpret_cast<const float*>(values_.data()), record_.data(), run());
    series_.append({std::as_bytes(std::span(record_))});
    if (!options_.missing.mask) return;
    in_order(missing_values_.mask().data(), mask_.data(), layout_.polarisations);
    mask_file_.append({mask_});
  }

  /// [channel][time] of complex samples, [time][channel] of others, to [time][channel], `run` values each.
  template <class Value>
  void in_order(const Value* from, Value* to, std::size_t run) const {
    if (layout_.dimensions == 1) {
      std::copy_n(from, layout_.samples * layout_.channels * run, to);
      return;
    }
    for (std::size_t c = 0; c < layout_.channels; ++c)
      for (std::size_t t = 0; t < layout_.samples; ++t, from += run)
        std::copy_n(from, run, to + (t * layout_.channels + c) * run);
  }

  const Layout layout_;
  MissingValues missing_values_;
  /// A frame in its own order, and as it is written; which samples of that are missing.
  std::vector<std::byte> values_;
  std::vector<float> record_;
  std::vector<std::byte> mask_;
  OutputFile mask_file_;
  /// Number of the frame that comes next in the file.
  std::uint64_t next_sequence_ = 0;
};

DadaSink::DadaSink(DadaOptions options, const FrameType& type)
    : impl_(std::make_unique<Impl>(std::move(options), type)) {}
DadaSink::~DadaSink() = default;

void DadaSink::open() {
  impl_->open();
}
void DadaSink::write(const FrameView& frame) {
  impl_->write(frame);
}
void DadaSink::close() {
  impl_->close();
}
std::optional<std::vector<std::byte>> DadaSink::save() const {
  return impl_->save();
}
void DadaSink::resume(std::span<const std::byte> state) {
  impl_->resume(state);
}
void DadaSink::keep_book(const OutputBook& book) {
  impl_->series_.keep_book(book);
}
void DadaSink::note(const std::string& line) {
  impl_->series_.note(line);
}
void DadaSink::begin_file() {
  impl_->series_.begin_file();
}
std::string DadaSink::location() const {
  return impl_->series_.location();
}
std::vector<Counter> DadaSink::counters() const {
  return {{"frames_written", "frames", impl_->frames_.value()},
          {"frames_filled", "frames", impl_->filled_.value()},
          {"values_missing", "values", impl_->missing_.value()},
          {"files", "files", impl_->series_.files()}};
}
std::vector<std::string> DadaSink::warnings() const {
  return impl_->series_.warnings();
}

}  // namespace takt::sensors
