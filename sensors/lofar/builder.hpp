#pragma once
/// The packet format of LOFAR for sources.

#include <cstdint>

#include "sensors/lofar/format.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"

namespace takt::sensors {

/// `source` is the number of the source in the pipeline, for the frame headers. Throws OptionError.
[[nodiscard]] PacketFormat lofar_packets(const LofarFormat& format, const Assembly& assembly,
                                         std::uint32_t source);

}  // namespace takt::sensors
