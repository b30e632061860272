/// How close does receiving into frames come to the highest rate of the operating system?
///
///   build/release/bench/ingest [SECONDS [ROUNDS]]
///
/// Prints CSV, ratios first: packets/s, and packets per second of processor time. Two bare recvmmsg loops are
/// the reference; one discards its packets, the other keeps them in memory as large as takt's frames.
/// Boost.Asio's async_receive_from is measured too. `segments` above 1: the sender passes that many packets
/// to the kernel as one (GSO). On loopback the sender shares the memory; where few packets are lost, it is
/// the bottleneck and the ratios of processor time count. Last: a station of four lanes in real time.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "bench/ingest/receivers.hpp"
#include "bench/ingest/sender.hpp"
#include "core/system/clock.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/lofar/udp_source.hpp"

namespace {

using namespace takt;

struct Named {
  std::string_view name;
  bench::Outcome (*run)(const bench::Task& task);
};

/// Receivers in the order of a round.
constexpr std::array receivers{Named{"recvmmsg, discards", bench::receive_and_discard},
                               Named{"recvmmsg, keeps", bench::receive_and_keep},
                               Named{"recvmmsg + UDP_GRO, discards", bench::receive_coalesced},
                               Named{"async_receive_from", bench::receive_with_asio},
                               Named{"takt, gro: false", bench::receive_frames},
                               Named{"takt", bench::receive_frames_coalesced},
                               Named{"takt, receivers: 2", bench::receive_frames_apart}};

/// Returns a format with a header of 16 bytes and a payload of 16 x 64 or 122 x 64 bytes.
sensors::LofarFormat format_of(std::size_t beamlets) {
  sensors::LofarFormat format;
  format.lanes = 1;
  format.beamlets = beamlets;
  format.packets = 128;
  return format;
}

double rate_of(const bench::Outcome& outcome) {
  return static_cast<double>(outcome.received) / outcome.seconds;
}

/// Returns the packets/s that a thread could receive if it never waited.
double capacity_of(const bench::Outcome& outcome) {
  return static_cast<double>(outcome.received) / (static_cast<double>(outcome.cpu_ns) * 1e-9);
}

template <class Of>
double median(const std::vector<bench::Outcome>& outcomes, const Of& of) {
  std::vector<double> values;
  for (const bench::Outcome& outcome : outcomes) values.push_back(of(outcome));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// Prints medians over all rounds as ratios to the two bare loops: packets/s received, and packets per second
/// of processor time.
void compare(std::size_t beamlets, std::size_t segments, double seconds, int rounds) {
  bench::Task task{.format = format_of(beamlets), .segments = segments, .seconds = seconds};
  task.memory = bench::frame_memory(task.format);
  std::array<std::vector<bench::Outcome>, receivers.size()> outcomes;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < receivers.size(); ++i) outcomes[i].push_back(receivers[i].run(task));
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const auto ratio = [&](const auto& of, std::size_t peer) {
      return median(outcomes[i], of) / median(outcomes[peer], of);
    };
    const double bytes = static_cast<double>(task.format.packet_bytes());
    fmt::print("{:.2f},{:.2f},{:.2f},{:.2f},{},{},{},{:.0f},{:.2f},{:.3f},{:.0f},{:.0f}\n", ratio(rate_of, 0),
               ratio(rate_of, 1), ratio(capacity_of, 0), ratio(capacity_of, 1), receivers[i].name,
               task.format.packet_bytes(), segments, median(outcomes[i], rate_of),
               median(outcomes[i], rate_of) * bytes * 8e-9,
               median(outcomes[i],
                      [](const bench::Outcome& o) {
                        return 100 - 100 * static_cast<double>(o.received) / static_cast<double>(o.sent);
                      }),
               1e9 / median(outcomes[i], capacity_of), median(outcomes[i], [](const bench::Outcome& o) {
                 return static_cast<double>(o.frames_dropped);
               }));
    std::fflush(stdout);
  }
}

/// Receives four lanes of a station at a multiple of real time, from the emulator to a consumer of frames.
void receive_station(double speed, double seconds, std::size_t threads) {
  constexpr double packets_per_second = 200e6 / (1024 * 16);
  sensors::LofarUdpOptions options;
  options.ports.assign(4, 0);
  options.format.lanes = 4;
  options.format.packets = 128;
  options.receivers = threads;
  options.idle_timeout = Time(200'000'000);
  sensors::LofarUdpSource source(options);
  source.start();
  for (const std::string& warning : source.warnings()) fmt::print(stderr, "{}\n", warning);
  const std::int64_t before = bench::process_cpu_ns(), main_before = bench::thread_cpu_ns();
  std::thread pipeline([&] {
    sensors::FrameView frame;
    for (sensors::SourceState state{}; (state = source.poll(frame)) != sensors::SourceState::ended;) {
      if (state == sensors::SourceState::frame)
        source.release();
      else
        source.wait(now_ns() + 50'000'000);
    }
  });
  sensors::EmulatorOptions emulator;
  for (const std::uint16_t port : source.ports()) emulator.destinations.push_back({"127.0.0.1", port});
  emulator.speed = speed;
  emulator.packets = static_cast<std::uint64_t>(seconds * packets_per_second * speed);
  sensors::LofarSynthesis stream({.format = options.format, .second = 1656466200});
  const sensors::EmulatorReport report = emulate(stream, emulator, std::atomic<bool>(false));
  pipeline.join();
  const auto receiver =
      static_cast<double>(bench::process_cpu_ns() - before - (bench::thread_cpu_ns() - main_before));
  std::uint64_t received = 0;
  for (const sensors::Counter& counter : source.counters().details)
    if (counter.name == "packets_received") received = counter.value;
  fmt::print(
      "# a station at {:g} x real time, {}: {} packets sent, {} lost, {} frames dropped, {:.1f} % of a "
      "core\n",
      speed, threads == 1 ? "one thread" : fmt::format("{} receivers", threads), report.packets,
      report.packets - received, source.counters().dropped,
      receiver / static_cast<double>(report.elapsed.count()) * 100);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  utsname machine{};
  ::uname(&machine);
  fmt::print("# {} {}, {} cores; the sender on processor 0, receivers on 1; medians of {} rounds of {} s\n",
             machine.sysname, machine.release, std::thread::hardware_concurrency(), rounds, seconds);
  fmt::print(
      "of_discard,of_keep,cpu_of_discard,cpu_of_keep,receiver,bytes,segments,packets_per_second,gbit_a_"
      "second,"
      "lost_percent,cpu_ns_per_packet,frames_dropped\n");
  for (const std::size_t beamlets : {16, 122})
    for (const std::size_t segments : {1, 8}) compare(beamlets, segments, seconds, rounds);
  for (const double speed : {1.0, 2.0})
    for (const std::size_t threads : {1, 2, 4}) receive_station(speed, 4 * seconds, threads);
}
