#include "pipeline/tasking/schedule/code_address.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <link.h>

namespace takt::tasking::schedule {

namespace {

using Ranges = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;

/// The code of the program and of the libraries that are loaded.
Ranges loaded_code() {
  Ranges found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* result) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          static_cast<Ranges*>(result)->emplace_back(begin, begin + part.p_memsz);
        }
        return 0;
      },
      &found);
  return found;
}

/// Everything that is executable: nested procedures on stacks, and what was compiled at run time, included.
Ranges executable_memory() {
  Ranges found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) == 3 && rights[2] == 'x')
      found.emplace_back(begin, end);
  }
  return found;
}

}  // namespace

bool is_code(const void* address) {
  static auto* const mutex = new std::mutex;
  static auto* const known = new Ranges;
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  const auto contains = [place](const Ranges& ranges) {
    for (const auto& [begin, end] : ranges)
      if (place >= begin && place < end) return true;
    return false;
  };
  const std::lock_guard lock(*mutex);
  if (contains(*known)) return true;
  *known = loaded_code();
  if (contains(*known)) return true;
  *known = executable_memory();
  // Where the system does not say, everything may be code.
  return known->empty() || contains(*known);
}

}  // namespace takt::tasking::schedule
