#include "core/stream_names.hpp"

#include <charconv>

namespace takt {

std::optional<StreamTaskName> stream_task_name(std::string_view name) {
  const std::size_t hash = name.find('#'), slash = name.find('/');
  if (hash == std::string_view::npos || slash == std::string_view::npos || hash > slash) return std::nullopt;
  StreamTaskName parsed{name.substr(0, hash), name.substr(slash + 1), 0};
  const std::string_view number = name.substr(hash + 1, slash - hash - 1);
  const auto [end, error] = std::from_chars(number.begin(), number.end(), parsed.frame);
  if (error != std::errc{} || end != number.end()) return std::nullopt;
  return parsed;
}

}  // namespace takt
