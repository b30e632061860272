#include "sensors/lofar/udp_source.hpp"

#include <fmt/format.h>

#include "sensors/lofar/builder.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

void validate(const LofarUdpOptions& options) {
  if (options.ports.size() != options.format.lanes)
    throw OptionError("ports", fmt::format("{} ports are given for {} lanes: expected one per lane",
                                           options.ports.size(), options.format.lanes));
  validate(options.format);
  validate(options.assembly);
  validate(options, options.format.packet_bytes());
}

LofarUdpSource::LofarUdpSource(const LofarUdpOptions& options)
    : UdpSource((validate(options), options),
                lofar_packets(options.format, options.assembly, options.source)) {}

}  // namespace takt::sensors
