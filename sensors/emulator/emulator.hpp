#pragma once
/// An emulated station that sends packets over UDP, in real time or at another speed.

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/units.hpp"
#include "sensors/emulator/fault_injector.hpp"
#include "sensors/emulator/sender_events.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/transport/udp_sender.hpp"

namespace takt::sensors {

/// The clock that paces the emulator, CLOCK_MONOTONIC; tests replace it by their own.
class PaceClock {
 public:
  PaceClock() = default;
  PaceClock(const PaceClock&) = delete;
  PaceClock& operator=(const PaceClock&) = delete;
  virtual ~PaceClock() = default;

  /// Returns nanoseconds from an arbitrary origin.
  [[nodiscard]] virtual std::int64_t now_ns();
  /// Sleeps until the time or until `stop` is set.
  virtual void sleep_until(std::int64_t moment_ns, const std::atomic<bool>& stop);
};

struct EmulatorOptions {
  /// One per lane.
  std::vector<Destination> destinations;
  /// Speed relative to the packets' own times; 0: as fast as possible.
  double speed = 1;
  /// Within these limits all times of a stream of years fit 64 bits of nanoseconds.
  static constexpr double least_speed = 1e-3, most_speed = 1e6;
  /// Packets per second of all lanes together, instead of `speed`; 0: unset.
  double packet_rate = 0;
  /// Packets of each lane to send; 0: all.
  std::uint64_t packets = 0;
  SenderEvents events;
  Faults faults;
  std::uint64_t seed = 1;
  /// Replaces CLOCK_MONOTONIC for reading and sleeping, if not null.
  PaceClock* clock = nullptr;
  /// Called before each wait of 10 s or more, with its length.
  std::function<void(Time)> on_long_wait = {};
};

/// Throws ConfigError.
void validate(const EmulatorOptions& options);

struct EmulatorReport {
  /// Packets of the stream, sent or not: packets - paused - dropped - corrupted arrive valid at least
  /// once.
  std::uint64_t packets = 0;
  /// Datagrams and bytes actually sent.
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;
  SenderEventCounts events;
  FaultCounts faults;
  Time elapsed{0};
  /// Total postponement of the schedule because this program was delayed.
  Time put_off{0};
};

/// Sends the stream until it ends, `packets` are sent or `stop` is set; each packet at its own time
/// (PacedPackets), at any distance. Deadlines are absolute, so that the mean rate is exact; a delayed sender
/// does not catch up in one burst.
[[nodiscard]] EmulatorReport emulate(PacketStream& stream, const EmulatorOptions& options,
                                     const std::atomic<bool>& stop);
/// Sends likewise to any outlet; `options.destinations` defines the number of lanes.
[[nodiscard]] EmulatorReport emulate(PacketStream& stream, PacketOutlet& outlet,
                                     const EmulatorOptions& options, const std::atomic<bool>& stop);

}  // namespace takt::sensors
