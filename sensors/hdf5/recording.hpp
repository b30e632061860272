#pragma once
/// HDF5 files as hdf5/sink.hpp writes them, read back frame by frame.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sensors/source.hpp"

namespace takt::sensors {

/// Gives the frames with their headers, as fast as they are taken.
class Hdf5Recording final : public Source {
 public:
  /// Throws ConfigError with the path and what was expected, where it is no such file.
  explicit Hdf5Recording(const std::filesystem::path& path);
  ~Hdf5Recording() override;

  [[nodiscard]] const FrameType& type() const override;
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
  void start() override {}
  /// Throws WorkError when reading fails.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override {}
  void stop() override {}
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> description() const override;
  /// Of the first frame; 0 where the file does not tell it.
  [[nodiscard]] std::int64_t first_utc_ns() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
