#pragma once
/// Files of recorded frames: which format a file has, and a source that reads it.

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
  /// That of the sources and sinks that read and write it.
  std::string_view name;
  std::string_view extension, summary;
};

/// The formats that a file tells by itself, and `raw`, which a pipeline describes.
[[nodiscard]] const std::vector<RecordingFormat>& recording_formats();

struct Recording {
  /// Of the table.
  const RecordingFormat* format = nullptr;
  /// Gives frames as fast as they are taken.
  std::unique_ptr<sensors::Source> source;
};

/// Whether a file begins as captured datagrams: pcap in either byte order, of microseconds or nanoseconds; or
/// pcapng.
[[nodiscard]] bool is_capture(const std::filesystem::path& file);

/// By the file's name or first bytes; nothing where none of the formats is told by them. Throws ConfigError
/// where the format is known and the file is damaged. `settings` are further parameters of the source that
/// reads it (`sample_rate=1.28 MHz`).
[[nodiscard]] std::optional<Recording> open_recording(const std::filesystem::path& file,
                                                      const std::vector<std::string>& settings = {});

/// A file that does not tell what is in it, by a pipeline: samples without a header by the one that writes
/// them (sink `raw`) or reads them (source `raw_file`), a capture by one that receives or reads what
/// was captured (sources such as `spead_udp` and `spead_pcap`). Throws ConfigError where the pipeline has
/// neither, or several and none with that name. The pipeline must outlive the recording.
[[nodiscard]] Recording open_described_recording(const std::filesystem::path& file, const Pipeline& pipeline);

}  // namespace takt::pipeline
