#include "sensors/pcap/recording.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// A damaged capture may name any port: so many are kept for the message.
constexpr std::size_t most_other_ports = 16;

}  // namespace

void validate(const PcapOptions& options) {
  if (options.ports.empty())
    throw OptionError("ports", "no port is given, expected those that the stream was sent to");
  for (auto port = options.ports.begin(); port != options.ports.end(); ++port)
    if (*port == 0 || std::find(options.ports.begin(), port, *port) != port)
      throw OptionError("ports", fmt::format("port {} cannot be, expected different ones from 1 on", *port));
}

PcapRecording::PcapRecording(const PcapOptions& options, std::unique_ptr<const PacketCodec> codec)
    : options_((validate(options), options)), codec_(std::move(codec)), file_(options.file) {}

std::optional<LanePacket> PcapRecording::next() {
  CapturedDatagram datagram;
  while (file_.next(datagram)) {
    const auto found = std::ranges::find(options_.ports, datagram.port);
    if (found != options_.ports.end()) {
      any_ = true;
      return LanePacket{static_cast<std::size_t>(found - options_.ports.begin()), datagram.bytes,
                        datagram.utc_ns};
    }
    if (others_.size() < most_other_ports || others_.contains(datagram.port)) ++others_[datagram.port];
  }
  if (any_) return {};
  std::vector<std::string> others;
  for (const auto& [port, count] : others_) others.push_back(fmt::format("{} ({})", port, count));
  throw WorkError(fmt::format("{}: no datagram was sent to {} {}; {}", file_.path().string(),
                              options_.ports.size() > 1 ? "ports" : "port", fmt::join(options_.ports, ", "),
                              others.empty() ? "there is no UDP in it"
                                             : fmt::format("there are some to {}", fmt::join(others, ", "))));
}

}  // namespace takt::sensors
