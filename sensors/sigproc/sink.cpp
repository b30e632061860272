#include "sensors/sigproc/sink.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/rounding.hpp"
#include "sensors/frames/frame_time.hpp"
#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

namespace {

/// Bits of a value to which float32 is rounded.
constexpr int integer_bits = 16;

[[noreturn]] void refuse(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("cannot write frames {} to a filterbank file: {}", type.to_string(), why));
}

void read_channels(const FrameType& type, const Axis& axis, SigprocLayout& layout) {
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

SigprocLayout sigproc_layout_of(const FrameType& type) {
  SigprocLayout layout;
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

/// Returns the bits of a value in the file.
int bits_of(const SigprocOptions& options, const FrameType& type, const SigprocLayout& layout) {
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

SigprocHeader header_of(const SigprocOptions& options, const FrameType& type, const SigprocLayout& layout) {
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

std::size_t record_bytes_of(const SigprocLayout& layout, const SigprocHeader& header) {
  return layout.values() * static_cast<std::size_t>(header.nbits) / 8;
}

template <class Value>
void reverse_rows(std::span<const std::byte> bytes, std::size_t columns, std::span<std::byte> reversed) {
  const auto* from = reinterpret_cast<const Value*>(bytes.data());
  auto* to = reinterpret_cast<Value*>(reversed.data());
  for (const auto* end = from + bytes.size() / sizeof(Value); from < end; from += columns, to += columns)
    std::reverse_copy(from, from + columns, to);
}

/// The first value of a byte occupies its lowest bits.
void pack_bits(std::span<const std::byte> values, std::size_t bits, std::span<std::byte> packed) {
  const unsigned most = (1U << bits) - 1;
  const std::size_t values_per_byte = 8 / bits;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    unsigned byte = 0;
    for (std::size_t v = 0; v < values_per_byte; ++v)
      byte |= std::min(std::to_integer<unsigned>(values[i * values_per_byte + v]), most) << (v * bits);
    packed[i] = static_cast<std::byte>(byte);
  }
}

}  // namespace

SigprocSink::SigprocSink(const SigprocOptions& options, const FrameType& type)
    : SigprocSink(options, type, sigproc_layout_of(type), header_of(options, type, sigproc_layout_of(type))) {
}

SigprocSink::SigprocSink(const SigprocOptions& options, const FrameType& type, const SigprocLayout& layout,
                         const SigprocHeader& header)
    : GapFillingSink(options.output, options.missing, type, record_bytes_of(layout, header)),
      layout_(layout),
      header_(header),
      value_bytes_(size_of(type.element)) {
  if (options.source_name.empty() || options.source_name.size() > 80)
    throw ConfigError(
        fmt::format("a source name of {} characters does not fit a filterbank file: expected 1 to 80",
                    options.source_name.size()));
  if (layout_.step_hz > 0) {
    record_.resize(layout_.values() * value_bytes_);
    mask_.resize(layout_.values());
  }
  if (header_.nbits < 8 || header_.nbits == integer_bits) packed_.resize(record_bytes_of(layout_, header_));
}

void SigprocSink::begin() {
  header_.tstart_mjd = mjd_of_utc(first_utc_ns());
  series().append({encode(header_)});
}

std::span<const std::byte> SigprocSink::highest_first(std::span<const std::byte> elements) {
  if (record_.empty()) return elements;
  if (value_bytes_ == 1)
    reverse_rows<std::uint8_t>(elements, layout_.channels, record_);
  else
    reverse_rows<float>(elements, layout_.channels, record_);
  return record_;
}

void SigprocSink::append(const Record& record) {
  const std::span<const std::byte> elements = highest_first(record.elements);
  if (packed_.empty()) return series().append({elements});
  if (header_.nbits == integer_bits)
    values_clipped_.add(round_to<std::uint16_t>(
        {reinterpret_cast<const float*>(elements.data()), elements.size() / sizeof(float)}, 1,
        reinterpret_cast<std::uint16_t*>(packed_.data())));
  else
    pack_bits(elements, static_cast<std::size_t>(header_.nbits), packed_);
  series().append({packed_});
}

std::span<const std::byte> SigprocSink::in_file_order(std::span<const std::byte> mask) {
  if (record_.empty()) return mask;
  reverse_rows<std::uint8_t>(mask, layout_.channels, mask_);
  return mask_;
}

void SigprocSink::save_more(StateWriter& state) const {
  state.add(values_clipped_.value());
}

void SigprocSink::load_more(StateReader& state) {
  std::uint64_t clipped = 0;
  state.get(clipped);
  values_clipped_.set(clipped);
}

std::vector<Counter> SigprocSink::counters() const {
  std::vector<Counter> counters = GapFillingSink::counters();
  if (header_.nbits == integer_bits)
    counters.push_back({"values_clipped", "values", values_clipped_.value()});
  return counters;
}

}  // namespace takt::sensors
