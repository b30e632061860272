#include "sensors/dada/sink.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/frames/frame_time.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t header_bytes = 4096;
constexpr std::int64_t second_ns = 1'000'000'000;
[[noreturn]] void refuse(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("cannot write frames {} to a PSRDADA file: {}", type.to_string(), why));
}

bool has_axes(const FrameType& type, std::initializer_list<std::string_view> names) {
  return std::ranges::equal(type.axes, names, {}, &Axis::name);
}

void read_frequencies(const FrameType& type, const Axis& axis, DadaLayout& layout) {
  const std::vector<double>& hz = axis.coordinates;
  if (hz.size() < 2) return;
  if (const std::string why = uneven_frequencies(axis); !why.empty()) refuse(type, why);
  const double step = (hz.back() - hz.front()) / static_cast<double>(hz.size() - 1);
  layout.centre_hz = (hz.front() + hz.back()) / 2;
  layout.bandwidth_hz = step * static_cast<double>(hz.size());
}

DadaLayout dada_layout_of(const FrameType& type) {
  DadaLayout layout;
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

std::string encode(const DadaOptions& options, const DadaLayout& layout, std::int64_t utc_ns) {
  const std::int64_t second = utc_ns / second_ns * second_ns;
  const std::size_t row = layout.channels * layout.run() * sizeof(float);
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

/// Transposes [channel][time] to [time][channel], `run` values each.
template <class Value>
void put_time_first(const DadaLayout& layout, std::size_t run, const Value* from, Value* to) {
  for (std::size_t c = 0; c < layout.channels; ++c)
    for (std::size_t t = 0; t < layout.samples; ++t, from += run)
      std::copy_n(from, run, to + (t * layout.channels + c) * run);
}

}  // namespace

DadaSink::DadaSink(const DadaOptions& options, const FrameType& type)
    : DadaSink(options, type, dada_layout_of(type)) {}

DadaSink::DadaSink(const DadaOptions& options, const FrameType& type, const DadaLayout& layout)
    : GapFillingSink(options.output, options.missing, type, layout.record_bytes()),
      options_(options),
      layout_(layout) {
  (void)encode(options_, layout_, 0);
  if (layout_.dimensions == 1) return;
  record_.resize(layout_.record_bytes() / sizeof(float));
  mask_.resize(record_.size() / layout_.dimensions);
}

void DadaSink::begin() {
  const std::string header = encode(options_, layout_, first_utc_ns());
  series().append({std::as_bytes(std::span(header))});
}

void DadaSink::append(const Record& record) {
  if (record_.empty()) return series().append({record.elements});
  put_time_first(layout_, layout_.run(), reinterpret_cast<const float*>(record.elements.data()),
                 record_.data());
  series().append({std::as_bytes(std::span(record_))});
}

std::span<const std::byte> DadaSink::in_file_order(std::span<const std::byte> mask) {
  if (record_.empty()) return mask;
  put_time_first(layout_, layout_.polarisations, mask.data(), mask_.data());
  return mask_;
}

}  // namespace takt::sensors
