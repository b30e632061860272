#pragma once
/// GUPPI raw files: blocks of baseband samples, each behind its header.

#include <cstddef>
#include <filesystem>
#include <vector>

#include "sensors/files/sample_file_source.hpp"
#include "sensors/guppi/header.hpp"

namespace takt::sensors {

/// Reads all headers of a file. Blocks that follow each other in time are one piece. Complex samples become
/// `complex_float32[beamlet=channels][time=samples][polarisation]`, real ones
/// `float32[time][channel][polarisation]`. A block whose header is damaged is passed over, where the next one
/// is at its place: a gap. Throws ConfigError where the file cannot be read, its first header is damaged, a
/// keyword is missing or not supported, or blocks differ in what all must have in common.
[[nodiscard]] std::vector<SamplePiece> read_guppi(const std::filesystem::path& file, std::size_t samples,
                                                  const GuppiReading& reading = {});

/// Whether the bytes begin as a GUPPI header does.
[[nodiscard]] bool begins_as_guppi(std::string_view text);

}  // namespace takt::sensors
