#pragma once
/// A file to try sinks out on, which leaves nothing behind.

#include <string>

namespace takt::pipeline {

/// A file in no folder, which is gone with the process, however that ends: among the system's temporary
/// files, or in memory where their file system knows no such files.
class NamelessFile {
 public:
  /// Throws WorkError.
  NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();

  /// For this process alone.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

}  // namespace takt::pipeline
