#pragma once
/// GUPPI raw files: blocks of baseband samples, each after its header.

#include <cstddef>
#include <filesystem>
#include <vector>

#include "sensors/files/sample_layout.hpp"
#include "sensors/guppi/header.hpp"

namespace takt::sensors {

/// Reads all headers of a file. Blocks contiguous in time form one piece. Complex samples become
/// `complex_float32[beamlet=channels][time=samples][polarisation]`, real ones
/// `float32[time][channel][polarisation]`. A block with a damaged header is skipped if the next one is at its
/// place: a gap. Throws ConfigError if the file is not readable, its first header is damaged, a keyword is
/// missing or not supported, or blocks differ in common properties.
[[nodiscard]] std::vector<SamplePiece> read_guppi(const std::filesystem::path& file, std::size_t samples,
                                                  const GuppiReading& reading = {});

/// Reports whether the bytes begin with a GUPPI header.
[[nodiscard]] bool begins_as_guppi(std::string_view text);

}  // namespace takt::sensors
