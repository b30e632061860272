#pragma once
/// A temporary file for trials of sinks.

#include <string>

namespace takt::pipeline {

/// An unlinked file that disappears with the process, however that ends: among the system's temporary files,
/// or in memory if their file system does not support it.
class NamelessFile {
 public:
  /// Throws WorkError.
  NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();

  /// Returns a path that is valid in this process only.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

}  // namespace takt::pipeline
