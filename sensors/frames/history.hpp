#pragma once
/// The history of an output: notes about its processing in an adjacent text file.

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace takt::sensors {

/// Lines in files `NAME.history`, where NAME is the output's name. Each file's history contains all earlier
/// lines, since they apply to it, and the later ones. Without lines no such file exists. Thread-safe.
class History {
 public:
  /// Switches to another output file. The history of an earlier file with that name is deleted.
  void begin(const std::filesystem::path& file);
  /// Returns all lines so far; `resume` continues the file in another object, with exactly these
  /// lines.
  [[nodiscard]] std::vector<std::string> lines() const;
  void resume(const std::filesystem::path& file, std::vector<std::string> lines);
  /// Throws WorkError.
  void note(const std::string& line);

 private:
  mutable std::mutex mutex_;
  /// Empty before the first file, and for a pipe.
  std::filesystem::path path_;
  std::vector<std::string> lines_;
};

}  // namespace takt::sensors
