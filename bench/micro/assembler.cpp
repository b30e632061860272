/// How long does the assembler take per packet of a LOFAR station, in order and with faults?

#include "sensors/lofar/assembler.hpp"

#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "sensors/emulator/fault_injector.hpp"
#include "sensors/lofar/synthesis.hpp"

namespace takt::sensors {
namespace {

constexpr std::uint64_t packets_of_a_lane = 1024;

LofarFormat station_format() {
  LofarFormat format;
  format.lanes = 4;
  format.packets = 128;
  return format;
}

/// Packets in memory, one after another.
struct Packets {
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::size_t, std::size_t>> lane_and_size;
};

Packets packets_with(const Faults& faults) {
  Packets packets;
  LofarSynthesis stream({.format = station_format(), .second = 1656466200, .packets = packets_of_a_lane});
  const LofarCodec codec(200'000'000);
  FaultInjector injector(faults, station_format().lanes, 1, codec, [&](const LanePacket& packet) {
    packets.bytes.insert(packets.bytes.end(), packet.bytes.begin(), packet.bytes.end());
    packets.lane_and_size.emplace_back(packet.lane, packet.bytes.size());
  });
  while (const auto packet = stream.next()) injector.take(*packet);
  injector.finish();
  return packets;
}

void assembler(benchmark::State& state, const Faults& faults) {
  const Packets packets = packets_with(faults);
  const LofarFormat format = station_format();
  const Assembly assembly;
  FrameQueue queue(4 * LofarAssembler::open_frames(format, assembly), lofar_frame_type(format).size());
  for (auto _ : state) {
    LofarAssembler assembler(format, assembly, 0, queue);
    std::size_t at = 0;
    for (const auto& [lane, size] : packets.lane_and_size) {
      assembler.take(lane, std::span(packets.bytes).subspan(at, size), 0);
      at += size;
      while (queue.front() != nullptr) queue.pop();
    }
    assembler.finish(0);
    while (queue.front() != nullptr) queue.pop();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(packets.lane_and_size.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(packets.bytes.size()));
}
BENCHMARK_CAPTURE(assembler, in_order, Faults{})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(assembler, with_faults, Faults{.drop = 0.01, .duplicate = 0.001, .reorder = 0.01})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace takt::sensors
