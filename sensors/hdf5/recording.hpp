#pragma once
/// A source that reads the HDF5 files of hdf5/sink.hpp frame by frame.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sensors/source.hpp"

namespace takt::sensors {

/// Returns the frames with their headers, as fast as the pipeline polls.
class Hdf5Recording final : public Source {
 public:
  /// Throws ConfigError with the path and what was expected, if it is no such file.
  explicit Hdf5Recording(const std::filesystem::path& path);
  ~Hdf5Recording() override;

  [[nodiscard]] const FrameType& type() const override;
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  void start() override {}
  /// Throws WorkError if reading fails.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override {}
  void stop() override {}
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> description() const override;
  /// Returns the UTC time of the first frame; 0 if the file does not contain it.
  [[nodiscard]] std::int64_t first_utc_ns() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
