#include "sensors/psrfits/sink.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/files/fits_cards.hpp"
#include "sensors/frames/frame_time.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t block_of_fits = 2880;
constexpr double hz_per_mhz = 1e6;
/// The limits of the reader.
constexpr std::size_t most_written_channels = 1 << 24, most_written_samples = 1 << 24;

[[noreturn]] void refuse_frames(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("frames {} cannot be a PSRFITS file: {}", type.to_string(), why));
}

void read_channels(const FrameType& type, const Axis& axis, PsrfitsLayout& layout) {
  layout.channels = axis.size;
  if (axis.coordinates.size() != axis.size)
    refuse_frames(
        type,
        fmt::format(
            "the indices of its axis '{}' have no frequencies (does the source have subbands and a band?)",
            axis.name));
  for (const double hertz : axis.coordinates) layout.frequencies_mhz.push_back(hertz / hz_per_mhz);
}

void read_polarisations(const FrameType& type, const Axis& axis, PsrfitsLayout& layout) {
  layout.polarisations = axis.size;
  const bool is_stokes = axis.name == "stokes";
  if (axis.size == 4)
    layout.polarisation_type = is_stokes ? "IQUV" : "AABBCRCI";
  else if (axis.size == 2 && !is_stokes)
    layout.polarisation_type = "AABB";
  else if (axis.size != 1)
    refuse_frames(type, fmt::format("its axis {} has {} indices: expected {}", axis.name, axis.size,
                                    is_stokes ? "1 or 4" : "1, 2 or 4"));
}

std::size_t bits_in_file(const FrameType& type, const PsrfitsSinkOptions& options) {
  const int bits = type.element == ElementType::uint8 ? 8 : 32;
  if (options.bits == 0 || options.bits == bits) return static_cast<std::size_t>(bits);
  if (bits == 32 && options.bits == 8) return 8;
  throw OptionError("bits", fmt::format("elements of {} cannot be {} bits each: expected {}",
                                        name_of(type.element), options.bits, bits == 8 ? "8" : "8 or 32"));
}

PsrfitsLayout psrfits_layout_of(const FrameType& type, const PsrfitsSinkOptions& options) {
  constexpr const char* expected =
      "expected the axes [time][stokes or polarisation][channel], of which the first two may be left out";
  require_unbroken(type);
  if (type.element != ElementType::float32 && type.element != ElementType::uint8)
    refuse_frames(type, fmt::format("its elements are {}: expected float32 or uint8", name_of(type.element)));
  const std::vector<Axis>& axes = type.axes;
  if (axes.empty() || (axes.back().name != "channel" && axes.back().name != "beamlet"))
    refuse_frames(type, expected);
  PsrfitsLayout layout{.polarisation_type = "AA+BB"};
  layout.bits = bits_in_file(type, options);
  if (layout.bits == 8 && options.missing.value == Missing::nan)
    throw OptionError("flags", "codes of 8 bits cannot be NaN: expected zero or hold");
  read_channels(type, axes.back(), layout);
  const Axis* time = nullptr;
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    if (axes[i].name == "time" && i == 0)
      time = &axes[i];
    else if ((axes[i].name == "stokes" || axes[i].name == "polarisation") && i + 2 == axes.size())
      read_polarisations(type, axes[i], layout);
    else
      refuse_frames(type, expected);
  }
  if (time != nullptr) layout.samples = time->size;
  if (type.rate_hz > 0)
    layout.sample_s = 1 / (type.rate_hz * static_cast<double>(layout.samples));
  else if (time != nullptr && time->coordinates.size() > 1)
    layout.sample_s = time->coordinates[1] - time->coordinates[0];
  if (!(layout.sample_s > 0))
    refuse_frames(type, "the time between its samples is not known: its rate is not known");
  if (layout.channels > most_written_channels || layout.samples > most_written_samples)
    refuse_frames(type, fmt::format("expected at most {} channels and {} samples per frame",
                                    most_written_channels, most_written_samples));
  return layout;
}

/// FITS is big-endian.
template <class Value>
std::byte* put_big_endian(std::byte* to, Value value) {
  std::memcpy(to, &value, sizeof value);
  if constexpr (std::endian::native == std::endian::little) std::reverse(to, to + sizeof value);
  return to + sizeof value;
}

void complete_block(std::string& text) {
  text.resize((text.size() + block_of_fits - 1) / block_of_fits * block_of_fits, ' ');
}

struct TableColumn {
  const char* name;
  std::string form;
  const char* unit;
};

std::vector<TableColumn> columns_of(const PsrfitsLayout& layout) {
  const std::size_t channels = layout.channels, all = layout.values_per_sample();
  return {{"TSUBINT", "1D", "s"},
          {"OFFS_SUB", "1D", "s"},
          {"DAT_FREQ", fmt::format("{}D", channels), "MHz"},
          {"DAT_WTS", fmt::format("{}E", channels), ""},
          {"DAT_OFFS", fmt::format("{}E", all), ""},
          {"DAT_SCL", fmt::format("{}E", all), ""},
          {"DATA", fmt::format("{}{}", layout.values(), layout.bits == 8 ? "B" : "E"), ""}};
}

std::int64_t whole(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::size_t PsrfitsLayout::row_bytes() const {
  return 2 * sizeof(double) + channels * (sizeof(double) + sizeof(float)) +
         2 * values_per_sample() * sizeof(float) + values() * bits / 8;
}

PsrfitsSink::PsrfitsSink(const PsrfitsSinkOptions& options, const FrameType& type)
    : PsrfitsSink(options, type, psrfits_layout_of(type, options)) {}

PsrfitsSink::PsrfitsSink(const PsrfitsSinkOptions& options, const FrameType& type, PsrfitsLayout layout)
    : GapFillingSink(options.output, options.missing, type, layout.row_bytes() + block_of_fits - 1),
      options_(options),
      layout_(std::move(layout)),
      is_integer_(type.element == ElementType::uint8) {
  check_fits_text("source_name", options_.source_name);
  check_fits_text("telescope", options_.telescope);
  check_fits_text("backend", options_.backend);
  series().keep_whole_blocks(block_of_fits);
  row_.resize(layout_.row_bytes());
  encode_header();
}

void PsrfitsSink::open() {
  constexpr const char* why =
      "a PSRFITS file cannot go into a pipe, because its header holds the number of rows";
  std::error_code ignored;
  const std::filesystem::path& path = options_.output.path;
  if (std::filesystem::is_fifo(path, ignored)) throw ConfigError(fmt::format("{}: {}", path.string(), why));
  GapFillingSink::open();
  if (series().is_stream()) throw ConfigError(fmt::format("{}: {}", path.string(), why));
}

void PsrfitsSink::encode_header() {
  const std::vector<double>& mhz = layout_.frequencies_mhz;
  const auto channels = static_cast<double>(layout_.channels);
  // The width of a single channel is unknown.
  const double step = mhz.size() > 1 ? (mhz.back() - mhz.front()) / (channels - 1) : 0;
  header_.clear();
  FitsCards cards(header_);
  cards.truth("SIMPLE", true, "FITS")
      .integer("BITPIX", 8, "")
      .integer("NAXIS", 0, "no image")
      .truth("EXTEND", true, "a table follows")
      .text("FITSTYPE", "PSRFITS", "pulsar data")
      .text("HDRVER", "6.1", "version of the definition")
      .text("TELESCOP", options_.telescope, "telescope")
      .text("BACKEND", options_.backend, "recorder")
      .text("OBS_MODE", "SEARCH", "samples in time")
      .text("DATE-OBS", name_at("%Y-%m-%dT%H:%M:%S.%f", first_utc_ns()), "UTC of the first sample")
      .real("OBSFREQ", (mhz.front() + mhz.back()) / 2, "[MHz] centre of the band")
      .real("OBSBW", step * channels, "[MHz] width of the band")
      .integer("OBSNCHAN", whole(layout_.channels), "channels")
      .text("SRC_NAME", options_.source_name, "observed source")
      .start(first_utc_ns())
      .end();
  complete_block(header_);
  const std::vector<TableColumn> columns = columns_of(layout_);
  cards.text("XTENSION", "BINTABLE", "a binary table")
      .integer("BITPIX", 8, "")
      .integer("NAXIS", 2, "")
      .integer("NAXIS1", whole(layout_.row_bytes()), "bytes of a row");
  rows_at_ = header_.size();
  cards.integer("NAXIS2", 0, "rows")
      .integer("PCOUNT", 0, "")
      .integer("GCOUNT", 1, "")
      .integer("TFIELDS", whole(columns.size()), "columns");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    cards.text(fmt::format("TTYPE{}", i + 1), columns[i].name, "")
        .text(fmt::format("TFORM{}", i + 1), columns[i].form, "");
    if (*columns[i].unit != 0) cards.text(fmt::format("TUNIT{}", i + 1), columns[i].unit, "");
  }
  cards
      .text(fmt::format("TDIM{}", columns.size()),
            fmt::format("({},{},{})", layout_.channels, layout_.polarisations, layout_.samples),
            "channels, polarisations, samples")
      .text("EXTNAME", "SUBINT", "")
      .text("INT_TYPE", "TIME", "axis of the rows")
      .text("INT_UNIT", "SEC", "")
      .text("POL_TYPE", layout_.polarisation_type, "polarisations")
      .integer("NPOL", whole(layout_.polarisations), "polarisations")
      .real("TBIN", layout_.sample_s, "[s] between samples")
      .integer("NBIN", 1, "no folded profiles")
      .integer("NBITS", whole(layout_.bits), "bits of a value")
      .real("ZERO_OFF", 0, "value of the code 0")
      .integer("SIGNINT", 0, "codes have no sign")
      .integer("NSUBOFFS", 0, "rows before the first one")
      .integer("NCHAN", whole(layout_.channels), "channels")
      .real("CHAN_BW", step, "[MHz] from channel to channel")
      .integer("NCHNOFFS", 0, "channels before the first one")
      .integer("NSBLK", whole(layout_.samples), "samples in a row")
      .end();
  complete_block(header_);
}

void PsrfitsSink::begin() {
  encode_header();
  series().append({std::as_bytes(std::span(header_))});
}

void PsrfitsSink::settle() {
  rows_card_.clear();
  FitsCards(rows_card_).integer("NAXIS2", static_cast<std::int64_t>(records()), "rows");
  series().rewrite(rows_at_, std::as_bytes(std::span(rows_card_)));
}

void PsrfitsSink::append(const Record& record) {
  const double length = layout_.sample_s * static_cast<double>(layout_.samples);
  std::byte* to = put_big_endian(row_.data(), length);
  to = put_big_endian(to, (static_cast<double>(record.number) + 0.5) * length);
  for (const double mhz : layout_.frequencies_mhz) to = put_big_endian(to, mhz);
  put_weights(record, to);
  if (layout_.bits == 8 && !is_integer_)
    put_scaled(record);
  else
    put_as_they_are(record);
  series().append({row_});
}

void PsrfitsSink::put_weights(const Record& record, std::byte* to) const {
  const std::size_t channels = layout_.channels;
  const auto is_there = [&](std::size_t channel) {
    for (std::size_t i = channel; i < record.mask.size(); i += channels)
      if (record.mask[i] == std::byte{0}) return true;
    return false;
  };
  const bool is_held = record.missing == 0 || options_.missing.value == Missing::hold;
  for (std::size_t c = 0; c < channels; ++c) to = put_big_endian(to, is_held || is_there(c) ? 1.0F : 0.0F);
}

void PsrfitsSink::put_as_they_are(const Record& record) {
  const std::size_t places = layout_.values_per_sample(), data_bytes = layout_.values() * layout_.bits / 8;
  std::byte* const data = row_.data() + row_.size() - data_bytes;
  std::byte* to = data - 2 * places * sizeof(float);
  for (std::size_t i = 0; i < places; ++i) to = put_big_endian(to, 0.0F);
  for (std::size_t i = 0; i < places; ++i) to = put_big_endian(to, 1.0F);
  if (is_integer_) {
    std::ranges::copy(record.elements, to);
    return;
  }
  const auto* const values = reinterpret_cast<const float*>(record.elements.data());
  for (std::size_t i = 0; i < layout_.values(); ++i) to = put_big_endian(to, values[i]);
}

void PsrfitsSink::put_scaled(const Record& record) {
  constexpr double codes = 255;
  const std::size_t places = layout_.values_per_sample();
  const auto* const values = reinterpret_cast<const float*>(record.elements.data());
  std::byte* const data = row_.data() + row_.size() - layout_.values();
  std::byte* const scales = data - places * sizeof(float);
  std::byte* const offsets = scales - places * sizeof(float);
  for (std::size_t place = 0; place < places; ++place) {
    float least = std::numeric_limits<float>::infinity(), largest = -least;
    for (std::size_t i = place; i < layout_.values(); i += places) {
      if (!std::isfinite(values[i])) continue;
      least = std::min(least, values[i]);
      largest = std::max(largest, values[i]);
    }
    // No value is finite.
    if (least > largest) least = largest = 0;
    const auto step = static_cast<float>((static_cast<double>(largest) - static_cast<double>(least)) / codes);
    const float scale = step > 0 ? step : 1;
    put_big_endian(offsets + place * sizeof(float), least);
    put_big_endian(scales + place * sizeof(float), scale);
    for (std::size_t i = place; i < layout_.values(); i += places) {
      const bool is_number = std::isfinite(values[i]);
      if (!is_number && !record.is_lost) clipped_.add();
      const double code = is_number ? (static_cast<double>(values[i]) - static_cast<double>(least)) /
                                          static_cast<double>(scale)
                                    : 0;
      data[i] = static_cast<std::byte>(std::lround(std::clamp(code, 0.0, codes)));
    }
  }
}

void PsrfitsSink::save_more(StateWriter& state) const {
  state.add(clipped_.value());
}

void PsrfitsSink::load_more(StateReader& state) {
  std::uint64_t clipped = 0;
  state.get(clipped);
  clipped_.set(clipped);
}

std::vector<Counter> PsrfitsSink::counters() const {
  std::vector<Counter> counters = GapFillingSink::counters();
  if (layout_.bits == 8 && !is_integer_) counters.push_back({"values_clipped", "values", clipped_.value()});
  return counters;
}

}  // namespace takt::sensors
