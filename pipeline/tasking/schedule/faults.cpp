#include "pipeline/tasking/schedule/faults.hpp"

#include <array>
#include <csignal>
#include <cstdio>

#include <sys/mman.h>

#include "pipeline/tasking/schedule/fatal.hpp"
#include "pipeline/tasking/schedule/memory_watch.hpp"
#include "pipeline/tasking/schedule/unit_stack.hpp"

namespace takt::tasking::schedule {

namespace {

constexpr std::array fault_signals{SIGSEGV, SIGBUS};
std::array<struct sigaction, fault_signals.size()> earlier_handlers;

thread_local std::int64_t executing_tag = 0;

/// The stack of a thread's signal handlers.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t present{};
    if (::sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0) return;
    // In pages of its own: those of the heap may be inaccessible while accesses are watched.
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t own{};
    own.ss_sp = memory_;
    own.ss_size = bytes;
    ::sigaltstack(&own, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;
  ~HandlerStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(memory_, bytes);
  }

 private:
  static constexpr std::size_t bytes = 65536;
  void* memory_ = MAP_FAILED;
};

void handle(int signal, siginfo_t* about, void* context) {
  if (MemoryWatch::the().on_fault(about->si_addr, context)) return;
  char line[512];
  if (UnitStack* const stack = UnitStacks::find(about->si_addr); stack != nullptr) {
    char owner[64];
    if (stack->owner() == UnitStacks::static_tag)
      std::snprintf(owner, sizeof(owner), "static");
    else
      std::snprintf(owner, sizeof(owner), "tag %lld", static_cast<long long>(stack->owner()));
    if (stack->is_dead()) {
      std::snprintf(line, sizeof(line),
                    "schedule: tag %lld: uses a local variable of %s, which has returned; rule: the "
                    "parameters of putq and "
                    "spawn are global: in common, saved, or arguments of the caller\n",
                    static_cast<long long>(executing_tag), owner);
      stop_in_signal(line);
    }
    if (stack->memory().is_guard(about->si_addr)) {
      std::snprintf(
          line, sizeof(line),
          "schedule: tag %lld: the stack of %zu MiB is full; rule: large arrays of a unit are global\n",
          static_cast<long long>(executing_tag), stack->memory().size() >> 20);
      stop_in_signal(line);
    }
  }
  // Returning repeats the access, under the handler that was there before.
  for (std::size_t i = 0; i < fault_signals.size(); ++i)
    if (fault_signals[i] == signal) ::sigaction(signal, &earlier_handlers[i], nullptr);
}

}  // namespace

FaultWatch::FaultWatch() {
  struct sigaction own {};
  own.sa_sigaction = handle;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < fault_signals.size(); ++i)
    ::sigaction(fault_signals[i], &own, &earlier_handlers[i]);
}

FaultWatch::~FaultWatch() {
  for (std::size_t i = 0; i < fault_signals.size(); ++i)
    ::sigaction(fault_signals[i], &earlier_handlers[i], nullptr);
}

void prepare_thread_for_faults() {
  thread_local HandlerStack stack;
}

void set_executing_tag(std::int64_t tag) {
  executing_tag = tag;
}

}  // namespace takt::tasking::schedule
