#pragma once
/// A graph of units with dependencies, which tasks may run repeatedly.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

#include "pipeline/tasking/access_map.hpp"
#include "pipeline/tasking/conflicts.hpp"
#include "pipeline/tasking/pool.hpp"
#include "pipeline/tasking/ticket.hpp"

namespace takt::tasking {

/// A unit starts when all units before it are complete, with all that they have spawned. After a unit that
/// has failed or was cancelled, those that depend on it are left out. Not changed, nor started again, while
/// it runs.
class Graph {
 public:
  using Unit = std::uint32_t;

  /// Adds a unit; numbers count from 0. Units that become ready at once do so in the order of `add`.
  Unit add(std::function<void()> call, const With& with = {});
  /// Adds a unit that depends on earlier ones as its reads and writes say: it comes after the last writer of
  /// what it reads, and after all readers and the last writer of what it writes.
  Unit add(std::function<void()> call, std::initializer_list<Access> accesses, const With& with = {});
  /// `after` depends on `before`. A pair counts as often as it is named, once in effect.
  void precede(Unit before, Unit after);
  /// Changes the priority of a unit, for this run and later ones; units and other tasks may call it while the
  /// graph runs. Returns false when the unit has started: then the priority counts for later runs. Throws
  /// std::out_of_range, std::invalid_argument for a priority that cannot be, and std::logic_error outside of
  /// tasks while the graph runs.
  bool set_priority(Unit unit, int priority);

  [[nodiscard]] std::size_t size() const { return units_.size(); }

  /// Runs all units and waits for them, inside of a task. Throws std::invalid_argument, before any unit
  /// starts, when units wait for each other in a circle, and the first exception of a unit.
  void run();
  /// Runs all units as `run` does, and returns the accesses of two units to the same bytes of which neither
  /// comes before the other: those that `add` was told, and those of `touches`, whose owners are units. What
  /// the tasks of one unit do to each other is not looked at.
  [[nodiscard]] std::vector<ConflictFinder::Conflict> run_checked();
  /// Starts all units as descendants of the current task.
  [[nodiscard]] Handle start();
  /// Runs the units one after the other, in the order of an earlier run (`order`). Throws
  /// std::invalid_argument for one that contradicts the dependencies.
  void run_in(std::span<const Unit> order);
  /// The units of the last run in the order in which they started.
  [[nodiscard]] std::vector<Unit> order() const;

 private:
  struct Node {
    std::function<void()> call;
    With with;
    std::vector<Unit> dependents;
    std::vector<Access> accesses;
    int dependencies = 0;
    std::atomic<int> open{0};
    std::atomic<bool> is_skipped{false};
    detail::Ticket ticket;
  };
  struct UnitCall;
  /// Of `run_checked`.
  struct Check {
    std::mutex mutex;
    ConflictFinder finder;
  };
  friend void touches(const Access& access);

  [[nodiscard]] std::out_of_range no_unit(Unit unit) const;
  void reset();
  void require_no_circle();
  void release(Unit unit, detail::Task& parent);

  std::deque<Node> units_;
  AccessMap accesses_;
  std::vector<Unit> order_;
  std::atomic<std::size_t> started_{0};
  bool is_checked_ = false;
  std::unique_ptr<Check> check_;
};

/// The current task reads or writes memory for the unit that it belongs to, for `Graph::run_checked`;
/// without effect in other runs. Throws std::logic_error outside of a pool.
void touches(const Access& access);

}  // namespace takt::tasking
