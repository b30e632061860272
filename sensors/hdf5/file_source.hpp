#pragma once
/// HDF5 files of frames, as takt's sink writes them, one after the other.

#include <filesystem>
#include <memory>
#include <vector>

#include "sensors/source.hpp"

namespace takt::sensors {

struct Hdf5FileOptions {
  /// In any order: they are read in the order of their first frames' times.
  std::vector<std::filesystem::path> files;
  /// Multiple of real time; 0: as fast as frames are taken.
  double speed = 0;
  /// Number of the source in the pipeline, for the frames' headers.
  std::uint32_t source = 0;
};

/// Frames with the numbers, times and epochs that they were written with. Frames whose numbers are left out
/// are lost; those that a file before has brought are passed over and counted.
class Hdf5FileSource final : public Source {
 public:
  /// Throws ConfigError where a file is none of takt's, or holds frames of another type than the first one.
  explicit Hdf5FileSource(Hdf5FileOptions options);
  ~Hdf5FileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
  void start() override;
  /// Throws WorkError when reading fails.
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
