#pragma once
/// Recorded packets of a LOFAR station, one file a lane, read through the decoder of the live stream.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sensors/lofar/format.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/packets/packet_file_source.hpp"

namespace takt::sensors {

struct LofarFileOptions {
  LofarFormat format;
  Assembly assembly;
  /// Raw packets one after the other, header included: for each lane its files, as many as of each other
  /// lane.
  std::vector<std::vector<std::filesystem::path>> lanes;
  /// Frames come at this multiple of the rate at which they were recorded; 0: as fast as they are taken.
  double speed = 0;
  /// Number of the source in the pipeline, for the frames' headers.
  std::uint32_t source = 0;
};

/// Throws ConfigError.
void validate(const LofarFileOptions& options);

class LofarFileSource final : public PacketFileSource {
 public:
  /// Throws OptionError.
  explicit LofarFileSource(const LofarFileOptions& options);
};

}  // namespace takt::sensors
