/// Preloaded into ranks: counts the calls of the allocator and of mutexes per thread, and forwards them.

#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <pthread.h>

extern "C" {

// The C library's allocator, under the names for such replacements.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

__attribute__((tls_model("initial-exec"))) static thread_local std::uint64_t allocations = 0, locks = 0;

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static Lock lock = nullptr;
  if (lock == nullptr) lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return lock(mutex);
}

/// Writes the counts of the calling thread so far.
void takt_count_calls(std::uint64_t* of_allocator, std::uint64_t* of_mutexes) {
  *of_allocator = allocations;
  *of_mutexes = locks;
}
}
