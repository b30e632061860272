#include "pipeline/tasking/schedule/locks.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "pipeline/tasking/schedule/access_check.hpp"
#include "pipeline/tasking/schedule/fatal.hpp"
#include "pipeline/tasking/schedule/memory_watch.hpp"
#include "pipeline/tasking/schedule/program.hpp"

namespace takt::tasking::schedule {

namespace {

/// Who has turned which lock on, and who waits for which, for messages.
class Holders {
 public:
  static Holders& the() {
    static auto* const holders = new Holders;
    return *holders;
  }
  void note(const int* lock, std::int64_t tag) {
    const std::lock_guard guard(mutex_);
    tags_[lock] = tag;
  }
  void note_waiting(const int* lock, std::int64_t tag) {
    const std::lock_guard guard(mutex_);
    waiting_[tag] = lock;
  }
  void forget_waiting(std::int64_t tag) {
    const std::lock_guard guard(mutex_);
    waiting_.erase(tag);
  }
  /// "tag 1 waits for the lock of tag 2, ..."
  std::string describe_waiting() {
    const std::lock_guard guard(mutex_);
    std::string text;
    for (const auto& [tag, lock] : waiting_) {
      const auto holder = tags_.find(lock);
      text += (text.empty() ? "tag " : ", tag ") + std::to_string(tag) + " waits for " +
              (holder == tags_.end() || holder->second == 0
                   ? std::string("a lock that no unit has turned on")
                   : "the lock of tag " + std::to_string(holder->second));
    }
    return text;
  }
  std::string describe(const int* lock) {
    const std::lock_guard guard(mutex_);
    const auto found = tags_.find(lock);
    if (found == tags_.end()) return "by no lockon";
    return found->second == 0 ? "outside of units" : "by tag " + std::to_string(found->second);
  }

 private:
  std::mutex mutex_;
  std::map<const int*, std::int64_t> tags_;
  std::map<std::int64_t, const int*> waiting_;
};

/// Units that wait for a lock now.
std::atomic<int> waiting{0};
/// Locks that were turned on so far: a sign of progress.
std::atomic<std::int64_t> successes{0};

std::int64_t tag_here() {
  const Unit* const unit = executing_unit();
  return unit == nullptr ? 0 : unit->tag;
}

/// The check of accesses, where a unit executes and there is one.
AccessCheck* check_here() {
  const Program* const program = program_if_any();
  return program == nullptr || executing_unit() == nullptr ? nullptr : program->check();
}

bool try_on(int* lock) {
  int off = 0;
  return std::atomic_ref<int>(*lock).compare_exchange_strong(off, 1, std::memory_order_acquire,
                                                             std::memory_order_relaxed);
}

[[noreturn]] void stop_waiting(const int* lock, const std::string& why) {
  stop(tag_here(), "lockon: the lock has been turned on " + Holders::the().describe(lock) + ", and " + why,
       "a lock that is on is turned off by lockoff, and no worker turns on a lock twice");
}

/// Waits in the hope that another unit turns the lock off.
void wait_until_on(int* lock, const Program& program) {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::seconds(2);
  constexpr int spins = 200;
  for (int i = 0; i < spins; ++i) {
    if (try_on(lock)) return;
    if (i > spins / 2) std::this_thread::yield();
  }
  waiting.fetch_add(1, std::memory_order_relaxed);
  Holders::the().note_waiting(lock, tag_here());
  auto since = Clock::now();
  std::int64_t executions = program.executions();
  std::int64_t seen = successes.load(std::memory_order_relaxed);
  auto pause = std::chrono::microseconds(20);
  while (!try_on(lock)) {
    std::this_thread::sleep_for(pause);
    if (pause < std::chrono::milliseconds(1)) pause *= 2;
    const bool all_wait = waiting.load(std::memory_order_relaxed) >= program.executing();
    if (!all_wait || executions != program.executions() ||
        seen != successes.load(std::memory_order_relaxed)) {
      since = Clock::now();
      executions = program.executions();
      seen = successes.load(std::memory_order_relaxed);
    }
    if (Clock::now() - since > patience)
      stop_waiting(lock, "every unit that executes waits for a lock: " + Holders::the().describe_waiting());
  }
  Holders::the().forget_waiting(tag_here());
  waiting.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

void assign_lock(int* lock) {
  const MemoryWatch::Pause pause;
  std::atomic_ref<int>(*lock).store(0, std::memory_order_release);
}

void turn_lock_on(int* lock) {
  const MemoryWatch::Pause pause;  // A lock may lie in an array.
  if (!try_on(lock)) {
    const int value = std::atomic_ref<int>(*lock).load(std::memory_order_relaxed);
    if (value != 0 && value != 1)
      stop(tag_here(), "lockon: the lock has the value " + std::to_string(value),
           "lckasn declares a lock before any lockon; it is 0 or 1 then");
    const Program* const program = program_if_any();
    if (program == nullptr || executing_unit() == nullptr || program->workers() == 1) {
      if (!try_on(lock)) stop_waiting(lock, "no other worker can turn it off");
    } else {
      wait_until_on(lock, *program);
    }
  }
  successes.fetch_add(1, std::memory_order_relaxed);
  Holders::the().note(lock, tag_here());
  if (AccessCheck* const check = check_here(); check != nullptr) check->lock(*executing_unit(), lock);
}

void turn_lock_off(int* lock) {
  const MemoryWatch::Pause pause;
  if (AccessCheck* const check = check_here(); check != nullptr) check->unlock(*executing_unit(), lock);
  std::atomic_ref<int>(*lock).store(0, std::memory_order_release);
}

}  // namespace takt::tasking::schedule
