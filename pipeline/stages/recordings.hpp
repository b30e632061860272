#pragma once
/// Recognises the format of recorded frames, and makes a source that reads them.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

struct RecordingFormat {
  /// Also the name of the sources and sinks that read and write it.
  std::string_view name;
  std::string_view extension, summary;
};

/// Returns the formats that files identify, and `raw`, which a pipeline describes.
[[nodiscard]] const std::vector<RecordingFormat>& recording_formats();

struct Recording {
  /// Points into the table.
  const RecordingFormat* format = nullptr;
  /// Produces frames as fast as they are consumed.
  std::unique_ptr<sensors::Source> source;
};

/// Returns true if a file begins like captured datagrams: pcap in either byte order with microseconds or
/// nanoseconds, or pcapng.
[[nodiscard]] bool is_capture(const std::filesystem::path& file);

/// Opens a recording, recognised by its name or first bytes; returns nothing if no format matches. Throws
/// ConfigError if the format is known and the file is damaged. `settings` are further parameters of its
/// source (`sample_rate=1.28 MHz`).
[[nodiscard]] std::optional<Recording> open_recording(const std::filesystem::path& file,
                                                      const std::vector<std::string>& settings = {});

/// Opens a file that a pipeline describes: samples without a header by the stage that writes them (sink
/// `raw`) or reads them (source `raw_file`), a capture by the stage that receives or reads its packets
/// (sources such as `spead_udp` and `spead_pcap`). Throws ConfigError if the pipeline has no such stage, or
/// several and none with that name. The pipeline must outlive the recording.
[[nodiscard]] Recording open_described_recording(const std::filesystem::path& file, const Pipeline& pipeline);

}  // namespace takt::pipeline
