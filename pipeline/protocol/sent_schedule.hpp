#pragma once
/// Sends a schedule to ranks on other hosts, which need not have its file.

#include <filesystem>
#include <optional>
#include <string>

namespace takt::pipeline {

/// Environment variable with the text of the schedule.
inline constexpr const char* schedule_variable = "TAKT_SCHEDULE";

/// Returns the schedule for ranks on other hosts; nothing if it exceeds a variable (120 KiB), so that these
/// ranks must read the file. Throws ConfigError if the file cannot be read.
[[nodiscard]] std::optional<std::string> schedule_to_send(const std::filesystem::path& file);

/// Returns, on a rank, the schedule of the variable, or of the file. Throws ConfigError if it cannot be read.
[[nodiscard]] std::string sent_schedule(const std::filesystem::path& file);

}  // namespace takt::pipeline
