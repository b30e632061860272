#pragma once
/// Which files a sink of a run has begun, also before its process died.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace takt::sensors {

/// A text file with a name a line, each written before the file of that name holds anything. So a sink that
/// starts again knows its own files from those of others, and may replace them.
class OutputBook {
 public:
  /// Hears of each new name, before the file of that name holds anything.
  using Tell = std::function<void(const std::string& name)>;

  /// Reads what is there already, and knows the names of `others`: files of this sink that were begun where
  /// this book is not.
  explicit OutputBook(std::filesystem::path book, const std::vector<std::string>& others = {},
                      Tell tell = {});

  [[nodiscard]] bool has(const std::filesystem::path& file) const;
  /// In the order in which they were begun.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// Throws WorkError where the book cannot be written.
  void add(const std::filesystem::path& file);

 private:
  std::filesystem::path book_;
  Tell tell_;
  std::vector<std::string> files_;
};

}  // namespace takt::sensors
