#include "sensors/emulator/emulator.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Packets are sent this much after their time at most, several at once: a wake-up for each of 50,000 packets
/// a second would cost more than sending it.
constexpr std::int64_t quantum_ns = 300'000;
/// What is further behind than this is put off.
constexpr std::int64_t most_behind_ns = 20'000'000;
/// No sleep is longer, so that `stop` is seen.
constexpr std::int64_t longest_sleep_ns = 50'000'000;
constexpr double least_packet_rate = 1e-3, most_packet_rate = 1e9;
/// A damaged header can tell any time: beyond this it is only far away.
constexpr double farthest_ns = 4e18;

/// When each packet is to be sent, in nanoseconds from the first one.
class Timetable {
 public:
  Timetable(const EmulatorOptions& options, const PacketCodec& codec) : options_(options), codec_(codec) {}

  /// Of the next packet.
  std::int64_t next(const LanePacket& packet) {
    const std::uint64_t number = number_++;
    if (options_.packet_rate > 0)
      return std::llround(static_cast<double>(number) * 1e9 / options_.packet_rate);
    // A capture says when each packet came, whatever is in it.
    const std::optional<std::int64_t> told = options_.speed == 0 ? std::nullopt
                                             : packet.utc_ns     ? packet.utc_ns
                                                                 : codec_.utc_of(packet.bytes);
    if (!told) return last_;
    const std::int64_t utc = *told;
    const auto step = std::llround(1e9 / options_.speed);
    const auto time = [&] {
      const double scaled = static_cast<double>(utc - base_utc_) / options_.speed;
      return std::llround(std::clamp(scaled, -farthest_ns, farthest_ns));
    };
    // A gap in a recording is not waited for, and a damaged header does not hold up the rest: time goes on
    // from here.
    if (number == 0 || std::abs(time() - last_) >= step)
      base_utc_ = utc - std::llround(static_cast<double>(last_) * options_.speed);
    last_ = std::max<std::int64_t>(last_, time());
    return last_;
  }

 private:
  const EmulatorOptions& options_;
  const PacketCodec& codec_;
  std::uint64_t number_ = 0;
  std::int64_t base_utc_ = 0;
  std::int64_t last_ = 0;
};

/// Sleeps until the moment or until `stop`.
void sleep_until(std::int64_t moment_ns, const std::atomic<bool>& stop) {
  for (std::int64_t now = now_ns(); now < moment_ns && !stop; now = now_ns())
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(moment_ns - now, longest_sleep_ns)));
}

}  // namespace

void validate(const EmulatorOptions& options) {
  if (options.destinations.empty())
    throw ConfigError("there is no destination, expected one HOST:PORT a lane");
  if (options.speed != 0 &&
      !(options.speed >= EmulatorOptions::least_speed && options.speed <= EmulatorOptions::most_speed))
    throw ConfigError(fmt::format(
        "a speed of {} cannot be, expected a multiple of real time from {} to {}, or 0 for as fast "
        "as possible",
        options.speed, EmulatorOptions::least_speed, EmulatorOptions::most_speed));
  if (options.packet_rate != 0 &&
      !(options.packet_rate >= least_packet_rate && options.packet_rate <= most_packet_rate))
    throw ConfigError(fmt::format("a rate of {} cannot be, expected {} to {} packets a second",
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
  Timetable timetable(options, stream.codec());
  EmulatorReport report;
  std::vector<std::uint64_t> sent_of_lane(lanes, 0);

  const std::int64_t start = now_ns();
  std::int64_t put_off = 0;
  while (!stop) {
    const std::optional<LanePacket> packet = stream.next();
    if (!packet) break;
    if (packet->lane >= lanes)
      throw ConfigError(fmt::format("{} destinations are given, expected one for each lane", lanes));
    if (options.packets > 0 && sent_of_lane[packet->lane] == options.packets) {
      if (*std::min_element(sent_of_lane.begin(), sent_of_lane.end()) == options.packets) break;
      continue;
    }
    const std::int64_t due = start + put_off + timetable.next(*packet);
    const std::int64_t now = now_ns();
    if (due > now) {
      outlet.flush();
      sleep_until(due + quantum_ns, stop);
    } else if ((options.speed > 0 || options.packet_rate > 0) && now - due > most_behind_ns) {
      put_off += now - due;
    }
    ++sent_of_lane[packet->lane];
    ++report.packets;
    const std::optional<LanePacket> sent = options.events.any() ? events.take(*packet) : packet;
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
  report.elapsed = Time(now_ns() - start);
  report.put_off = Time(put_off);
  return report;
}

}  // namespace takt::sensors
