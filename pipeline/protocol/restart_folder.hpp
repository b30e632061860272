#pragma once
/// Reads and writes the folder from which a run restarts: the last checkpoint of the previous run, its plan,
/// and the files that its sinks have begun. Every host has its own folder; the launcher collects the files of
/// the sinks of all hosts.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/protocol/checkpoint.hpp"

namespace takt::pipeline {

/// Environment variable with the path of the folder, which outlives the ranks. On hosts other than the
/// launcher's a sink makes it on demand.
inline constexpr const char* restart_variable = "TAKT_RESTART";

/// Returns the folder; empty if the run may not restart.
[[nodiscard]] std::filesystem::path restart_folder();

/// Writes the checkpoint, before ranks start. Throws WorkError.
void write_checkpoint(const std::filesystem::path& folder, const std::optional<Checkpoint>& checkpoint);
/// Returns the checkpoint as text; empty: the run starts at its first frame. Throws WorkError if it cannot be
/// read, because a run must not start at its first frame by mistake.
[[nodiscard]] std::string read_checkpoint(const std::filesystem::path& folder);

/// Writes the plan with which the ranks continue (to_text of SharedPlan), or an empty text if they measure
/// and plan. Must be called before ranks start. Throws WorkError.
void write_plan(const std::filesystem::path& folder, const std::string& plan);
/// Returns the plan as text. Throws WorkError if it cannot be read.
[[nodiscard]] std::string read_plan(const std::filesystem::path& folder);

/// Names of the files that sinks have begun, by stage.
using BegunFiles = std::map<std::size_t, std::vector<std::string>>;
[[nodiscard]] std::string to_text(const BegunFiles& files);
/// Throws ConfigError if the text is invalid.
[[nodiscard]] BegunFiles begun_files_from_text(std::string_view text);

/// Writes the names of the files, before ranks start. Throws WorkError.
void write_begun_files(const std::filesystem::path& folder, const BegunFiles& files);
/// Returns the files as text. Throws WorkError if they cannot be read.
[[nodiscard]] std::string read_begun_files(const std::filesystem::path& folder);

}  // namespace takt::pipeline
