#pragma once
/// What ranks of a run that may start again find of the run before: its last checkpoint, and the files that
/// its sinks have begun. Every host has a folder of its own: what sinks of another one have begun, the
/// launcher knows.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/protocol/checkpoint.hpp"

namespace takt::pipeline {

/// Environment variable by which ranks find the folder. It outlives them; on other hosts than the launcher's
/// it is made where a sink needs it.
inline constexpr const char* restart_variable = "TAKT_RESTART";

/// Empty where the run may not start again.
[[nodiscard]] std::filesystem::path restart_folder();

/// Before ranks are started. Throws WorkError.
void write_checkpoint(const std::filesystem::path& folder, const std::optional<Checkpoint>& checkpoint);
/// As text: empty where the run begins at the beginning. Throws WorkError where it cannot be read: a run must
/// not begin at the beginning for that.
[[nodiscard]] std::string read_checkpoint(const std::filesystem::path& folder);

/// Before ranks are started: the plan by which they are to go on (to_text of SharedPlan), or an empty text
/// where they are to measure and plan. Throws WorkError.
void write_plan(const std::filesystem::path& folder, const std::string& plan);
/// As text. Throws WorkError where it cannot be read.
[[nodiscard]] std::string read_plan(const std::filesystem::path& folder);

/// Names of the files that sinks have begun, by stage.
using BegunFiles = std::map<std::size_t, std::vector<std::string>>;
[[nodiscard]] std::string to_text(const BegunFiles& files);
/// Throws ConfigError where the text is none.
[[nodiscard]] BegunFiles begun_files_from_text(std::string_view text);

/// Before ranks are started. Throws WorkError.
void write_begun_files(const std::filesystem::path& folder, const BegunFiles& files);
/// As text. Throws WorkError where it cannot be read.
[[nodiscard]] std::string read_begun_files(const std::filesystem::path& folder);

}  // namespace takt::pipeline
