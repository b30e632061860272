#pragma once
/// The record of the files that a sink of a run has begun; it outlives the process.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace takt::sensors {

/// A text file with one file name per line, each recorded before that file holds any data. A restarted sink
/// thus recognises its own files and may replace them.
class OutputBook {
 public:
  /// Receives each new name before the file of that name holds any data.
  using Tell = std::function<void(const std::string& name)>;

  /// Reads an existing book and adds the names in `others`: files of this sink that were begun where this
  /// book is not available.
  explicit OutputBook(std::filesystem::path book, const std::vector<std::string>& others = {},
                      Tell tell = {});

  [[nodiscard]] bool has(const std::filesystem::path& file) const;
  /// Returns the files in the order in which they were begun.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// Throws WorkError if the book cannot be written.
  void add(const std::filesystem::path& file);

 private:
  std::filesystem::path book_;
  Tell tell_;
  std::vector<std::string> files_;
};

}  // namespace takt::sensors
