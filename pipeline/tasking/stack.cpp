#include "pipeline/tasking/stack.hpp"

#include <atomic>
#include <new>

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace takt::tasking {

namespace {

/// A guard page splits a mapping, and the kernel allows 65,530 mappings: stacks beyond these have none.
constexpr int most_guards = 16'384;
std::atomic<int> guards{0};

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// Nested functions of GNU Fortran and C run code on the stack; their program asks for it in its header.
int stack_protection() {
  static const int protection = [] {
    int found = PROT_READ | PROT_WRITE;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* result) {
          for (int i = 0; i < object->dlpi_phnum; ++i)
            if (object->dlpi_phdr[i].p_type == PT_GNU_STACK && (object->dlpi_phdr[i].p_flags & PF_X) != 0)
              *static_cast<int*>(result) |= PROT_EXEC;
          return 1;  // The program itself comes first, and it decides.
        },
        &found);
    return found;
  }();
  return protection;
}

}  // namespace

Stack::Stack(std::size_t bytes) : guard_(0) {
  const std::size_t page = page_size();
  bytes_ = (bytes + page - 1) / page * page + page;
  void* const memory = ::mmap(nullptr, bytes_, stack_protection(),
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(memory);
  if (guards.fetch_add(1, std::memory_order_relaxed) < most_guards && ::mprotect(base_, page, PROT_NONE) == 0)
    guard_ = page;
}

Stack::~Stack() {
  guards.fetch_sub(1, std::memory_order_relaxed);
  ::munmap(base_, bytes_);
}

void Stack::forbid() {
  ::madvise(bottom(), size(), MADV_DONTNEED);
  ::mprotect(bottom(), size(), PROT_NONE);
}

void Stack::allow() {
  ::mprotect(bottom(), size(), stack_protection());
}

}  // namespace takt::tasking
