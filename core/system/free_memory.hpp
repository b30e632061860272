#pragma once
/// Return of free heap memory to the system.

#include <cstddef>

#include <malloc.h>

namespace takt {

/// When a million tasks are planned, each step leaves free memory in pieces of a megabyte, too small for the
/// next step: a tenth of all memory and more. Returns it to the system if there are many tasks. Takes some
/// milliseconds, and as many for the pages that are allocated again.
inline void give_back_free_memory(std::size_t tasks) {
  constexpr std::size_t many_tasks = 100'000;
  if (tasks >= many_tasks) ::malloc_trim(0);
}

}  // namespace takt
