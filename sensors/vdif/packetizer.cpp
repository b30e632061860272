#include "sensors/vdif/packetizer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/frames/frame_time.hpp"
#include "sensors/vdif/format.hpp"
#include "sensors/vdif/samples.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t most_threads = 1024;
constexpr std::size_t usual_payload = 8000;
constexpr std::int64_t ns_per_second = 1'000'000'000;
/// Extended data version 1 represents rates below this, in kHz or MHz.
constexpr double most_rate = 1 << 23;

[[noreturn]] void refuse_vdif(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("cannot write frames {} as VDIF: {}", type.to_string(), why));
}

/// Reports whether packets of this many bytes fit frames of `samples`, and seconds.
bool payload_fits(VdifFormat& format, std::size_t bytes, std::size_t samples) {
  format.payload_bytes = bytes;
  const std::size_t in_packet = format.samples();
  if (in_packet == 0 || samples % in_packet != 0) return false;
  const double packets = format.sample_hz / static_cast<double>(in_packet);
  return packets >= 1 && std::abs(packets - std::round(packets)) <= 1e-9 * packets && packets < (1 << 24) - 1;
}

VdifFormat format_of(const VdifPacketOptions& options, const FrameType& type) {
  const bool has_axes = std::ranges::equal(
      type.axes, std::initializer_list<std::string_view>{"beamlet", "time", "polarisation"}, {}, &Axis::name);
  if (!has_axes || (type.element != ElementType::float32 && type.element != ElementType::complex_float32))
    refuse_vdif(type, "expected float32 or complex_float32 [beamlet][time][polarisation]");
  require_unbroken(type);
  if (!(type.rate_hz > 0)) refuse_vdif(type, "its sample rate is not known, since its rate is not known");
  if (type.axes[0].size * type.axes[2].size > most_threads)
    refuse_vdif(type,
                fmt::format("each beamlet and polarisation is a thread: expected {} at most", most_threads));
  VdifFormat format;
  format.bits = options.bits;
  format.is_complex = type.element == ElementType::complex_float32;
  const std::size_t samples = type.axes[1].size;
  // Rates are frames per second, with the rounding of a division.
  const double hz = type.rate_hz * static_cast<double>(samples);
  format.sample_hz = std::abs(hz - std::round(hz)) < 1e-9 * hz ? std::round(hz) : hz;
  format.packets = 1;
  if (options.payload_bytes > 0) {
    if (!payload_fits(format, options.payload_bytes, samples))
      refuse_vdif(type,
                  fmt::format("a payload of {} bytes is {} samples: expected a number that divides the {} "
                              "samples of a frame and the {} of a second",
                              options.payload_bytes, format.samples(), samples, format.sample_hz));
    return format;
  }
  for (std::size_t bytes = usual_payload; bytes > 0; bytes -= 8)
    if (payload_fits(format, bytes, samples)) return format;
  refuse_vdif(type,
              fmt::format("no payload up to {} bytes has a number of samples that divides the {} samples of "
                          "a frame and the {} of a second",
                          usual_payload, samples, format.sample_hz));
}

}  // namespace

class VdifPacketizer::Impl {
 public:
  Impl(const VdifPacketOptions& options, const FrameType& type)
      : options_(options),
        format_(format_of(options_, type)),
        samples_(format_.bits, format_.numbers_per_sample()),
        beamlets_(type.axes[0].size),
        times_(type.axes[1].size),
        polarisations_(type.axes[2].size),
        packets_(times_ / format_.samples()) {
    if (options_.bits < 1 || options_.bits > 32)
      throw ConfigError(fmt::format("samples of {} bits are not valid: expected 1 to 32", options_.bits));
    if (!(options_.scale > 0) || !std::isfinite(options_.scale))
      throw ConfigError(fmt::format("a scale of {} is not valid: expected a number above 0", options_.scale));
  }

  std::span<const std::byte> packets_of(const FrameView& frame) {
    numbers_.resize(format_.samples() * format_.numbers_per_sample());
    record_.resize(packets_ * beamlets_ * polarisations_ * format_.packet_bytes());
    const auto packets_per_second = format_.packets_per_second();
    const std::int64_t second = frame.header->utc_ns / ns_per_second;
    const double beyond = static_cast<double>(frame.header->utc_ns % ns_per_second) *
                          static_cast<double>(packets_per_second) / 1e9;
    const std::int64_t first = second * packets_per_second + std::llround(beyond);
    largest_shift_.raise_to(static_cast<std::uint64_t>(std::abs(beyond - std::round(beyond)) * 1e9 /
                                                       static_cast<double>(packets_per_second)));
    std::size_t at = 0;
    for (std::size_t packet = 0; packet < packets_; ++packet)
      for (std::size_t beamlet = 0; beamlet < beamlets_; ++beamlet)
        for (std::size_t polarisation = 0; polarisation < polarisations_; ++polarisation) {
          put(frame, first + static_cast<std::int64_t>(packet), packet, beamlet, polarisation,
              std::span(record_).subspan(at, format_.packet_bytes()));
          at += format_.packet_bytes();
        }
    return record_;
  }

  [[nodiscard]] std::size_t packet_bytes() const { return format_.packet_bytes(); }

  void load(StateReader& state) {
    for (Tally* count : {&made_, &invalid_, &largest_shift_}) {
      std::uint64_t value = 0;
      state.get(value);
      count->set(value);
    }
  }

  Tally made_, invalid_, largest_shift_;

 private:
  void put(const FrameView& frame, std::int64_t number, std::size_t packet, std::size_t beamlet,
           std::size_t polarisation, std::span<std::byte> to) {
    const std::size_t parts = format_.is_complex ? 2 : 1, count = format_.samples();
    const float* const from = frame.as<float>().data() +
                              ((beamlet * times_ + packet * count) * polarisations_ + polarisation) * parts;
    bool is_whole = true;
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t part = 0; part < parts; ++part) {
        const float value = from[t * polarisations_ * parts + part];
        is_whole = is_whole && !std::isnan(value);
        numbers_[t * parts + part] = static_cast<float>(value * options_.scale);
      }
    samples_.encode(numbers_, to.subspan(format_.header_bytes()));
    const VdifTime time = vdif_time(number / format_.packets_per_second());
    VdifHeader header;
    header.is_invalid = !is_whole;
    header.second = time.second;
    header.epoch = time.epoch;
    header.frame = static_cast<std::uint32_t>(number % format_.packets_per_second());
    header.frame_bytes = static_cast<std::uint32_t>(to.size());
    header.is_complex = format_.is_complex;
    header.bits = format_.bits;
    header.thread = static_cast<std::uint16_t>(beamlet * polarisations_ + polarisation);
    header.station = options_.station;
    put_rate(header);
    encode_vdif(header, to);
    made_.add();
    if (!is_whole) invalid_.add();
  }

  /// Sets extended data version 1 if it can represent the rate.
  void put_rate(VdifHeader& header) const {
    const double bandwidth = format_.is_complex ? format_.sample_hz : format_.sample_hz / 2;
    for (const auto& [unit, flag] : {std::pair(1e6, 1U << 23), std::pair(1e3, 0U)}) {
      const double rate = bandwidth / unit;
      if (rate != std::round(rate) || rate < 1 || rate >= most_rate) continue;
      header.extended_version = 1;
      header.extended_data = static_cast<std::uint32_t>(rate) | flag;
      header.sync_word = vdif_sync_word;
      return;
    }
  }

  const VdifPacketOptions options_;
  const VdifFormat format_;
  const VdifSamples samples_;
  const std::size_t beamlets_, times_, polarisations_;
  /// Packets of each thread in a frame.
  const std::size_t packets_;
  std::vector<float> numbers_;
  std::vector<std::byte> record_;
};

VdifPacketizer::VdifPacketizer(const VdifPacketOptions& options, const FrameType& type)
    : impl_(std::make_unique<Impl>(options, type)) {}
VdifPacketizer::~VdifPacketizer() = default;

std::span<const std::byte> VdifPacketizer::packets_of(const FrameView& frame) {
  return impl_->packets_of(frame);
}
std::size_t VdifPacketizer::packet_bytes() const {
  return impl_->packet_bytes();
}
const Tally& VdifPacketizer::made() const {
  return impl_->made_;
}
const Tally& VdifPacketizer::invalid() const {
  return impl_->invalid_;
}
const Tally& VdifPacketizer::largest_shift() const {
  return impl_->largest_shift_;
}

void VdifPacketizer::save(StateWriter& state) const {
  state.add(made().value()).add(invalid().value()).add(largest_shift().value());
}
void VdifPacketizer::load(StateReader& state) {
  impl_->load(state);
}

}  // namespace takt::sensors
