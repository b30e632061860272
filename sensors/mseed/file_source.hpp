#pragma once
/// A source of frames from traces in miniSEED files.

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
  /// RecordChoice::channels, in the order of a frame's channels; empty: all in the files, in alphabetical
  /// order.
  std::vector<std::string> channels;
  /// RecordChoice::rate_hz.
  double rate_hz = 0;
  /// Samples of each channel in a frame.
  std::size_t rows = 100;
  /// A longer silence of all channels begins a new epoch.
  Time longest_gap{600'000'000'000};
  /// Speed relative to real time; 0: as fast as the pipeline polls.
  double speed = 0;
  /// Number of the source in the pipeline, for the frame headers.
  std::uint32_t source = 0;
};

/// The constructor reads headers to determine channels and rate; `poll` reads records in time
/// order.
class MseedFileSource final : public Source {
 public:
  /// Throws ConfigError, as index_records does.
  explicit MseedFileSource(const MseedFileOptions& options);
  ~MseedFileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Throws ConfigError if no record can be decoded.
  void check() const override;
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  void start() override;
  /// Throws WorkError if reading fails.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override;
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

  /// Returns the channels in the order of a frame's.
  [[nodiscard]] const std::vector<std::string>& channels() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
