#include "sensors/guppi/sink.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/fits_cards.hpp"
#include "sensors/files/rounding.hpp"
#include "sensors/frames/frame_time.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t largest_written_block = std::size_t{1} << 31, most_written_channels = 1 << 20;
constexpr double hz_per_mhz = 1e6;

[[noreturn]] void refuse_frames(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("frames {} cannot be a GUPPI raw file: {}", type.to_string(), why));
}

void read_band(const FrameType& type, GuppiLayout& layout) {
  const std::vector<double>& hz = type.axes[0].coordinates;
  if (hz.empty()) return;
  if (const std::string why = uneven_frequencies(type.axes[0]); !why.empty()) refuse_frames(type, why);
  // The width of a single channel is the rate of its samples.
  const double step =
      hz.size() > 1 ? (hz.back() - hz.front()) / static_cast<double>(hz.size() - 1) : 1 / layout.sample_s;
  layout.centre_hz = (hz.front() + hz.back()) / 2;
  layout.bandwidth_hz = step * static_cast<double>(hz.size());
  if (layout.centre_hz == 0 || layout.bandwidth_hz == 0)
    refuse_frames(type, "its band lies around 0 Hz, and readers take an OBSFREQ of 0 for none");
}

/// Number of cards in a header, and of those for the band.
constexpr std::size_t header_cards = 21, band_cards = 3, card_bytes_written = 80;
std::size_t record_bytes(const GuppiLayout& layout) {
  const std::size_t cards = header_cards + (layout.bandwidth_hz != 0 ? band_cards : 0);
  return cards * card_bytes_written + layout.block_bytes;
}

GuppiLayout guppi_layout_of(const FrameType& type, const GuppiSinkOptions& options) {
  require_unbroken(type);
  if (options.bits != 8 && options.bits != 16)
    throw OptionError("bits", fmt::format("{} bits are not read: expected 8 or 16", options.bits));
  if (options.missing.value == Missing::nan)
    throw OptionError("flags", "integers cannot be NaN: expected zero or hold");
  constexpr std::array<std::string_view, 3> axes{"beamlet", "time", "polarisation"};
  if (type.element != ElementType::complex_float32 || !std::ranges::equal(type.axes, axes, {}, &Axis::name))
    refuse_frames(type, "expected complex_float32[beamlet][time][polarisation]");
  if (!(type.rate_hz > 0))
    refuse_frames(type, "the time between its samples is not known: its rate is not known");
  GuppiLayout layout{.samples = type.axes[1].size,
                     .channels = type.axes[0].size,
                     .polarisations = type.axes[2].size,
                     .block_bytes = type.element_count() * 2 * static_cast<std::size_t>(options.bits) / 8};
  if (layout.polarisations > 2) refuse_frames(type, "it has more than two polarisations");
  if (layout.channels == 1 && layout.polarisations == 1)
    refuse_frames(
        type,
        "a GUPPI header of one channel and one polarisation stands for real samples: expected several "
        "beamlets or two polarisations");
  if (layout.channels > most_written_channels)
    refuse_frames(type, fmt::format("it has more than {} beamlets", most_written_channels));
  if (layout.block_bytes > largest_written_block)
    refuse_frames(type, fmt::format("a frame is a block, of {} bytes: expected at most {}",
                                    layout.block_bytes, largest_written_block));
  layout.sample_s = 1 / (type.rate_hz * static_cast<double>(layout.samples));
  read_band(type, layout);
  return layout;
}

}  // namespace

GuppiSink::GuppiSink(const GuppiSinkOptions& options, const FrameType& type)
    : GuppiSink(options, type, guppi_layout_of(type, options)) {}

GuppiSink::GuppiSink(const GuppiSinkOptions& options, const FrameType& type, const GuppiLayout& layout)
    : GapFillingSink(options.output, options.missing, type, record_bytes(layout)),
      options_(options),
      layout_(layout) {
  check_fits_text("source_name", options_.source_name);
  check_fits_text("telescope", options_.telescope);
  check_fits_text("backend", options_.backend);
  block_.resize(layout_.block_bytes);
}

void GuppiSink::begin() {
  const auto count = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  header_.clear();
  FitsCards cards(header_);
  cards.text("BACKEND", options_.backend, "recorder")
      .text("TELESCOP", options_.telescope, "telescope")
      .text("SRC_NAME", options_.source_name, "observed source");
  if (layout_.bandwidth_hz != 0)
    cards.real("OBSFREQ", layout_.centre_hz / hz_per_mhz, "[MHz] centre of the band")
        .real("OBSBW", layout_.bandwidth_hz / hz_per_mhz, "[MHz] width of the band")
        .real("CHAN_BW", layout_.bandwidth_hz / hz_per_mhz / static_cast<double>(layout_.channels),
              "[MHz] width of a channel");
  // 4 counts real and imaginary parts of two polarisations.
  cards.integer("OBSNCHAN", count(layout_.channels), "channels")
      .integer("NPOL", layout_.polarisations == 2 ? 4 : 1, "4: two polarisations, complex; 1: one")
      .integer("NBITS", options_.bits, "bits of a real or imaginary part")
      .real("TBIN", layout_.sample_s, "[s] between samples")
      .integer("OVERLAP", 0, "samples that blocks have in common")
      .integer("DIRECTIO", 0, "headers are not padded")
      .integer("BLOCSIZE", count(layout_.block_bytes), "bytes of samples in a block")
      .integer("PKTSIZE", count(layout_.block_bytes), "bytes of samples in a packet")
      .integer("PIPERBLK", 1, "packets in a block")
      .start(first_utc_ns())
      .integer("STTVALID", 1, "the start is known");
  common_bytes_ = header_.size();
}

void GuppiSink::encode_header(const Record& record) {
  header_.resize(common_bytes_);
  FitsCards(header_)
      .integer("PKTIDX", static_cast<std::int64_t>(record.number), "number of the block since the start")
      .integer("NPKT", record.is_lost ? 0 : 1, "packets received")
      .integer("NDROP", record.is_lost ? 1 : 0, "packets dropped")
      .real("DROPBLK", static_cast<double>(record.missing) / static_cast<double>(record.mask.size()),
            "share of the block that is missing")
      .end();
}

void GuppiSink::append(const Record& record) {
  const std::span<const float> values(reinterpret_cast<const float*>(record.elements.data()),
                                      record.elements.size() / sizeof(float));
  const auto scale = static_cast<float>(options_.scale);
  const std::size_t clipped = options_.bits == 8
                                  ? round_to(values, scale, reinterpret_cast<std::int8_t*>(block_.data()))
                                  : round_to(values, scale, reinterpret_cast<std::int16_t*>(block_.data()));
  if (!record.is_lost) clipped_.add(clipped);
  encode_header(record);
  series().append({std::as_bytes(std::span(header_)), block_});
}

void GuppiSink::save_more(StateWriter& state) const {
  state.add(clipped_.value()).add(std::uint64_t{common_bytes_}).add(header_);
}

void GuppiSink::load_more(StateReader& state) {
  std::uint64_t clipped = 0, common = 0;
  state.get(clipped).get(common).get(header_);
  clipped_.set(clipped);
  common_bytes_ = common;
}

std::vector<Counter> GuppiSink::counters() const {
  std::vector<Counter> counters = GapFillingSink::counters();
  counters.push_back({"values_clipped", "values", clipped_.value()});
  return counters;
}

}  // namespace takt::sensors
