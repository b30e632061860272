#include "pipeline/protocol/sent_schedule.hpp"

#include <cstdlib>
#include <utility>

#include "core/system/text_file.hpp"

namespace takt::pipeline {

std::optional<std::string> schedule_to_send(const std::filesystem::path& file) {
  // Linux allows 128 KiB, including the name.
  constexpr std::size_t most = 120 << 10;
  std::string text = read_text_file(file);
  if (text.size() > most) return std::nullopt;
  return text;
}

std::string sent_schedule(const std::filesystem::path& file) {
  const char* const sent = std::getenv(schedule_variable);
  return sent != nullptr ? sent : read_text_file(file);
}

}  // namespace takt::pipeline
