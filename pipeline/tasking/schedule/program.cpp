#include "pipeline/tasking/schedule/program.hpp"

#include <chrono>
#include <string>

#include "pipeline/tasking/schedule/fatal.hpp"
#include "pipeline/tasking/schedule/faults.hpp"
#include "pipeline/tasking/schedule/graph_rules.hpp"
#include "pipeline/tasking/schedule/trace.hpp"

namespace takt::tasking::schedule {

namespace {

thread_local Unit* this_unit = nullptr;
std::atomic<Program*> the_program{nullptr};

std::string number(std::int64_t value) {
  return std::to_string(value);
}

}  // namespace

const Unit* executing_unit() {
  return this_unit;
}

Program* program_if_any() {
  return the_program.load(std::memory_order_acquire);
}

Program& running_program(std::int64_t tag, const char* function) {
  Program* const program = program_if_any();
  if (program == nullptr)
    stop(tag, std::string(function) + " outside of sched",
         "dep and putq are called by static, the others by units");
  return *program;
}

void sched(std::int64_t workers, const Call& description, std::int64_t most) {
  if (this_unit != nullptr)
    stop(this_unit->tag, "sched in a unit", "sched is called outside of units and of static");
  static std::atomic<bool> is_running{false};
  if (is_running.exchange(true))
    stop(0, "sched before another sched has returned", "one sched runs at a time");
  if (workers < 1 || workers > 1024) stop(0, "sched: nprocs = " + number(workers), "nprocs is 1 to 1024");
  if (const std::string fault = Trace::the().open(); !fault.empty())
    stop(0, fault, "TAKT_SCHEDULE_TRACE names a file that can be written");
  {
    const FaultWatch watch;
    const Check check = wanted_check();
    Workers& kept = Workers::of(check == Check::memory ? 1 : static_cast<int>(workers));
    Program program(kept, most, check);
    the_program.store(&program, std::memory_order_release);
    program.run(description);
    the_program.store(nullptr, std::memory_order_release);
    kept.stacks.free_dead();
  }
  Trace::the().close();
  is_running.store(false);
}

Program::Program(Workers& workers, std::int64_t most, Check check)
    : workers_(workers),
      most_(most),
      wanted_check_(check),
      units_(1),
      activities_(static_cast<std::size_t>(workers.pool.workers())) {}

int Program::executing() const {
  int sum = 0;
  for (const Activity& each : activities_) sum += each.executing.load(std::memory_order_relaxed);
  return sum;
}

std::int64_t Program::executions() const {
  std::int64_t sum = 0;
  for (const Activity& each : activities_) sum += each.executions.load(std::memory_order_relaxed);
  return sum;
}

void Program::run(const Call& description) {
  prepare_thread_for_faults();
  is_in_static_ = true;
  const auto call = [](void* argument) { (*static_cast<const Call*>(argument))(0); };
  workers_.stacks.run(0, UnitStacks::static_tag, call, const_cast<Call*>(&description), [] { return true; });
  is_in_static_ = false;
  require_valid_graph(units_);
  if (wanted_check_ != Check::none) check_ = std::make_unique<AccessCheck>(units_, wanted_check_);
  run_units();
  if (check_ != nullptr) check_->finish();
}

/// What the task of a unit calls.
struct Program::UnitCall {
  Program* program;
  Unit* unit;

  void operator()() const { program->execute(*unit); }
  /// The unit and its descendants are complete.
  void finish(detail::Task& task) const {
    unit->ticket.close(task);
    for (const std::int64_t each : unit->dependents) {
      Unit& dependent = program->units_[static_cast<std::size_t>(each)];
      if (dependent.open.fetch_sub(1, std::memory_order_acq_rel) == 1)
        program->release(dependent, *task.parent);
    }
  }
};

void Program::release(Unit& unit, detail::Task& parent) {
  detail::Task& task = *detail::Worker::here()->make(&parent);
  detail::fill(task, UnitCall{this, &unit});
  unit.ticket.release(task);
}

void Program::run_units() {
  for (Unit& each : units_) each.open.store(each.icango, std::memory_order_relaxed);
  workers_.pool.run([this] {
    detail::Task& parent = detail::current_task();
    // All are its children from the beginning, although their tasks are made when they are ready.
    detail::Worker::here()->adopt(parent, static_cast<std::int32_t>(queued_.size()));
    for (Unit* const each : queued_)
      if (each->icango == 0) release(*each, parent);
  });
}

void Program::require_static(std::int64_t tag, const char* function) const {
  if (this_unit != nullptr)
    stop(tag, std::string(function) + " in the unit of tag " + number(this_unit->tag),
         "dep and putq are called by static; units use nxtag and spawn");
  if (!is_in_static_)
    stop(tag, std::string(function) + " after static has returned", "dep and putq are called by static");
}

Unit& Program::unit_of(std::int64_t tag, const char* function) {
  if (tag < 1 || (most_ != 0 && tag > most_))
    stop(tag, std::string(function) + ": jobtag = " + number(tag),
         "tags are successive integers from 1 " + (most_ == 0 ? std::string("on") : "to " + number(most_)));
  return units_[static_cast<std::size_t>(tag)];
}

void Program::dep(std::int64_t tag, std::int64_t icango, std::span<const std::int64_t> dependents) {
  require_static(tag, "dep");
  if (tag >= 1 && (most_ == 0 || tag <= most_) && tag >= static_cast<std::int64_t>(units_.size())) {
    // A tag without end would be a list without end; those of a graph are successive.
    constexpr std::int64_t widest_gap = 10'000'000;
    if (tag - deps_ > widest_gap)
      stop(tag, "dep: after " + number(deps_) + " tags", "tags are successive integers from 1");
    units_.resize(static_cast<std::size_t>(tag) + 1);
  }
  Unit& unit = unit_of(tag, "dep");
  if (unit.has_dep) stop(tag, "dep for the second time", "each unit has a tag of its own");
  if (icango < 0) stop(tag, "dep: icango = " + number(icango), "icango is 0 or more");
  unit.tag = tag;
  unit.has_dep = true;
  unit.icango = icango;
  unit.dependents.assign(dependents.begin(), dependents.end());
  ++deps_;
  last_tag_ = std::max(last_tag_, tag);
  Trace::the().create(tag, icango, dependents);
}

void Program::putq(std::int64_t tag, const Call& call) {
  require_static(tag, "putq");
  const bool is_known =
      tag < 1 || (most_ != 0 && tag > most_) || tag < static_cast<std::int64_t>(units_.size());
  if (!is_known || (tag >= 1 && tag < static_cast<std::int64_t>(units_.size()) &&
                    !units_[static_cast<std::size_t>(tag)].has_dep))
    stop(tag, "putq without dep", "the dep of a tag comes before its putq");
  Unit& unit = unit_of(tag, "putq");
  if (unit.has_putq) stop(tag, "putq for the second time", "each unit has one dep and one putq");
  unit.has_putq = true;
  unit.call = call;
  queued_.push_back(&unit);
}

Unit& Program::executing_unit(std::int64_t tag, const char* function) const {
  if (this_unit == nullptr)
    stop(tag, std::string(function) + " outside of a unit",
         std::string(function) + " is called by units that execute");
  if (this_unit->tag != tag)
    stop(this_unit->tag, std::string(function) + " with the tag " + number(tag) + " of another unit",
         "the first argument of " + std::string(function) + " is the tag of the unit that calls it");
  return *this_unit;
}

std::int64_t Program::nxtag(std::int64_t parent) {
  Unit& unit = executing_unit(parent, "nxtag");
  if (unit.claimed_tag != 0)
    stop(parent, "nxtag again, without a spawn for tag " + number(unit.claimed_tag),
         "each nxtag is followed by its spawn");
  const std::lock_guard lock(mutex_);
  if (most_ != 0 && deps_ + static_cast<std::int64_t>(children_.size()) >= most_)
    stop(parent, "nxtag: all " + number(most_) + " tags are in use",
         "the calls of dep and of nxtag are at most " + number(most_));
  Unit& child = children_.emplace_back();
  child.tag = ++last_tag_;
  child.parent = parent;
  unit.claimed = &child;
  unit.claimed_tag = child.tag;
  return child.tag;
}

void Program::spawn(std::int64_t parent, std::int64_t tag, const Call& call) {
  Unit& unit = executing_unit(parent, "spawn");
  if (unit.claimed_tag == 0)
    stop(parent, "spawn of tag " + number(tag) + " without nxtag",
         "each spawn follows the nxtag that gives its tag");
  if (unit.claimed_tag != tag)
    stop(parent, "spawn of tag " + number(tag) + " after nxtag has given tag " + number(unit.claimed_tag),
         "each spawn follows the nxtag that gives its tag");
  Unit& child = *unit.claimed;
  unit.claimed = nullptr;
  unit.claimed_tag = 0;
  unit.has_spawned = true;
  unit.has_spawned_in_this_execution = true;
  child.call = call;
  Trace::the().create_child(parent, tag);
  if (check_ != nullptr) check_->spawn(unit, child);
  detail::Task& task = detail::current_task();
  detail::Worker::here()->adopt(task, 1);
  release(child, task);
}

bool Program::set_priority(std::int64_t tag, std::int64_t priority) {
  if (this_unit == nullptr && !is_in_static_)
    stop(tag, "setpri outside of a unit and of static", "static and units change priorities");
  if (priority < -100 || priority > 100)
    stop(tag, "setpri: priority " + number(priority), "a priority is -100 to 100");
  const auto statics = static_cast<std::int64_t>(units_.size()) - 1;
  Unit* unit = nullptr;
  if (tag >= 1 && tag <= statics) {
    unit = &units_[static_cast<std::size_t>(tag)];
  } else {
    const std::lock_guard lock(mutex_);
    if (tag > statics && tag <= last_tag_) unit = &children_[static_cast<std::size_t>(tag - statics - 1)];
  }
  if (unit == nullptr || (is_in_static_ && !unit->has_dep))
    stop(tag, "setpri of a unit that does not exist", "the dep or nxtag of a tag comes before its setpri");
  if (!is_in_static_) return unit->ticket.set_priority(static_cast<int>(priority));
  unit->ticket.open(static_cast<int>(priority));
  return true;
}

std::int64_t Program::ientry(std::int64_t tag, std::int64_t entries) {
  Unit& unit = executing_unit(tag, "ientry");
  if (entries < 1) stop(tag, "ientry: N = " + number(entries), "N is the number of labels, 1 or more");
  unit.entries = entries;
  return unit.entry;
}

bool Program::wait(std::int64_t tag, std::int64_t label) {
  Unit& unit = executing_unit(tag, "wait");
  if (unit.entries == 0) stop(tag, "wait without ientry", "a unit that calls wait calls ientry before");
  if (!unit.has_spawned) stop(tag, "wait without spawn", "wait is called by a unit that has spawned");
  if (label < 1 || label > unit.entries)
    stop(tag, "wait: label = " + number(label), "label is 1 to N of ientry, here " + number(unit.entries));
  if (unit.claimed_tag != 0)
    stop(tag, "nxtag without spawn for tag " + number(unit.claimed_tag),
         "each nxtag is followed by its spawn");
  if (has_children()) {
    unit.is_to_return = true;
    unit.next_entry = label;
    return true;
  }
  unit.entry = label;
  if (check_ != nullptr) check_->join(unit);
  return false;
}

void Program::touches(const void* address, std::int64_t bytes, std::int64_t mode) {
  if (check_ == nullptr) return;
  if (this_unit == nullptr) stop(0, "touches outside of a unit", "touches is called by units that execute");
  if (bytes < 0) stop(this_unit->tag, "touches: " + number(bytes) + " bytes", "bytes are 0 or more");
  if (mode != 0 && mode != 1)
    stop(this_unit->tag, "touches: mode = " + number(mode), "the mode is 0 (reads) or 1 (writes)");
  check_->touch(*this_unit, address, static_cast<std::size_t>(bytes), mode == 1);
}

void Program::execute_once(Unit& unit) {
  prepare_thread_for_faults();
  unit.entry = unit.next_entry;
  unit.is_to_return = false;
  unit.has_spawned_in_this_execution = false;
  // At an entry all children are complete.
  if (check_ != nullptr) check_->join(unit);
  const int worker = this_worker();
  Activity& activity = activities_[static_cast<std::size_t>(worker)];
  activity.executing.store(1, std::memory_order_relaxed);
  activity.executions.fetch_add(1, std::memory_order_relaxed);
  const bool is_traced = Trace::the().is_open();
  std::chrono::steady_clock::time_point begin;
  if (is_traced) {
    Trace::the().start(unit.parent, unit.tag);
    begin = std::chrono::steady_clock::now();
  }
  this_unit = &unit;
  set_executing_tag(unit.tag);
  const auto call = [](void* argument) {
    const Unit& self = *static_cast<const Unit*>(argument);
    self.call(self.tag);
  };
  if (check_ != nullptr) check_->begin();
  workers_.stacks.run(worker, unit.tag, call, &unit, [&unit] { return unit.has_spawned_in_this_execution; });
  if (check_ != nullptr) check_->end(unit);
  set_executing_tag(0);
  this_unit = nullptr;
  if (is_traced) Trace::the().stop(unit.parent, unit.tag, std::chrono::steady_clock::now() - begin);
  activity.executing.store(0, std::memory_order_relaxed);
  if (unit.claimed_tag != 0)
    stop(unit.tag, "nxtag without spawn for tag " + number(unit.claimed_tag),
         "each nxtag is followed by its spawn");
  if (!unit.is_to_return) unit.next_entry = unit.entry + 1;
}

void Program::execute(Unit& unit) {
  for (;;) {
    execute_once(unit);
    if (unit.next_entry > unit.entries) return;
    if (has_children()) {
      run_again();
      return;
    }
  }
}

}  // namespace takt::tasking::schedule
