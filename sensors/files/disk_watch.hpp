#pragma once
/// Is there room for what a sink writes?

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace takt::sensors {

/// Looks at the disk every five seconds, and warns once when it will be full within ten minutes at the rate
/// so far.
class DiskWatch {
 public:
  /// So many bytes more are in this file.
  void note(const std::filesystem::path& file, std::uint64_t bytes);
  /// What the user should know. Any thread.
  [[nodiscard]] std::vector<std::string> warnings() const;

  /// Bytes written so far, for a watch that goes on.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  void go_on(std::uint64_t written) { written_ = written; }

 private:
  std::uint64_t written_ = 0;
  std::int64_t begun_ns_ = 0, watched_ns_ = 0;
  mutable std::mutex mutex_;
  std::string warning_;
};

}  // namespace takt::sensors
