#pragma once
/// A schedule on its way to ranks of other hosts, which need not have its file.

#include <filesystem>
#include <optional>
#include <string>

namespace takt::pipeline {

/// Environment variable in which ranks find it.
inline constexpr const char* schedule_variable = "TAKT_SCHEDULE";

/// The schedule for ranks on other hosts: nothing where it is longer than a variable may be (120 KiB); these
/// ranks read the file. Throws ConfigError where it cannot be read.
[[nodiscard]] std::optional<std::string> schedule_to_send(const std::filesystem::path& file);

/// For a rank: what it was given, or what is in the file. Throws ConfigError where it cannot be read.
[[nodiscard]] std::string sent_schedule(const std::filesystem::path& file);

}  // namespace takt::pipeline
