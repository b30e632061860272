#pragma once
/// The packet format of SPEAD streams for sources.

#include <cstdint>

#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"
#include "sensors/spead/format.hpp"

namespace takt::sensors {

/// Places each packet by its heap and its offset in it. A heap's place follows from its time, if it
/// has one, which often only its first packet contains; without that packet it is extrapolated from
/// the counter and the previous heaps. Heaps of another length (descriptors) and pieces without
/// samples are skipped and counted. `source` is the number of the source in the pipeline. Throws
/// OptionError.
[[nodiscard]] PacketFormat spead_packets(const SpeadFormat& format, const Assembly& assembly,
                                         std::uint32_t source);

}  // namespace takt::sensors
