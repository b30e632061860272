#pragma once
/// One call of sched: the graph that `static` describes, and its execution.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "pipeline/tasking/pool.hpp"
#include "pipeline/tasking/schedule/access_check.hpp"
#include "pipeline/tasking/schedule/unit.hpp"
#include "pipeline/tasking/schedule/unit_stack.hpp"

namespace takt::tasking::schedule {

/// Most tags of a program in the guide's interface: calls of dep and nxtag together.
inline constexpr std::int64_t most_tags = 1000;
inline constexpr std::int64_t most_dependents = 25;

/// Records units and runs them. Every function that a program calls against its rules ends the process with a
/// message that names the tag and the rule.
class Program {
 public:
  /// `most` tags; 0: any number. `workers` is at least 1.
  Program(int workers, std::int64_t most);

  /// Executes `static`, checks the graph, and runs it to its end.
  void run(const Call& description);

  void dep(std::int64_t tag, std::int64_t icango, std::span<const std::int64_t> dependents);
  void putq(std::int64_t tag, const Call& call);
  std::int64_t nxtag(std::int64_t parent);
  void spawn(std::int64_t parent, std::int64_t tag, const Call& call);
  std::int64_t ientry(std::int64_t tag, std::int64_t entries);
  bool wait(std::int64_t tag, std::int64_t label);

  /// The executing unit reads or writes memory; for the check, if there is one.
  void touches(const void* address, std::int64_t bytes, std::int64_t mode);
  /// The check, or nullptr.
  [[nodiscard]] AccessCheck* check() const { return check_.get(); }

  [[nodiscard]] int workers() const { return pool_.workers(); }
  /// Units that are executing now, and all executions that have begun: for the detection of deadlocks by
  /// locks.
  [[nodiscard]] int executing() const { return executing_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t executions() const { return executions_.load(std::memory_order_relaxed); }

 private:
  struct ChildCall;

  Unit& unit_of(std::int64_t tag, const char* function);
  Unit& executing_unit(std::int64_t tag, const char* function) const;
  void require_static(std::int64_t tag, const char* function) const;
  void execute(Unit& unit);
  void execute_once(Unit& unit);
  void run_units();

  Pool pool_;
  std::int64_t most_;
  UnitStacks stacks_;
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
  std::atomic<int> executing_{0};
  std::atomic<std::int64_t> executions_{0};
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
