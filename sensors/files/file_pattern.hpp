#pragma once
/// File names with a time pattern: `sky-%Y%m%dT%H%M%S.fil`.

#include <cstdint>
#include <filesystem>
#include <string>

namespace takt::sensors {

/// Reports whether the name contains a time pattern.
[[nodiscard]] bool is_pattern(const std::string& name);

/// Replaces `%Y %m %d %j %H %M %S %f` by year, month, day, day of the year, hour, minute, second and
/// millisecond of this UTC time (nanoseconds since 1970), with leading zeros; `%%` becomes `%`. Throws
/// ConfigError for any other character after `%`, or a pattern in the name of a folder.
[[nodiscard]] std::string name_at(const std::string& pattern, std::int64_t utc_ns);

/// Returns `sky-3.fil` for `sky.fil` and number 3; the name itself for 1.
[[nodiscard]] std::filesystem::path numbered(const std::filesystem::path& path, std::uint64_t number);

}  // namespace takt::sensors
