#pragma once
/// Files through which the frames of sources go whose backlog spills, in a run that may start again
/// (sensors::BacklogOptions::kept). They outlive the ranks that write them, and not the run.

#include <cstddef>
#include <filesystem>

namespace takt::pipeline {

/// The file of a source on this host, the same one after each restart; in the system's folder for temporary
/// files where `folder` is empty. What other runs have left there, killed at the wrong moment, is removed
/// after ten minutes. The file is not made.
[[nodiscard]] std::filesystem::path kept_spill(const std::filesystem::path& restart_folder,
                                               const std::filesystem::path& folder, std::size_t stage);

/// At the run's end, those that ranks on this host have asked for.
void remove_kept_spills(const std::filesystem::path& restart_folder);

}  // namespace takt::pipeline
