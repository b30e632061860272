#pragma once
/// What happened to an output while it was written, as text beside it.

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace takt::sensors {

/// Lines in files `NAME.history`, where NAME is the output's: of each file that is written all lines so far,
/// since they hold for it, and those that come. Without a line there is no such file. Any thread.
class History {
 public:
  /// Another file is written from now on. The history of an earlier one of that name goes.
  void begin(const std::filesystem::path& file);
  /// All lines so far; and for another object that goes on with the file, which has no more lines than these
  /// then.
  [[nodiscard]] std::vector<std::string> lines() const;
  void go_on(const std::filesystem::path& file, std::vector<std::string> lines);
  /// Throws WorkError.
  void note(const std::string& line);

 private:
  mutable std::mutex mutex_;
  /// Empty before the first file, and of a pipe.
  std::filesystem::path path_;
  std::vector<std::string> lines_;
};

}  // namespace takt::sensors
