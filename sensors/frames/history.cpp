#include "sensors/frames/history.hpp"

#include <utility>

#include "core/system/text_file.hpp"

namespace takt::sensors {

namespace {

void write(const std::filesystem::path& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  write_text_file(path, text);
}

}  // namespace

void History::begin(const std::filesystem::path& file) {
  const std::lock_guard lock(mutex_);
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(file, error) || !std::filesystem::exists(file, error);
  // Trial runs write to memory.
  path_ = is_file && !file.string().starts_with("/proc/") ? file.string() + ".history" : "";
  if (path_.empty()) return;
  std::filesystem::remove(path_, error);
  if (!lines_.empty()) write(path_, lines_);
}

std::vector<std::string> History::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

void History::resume(const std::filesystem::path& file, std::vector<std::string> lines) {
  {
    const std::lock_guard lock(mutex_);
    lines_ = std::move(lines);
  }
  if (!file.empty()) begin(file);
}

void History::note(const std::string& line) {
  const std::lock_guard lock(mutex_);
  lines_.push_back(line);
  if (!path_.empty()) write(path_, lines_);
}

}  // namespace takt::sensors
