#include "sensors/gnuradio/builder.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "core/system/clock.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/numbered_time.hpp"
#include "sensors/streams/item_framer.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t sequence_bytes = 8;
/// For header type 2: the number, and 16 bits of the payload's size.
constexpr std::size_t sequence_and_size_bytes = 10;
/// Fits a datagram.
constexpr std::size_t most_payload = 65'000;

std::size_t packets_of(const GnuradioUdpFormat& format) {
  return format.type.data_size().count / format.payload_bytes;
}

/// Missing datagrams are flagged for integer elements.
FrameType gnuradio_type(const GnuradioUdpFormat& format) {
  FrameType type = format.type;
  if (is_floating(type.element)) return type;
  for (const Axis& axis : type.axes) {
    if (axis.name == "time") break;
    type.parts.push_back(1);
  }
  type.parts.push_back(packets_of(format));
  return type;
}

FrameGrid gnuradio_grid(const GnuradioUdpFormat& format, std::uint32_t source) {
  FrameGrid grid{.packets = packets_of(format),
                 .ticks_per_second = format.type.rate_hz * static_cast<double>(packets_of(format)),
                 .payload_bytes = format.payload_bytes,
                 .part_bytes = format.payload_bytes,
                 .source = static_cast<std::uint16_t>(source)};
  if (!is_floating(format.type.element)) return grid;
  // Flow graphs may produce NaN, by a division by 0.
  grid.find_nan = [type = format.type](std::span<std::byte> elements, FrameHeader& header) {
    return mark_nan(type, elements, header);
  };
  const std::size_t bytes = format.payload_bytes;
  const bool is_double = format.type.element == ElementType::float64;
  grid.scatter = [bytes](std::span<const std::byte> payload, std::size_t, std::size_t packet,
                         std::span<std::byte> elements) {
    std::memcpy(elements.data() + packet * bytes, payload.data(), bytes);
  };
  grid.mark_missing = [bytes, is_double](std::size_t, std::size_t packet, std::span<std::byte> elements) {
    std::byte* const to = elements.data() + packet * bytes;
    if (is_double)
      std::fill_n(reinterpret_cast<double*>(to), bytes / sizeof(double), std::nan(""));
    else
      std::fill_n(reinterpret_cast<float*>(to), bytes / sizeof(float),
                  std::numeric_limits<float>::quiet_NaN());
  };
  return grid;
}

class GnuradioBuilder final : public FrameBuilder {
 public:
  GnuradioBuilder(const GnuradioUdpFormat& format, const Assembly& assembly, std::uint32_t source,
                  FrameQueue& frames)
      : format_(format),
        numbers_(format.type.rate_hz * static_cast<double>(packets_of(format)), 1),
        grid_(timed_grid(source)),
        assembler_(grid_, assembly, counts_, frames) {}

  bool take(std::size_t, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    const std::size_t prefix = format_.has_sequence ? sequence_bytes : 0;
    if (datagram.empty()) {
      end_marks_.add();
      return false;
    }
    if (datagram.size() != prefix + format_.payload_bytes) {
      refused_size_.add();
      other_size_.set(datagram.size());
      return false;
    }
    std::uint64_t number = ++arrived_;
    if (format_.has_sequence) std::memcpy(&number, datagram.data(), sizeof number);
    assembler_.take(0, numbers_.place_of(number, utc_now()), datagram.subspan(prefix), now_ns);
    return true;
  }

  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }

  void captured_at(std::int64_t utc_ns) override { captured_ns_ = utc_ns; }

  [[nodiscard]] SourceCounters counters() const override {
    SourceCounters counters = counts_.report(1);
    counters.details.push_back({"refused_size", "packets", refused_size_.value()});
    counters.details.push_back({"end_marks", "packets", end_marks_.value()});
    return counters;
  }
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const override {
    std::vector<std::string> warnings = lane_warnings(counts_, lanes);
    if (counts_.received.value() == 0 && other_size_.value() > 0) warnings.push_back(size_warning());
    return warnings;
  }

 private:
  /// Returns what to change if no datagram has the expected length.
  [[nodiscard]] std::string size_warning() const {
    const std::uint64_t size = other_size_.value(), payload = format_.payload_bytes;
    std::string hint = "see 'payload' and 'header'";
    if (size == payload) hint = "without a number before the samples: 'header: none'";
    if (size == payload + sequence_bytes) hint = "with a number before the samples: 'header: sequence'";
    if (size == payload + sequence_and_size_bytes)
      hint = "as with header type 2 (number and size), which is not supported: set type 1 in the sink";
    return fmt::format("datagrams have {} bytes: expected {}: {}", size,
                       payload + (format_.has_sequence ? sequence_bytes : 0), hint);
  }

  FrameGrid timed_grid(std::uint32_t source) {
    FrameGrid grid = gnuradio_grid(format_, source);
    grid.utc_of = [this](std::uint64_t tick, double ticks_per_second) -> std::int64_t {
      const auto datagrams = static_cast<long double>(numbers_.since_1970(tick));
      return std::llround(datagrams / static_cast<long double>(ticks_per_second) * 1e9L);
    };
    return grid;
  }

  /// Returns the arrival time of a datagram, if known.
  [[nodiscard]] std::int64_t utc_now() const { return captured_ns_ ? *captured_ns_ : utc_now_ns(); }

  const GnuradioUdpFormat format_;
  NumberedTime numbers_;
  const FrameGrid grid_;
  AssemblyCounts counts_;
  Tally refused_size_, end_marks_, other_size_;
  /// For recordings.
  std::optional<std::int64_t> captured_ns_;
  std::uint64_t arrived_ = 0;
  Assembler assembler_;
};

}  // namespace

void validate(const GnuradioUdpFormat& format) {
  const std::size_t rows = stream_rows(format.type), row = format.type.data_size().count / rows;
  if (format.payload_bytes < 1 || format.payload_bytes > most_payload || format.payload_bytes % row != 0 ||
      format.type.data_size().count % format.payload_bytes != 0)
    throw OptionError(
        "payload", fmt::format("a payload of {} bytes is not valid: expected whole samples of {} bytes, and "
                               "a whole number of payloads in a frame of {}",
                               format.payload_bytes, row, format.type.data_size().count));
  if (!(format.type.rate_hz > 0))
    throw OptionError("rate", "the rate of frames is not known, but the times of samples need it");
}

PacketFormat gnuradio_packets(const GnuradioUdpFormat& format, const Assembly& assembly,
                              std::uint32_t source) {
  validate(format);
  validate(assembly);
  return {.name = "GNU Radio",
          .type = gnuradio_type(format),
          .largest_packet = format.payload_bytes + sequence_bytes,
          .open_frames = Assembler::open_frames(packets_of(format), assembly),
          .window = assembly.window,
          .make_builder = [=](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<GnuradioBuilder>(format, assembly, source, frames);
          }};
}

}  // namespace takt::sensors
