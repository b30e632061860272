#include "sensors/emulator/emulator.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/emulator/paced_packets.hpp"

namespace takt::sensors {

namespace {

/// Longest single sleep, so that `stop` is noticed.
constexpr std::int64_t longest_sleep_ns = 50'000'000;

/// Largest delay of packets for batching: a wake-up for each of 50,000 packets/s would cost more than sending
/// them.
constexpr std::int64_t quantum_ns = 300'000;
/// A longer wait is reported to the user: ten times the response time of a page.
constexpr std::int64_t long_wait_ns = 10'000'000'000;
/// A larger backlog postpones the schedule.
constexpr std::int64_t largest_lag_ns = 20'000'000;
constexpr double least_packet_rate = 1e-3, most_packet_rate = 1e9;

}  // namespace

std::int64_t PaceClock::now_ns() {
  return takt::now_ns();
}

void PaceClock::sleep_until(std::int64_t moment_ns, const std::atomic<bool>& stop) {
  for (std::int64_t now = now_ns(); now < moment_ns && !stop; now = now_ns())
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(moment_ns - now, longest_sleep_ns)));
}

void validate(const EmulatorOptions& options) {
  if (options.destinations.empty())
    throw ConfigError("no destination is given: expected one HOST:PORT per lane");
  if (options.speed != 0 &&
      !(options.speed >= EmulatorOptions::least_speed && options.speed <= EmulatorOptions::most_speed))
    throw ConfigError(fmt::format(
        "a speed of {} is not valid: expected a multiple of real time from {} to {}, or 0 for as fast "
        "as possible",
        options.speed, EmulatorOptions::least_speed, EmulatorOptions::most_speed));
  if (options.packet_rate != 0 &&
      !(options.packet_rate >= least_packet_rate && options.packet_rate <= most_packet_rate))
    throw ConfigError(fmt::format("a rate of {} is not valid: expected {} to {} packets/s",
                                  options.packet_rate, least_packet_rate, most_packet_rate));
  validate(options.faults);
}

EmulatorReport emulate(PacketStream& stream, const EmulatorOptions& options, const std::atomic<bool>& stop) {
  UdpSender sender(options.destinations);
  return emulate(stream, sender, options, stop);
}

EmulatorReport emulate(PacketStream& stream, PacketOutlet& outlet, const EmulatorOptions& options,
                       const std::atomic<bool>& stop) {
  validate(options);
  const std::size_t lanes = options.destinations.size();
  FaultInjector injector(options.faults, lanes, options.seed, stream.codec(),
                         [&](const LanePacket& packet) { outlet.put(packet); });
  SenderEventStage events(options.events, lanes, stream.codec());
  PacedPackets paced(stream, options.speed, options.packet_rate);
  PaceClock own_clock;
  PaceClock& clock = options.clock != nullptr ? *options.clock : own_clock;
  EmulatorReport report;
  std::vector<std::uint64_t> sent_of_lane(lanes, 0);
  /// Lanes that have all their packets.
  std::size_t complete = 0;

  const std::int64_t start = clock.now_ns();
  std::int64_t put_off = 0;
  // Does not request a packet that is not sent: the end of a stream follows its last one.
  while (!stop && complete < lanes) {
    const std::optional<DuePacket> next = paced.next();
    if (!next) break;
    const LanePacket* const packet = &next->packet;
    if (packet->lane >= lanes)
      throw ConfigError(fmt::format("{} destinations are given: expected one for each lane", lanes));
    if (options.packets > 0 && sent_of_lane[packet->lane] == options.packets) continue;
    const std::int64_t due = start + put_off + next->due_ns;
    const std::int64_t now = clock.now_ns();
    if (due > now) {
      outlet.flush();
      if (options.on_long_wait && due - now >= long_wait_ns) options.on_long_wait(Time(due - now));
      clock.sleep_until(due + quantum_ns, stop);
      if (stop) break;
    } else if ((options.speed > 0 || options.packet_rate > 0) && now - due > largest_lag_ns) {
      put_off += now - due;
    }
    if (++sent_of_lane[packet->lane] == options.packets) ++complete;
    ++report.packets;
    const std::optional<LanePacket> sent =
        options.events.any() ? events.take(*packet) : std::optional(*packet);
    if (!sent) continue;
    if (options.faults.any())
      injector.take(*sent);
    else
      outlet.put(*sent);
  }
  injector.finish();
  outlet.flush();

  report.datagrams = outlet.datagrams();
  report.bytes = outlet.bytes();
  report.events = events.counts();
  report.faults = injector.counts();
  report.elapsed = Time(clock.now_ns() - start);
  report.put_off = Time(put_off);
  return report;
}

}  // namespace takt::sensors
