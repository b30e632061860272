/// How many packets of a LOFAR station can one ingesting thread take, and from where on are some lost?
///
///   build/release/bench/ingest [SECONDS]
///
/// Prints CSV, ratio to a full station (4 lanes, 48,828 packets/s, 3.06 Gbit/s) first. `assembler` is the
/// decoder alone, on packets in memory; `loopback` is the whole way from an emulator over UDP to a thread
/// that takes the frames and gives them back. On loopback the sender shares the cores: rows in which `sent`
/// falls short of what was asked for are limited by it.

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "core/clock.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/emulator/fault_injector.hpp"
#include "sensors/lofar/assembler.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/lofar/udp_source.hpp"

namespace {

using namespace takt::sensors;
using takt::now_ns;

constexpr double station_packets_a_second = 4 * 200e6 / (1024 * 16);

LofarFormat station_format() {
  LofarFormat format;
  format.lanes = 4;
  format.packets = 128;
  return format;
}

struct Row {
  std::string what;
  double seconds = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t lost = 0;
  std::uint64_t kernel_drops = 0;
  std::uint64_t frames_dropped = 0;
};

void print(const Row& row) {
  const double rate = static_cast<double>(row.received) / row.seconds;
  fmt::print("{:.2f},{},{:.0f},{:.2f},{},{},{},{:.4f},{},{}\n", rate / station_packets_a_second, row.what,
             rate, rate * static_cast<double>(station_format().packet_bytes()) * 8e-9, row.sent, row.received,
             row.lost, 100 * static_cast<double>(row.lost) / static_cast<double>(row.sent), row.kernel_drops,
             row.frames_dropped);
}

/// The packets of a second of the station, in memory, after the faults.
struct Packets {
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::size_t, std::size_t>> lane_and_size;
};

Packets packets_in_memory(const Faults& faults) {
  Packets packets;
  LofarSynthesis stream({.format = station_format(), .second = 1656466200, .packets = 4096});
  const LofarCodec codec(200'000'000);
  FaultInjector injector(faults, 4, 1, codec, [&](const LanePacket& packet) {
    packets.bytes.insert(packets.bytes.end(), packet.bytes.begin(), packet.bytes.end());
    packets.lane_and_size.emplace_back(packet.lane, packet.bytes.size());
  });
  while (const auto packet = stream.next()) injector.take(*packet);
  injector.finish();
  return packets;
}

/// Decodes the packets again and again, each time as a stream of its own.
Row assemble(const std::string& what, const Faults& faults, double seconds) {
  const Packets packets = packets_in_memory(faults);
  const LofarFormat format = station_format();
  const Assembly assembly;
  FrameQueue queue(4 * LofarAssembler::open_frames(format, assembly), lofar_frame_type(format).size());
  Row row{.what = what};
  const std::int64_t start = now_ns();
  while (row.seconds < seconds) {
    LofarAssembler assembler(format, assembly, 0, queue);
    std::size_t at = 0;
    for (const auto& [lane, size] : packets.lane_and_size) {
      assembler.take(lane, std::span(packets.bytes).subspan(at, size), 0);
      at += size;
      while (queue.front() != nullptr) queue.take(), queue.pop();
    }
    assembler.finish(0);
    while (queue.front() != nullptr) queue.take(), queue.pop();
    row.sent += 4 * 4096;
    row.received += assembler.counts().received.value();
    row.lost += assembler.counts().lost.value();
    row.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  }
  return row;
}

/// `speed` 0 is as fast as the sender can.
Row receive(double speed, double seconds) {
  LofarUdpOptions options;
  options.address = "127.0.0.1";
  options.ports.assign(4, 0);
  options.format = station_format();
  options.idle_timeout = takt::Time(200'000'000);
  LofarUdpSource source(options);
  source.start();
  for (const std::string& warning : source.warnings()) fmt::print(stderr, "{}\n", warning);
  std::thread pipeline([&] {
    FrameView frame;
    for (SourceState state{}; (state = source.poll(frame)) != SourceState::ended;) {
      if (state == SourceState::frame)
        source.release();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });

  EmulatorOptions emulator;
  for (const std::uint16_t port : source.ports()) emulator.destinations.push_back({"127.0.0.1", port});
  emulator.speed = speed;
  emulator.packets =
      static_cast<std::uint64_t>(seconds * station_packets_a_second / 4 * (speed > 0 ? speed : 4));
  LofarSynthesis stream({.format = options.format, .second = 1656466200});
  const EmulatorReport report = emulate(stream, emulator, std::atomic<bool>(false));
  pipeline.join();

  const SourceCounters counters = source.counters();
  const auto value = [&](std::string_view name) {
    for (const Counter& counter : counters.details)
      if (counter.name == name) return counter.value;
    std::abort();
  };
  return {
      .what = speed > 0 ? fmt::format("loopback at {:g} x real time", speed) : "loopback as fast as possible",
      .seconds = std::chrono::duration<double>(report.elapsed).count(),
      .sent = report.packets,
      .received = value("packets_received"),
      .lost = report.packets - value("packets_received"),
      .kernel_drops = value("kernel_drops"),
      .frames_dropped = counters.dropped};
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  utsname machine{};
  ::uname(&machine);
  fmt::print("# {} {}, {} cores; frames of {}\n", machine.sysname, machine.release,
             std::thread::hardware_concurrency(), lofar_frame_type(station_format()).to_string());
  fmt::print(
      "ratio,what,packets_a_second,gbit_a_second,sent,received,lost,lost_percent,kernel_drops,frames_"
      "dropped\n");
  print(assemble("assembler", {}, seconds));
  print(assemble("assembler with 5 % loss and 10 % out of order", {.drop = 0.05, .reorder = 0.1}, seconds));
  for (const double speed : {1.0, 2.0, 4.0, 0.0}) print(receive(speed, seconds));
}
