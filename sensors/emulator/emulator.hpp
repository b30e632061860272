#pragma once
/// A station that sends packets over UDP, at the pace of a real one or another.

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/units.hpp"
#include "sensors/emulator/fault_injector.hpp"
#include "sensors/emulator/pace_clock.hpp"
#include "sensors/emulator/sender_events.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/transport/udp_sender.hpp"

namespace takt::sensors {

struct EmulatorOptions {
  /// One a lane.
  std::vector<Destination> destinations;
  /// Multiple of real time, by the packets' own times; 0: as fast as possible.
  double speed = 1;
  /// Between them all moments of a stream of years fit 64 bits of nanoseconds.
  static constexpr double least_speed = 1e-3, most_speed = 1e6;
  /// Packets a second of all lanes together, instead of `speed`; 0: none given.
  double packet_rate = 0;
  /// Packets of each lane to send; 0: all there are.
  std::uint64_t packets = 0;
  SenderEvents events;
  Faults faults;
  std::uint64_t seed = 1;
  /// Reads no other clock and sleeps by no other; null: CLOCK_MONOTONIC.
  PaceClock* clock = nullptr;
  /// Called before each wait of 10 s or more, with its length.
  std::function<void(Time)> on_long_wait = {};
};

/// Throws ConfigError.
void validate(const EmulatorOptions& options);

struct EmulatorReport {
  /// Packets of the stream, whatever became of them: packets - paused - dropped - corrupted arrive good at
  /// least once.
  std::uint64_t packets = 0;
  /// What was sent in fact.
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;
  SenderEventCounts events;
  FaultCounts faults;
  Time elapsed{0};
  /// By how much the schedule was put off because this program was held up.
  Time put_off{0};
};

/// Sends the stream until it ends, `packets` are sent or `stop` is set; each packet at its own time
/// (PacedPackets), however far apart they are. Deadlines are absolute, so that the rate is exact in the long
/// run; a sender that was held up does not make up for it in one burst.
[[nodiscard]] EmulatorReport emulate(PacketStream& stream, const EmulatorOptions& options,
                                     const std::atomic<bool>& stop);
/// The same to anywhere; `options.destinations` say how many lanes there are.
[[nodiscard]] EmulatorReport emulate(PacketStream& stream, PacketOutlet& outlet,
                                     const EmulatorOptions& options, const std::atomic<bool>& stop);

}  // namespace takt::sensors
