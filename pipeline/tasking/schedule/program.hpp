#pragma once
/// One call of sched: the graph that `static` describes, and its execution.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "pipeline/tasking/schedule/access_check.hpp"
#include "pipeline/tasking/schedule/unit.hpp"
#include "pipeline/tasking/schedule/workers.hpp"

namespace takt::tasking::schedule {

/// Most tags of a program in the guide's interface: calls of dep and nxtag together.
inline constexpr std::int64_t most_tags = 1000;
inline constexpr std::int64_t most_dependents = 25;

/// Records units and runs them. Every function that a program calls against its rules ends the process with a
/// message that names the tag and the rule.
class Program {
 public:
  /// `most` tags; 0: any number.
  Program(Workers& workers, std::int64_t most, Check check);

  /// Executes `static`, checks the graph, and runs it to its end.
  void run(const Call& description);

  void dep(std::int64_t tag, std::int64_t icango, std::span<const std::int64_t> dependents);
  void putq(std::int64_t tag, const Call& call);
  std::int64_t nxtag(std::int64_t parent);
  void spawn(std::int64_t parent, std::int64_t tag, const Call& call);
  std::int64_t ientry(std::int64_t tag, std::int64_t entries);
  bool wait(std::int64_t tag, std::int64_t label);
  /// Returns false when the unit has started. For static, of units that have a dep, and for units.
  bool set_priority(std::int64_t tag, std::int64_t priority);

  /// The executing unit reads or writes memory; for the check, if there is one.
  void touches(const void* address, std::int64_t bytes, std::int64_t mode);
  /// The check, or nullptr.
  [[nodiscard]] AccessCheck* check() const { return check_.get(); }

  [[nodiscard]] int workers() const { return workers_.pool.workers(); }
  /// Units that are executing now, and all executions that have begun: for the detection of deadlocks by
  /// locks. O(workers).
  [[nodiscard]] int executing() const;
  [[nodiscard]] std::int64_t executions() const;

 private:
  struct UnitCall;
  /// What one worker does; in a cache line of its own.
  struct alignas(64) Activity {
    std::atomic<int> executing{0};
    std::atomic<std::int64_t> executions{0};
  };

  Unit& unit_of(std::int64_t tag, const char* function);
  Unit& executing_unit(std::int64_t tag, const char* function) const;
  void require_static(std::int64_t tag, const char* function) const;
  void execute(Unit& unit);
  void execute_once(Unit& unit);
  void run_units();
  void release(Unit& unit, detail::Task& parent);

  Workers& workers_;
  std::int64_t most_;
  Check wanted_check_;
  std::mutex mutex_;
  /// Static units by their tag, those that only lists name included; index 0 is not used.
  std::deque<Unit> units_;
  /// In the order of putq.
  std::vector<Unit*> queued_;
  std::deque<Unit> children_;
  std::int64_t last_tag_ = 0;
  std::int64_t deps_ = 0;
  bool is_in_static_ = false;
  std::unique_ptr<AccessCheck> check_;
  std::vector<Activity> activities_;
};

/// The unit that the calling thread executes; nullptr: none.
[[nodiscard]] const Unit* executing_unit();

/// The sched that runs now. Ends the process with a message where there is none.
[[nodiscard]] Program& running_program(std::int64_t tag, const char* function);
/// The same, or nullptr.
[[nodiscard]] Program* program_if_any();

/// What sched does: makes a program, runs it, and forgets it.
void sched(std::int64_t workers, const Call& description, std::int64_t most);

}  // namespace takt::tasking::schedule
