#pragma once
/// Names and removes the files of spilled backlogs in a run that may restart (sensors::BacklogOptions::kept).
/// These files outlive the ranks that write them, but not the run.

#include <cstddef>
#include <filesystem>

namespace takt::pipeline {

/// Returns the path of a source's file on this host, the same after each restart; does not make the file. If
/// `folder` is empty, it is in the system's folder for temporary files. Removes files of killed runs there
/// that are older than ten minutes.
[[nodiscard]] std::filesystem::path kept_spill(const std::filesystem::path& restart_folder,
                                               const std::filesystem::path& folder, std::size_t stage);

/// Removes, at the end of the run, all files that ranks on this host have requested.
void remove_kept_spills(const std::filesystem::path& restart_folder);

}  // namespace takt::pipeline
