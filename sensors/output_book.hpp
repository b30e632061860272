#pragma once
/// Which files a sink of a run has begun, also before its process died.

#include <filesystem>
#include <string>
#include <vector>

namespace takt::sensors {

/// A text file with a name a line, each written before the file of that name holds anything. So a sink that
/// starts again knows its own files from those of others, and may replace them.
class OutputBook {
 public:
  /// Reads what is there already. Throws WorkError where it cannot be written.
  explicit OutputBook(std::filesystem::path book);

  [[nodiscard]] bool has(const std::filesystem::path& file) const;
  /// In the order in which they were begun.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  void add(const std::filesystem::path& file);

 private:
  std::filesystem::path book_;
  std::vector<std::string> files_;
};

}  // namespace takt::sensors
