#pragma once
/// A source of a LOFAR station's recorded packets, one file per lane, through the live stream's decoder.

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
  /// Raw packets one after the other, including the header: the files of each lane, the same number for all
  /// lanes.
  std::vector<std::vector<std::filesystem::path>> lanes;
  /// Replay speed relative to the recorded rate; 0: as fast as the pipeline polls.
  double speed = 0;
  /// Number of the source in the pipeline, for the frame headers.
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
