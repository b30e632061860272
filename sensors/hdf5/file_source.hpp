#pragma once
/// A source that reads frames from the HDF5 files of takt's sink, one after the other.

#include <filesystem>
#include <memory>
#include <vector>

#include "sensors/source.hpp"

namespace takt::sensors {

struct Hdf5FileOptions {
  /// In any order: they are read in the order of their first frames' times.
  std::vector<std::filesystem::path> files;
  /// Speed relative to real time; 0: as fast as the pipeline polls.
  double speed = 0;
  /// Number of the source in the pipeline, for the frame headers.
  std::uint32_t source = 0;
};

/// Frames keep the numbers, times and epochs with which they were written. Frames with omitted numbers are
/// lost; repetitions of frames in an earlier file are skipped and counted.
class Hdf5FileSource final : public Source {
 public:
  /// Throws ConfigError if a file is not takt's, or its frame type differs from the first one's.
  explicit Hdf5FileSource(Hdf5FileOptions options);
  ~Hdf5FileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  void start() override;
  /// Throws WorkError if reading fails.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override {}
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  [[nodiscard]] std::vector<std::string> description() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
