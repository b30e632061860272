#pragma once
/// The packet format of VDIF for sources.

#include <cstdint>

#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"
#include "sensors/vdif/format.hpp"

namespace takt::sensors {

/// Lanes are threads, whichever port or file they come from: all may share one. `source` is the number of the
/// source in the pipeline, for the frame headers. Throws OptionError.
[[nodiscard]] PacketFormat vdif_packets(const VdifFormat& format, const Assembly& assembly,
                                        std::uint32_t source);

}  // namespace takt::sensors
