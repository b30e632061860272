#pragma once
/// Monitoring of the free space on a sink's disk.

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace takt::sensors {

/// Checks the disk every five seconds, and warns once if at the present rate it will be full within ten
/// minutes.
class DiskWatch {
 public:
  /// Records that this many bytes were added to the file.
  void note(const std::filesystem::path& file, std::uint64_t bytes);
  /// Returns warnings for the user. Thread-safe.
  [[nodiscard]] std::vector<std::string> warnings() const;

  /// Returns the bytes written so far, for the watch that continues.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  void resume(std::uint64_t written) { written_ = written; }

 private:
  std::uint64_t written_ = 0;
  std::int64_t begun_ns_ = 0, watched_ns_ = 0;
  mutable std::mutex mutex_;
  std::string warning_;
};

}  // namespace takt::sensors
