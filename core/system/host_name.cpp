#include "core/system/host_name.hpp"

#include <array>
#include <fstream>

#include <unistd.h>

namespace takt {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string boot_id() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

}  // namespace takt
