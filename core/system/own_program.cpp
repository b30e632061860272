#include "core/system/own_program.hpp"

#include <string>
#include <string_view>

namespace takt {

std::filesystem::path own_program() {
  std::string name = std::filesystem::read_symlink("/proc/self/exe").string();
  // Linux's suffix for a file whose name was removed or reused.
  constexpr std::string_view deleted = " (deleted)";
  if (name.ends_with(deleted) && !std::filesystem::exists(name)) name.resize(name.size() - deleted.size());
  return name;
}

}  // namespace takt
