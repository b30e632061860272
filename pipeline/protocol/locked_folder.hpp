#pragma once
/// Folders that do not outlast their process for long, whatever ends it.

#include <filesystem>
#include <optional>
#include <string_view>

namespace takt::pipeline {

/// A new folder, removed with all that is in it at the end. While it lives it is locked; one that is not,
/// since its process was killed, is removed by whoever makes the next one of its kind.
class LockedFolder {
 public:
  /// In `parent`; the prefix is that of all of its kind. Throws WorkError.
  LockedFolder(const std::filesystem::path& parent, std::string_view prefix);
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;
  ~LockedFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  /// The folder itself, open.
  int lock_ = -1;
};

/// Removes a folder unless a process that lives has locked it.
void remove_unless_locked(const std::filesystem::path& folder);

}  // namespace takt::pipeline
