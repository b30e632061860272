#include "pipeline/tasking/schedule/graph_rules.hpp"

#include <string>
#include <vector>

#include "pipeline/tasking/schedule/fatal.hpp"

namespace takt::tasking::schedule {

namespace {

/// A list for a message, at most so many tags of it.
std::string text_of(const std::vector<std::int64_t>& tags) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < tags.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(tags[i]);
  return tags.size() > most ? text + ", ..." : text;
}

/// "tag 3" or "tags 3, 4".
std::string named(const std::vector<std::int64_t>& tags) {
  return (tags.size() == 1 ? "tag " : "tags ") + text_of(tags);
}

void require_all_units(const std::deque<Unit>& units) {
  if (units.size() <= 1)
    stop(0, "static has returned without any unit", "a program has at least one call of dep and of putq");
  for (std::size_t i = 1; i < units.size(); ++i) {
    const Unit& unit = units[i];
    if (unit.has_dep && !unit.has_putq)
      stop(unit.tag, "dep without putq", "each dep is followed by the putq of its tag");
  }
  for (std::size_t i = 1; i < units.size(); ++i)
    if (units[i].has_dep)
      for (const std::int64_t each : units[i].dependents)
        if (each < 1 || each >= static_cast<std::int64_t>(units.size()))
          stop(units[i].tag, "its list names tag " + std::to_string(each) + ", which has no dep",
               "list holds the tags of units that have a dep and a putq");
  for (std::size_t i = 1; i < units.size(); ++i)
    if (!units[i].has_dep)
      stop(static_cast<std::int64_t>(i), "is missing, although a higher tag has a dep",
           "tags are successive integers from 1");
}

void require_beginning_and_end(const std::deque<Unit>& units) {
  bool has_beginning = false;
  std::vector<std::int64_t> last;
  for (std::size_t i = 1; i < units.size(); ++i) {
    has_beginning = has_beginning || units[i].icango == 0;
    if (units[i].dependents.empty()) last.push_back(units[i].tag);
  }
  if (!has_beginning)
    stop(0,
         "no unit (tag 1 to tag " + std::to_string(units.size() - 1) + ") has icango = 0, so none can start",
         "at least one unit has icango = 0");
  if (last.empty())
    stop(0,
         "no unit (tag 1 to tag " + std::to_string(units.size() - 1) +
             ") has ncheks = 0, so the program cannot finish",
         "exactly one unit has ncheks = 0");
  if (last.size() > 1) stop(0, named(last) + " have ncheks = 0", "exactly one unit has ncheks = 0");
}

/// The units whose list names this tag.
std::vector<std::int64_t> units_before(const std::deque<Unit>& units, std::int64_t tag) {
  std::vector<std::int64_t> found;
  for (const Unit& unit : units)
    for (const std::int64_t each : unit.dependents)
      if (each == tag) found.push_back(unit.tag);
  return found;
}

void require_equal_counts(const std::deque<Unit>& units) {
  std::vector<std::int64_t> counted(units.size());
  for (const Unit& unit : units)
    for (const std::int64_t each : unit.dependents) ++counted[static_cast<std::size_t>(each)];
  for (std::size_t i = 1; i < units.size(); ++i) {
    if (units[i].icango == counted[i]) continue;
    const std::vector<std::int64_t> before = units_before(units, units[i].tag);
    stop(units[i].tag,
         "icango = " + std::to_string(units[i].icango) + ", but " + std::to_string(counted[i]) +
             " lists name it" + (before.empty() ? std::string() : ", those of " + named(before)),
         "icango is the number of units whose list names this one");
  }
}

void require_no_circle(const std::deque<Unit>& units) {
  std::vector<std::int64_t> open(units.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 1; i < units.size(); ++i) {
    open[i] = units[i].icango;
    if (open[i] == 0) ready.push_back(i);
  }
  for (std::size_t k = 0; k < ready.size(); ++k)
    for (const std::int64_t each : units[ready[k]].dependents)
      if (--open[static_cast<std::size_t>(each)] == 0) ready.push_back(static_cast<std::size_t>(each));
  if (ready.size() + 1 == units.size()) return;
  std::vector<std::int64_t> never;
  std::string what;
  constexpr std::size_t most = 12;
  for (std::size_t i = 1; i < units.size(); ++i) {
    if (open[i] == 0) continue;
    never.push_back(units[i].tag);
    if (never.size() > most) continue;
    std::vector<std::int64_t> before = units_before(units, units[i].tag);
    std::erase_if(before, [&](std::int64_t each) { return open[static_cast<std::size_t>(each)] == 0; });
    what += (what.empty() ? ": tag " : ", tag ") + std::to_string(units[i].tag) + " for " + named(before);
  }
  stop(0, named(never) + " wait for each other in a circle, or for one, and would never start" + what,
       "dependencies have no circle");
}

}  // namespace

void require_valid_graph(const std::deque<Unit>& units) {
  require_all_units(units);
  require_beginning_and_end(units);
  require_equal_counts(units);
  require_no_circle(units);
}

}  // namespace takt::tasking::schedule
