#pragma once
/// Checks dependencies against what units read and write: what they say (TAKT_SCHEDULE_CHECK=1), or what they
/// do (TAKT_SCHEDULE_CHECK=memory).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/tasking/conflicts.hpp"
#include "pipeline/tasking/schedule/unit.hpp"

namespace takt::tasking::schedule {

enum class Check { none, declared, memory };

/// What TAKT_SCHEDULE_CHECK asks for: 1 or memory; none where it is not set, empty or 0. Ends the process
/// with a message for other values.
[[nodiscard]] Check wanted_check();

/// Gives an array a name for messages. For any thread; kept until the process ends.
void name_array(const void* address, std::size_t bytes, const std::string& name);

/// The order of one sched: a unit is a sequence of steps, with a new step after each spawn and at each entry.
/// For any thread.
class AccessCheck {
 public:
  /// Before any unit runs. Unit i has tag i; 0 is none. With Check::memory, one worker runs all units.
  AccessCheck(const std::deque<Unit>& units, Check check);
  AccessCheck(const AccessCheck&) = delete;
  AccessCheck& operator=(const AccessCheck&) = delete;
  ~AccessCheck();

  /// Around an execution of a unit.
  void begin() const;
  void end(const Unit& unit);

  void spawn(const Unit& parent, const Unit& child);
  /// All children that it has spawned so far are complete.
  void join(const Unit& unit);
  void touch(const Unit& unit, const void* address, std::size_t bytes, bool writes);
  void lock(const Unit& unit, const int* lock);
  void unlock(const Unit& unit, const int* lock);

  /// At the end: a message for each conflict, at most 20, and the end of the program with status 1; returns
  /// when there is none.
  void finish();

 private:
  using Step = ConflictFinder::Step;
  struct Steps {
    Step now, end;
    std::vector<Step> children;
    ConflictFinder::Locks locks;
  };
  Steps& add(std::int64_t tag);
  void take_noted(const Unit& unit);

  Check kind_;
  std::mutex mutex_;
  ConflictFinder finder_;
  std::unordered_map<std::int64_t, Steps> units_;
};

}  // namespace takt::tasking::schedule
