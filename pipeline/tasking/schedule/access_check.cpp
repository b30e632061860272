#include "pipeline/tasking/schedule/access_check.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>

#include "pipeline/tasking/schedule/fatal.hpp"
#include "pipeline/tasking/schedule/memory_watch.hpp"

namespace takt::tasking::schedule {

namespace {

const char* const rule =
    "units that use what others write are ordered by dependencies, or hold the same lock";

/// Names of arrays, by their address.
class ArrayNames {
 public:
  static ArrayNames& the() {
    static auto* const names = new ArrayNames;
    return *names;
  }
  void put(std::uintptr_t begin, std::size_t bytes, const std::string& name) {
    const std::lock_guard lock(mutex_);
    arrays_[begin] = {begin + bytes, name};
  }
  std::vector<MemoryWatch::Range> ranges() {
    const std::lock_guard lock(mutex_);
    std::vector<MemoryWatch::Range> found;
    for (const auto& [begin, about] : arrays_) found.emplace_back(begin, about.first);
    return found;
  }
  /// "bytes 8 to 15 of temp", or of an address where no name is known.
  std::string describe(std::uintptr_t begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto after = arrays_.upper_bound(begin);
    char text[64];
    if (after == arrays_.begin() || std::prev(after)->second.first <= begin) {
      std::snprintf(text, sizeof(text), "%zu bytes at 0x%zx", bytes, static_cast<std::size_t>(begin));
      return text;
    }
    const auto& [array, about] = *std::prev(after);
    return "bytes " + std::to_string(begin - array) + " to " + std::to_string(begin - array + bytes - 1) +
           " of " + about.second;
  }

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::pair<std::uintptr_t, std::string>> arrays_;
};

}  // namespace

Check wanted_check() {
  const char* const set = std::getenv("TAKT_SCHEDULE_CHECK");
  const std::string wanted = set == nullptr ? "" : set;
  if (wanted.empty() || wanted == "0") return Check::none;
  if (wanted == "1") return Check::declared;
  if (wanted != "memory") stop(0, "TAKT_SCHEDULE_CHECK=" + wanted, "TAKT_SCHEDULE_CHECK is 0, 1 or memory");
  if (!MemoryWatch::is_possible())
    stop(0, "TAKT_SCHEDULE_CHECK=memory on this processor",
         "accesses are watched on x86-64; 1 checks elsewhere");
  return Check::memory;
}

void name_array(const void* address, std::size_t bytes, const std::string& name) {
  ArrayNames::the().put(reinterpret_cast<std::uintptr_t>(address), bytes, name);
}

AccessCheck::AccessCheck(const std::deque<Unit>& units, Check check) : kind_(check) {
  for (std::size_t tag = 1; tag < units.size(); ++tag) add(static_cast<std::int64_t>(tag));
  for (std::size_t tag = 1; tag < units.size(); ++tag)
    for (const std::int64_t each : units[tag].dependents)
      finder_.order(units_.at(static_cast<std::int64_t>(tag)).end, units_.at(each).now);
  if (kind_ != Check::memory) return;
  const std::vector<MemoryWatch::Range> arrays = ArrayNames::the().ranges();
  if (arrays.empty())
    stop(0, "TAKT_SCHEDULE_CHECK=memory, and no array has a name",
         "nmarry names the arrays that are watched");
  MemoryWatch::the().start(arrays);
}

AccessCheck::~AccessCheck() {
  if (kind_ == Check::memory) MemoryWatch::the().stop();
}

void AccessCheck::begin() const {
  if (kind_ == Check::memory) MemoryWatch::the().begin();
}

void AccessCheck::end(const Unit& unit) {
  if (kind_ != Check::memory) return;
  MemoryWatch::the().end();
  const std::lock_guard guard(mutex_);
  take_noted(unit);
}

/// What the unit has done since its present step began.
void AccessCheck::take_noted(const Unit& unit) {
  if (kind_ != Check::memory) return;
  const Steps& own = units_.at(unit.tag);
  MemoryWatch::the().drain([&](std::uintptr_t address, std::size_t bytes, bool writes) {
    finder_.note(own.now, reinterpret_cast<const void*>(address), bytes, writes, own.locks);
  });
}

AccessCheck::Steps& AccessCheck::add(std::int64_t tag) {
  const Step now = finder_.add(tag), end = finder_.add(tag);
  return units_.emplace(tag, Steps{.now = now, .end = end, .children = {}, .locks = {}}).first->second;
}

void AccessCheck::spawn(const Unit& parent, const Unit& child) {
  const MemoryWatch::Pause pause;
  const std::lock_guard guard(mutex_);
  take_noted(parent);
  const Steps& made = add(child.tag);
  Steps& own = units_.at(parent.tag);
  finder_.order(own.now, made.now);
  finder_.order(made.end, own.end);
  own.children.push_back(made.end);
  const Step next = finder_.add(parent.tag);
  finder_.order(own.now, next);
  own.now = next;
}

void AccessCheck::join(const Unit& unit) {
  const MemoryWatch::Pause pause;
  const std::lock_guard guard(mutex_);
  take_noted(unit);
  Steps& own = units_.at(unit.tag);
  if (own.children.empty()) return;
  const Step next = finder_.add(unit.tag);
  finder_.order(own.now, next);
  for (const Step each : own.children) finder_.order(each, next);
  own.children.clear();
  own.now = next;
}

void AccessCheck::touch(const Unit& unit, const void* address, std::size_t bytes, bool writes) {
  const MemoryWatch::Pause pause;
  const std::lock_guard guard(mutex_);
  const Steps& own = units_.at(unit.tag);
  finder_.note(own.now, address, bytes, writes, own.locks);
}

void AccessCheck::lock(const Unit& unit, const int* lock) {
  const std::lock_guard guard(mutex_);
  take_noted(unit);
  units_.at(unit.tag).locks.push_back(lock);
}

void AccessCheck::unlock(const Unit& unit, const int* lock) {
  const std::lock_guard guard(mutex_);
  take_noted(unit);
  std::erase(units_.at(unit.tag).locks, lock);
}

void AccessCheck::finish() {
  const std::lock_guard guard(mutex_);
  for (const auto& [tag, steps] : units_) finder_.order(steps.now, steps.end);
  const std::vector<ConflictFinder::Conflict> conflicts = finder_.find();
  if (conflicts.empty()) return;
  constexpr std::size_t most = 20;
  std::vector<std::pair<std::int64_t, std::string>> faults;
  for (const ConflictFinder::Conflict& each : conflicts) {
    if (faults.size() == most) {
      faults.emplace_back(0, std::to_string(conflicts.size() - most) + " further conflicts");
      break;
    }
    const std::string other = "tag " + std::to_string(each.second);
    const std::string what = ArrayNames::the().describe(each.begin, each.bytes);
    faults.emplace_back(each.first, std::string(each.first_writes ? "writes " : "reads ") + what +
                                        ", which " + other + (each.second_writes ? " writes" : " reads") +
                                        ", and neither comes before the other");
  }
  for (std::size_t i = 0; i + 1 < faults.size(); ++i) report(faults[i].first, faults[i].second, rule);
  stop(faults.back().first, faults.back().second, rule);
}

}  // namespace takt::tasking::schedule
