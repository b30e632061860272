#pragma once
/// What a sink whose process died has left, and the one that goes on does not want.

#include <filesystem>
#include <set>
#include <string>

#include "sensors/output_book.hpp"

namespace takt::sensors {

/// Files of the book go, with their histories, but those that are gone on with.
inline void remove_left_over_files(const OutputBook& book, const std::set<std::string>& kept) {
  std::error_code ignored;
  for (const std::string& name : book.files()) {
    if (kept.contains(name) || !std::filesystem::is_regular_file(name, ignored)) continue;
    std::filesystem::remove(name, ignored);
    std::filesystem::remove(name + ".history", ignored);
  }
}

}  // namespace takt::sensors
