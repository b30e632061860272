// `csv_udp`: a packet format of one's own. A datagram is a line: its number, then a number for each column,
// `17,0.5,-3`. Frames are float32[time][column]; lines that were lost are NaN.

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <takt/sensors/packets/assembler.hpp>
#include <takt/sensors/transport/udp_source.hpp>

#include "csv.hpp"

namespace {

using namespace takt;
using namespace takt::pipeline;
using namespace takt::sensors;

// Describes the frames to the assembler: one lane, `rows` packets per frame, the place of a packet's numbers,
// and the mark of missing ones.
FrameGrid grid_of(const FrameType& type, std::uint32_t index, std::int64_t began_utc_ns) {
  const std::size_t rows = type.axes[0].size, columns = type.axes[1].size, bytes = columns * sizeof(float);
  FrameGrid grid;
  grid.packets = rows;
  grid.ticks_per_second = type.rate_hz * static_cast<double>(rows);
  grid.payload_bytes = bytes;
  grid.part_bytes = bytes;
  grid.source = static_cast<std::uint16_t>(index);
  grid.scatter = [bytes](std::span<const std::byte> numbers, std::size_t, std::size_t row,
                         std::span<std::byte> elements) {
    std::memcpy(elements.data() + row * bytes, numbers.data(), bytes);
  };
  grid.mark_missing = [columns](std::size_t, std::size_t row, std::span<std::byte> elements) {
    const float missing = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
      std::memcpy(elements.data() + i * sizeof missing, &missing, sizeof missing);
  };
  // Lines tell no time: number 0 was when the receiver began.
  grid.utc_of = [began_utc_ns](std::uint64_t number, double lines_per_second) {
    return began_utc_ns + std::llround(static_cast<double>(number) / lines_per_second * 1e9);
  };
  return grid;
}

// The decoder: number and values of a datagram, or why it is none. Everything else is the assembler's.
class CsvBuilder final : public FrameBuilder {
 public:
  CsvBuilder(const FrameType& type, const Assembly& assembly, std::uint32_t index, FrameQueue& frames)
      : values_(type.axes[1].size),
        assembler_(
            grid_of(type, index,
                    std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()),
            assembly, counts_, frames) {}

  bool take(std::size_t, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    const char* at = reinterpret_cast<const char*>(datagram.data());
    const char* end = at + datagram.size();
    std::uint64_t number = 0;
    auto read = std::from_chars(at, end, number);
    for (float& value : values_) {
      if (read.ec != std::errc{} || read.ptr == end || *read.ptr != ',') return refuse();
      read = std::from_chars(read.ptr + 1, end, value);
    }
    if (read.ec != std::errc{} || (read.ptr != end && *read.ptr != '\n')) return refuse();
    assembler_.take(0, number, std::as_bytes(std::span(values_)), now_ns);
    return true;
  }

  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }

  SourceCounters counters() const override {
    SourceCounters counters = counts_.report(1);
    counters.details.push_back({"refused_line", "packets", refused_.value()});
    return counters;
  }

 private:
  bool refuse() {
    refused_.add();
    return false;
  }

  std::vector<float> values_;
  AssemblyCounts counts_;
  Tally refused_;
  Assembler assembler_;
};

std::unique_ptr<Source> make(const Parameters& parameters, std::uint32_t index) {
  UdpOptions options;
  options.ports = {static_cast<std::uint16_t>(parameters.integer("port"))};
  options.idle_timeout = parameters.time("idle_timeout");
  const auto rows = static_cast<std::size_t>(parameters.integer("rows"));
  const auto columns = static_cast<std::size_t>(parameters.integer("columns"));
  PacketFormat format;
  format.name = "CSV";
  format.type.element = ElementType::float32;
  format.type.axes = {{"time", rows, {}}, {"column", columns, {}}};
  format.type.rate_hz = parameters.frequency("rate").hertz / static_cast<double>(rows);
  format.largest_packet = 32 * (columns + 1);
  const Assembly assembly{.window = 64};
  format.window = assembly.window;
  format.open_frames = Assembler::open_frames(rows, assembly);
  format.make_builder = [type = format.type, assembly, index](FrameQueue& frames) {
    return std::make_unique<CsvBuilder>(type, assembly, index, frames);
  };
  return std::make_unique<UdpSource>(options, format);
}

}  // namespace

SourceKind csv_udp_source() {
  return {.name = "csv_udp",
          .summary = "numbered lines of numbers, one a datagram",
          .parameters = {{.name = "port",
                          .type = ParameterType::integer,
                          .help = "where they come, on this computer",
                          .minimum = 1,
                          .maximum = 65535},
                         {.name = "columns",
                          .type = ParameterType::integer,
                          .help = "numbers in a line, without its own",
                          .minimum = 1,
                          .maximum = 1000},
                         {.name = "rate", .type = ParameterType::frequency, .help = "lines a second"},
                         {.name = "rows",
                          .type = ParameterType::integer,
                          .fallback = "4",
                          .help = "lines in a frame",
                          .minimum = 1,
                          .maximum = 1 << 20},
                         {.name = "idle_timeout",
                          .type = ParameterType::time,
                          .fallback = "0",
                          .help = "silence that ends the stream; 0: none"}},
          .is_live = true,
          .make = make};
}
