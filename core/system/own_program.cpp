#include "core/system/own_program.hpp"

#include <string>
#include <string_view>

namespace takt {

std::filesystem::path own_program() {
  std::string name = std::filesystem::read_symlink("/proc/self/exe").string();
  // What Linux says of a file whose name is another one's by now, or nobody's.
  constexpr std::string_view deleted = " (deleted)";
  if (name.ends_with(deleted) && !std::filesystem::exists(name)) name.resize(name.size() - deleted.size());
  return name;
}

}  // namespace takt
