#pragma once
/// Frames of traces in miniSEED files.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sensors/mseed/trace_joiner.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

struct MseedFileOptions {
  std::vector<std::filesystem::path> files;
  /// RecordChoice::channels, in the order of a frame's channels; none: all that there are, in alphabetical
  /// order.
  std::vector<std::string> channels;
  /// RecordChoice::rate_hz.
  double rate_hz = 0;
  /// Samples of each channel in a frame.
  std::size_t rows = 100;
  /// A longer silence of all channels begins a new epoch.
  Time longest_gap{600'000'000'000};
  /// Multiple of real time; 0: as fast as frames are taken.
  double speed = 0;
  /// Number of the source in the pipeline, for the frames' headers.
  std::uint32_t source = 0;
};

/// Reads headers when it is made, to learn channels and rate, and records in order of time when it is asked
/// for frames.
class MseedFileSource final : public Source {
 public:
  /// Throws ConfigError, as index_records does.
  explicit MseedFileSource(const MseedFileOptions& options);
  ~MseedFileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Throws ConfigError where no record can be decoded.
  void check() const override;
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
  void start() override;
  /// Throws WorkError when reading fails.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override;
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

  /// In the order of a frame's.
  [[nodiscard]] const std::vector<std::string>& channels() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
