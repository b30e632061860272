#include "sensors/files/file_pattern.hpp"

#include <chrono>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

std::string part_of_time(char letter, std::int64_t utc_ns, const std::string& pattern) {
  using namespace std::chrono;
  const sys_time<nanoseconds> moment{nanoseconds(utc_ns)};
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(moment - day));
  switch (letter) {
    case 'Y':
      return fmt::format("{:04}", static_cast<int>(date.year()));
    case 'm':
      return fmt::format("{:02}", static_cast<unsigned>(date.month()));
    case 'd':
      return fmt::format("{:02}", static_cast<unsigned>(date.day()));
    case 'j':
      return fmt::format("{:03}", (day - sys_days(date.year() / January / 1)).count() + 1);
    case 'H':
      return fmt::format("{:02}", clock.hours().count());
    case 'M':
      return fmt::format("{:02}", clock.minutes().count());
    case 'S':
      return fmt::format("{:02}", clock.seconds().count());
    case 'f':
      return fmt::format("{:03}", clock.subseconds().count());
    case '%':
      return "%";
    default:
      throw ConfigError(
          fmt::format("'%{}' in the name '{}' is not valid: expected %Y %m %d %j %H %M %S %f, or %% for a %",
                      letter, pattern));
  }
}

}  // namespace

bool is_pattern(const std::string& name) {
  return name.find('%') != std::string::npos;
}

std::string name_at(const std::string& pattern, std::int64_t utc_ns) {
  const std::size_t slash = pattern.rfind('/');
  if (slash != std::string::npos && pattern.find('%') < slash)
    throw ConfigError(
        fmt::format("'{}' has a % in a directory's name: expected times in the file's name only", pattern));
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%')
      name += pattern[i];
    else if (++i < pattern.size())
      name += part_of_time(pattern[i], utc_ns, pattern);
    else
      throw ConfigError(fmt::format("the name '{}' ends in a single %: expected %% for a %", pattern));
  }
  return name;
}

std::filesystem::path numbered(const std::filesystem::path& path, std::uint64_t number) {
  if (number <= 1) return path;
  std::filesystem::path result = path;
  result.replace_filename(fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string()));
  return result;
}

}  // namespace takt::sensors
