#include "pipeline/pages/unit_trace_page.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/layered_layout.hpp"
#include "core/pictures/picture.hpp"
#include "pipeline/pages/unit_replay.hpp"

namespace takt::pipeline {

namespace {

using Columns = nlohmann::ordered_json;

std::string tags_text(const UnitTrace& trace, const std::vector<std::size_t>& units) {
  std::string text;
  for (const std::size_t each : units)
    text += fmt::format("{}{}", text.empty() ? "" : " ", trace.units[each].tag);
  return text;
}

double rounded(double value) {
  return std::round(10 * value) / 10;
}

/// Positions of units and lines between them; beginnings at the bottom.
void add_layout(Columns& run, const UnitTrace& trace) {
  constexpr double least_width = 30;
  LayeredGraph graph;
  for (const TracedUnit& each : trace.units) {
    graph.stays_first.push_back(each.is_static());
    graph.widths.push_back(std::max(least_width, width_of(std::to_string(each.tag)) + 14));
  }
  const std::vector<std::vector<bool>> closes = edges_that_close_circles(trace);
  std::vector<bool> is_child, is_reversed;
  for (std::uint32_t unit = 0; unit < trace.units.size(); ++unit) {
    for (std::size_t i = 0; i < trace.units[unit].dependents.size(); ++i) {
      const auto above = static_cast<std::uint32_t>(trace.units[unit].dependents[i]);
      // A unit that depends on itself has no line.
      if (above == unit) continue;
      graph.edges.emplace_back(closes[unit][i] ? above : unit, closes[unit][i] ? unit : above);
      is_child.push_back(false);
      is_reversed.push_back(closes[unit][i]);
    }
    for (const std::size_t child : trace.units[unit].children) {
      graph.edges.emplace_back(static_cast<std::uint32_t>(child), unit);
      is_child.push_back(true);
      is_reversed.push_back(false);
    }
  }
  const LayeredLayout layout = lay_out(graph, {.down = 58, .across = 16});
  const auto columns = [](std::initializer_list<const char*> names) {
    Columns made;
    for (const char* const name : names) made[name] = Columns::array();
    return made;
  };
  Columns nodes = columns({"tag", "parent", "x", "y", "width", "seconds"});
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
    const TracedUnit& each = trace.units[unit];
    nodes["tag"].push_back(each.tag);
    nodes["parent"].push_back(each.is_static() ? std::int64_t{-1} : static_cast<std::int64_t>(each.parent));
    nodes["x"].push_back(rounded(layout.nodes[unit].x));
    nodes["y"].push_back(rounded(layout.height - layout.nodes[unit].y));
    nodes["width"].push_back(rounded(graph.widths[unit]));
    nodes["seconds"].push_back(each.seconds);
  }
  Columns edges = columns({"below", "above", "child", "bends"});
  Columns bends = Columns::array();
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
    const auto [from, to] = graph.edges[edge];
    edges["below"].push_back(is_reversed[edge] ? to : from);
    edges["above"].push_back(is_reversed[edge] ? from : to);
    edges["child"].push_back(is_child[edge] ? 1 : 0);
    std::vector<PicturePoint> points(layout.bends_of(edge).begin(), layout.bends_of(edge).end());
    if (is_reversed[edge]) std::ranges::reverse(points);
    edges["bends"].push_back(points.size());
    for (const PicturePoint& point : points) {
      bends.push_back(rounded(point.x));
      bends.push_back(rounded(layout.height - point.y));
    }
  }
  run["nodes"] = std::move(nodes);
  run["edges"] = std::move(edges);
  run["bends"] = std::move(bends);
}

Columns path_columns(const UnitPath& path) {
  return {{"units", path.units}, {"children", path.children}, {"length", path.length}};
}

Columns run_columns(const std::string& name, const UnitTrace& trace) {
  const UnitReplay replay = replay_units(trace);
  Columns run{{"name", name}};
  add_layout(run, trace);
  Columns texts = Columns::array(), counts = Columns::array(), units = Columns::array(),
          states = Columns::array();
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    texts.push_back(trace.events[i].text);
    counts.push_back(replay.first_change[i + 1] - replay.first_change[i]);
  }
  for (const UnitChange& each : replay.changes) {
    units.push_back(each.unit);
    states.push_back(static_cast<int>(each.state));
  }
  run["described"] = replay.described;
  run["events"] = std::move(texts);
  run["changes"] = {{"count", std::move(counts)}, {"unit", std::move(units)}, {"state", std::move(states)}};
  run["active"] = replay.active;
  run["histogram"] = replay.histogram;
  run["by_time"] = path_columns(critical_path(trace));
  run["by_units"] = path_columns(longest_path(trace));
  run["findings"] = findings_of(trace);
  return run;
}

char letter_of(UnitState state) {
  constexpr std::string_view letters = ".clhbw";
  return letters[static_cast<std::size_t>(state)];
}

std::string states_to_text(const UnitTrace& trace, const UnitReplay& replay) {
  std::size_t width = std::string_view("(graph is shown)").size();
  for (std::size_t i = replay.described; i < trace.events.size(); ++i)
    width = std::max(width, trace.events[i].text.size());
  std::string text = fmt::format("{:<{}}", "event", width);
  std::size_t digits = 1;
  for (const TracedUnit& each : trace.units) digits = std::max(digits, std::to_string(each.tag).size());
  for (const TracedUnit& each : trace.units) text += fmt::format(" {:>{}}", each.tag, digits);
  std::vector<UnitState> states(trace.units.size(), UnitState::absent);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    for (std::size_t k = replay.first_change[i]; k < replay.first_change[i + 1]; ++k)
      states[replay.changes[k].unit] = replay.changes[k].state;
    if (i + 1 < replay.described) continue;
    text += fmt::format("\n{:<{}}", i < replay.described ? "(graph is shown)" : trace.events[i].text, width);
    for (const UnitState each : states) text += fmt::format(" {:>{}}", letter_of(each), digits);
  }
  return text + "\n";
}

}  // namespace

std::string NamedUnitTraces::name_of(std::size_t trace) const {
  return traces.size() == 1 ? name : fmt::format("{}, sched {}", name, trace + 1);
}

Page unit_trace_page(const std::string& title, std::span<const NamedUnitTraces> files) {
  Columns runs = Columns::array();
  std::size_t units = 0, events = 0;
  for (const NamedUnitTraces& file : files)
    for (std::size_t i = 0; i < file.traces.size(); ++i) {
      runs.push_back(run_columns(file.name_of(i), file.traces[i]));
      units += file.traces[i].units.size();
      events += file.traces[i].events.size();
    }
  const Columns view{{"kind", "units"},
                     {"name", "Units"},
                     {"says",
                      "Execution begins at the bottom; a unit is above those on which it depends, "
                      "and above its children (broken lines)."},
                     {"runs", std::move(runs)}};
  return {.title = title,
          .says = "The trace of a SCHEDULE program, to play, stop and step.",
          .facts = {{"units", fmt::format("{}", units), ""}, {"events", fmt::format("{}", events), ""}},
          .views = {view.dump(-1, ' ', false, Columns::error_handler_t::replace)}};
}

std::string unit_traces_to_text(std::span<const NamedUnitTraces> files) {
  constexpr std::size_t most_columns = 100;
  std::string text;
  for (const NamedUnitTraces& file : files)
    for (std::size_t i = 0; i < file.traces.size(); ++i) {
      const UnitTrace& trace = file.traces[i];
      const UnitReplay replay = replay_units(trace);
      text += fmt::format("{}{}: {} units, {} events\n", text.empty() ? "" : "\n", file.name_of(i),
                          trace.units.size(), trace.events.size());
      if (trace.units.size() <= most_columns) text += states_to_text(trace, replay);
      const UnitPath time = critical_path(trace), units = longest_path(trace);
      text += fmt::format("critical path by time: {} ({:g} s)\n", tags_text(trace, time.units), time.length);
      if (!time.children.empty())
        text += fmt::format("children on it: {}\n", tags_text(trace, time.children));
      text += fmt::format("path of most nodes: {} ({} nodes)\n", tags_text(trace, units.units),
                          units.units.size());
      text += "events by active processors: {";
      bool is_first = true;
      for (std::size_t active = 0; active < replay.histogram.size(); ++active) {
        if (replay.histogram[active] == 0) continue;
        text += fmt::format("{}{}: {}", is_first ? "" : ", ", active, replay.histogram[active]);
        is_first = false;
      }
      text += "}\n";
      for (const std::string& each : findings_of(trace)) text += each + "\n";
    }
  return text;
}

}  // namespace takt::pipeline
