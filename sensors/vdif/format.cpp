#include "sensors/vdif/format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/vdif/samples.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t most_channels = 1 << 16;
constexpr std::size_t largest_payload = 1 << 27;
constexpr unsigned largest_thread = 1023;
/// The header's frame numbers have 24 bits.
constexpr double most_packets_per_second = (1 << 24) - 1;

void check_time(const VdifFormat& format) {
  if (!(format.sample_hz > 0) || !std::isfinite(format.sample_hz))
    throw OptionError("sample_rate",
                      "the sample rate is not known: expected complete samples per second of each channel, "
                      "for example 32 MHz");
  const double packets = format.sample_hz / static_cast<double>(format.samples());
  if (packets > most_packets_per_second || packets < 1 ||
      std::abs(packets - std::round(packets)) > 1e-9 * packets)
    throw OptionError("sample_rate",
                      fmt::format("packets of {} samples at {} samples/s are {} packets/s: expected a whole "
                                  "number from 1 to {:.0f}, by which VDIF counts time",
                                  format.samples(), format.sample_hz, packets, most_packets_per_second));
}

}  // namespace

std::size_t VdifFormat::samples() const {
  return vdif_samples(payload_bytes, bits, numbers_per_sample());
}

std::int64_t VdifFormat::packets_per_second() const {
  return std::llround(sample_hz / static_cast<double>(samples()));
}

void validate(const VdifFormat& format) {
  if (format.threads.empty() || format.threads.size() > most_lanes)
    throw OptionError(
        "threads", fmt::format("{} threads are given: expected 1 to {}", format.threads.size(), most_lanes));
  for (std::size_t i = 0; i < format.threads.size(); ++i) {
    if (format.threads[i] > largest_thread)
      throw OptionError("threads", fmt::format("thread {} does not exist: expected 0 to {}",
                                               format.threads[i], largest_thread));
    for (std::size_t j = 0; j < i; ++j)
      if (format.threads[i] == format.threads[j])
        throw OptionError("threads", fmt::format("thread {} is given twice", format.threads[i]));
  }
  if (!std::has_single_bit(format.channels) || format.channels > most_channels)
    throw OptionError("channels",
                      fmt::format("{} channels are not valid: expected a power of two from 1 to {}",
                                  format.channels, most_channels));
  if (format.bits < 1 || format.bits > 32)
    throw OptionError("bits", fmt::format("samples of {} bits are not valid: expected 1 to 32", format.bits));
  if (format.payload_bytes < 8 || format.payload_bytes % 8 != 0 || format.payload_bytes > largest_payload)
    throw OptionError("payload",
                      fmt::format("a payload of {} bytes is not valid: expected a multiple of 8 from 8 "
                                  "to {}",
                                  format.payload_bytes, largest_payload));
  if (format.samples() == 0)
    throw OptionError("payload", fmt::format("{} bytes are too small for a sample of {} channels of {} bits",
                                             format.payload_bytes, format.channels, format.bits));
  if (format.packets < 1)
    throw OptionError("packets", "a frame of 0 packets is not valid: expected 1 or more");
  if ((format.polarisations != 1 && format.polarisations != 2) ||
      format.threads.size() % format.polarisations != 0)
    throw OptionError(
        "polarisations",
        fmt::format(
            "{} threads of {} polarisations are not valid: expected 1, or 2 and an even number of threads",
            format.threads.size(), format.polarisations));
  check_time(format);
  constexpr double most_numbers = 536870911;
  if (static_cast<double>(format.threads.size() * format.packets) *
          static_cast<double>(format.samples() * format.numbers_per_sample()) >
      most_numbers)
    throw OptionError("packets", "frames of more than 2 GiB are not valid: expected fewer packets");
}

FrameType vdif_frame_type(const VdifFormat& format) {
  validate(format);
  FrameType type;
  type.element = format.is_complex ? ElementType::complex_float32 : ElementType::float32;
  type.unit = "counts";
  const std::size_t samples = format.packets * format.samples();
  type.rate_hz = format.sample_hz / static_cast<double>(samples);
  Axis beamlet{"beamlet", format.threads.size() / format.polarisations * format.channels, {}};
  for (std::size_t i = 0; format.frequency_hz != 0 && i < beamlet.size; ++i)
    beamlet.coordinates.push_back(format.frequency_hz + static_cast<double>(i) * format.spacing_hz);
  Axis time{"time", samples, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) / format.sample_hz);
  type.axes = {std::move(beamlet), std::move(time), Axis{"polarisation", format.polarisations, {}}};
  return type;
}

std::string_view name_of(VdifVerdict verdict) {
  constexpr std::array<std::string_view, vdif_verdict_count> names{"good",  "size",    "header", "sampling",
                                                                   "frame", "station", "thread", "invalid"};
  return names[static_cast<std::size_t>(verdict)];
}

VdifVerdict judge(std::span<const std::byte> packet, const VdifFormat& format, VdifHeader& header,
                  std::size_t& lane) {
  if (packet.size() < vdif_legacy_bytes) return VdifVerdict::size;
  header = decode_vdif(packet);
  const auto thread = std::ranges::find(format.threads, header.thread);
  if (thread != format.threads.end()) lane = static_cast<std::size_t>(thread - format.threads.begin());
  if (header.is_invalid && packet.size() == format.header_bytes() + format.payload_bytes)
    return VdifVerdict::invalid;
  if (header.is_legacy != format.is_legacy ||
      (header.extended_version == 3 && header.sync_word != vdif_sync_word) ||
      header.extended_version == vdif_edv_mark5b)
    return VdifVerdict::header;
  if (header.frame_bytes != format.header_bytes() + format.payload_bytes ||
      packet.size() != header.frame_bytes)
    return VdifVerdict::size;
  if (header.bits != format.bits || header.is_complex != format.is_complex || header.log2_channels > 31 ||
      std::size_t{1} << header.log2_channels != format.channels)
    return VdifVerdict::sampling;
  if (header.frame >= format.packets_per_second()) return VdifVerdict::frame;
  if (format.station && header.station != *format.station) return VdifVerdict::station;
  if (thread == format.threads.end()) return VdifVerdict::thread;
  return VdifVerdict::good;
}

}  // namespace takt::sensors
