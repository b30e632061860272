#include "sensors/lofar/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t mhz = 1'000'000;
/// The offset is the lower edge of the band's Nyquist zone: (zone - 1) * clock / 2.
constexpr std::array<LofarBand, 4> bands{{{"LBA", 0, 0},
                                          {"HBA_110_190", 100e6, 200 * mhz},
                                          {"HBA_170_230", 160e6, 160 * mhz},
                                          {"HBA_210_250", 200e6, 200 * mhz}}};

constexpr std::size_t samples_per_packet = 16;
constexpr int subbands_per_band = 512;

const LofarBand* find_band(std::string_view name) {
  const auto found =
      std::find_if(bands.begin(), bands.end(), [&](const LofarBand& band) { return band.name == name; });
  return found == bands.end() ? nullptr : &*found;
}

/// 61 with 16 bits.
std::size_t most_beamlets(int bits) {
  return std::size_t{976} / static_cast<std::size_t>(bits);
}

void validate_subbands(const LofarFormat& format) {
  if (format.subbands.empty()) {
    if (!format.band.empty() && !find_band(format.band))
      throw OptionError(
          "band", unknown_name("band", format.band, {"LBA", "HBA_110_190", "HBA_170_230", "HBA_210_250"}));
    return;
  }
  if (format.subbands.size() != format.lanes * format.beamlets)
    throw OptionError(
        "subbands",
        fmt::format("{} subbands are given: expected one for each of {} lanes x {} beamlets = {}",
                    format.subbands.size(), format.lanes, format.beamlets, format.lanes * format.beamlets));
  for (const int subband : format.subbands)
    if (subband < 0 || subband >= subbands_per_band)
      throw OptionError("subbands", fmt::format("subband {} does not exist: expected 0 to {}", subband,
                                                subbands_per_band - 1));
  if (format.band.empty())
    throw OptionError("band",
                      "the sky frequencies of subbands need a band: expected band: LBA, HBA_110_190, "
                      "HBA_170_230 or HBA_210_250");
  const LofarBand* band = find_band(format.band);
  if (!band)
    throw OptionError(
        "band", unknown_name("band", format.band, {"LBA", "HBA_110_190", "HBA_170_230", "HBA_210_250"}));
  if (band->clock_hz != 0 && band->clock_hz != format.clock_hz)
    throw OptionError("clock", fmt::format("band {} is observed with a clock of {} MHz, not {} MHz",
                                           band->name, band->clock_hz / mhz, format.clock_hz / mhz));
}

}  // namespace

std::span<const LofarBand> lofar_bands() {
  return bands;
}

void validate(const LofarFormat& format) {
  if (format.lanes < 1 || format.lanes > 4)
    throw OptionError("lanes", fmt::format("{} lanes are given: expected 1 to 4", format.lanes));
  if (format.bits != 16 && format.bits != 8 && format.bits != 4)
    throw OptionError("bits",
                      fmt::format("samples of {} bits do not exist: expected 16, 8 or 4", format.bits));
  if (format.clock_hz != 200 * mhz && format.clock_hz != 160 * mhz)
    throw OptionError("clock", fmt::format("a clock of {} Hz does not exist: expected 200 MHz or 160 MHz",
                                           format.clock_hz));
  if (format.beamlets < 1 || format.beamlets > most_beamlets(format.bits))
    throw OptionError("beamlets",
                      fmt::format("{} beamlets do not fit a packet of {}-bit samples: expected 1 to {}",
                                  format.beamlets, format.bits, most_beamlets(format.bits)));
  if (format.packets < 1)
    throw OptionError("packets", "a frame of 0 packets is not valid: expected 1 or more packets");
  validate_subbands(format);
}

std::vector<int> parse_subbands(std::span<const std::string> ranges) {
  std::vector<int> subbands;
  for (const std::string& range : ranges) {
    const std::size_t dots = range.find("..");
    const std::string_view first = std::string_view(range).substr(0, dots);
    const std::string_view last =
        dots == std::string::npos ? first : std::string_view(range).substr(dots + 2);
    const auto number = [&](std::string_view text) {
      int value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value >= subbands_per_band)
        throw ConfigError(
            fmt::format("'{}' is not a range of subbands: expected for example 12..133 or 200, each 0 to {}",
                        range, subbands_per_band - 1));
      return value;
    };
    const int from = number(first);
    const int to = number(last);
    if (to < from)
      throw ConfigError(
          fmt::format("the range of subbands '{}' runs backwards: expected {}..{}", range, to, from));
    for (int subband = from; subband <= to; ++subband) subbands.push_back(subband);
  }
  return subbands;
}

FrameType lofar_frame_type(const LofarFormat& format) {
  validate(format);
  const auto clock = static_cast<double>(format.clock_hz);
  FrameType type;
  type.element = format.bits == 16 ? ElementType::complex_int16 : ElementType::complex_int8;
  type.unit = "counts";
  type.rate_hz = clock / (1024.0 * static_cast<double>(samples_per_packet * format.packets));

  Axis packet{"packet", format.packets, {}};
  for (std::size_t p = 0; p < format.packets; ++p)
    packet.coordinates.push_back(static_cast<double>(1024 * samples_per_packet * p) / clock);
  Axis beamlet{"beamlet", format.lanes * format.beamlets, {}};
  if (!format.subbands.empty()) {
    const double offset = find_band(format.band)->offset_hz;
    for (const int subband : format.subbands) beamlet.coordinates.push_back(offset + subband * clock / 1024);
  }
  Axis time{"time", samples_per_packet, {}};
  for (std::size_t t = 0; t < samples_per_packet; ++t)
    time.coordinates.push_back(static_cast<double>(1024 * t) / clock);
  type.axes = {std::move(packet), std::move(beamlet), std::move(time), Axis{"polarisation", 2, {}}};
  type.parts = {format.packets, format.lanes};
  return type;
}

}  // namespace takt::sensors
