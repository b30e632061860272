#include "core/system/allowed_processors.hpp"

#include <sched.h>

namespace takt {

std::vector<std::size_t> allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return {0};
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &allowed)) numbers.push_back(i);
  return numbers;
}

}  // namespace takt
