#pragma once
/// What ranks of a run that may start again find of the run before: its last checkpoint, and where sinks have
/// entered their files.

#include <filesystem>
#include <optional>

#include "pipeline/launch/checkpoint.hpp"

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

}  // namespace takt::pipeline
