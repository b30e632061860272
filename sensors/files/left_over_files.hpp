#pragma once
/// Removal of files that a dead process left and that its successor does not continue.

#include <filesystem>
#include <set>
#include <string>

#include "sensors/output_book.hpp"

namespace takt::sensors {

/// Removes the files of the book and their histories, except the continued ones.
inline void remove_left_over_files(const OutputBook& book, const std::set<std::string>& kept) {
  std::error_code ignored;
  for (const std::string& name : book.files()) {
    if (kept.contains(name) || !std::filesystem::is_regular_file(name, ignored)) continue;
    std::filesystem::remove(name, ignored);
    std::filesystem::remove(name + ".history", ignored);
  }
}

}  // namespace takt::sensors
