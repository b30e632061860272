#pragma once
/// A live LOFAR station: UDP packets on 1 to 4 ports.

#include <cstdint>

#include "sensors/lofar/format.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/transport/udp_source.hpp"

namespace takt::sensors {

struct LofarUdpOptions : UdpOptions {
  LofarFormat format;
  Assembly assembly;
  /// Number of the source in the pipeline, for the frame headers.
  std::uint32_t source = 0;
};

/// Throws OptionError.
void validate(const LofarUdpOptions& options);

class LofarUdpSource final : public UdpSource {
 public:
  /// Throws OptionError.
  explicit LofarUdpSource(const LofarUdpOptions& options);
};

}  // namespace takt::sensors
