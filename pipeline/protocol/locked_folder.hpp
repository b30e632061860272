#pragma once
/// Temporary folders that are removed soon even if their process is killed.

#include <filesystem>
#include <optional>
#include <string_view>

namespace takt::pipeline {

/// New folder, removed with its contents by the destructor, and locked until then. A folder whose process was
/// killed is unlocked: the next process that makes one of its kind removes it.
class LockedFolder {
 public:
  /// Makes the folder in `parent`; the folders of one kind share the prefix. Throws WorkError.
  LockedFolder(const std::filesystem::path& parent, std::string_view prefix);
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;
  ~LockedFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  /// Descriptor of the folder.
  int lock_ = -1;
};

/// Removes a folder unless a living process has locked it.
void remove_unless_locked(const std::filesystem::path& folder);

}  // namespace takt::pipeline
