#pragma once
/// The packets of a SPEAD stream, as a source sees them.

#include <cstdint>

#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"
#include "sensors/spead/format.hpp"

namespace takt::sensors {

/// Each packet goes to its place by its heap and its offset in it. A heap's place follows from its time where
/// heaps have one, which often only their first packet brings: packets whose heap's first one has not come
/// are placed by their counter, as the heaps before were. Heaps of another length (descriptors) and pieces
/// without samples are passed over and counted. `source` is the number of the source in the pipeline. Throws
/// OptionError.
[[nodiscard]] PacketFormat spead_packets(const SpeadFormat& format, const Assembly& assembly,
                                         std::uint32_t source);

}  // namespace takt::sensors
