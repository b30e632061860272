#pragma once
/// Memory that is free, but not the system's again.

#include <cstddef>

#include <malloc.h>

namespace takt {

/// What steps of the planning of a million tasks leave free lies in pieces of a megabyte, too small for what
/// the next ones need: a tenth of all memory and more. Gives it back to the system where there are many
/// tasks. Some milliseconds, and as many for the pages that are asked for again.
inline void give_back_free_memory(std::size_t tasks) {
  constexpr std::size_t many_tasks = 100'000;
  if (tasks >= many_tasks) ::malloc_trim(0);
}

}  // namespace takt
