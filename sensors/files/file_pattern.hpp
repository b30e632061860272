#pragma once
/// Names of files with a time in them: `sky-%Y%m%dT%H%M%S.fil`.

#include <cstdint>
#include <filesystem>
#include <string>

namespace takt::sensors {

/// Whether the name holds a time.
[[nodiscard]] bool is_pattern(const std::string& name);

/// `%Y %m %d %j %H %M %S %f` become year, month, day, day of the year, hour, minute, second and millisecond
/// of this moment, UTC (nanoseconds since 1970), each with all its digits; `%%` becomes `%`. Throws
/// ConfigError where anything else follows a `%`, or where one stands in the name of a folder.
[[nodiscard]] std::string name_at(const std::string& pattern, std::int64_t utc_ns);

/// `sky.fil` with number 3 is `sky-3.fil`; with 1 it is the name itself.
[[nodiscard]] std::filesystem::path numbered(const std::filesystem::path& path, std::uint64_t number);

}  // namespace takt::sensors
