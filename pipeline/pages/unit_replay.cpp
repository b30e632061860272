#include "pipeline/pages/unit_replay.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

using Units = std::vector<std::size_t>;

class UnitStates {
 public:
  explicit UnitStates(const UnitTrace& trace) : trace_(trace), units_(trace.units.size()) {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      units_[unit].open_dependencies = trace.units[unit].dependencies.size();
      units_[unit].open_children = trace.units[unit].children.size();
    }
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      if (trace.events[i].is_start() || trace.events[i].is_stop())
        units_[trace.events[i].unit].last_event = i;
  }

  UnitReplay replay() && {
    UnitReplay result;
    const auto& events = trace_.events;
    while (result.described < events.size() && events[result.described].kind == UnitEventKind::create)
      ++result.described;
    std::uint32_t active = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      result.first_change.push_back(result_.size());
      take(i);
      active += events[i].is_start() ? 1 : 0;
      active -= events[i].is_stop() ? 1 : 0;
      result.active.push_back(active);
      if (events[i].kind == UnitEventKind::create) continue;
      if (active >= result.histogram.size()) result.histogram.resize(active + 1);
      ++result.histogram[active];
    }
    result.first_change.push_back(result_.size());
    result.changes = std::move(result_);
    return result;
  }

 private:
  struct Progress {
    std::size_t open_dependencies = 0, open_children = 0;
    /// Its last start or stop.
    std::size_t last_event = 0;
    bool is_created = false, has_started = false, is_active = false, is_over = false;
    UnitState state = UnitState::absent;
  };

  void take(std::size_t event) {
    const std::size_t unit = trace_.events[event].unit;
    Progress& now = units_[unit];
    if (trace_.events[event].is_start()) {
      now.has_started = now.is_active = true;
    } else if (trace_.events[event].is_stop()) {
      now.is_active = false;
      now.is_over = event == now.last_event;
    } else {
      now.is_created = true;
    }
    update(unit);
  }

  /// Units that become black release those above them.
  void update(std::size_t unit) {
    Units next{unit};
    for (std::size_t i = 0; i < next.size(); ++i) {
      Progress& now = units_[next[i]];
      const UnitState state = state_of(next[i]);
      if (state == now.state) continue;
      now.state = state;
      result_.push_back({next[i], state});
      if (state != UnitState::black) continue;
      const TracedUnit& traced = trace_.units[next[i]];
      if (!traced.is_static()) {
        --units_[traced.parent].open_children;
        next.push_back(traced.parent);
      }
      for (const std::size_t each : traced.dependents) {
        --units_[each].open_dependencies;
        next.push_back(each);
      }
    }
  }

  [[nodiscard]] UnitState state_of(std::size_t unit) const {
    const Progress& now = units_[unit];
    if (!now.is_created) return UnitState::absent;
    if (now.is_active) return UnitState::hashed;
    if (now.is_over && now.open_children == 0) return UnitState::black;
    if (!trace_.units[unit].is_static()) return now.has_started ? UnitState::waiting : UnitState::lined;
    if (now.has_started) return now.open_children > 0 ? UnitState::waiting : UnitState::lined;
    return now.open_dependencies == 0 ? UnitState::lined : UnitState::clear;
  }

  const UnitTrace& trace_;
  std::vector<Progress> units_;
  std::vector<UnitChange> result_;
};

/// Static units in the order of their creation.
Units creation_order(const UnitTrace& trace) {
  Units order;
  for (const UnitEvent& each : trace.events)
    if (each.kind == UnitEventKind::create) order.push_back(each.unit);
  return order;
}

/// The path of most weight; `weight` of static units.
UnitPath path_of(const UnitTrace& trace, const std::vector<double>& weight) {
  const std::vector<std::vector<bool>> is_left_out = edges_that_close_circles(trace);
  const Units order = creation_order(trace);
  // In the order of the lists, as units were created: the first of equal paths counts.
  std::vector<Units> below(trace.units.size());
  std::vector<std::size_t> open(trace.units.size());
  for (const std::size_t unit : order)
    for (std::size_t i = 0; i < trace.units[unit].dependents.size(); ++i)
      if (!is_left_out[unit][i]) {
        below[trace.units[unit].dependents[i]].push_back(unit);
        ++open[trace.units[unit].dependents[i]];
      }
  std::vector<double> best(trace.units.size());
  std::vector<std::size_t> before(trace.units.size(), TracedUnit::none);
  Units ready;
  for (const std::size_t unit : order)
    if (open[unit] == 0) ready.push_back(unit);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const std::size_t unit = ready[i];
    for (const std::size_t each : below[unit])
      if (before[unit] == TracedUnit::none || best[each] > best[before[unit]]) before[unit] = each;
    best[unit] = weight[unit] + (before[unit] == TracedUnit::none ? 0 : best[before[unit]]);
    for (std::size_t k = 0; k < trace.units[unit].dependents.size(); ++k)
      if (!is_left_out[unit][k] && --open[trace.units[unit].dependents[k]] == 0)
        ready.push_back(trace.units[unit].dependents[k]);
  }
  UnitPath path;
  std::size_t last = TracedUnit::none;
  for (const std::size_t unit : order)
    if (last == TracedUnit::none || best[unit] > best[last]) last = unit;
  if (last == TracedUnit::none) return path;
  path.length = best[last];
  for (; last != TracedUnit::none; last = before[last]) path.units.insert(path.units.begin(), last);
  return path;
}

/// "tag 3" or "tags 3, 4".
std::string named(const UnitTrace& trace, const Units& units) {
  constexpr std::size_t most = 12;
  std::string text = units.size() == 1 ? "tag" : "tags";
  for (std::size_t i = 0; i < units.size() && i < most; ++i)
    text += fmt::format("{}{}", i == 0 ? " " : ", ", trace.units[units[i]].tag);
  return units.size() > most ? text + ", ..." : text;
}

}  // namespace

UnitReplay replay_units(const UnitTrace& trace) {
  return UnitStates(trace).replay();
}

std::vector<std::vector<bool>> edges_that_close_circles(const UnitTrace& trace) {
  enum class Mark : std::uint8_t { unseen, open, done };
  std::vector<Mark> marks(trace.units.size(), Mark::unseen);
  std::vector<std::vector<bool>> closes(trace.units.size());
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit)
    closes[unit].resize(trace.units[unit].dependents.size());
  std::vector<std::pair<std::size_t, std::size_t>> stack;
  for (std::size_t root = 0; root < trace.units.size(); ++root) {
    if (marks[root] != Mark::unseen) continue;
    marks[root] = Mark::open;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [unit, next] = stack.back();
      if (next == trace.units[unit].dependents.size()) {
        marks[unit] = Mark::done;
        stack.pop_back();
        continue;
      }
      const std::size_t edge = next++, other = trace.units[unit].dependents[edge];
      if (marks[other] == Mark::open) closes[unit][edge] = true;
      if (marks[other] != Mark::unseen) continue;
      marks[other] = Mark::open;
      stack.emplace_back(other, 0);
    }
  }
  return closes;
}

UnitPath critical_path(const UnitTrace& trace) {
  // Children are created after their parents.
  std::vector<double> chain(trace.units.size());
  std::vector<std::size_t> longest(trace.units.size(), TracedUnit::none);
  Units order;
  for (const UnitEvent& each : trace.events)
    if (each.kind == UnitEventKind::create || each.kind == UnitEventKind::create_child)
      order.push_back(each.unit);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    chain[*at] = trace.units[*at].seconds;
    for (const std::size_t each : trace.units[*at].children)
      if (longest[*at] == TracedUnit::none || chain[each] > chain[longest[*at]]) longest[*at] = each;
    if (longest[*at] != TracedUnit::none) chain[*at] += chain[longest[*at]];
  }
  UnitPath path = path_of(trace, chain);
  for (const std::size_t unit : path.units)
    for (std::size_t child = longest[unit]; child != TracedUnit::none; child = longest[child])
      path.children.push_back(child);
  return path;
}

UnitPath longest_path(const UnitTrace& trace) {
  return path_of(trace, std::vector<double>(trace.units.size(), 1));
}

std::vector<std::string> findings_of(const UnitTrace& trace) {
  std::vector<std::string> findings;
  const std::vector<std::vector<bool>> closes = edges_that_close_circles(trace);
  Units missing, circle, wrong;
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
    const TracedUnit& each = trace.units[unit];
    if (each.is_only_named) missing.push_back(unit);
    if (std::ranges::find(closes[unit], true) != closes[unit].end()) circle.push_back(unit);
    if (each.is_static() && !each.is_only_named &&
        each.icango != static_cast<std::int64_t>(each.dependencies.size()))
      wrong.push_back(unit);
  }
  if (!missing.empty())
    findings.push_back(fmt::format("Lists name {}, which no event creates.", named(trace, missing)));
  if (!circle.empty())
    findings.push_back(fmt::format("A list of {} closes a circle of dependencies.", named(trace, circle)));
  if (!wrong.empty())
    findings.push_back(
        fmt::format("icango of {} is not the number of lists that name it.", named(trace, wrong)));
  std::vector<UnitState> states(trace.units.size(), UnitState::absent);
  for (const UnitChange& each : replay_units(trace).changes) states[each.unit] = each.state;
  const auto in_state = [&](UnitState state) {
    Units found;
    for (std::size_t unit = 0; unit < states.size(); ++unit)
      if (states[unit] == state) found.push_back(unit);
    return found;
  };
  const auto say = [&](UnitState state, const char* one, const char* several) {
    const Units found = in_state(state);
    if (!found.empty())
      findings.push_back(fmt::format("At the end of the trace {} {}.", named(trace, found),
                                     found.size() == 1 ? one : several));
  };
  say(UnitState::hashed, "executes", "execute");
  say(UnitState::lined, "could start", "could start");
  say(UnitState::waiting, "waits for children", "wait for children");
  say(UnitState::clear, "waits for dependencies", "wait for dependencies");
  return findings;
}

}  // namespace takt::pipeline
