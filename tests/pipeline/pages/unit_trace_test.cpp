/// Traces of SCHEDULE programs: states at each event, paths, and what is refused.

#include "pipeline/pages/unit_trace.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/pictures/page_svg.hpp"
#include "pipeline/pages/unit_replay.hpp"
#include "pipeline/pages/unit_timeline.hpp"
#include "pipeline/pages/unit_trace_page.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::vector<std::string>> words_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    lines.emplace_back();
    // Waiting parents are clear nodes.
    for (std::string word; words >> word;) lines.back().push_back(word == "w" ? "c" : word);
  }
  return lines;
}

std::string text_of(const std::string& trace) {
  const NamedUnitTraces file{"t", read_unit_traces(trace, "t")};
  return unit_traces_to_text({&file, 1});
}

TEST(UnitTraces, ReplayAsTheExpectedOnes) {
  const std::filesystem::path folder = test::test_data() / "schedule_guide/view";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared data";
  for (const std::string name : {"figure_4_1", "critical"}) {
    auto shown = words_of(text_of(test::read_file(folder / (name + ".graph"))));
    shown.erase(shown.begin());  // The title.
    EXPECT_EQ(shown, words_of(test::read_file(folder / (name + ".expected")))) << name;
  }
}

TEST(UnitTraces, OfTheGuidesProgramsEndWithEveryUnitComplete) {
  const std::filesystem::path folder = test::test_data() / "schedule_guide/golden";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared data";
  std::size_t traces = 0;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.path().extension() != ".trace") continue;
    ++traces;
    // T is in the place of times.
    const std::string text =
        std::regex_replace(test::read_file(each.path()), std::regex(" T(?=\n)"), " 0.001");
    const auto read = read_unit_traces(text, each.path().string());
    ASSERT_EQ(read.size(), 1U);
    EXPECT_THAT(findings_of(read[0]), IsEmpty()) << each.path();
  }
  EXPECT_GE(traces, 9U);
}

/// States by their definition, from the whole beginning of the trace, for each unit and event.
class StatesByDefinition {
 public:
  explicit StatesByDefinition(const UnitTrace& trace) : trace_(trace) {}

  UnitState at(std::size_t unit, std::size_t event) const {
    bool is_created = false, has_started = false;
    int executing = 0;
    for (std::size_t i = 0; i <= event; ++i) {
      const UnitEvent& each = trace_.events[i];
      if (each.unit != unit) continue;
      if (each.is_start()) has_started = true;
      executing += each.is_start() ? 1 : each.is_stop() ? -1 : 0;
      is_created = true;
    }
    const TracedUnit& self = trace_.units[unit];
    const auto all_black = [&](const std::vector<std::size_t>& units) {
      return std::ranges::all_of(units, [&](std::size_t each) { return is_black(each, event); });
    };
    if (!is_created) return UnitState::absent;
    if (executing > 0) return UnitState::hashed;
    if (is_black(unit, event)) return UnitState::black;
    if (!self.is_static()) return has_started ? UnitState::waiting : UnitState::lined;
    if (has_started) return all_black(self.children) ? UnitState::lined : UnitState::waiting;
    return all_black(self.dependencies) ? UnitState::lined : UnitState::clear;
  }

 private:
  bool is_black(std::size_t unit, std::size_t event) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < trace_.events.size(); ++i)
      if (trace_.events[i].unit == unit && (trace_.events[i].is_stop() || trace_.events[i].is_start()))
        last = i;
    if (last == 0 || last > event || !trace_.events[last].is_stop()) return false;
    return std::ranges::all_of(trace_.units[unit].children,
                               [&](std::size_t each) { return is_black(each, event); });
  }
  const UnitTrace& trace_;
};

/// A run of a random graph: units above depend on units below; some spawn and are entered again.
std::string random_trace(std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  const std::size_t count = 1 + below(7);
  std::string text;
  std::vector<std::vector<std::size_t>> lists(count + 1);
  std::vector<std::size_t> icango(count + 1);
  for (std::size_t unit = 1; unit < count; ++unit)
    for (std::size_t above = unit + 1; above <= count; ++above)
      if (above == unit + 1 + below(count - unit) || below(3) == 0) {
        lists[unit].push_back(above);
        ++icango[above];
      }
  for (std::size_t unit = 1; unit <= count; ++unit) {
    text += fmt::format("0 {} {} {}", unit, icango[unit], lists[unit].size());
    for (const std::size_t each : lists[unit]) text += fmt::format(" {}", each);
    text += "\n";
  }
  struct Work {
    std::size_t tag, parent;
    std::size_t children = 0;
    int entries = 0;
    bool is_executing = false;
  };
  std::map<std::size_t, Work> all;
  std::vector<std::size_t> ready;
  for (std::size_t unit = 1; unit <= count; ++unit) {
    all[unit] = {unit, 0, 0, 1 + static_cast<int>(below(2)), false};
    if (icango[unit] == 0) ready.push_back(unit);
  }
  std::size_t last = count;
  std::vector<std::size_t> executing;
  const std::size_t length = below(60) + 3 * count;
  for (std::size_t step = 0; step < length && (!ready.empty() || !executing.empty()); ++step) {
    if (!ready.empty() && (executing.empty() || below(2) == 0)) {
      const std::size_t tag = ready[below(ready.size())];
      std::erase(ready, tag);
      executing.push_back(tag);
      text +=
          all[tag].parent == 0 ? fmt::format("1 {}\n", tag) : fmt::format("4 {} {}\n", all[tag].parent, tag);
      continue;
    }
    const std::size_t tag = executing[below(executing.size())];
    if (below(3) == 0 && last < count + 8) {
      ++last;
      all[last] = {last, tag, 0, 1 + static_cast<int>(below(2)), false};
      ++all[tag].children;
      text += fmt::format("3 {} {}\n", tag, last);
      ready.push_back(last);
      continue;
    }
    std::erase(executing, tag);
    --all[tag].entries;
    text += all[tag].parent == 0 ? fmt::format("2 {} 0.5\n", tag)
                                 : fmt::format("5 {} {} 0.25\n", all[tag].parent, tag);
    // Completes upwards as far as it goes.
    for (std::size_t done = tag; done != 0;) {
      Work& each = all[done];
      if (each.children > 0 || std::ranges::find(executing, done) != executing.end()) break;
      if (each.entries > 0) {
        ready.push_back(done);
        break;
      }
      if (each.parent == 0) {
        for (const std::size_t above : lists[done])
          if (--icango[above] == 0) ready.push_back(above);
        break;
      }
      done = each.parent;
      --all[done].children;
    }
  }
  return text;
}

TEST(UnitTraces, StatesOfRandomRunsFollowTheirDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_trace(random);
    SCOPED_TRACE(text);
    const auto traces = read_unit_traces(text, "t");
    ASSERT_EQ(traces.size(), 1U);
    const UnitTrace& trace = traces[0];
    const UnitReplay replay = replay_units(trace);
    const StatesByDefinition expected(trace);
    std::vector<UnitState> states(trace.units.size(), UnitState::absent);
    std::set<std::size_t> executing;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      for (std::size_t k = replay.first_change[i]; k < replay.first_change[i + 1]; ++k)
        states[replay.changes[k].unit] = replay.changes[k].state;
      for (std::size_t unit = 0; unit < states.size(); ++unit)
        ASSERT_EQ(states[unit], expected.at(unit, i)) << "event " << i << ", tag " << trace.units[unit].tag;
      if (trace.events[i].is_start()) executing.insert(trace.events[i].unit);
      if (trace.events[i].is_stop()) executing.erase(trace.events[i].unit);
      ASSERT_EQ(replay.active[i], executing.size());
    }
  }
}

/// Every path of a graph without circles, by recursion.
double longest_by_recursion(const UnitTrace& trace, std::size_t unit, bool counts) {
  double before = 0;
  for (const std::size_t each : trace.units[unit].dependencies)
    before = std::max(before, longest_by_recursion(trace, each, counts));
  const std::function<double(std::size_t)> chain = [&](std::size_t each) {
    double longest = 0;
    for (const std::size_t child : trace.units[each].children) longest = std::max(longest, chain(child));
    return trace.units[each].seconds + longest;
  };
  return before + (counts ? 1 : chain(unit));
}

TEST(UnitTraces, PathsAreAsLongAsTheLongestOfAll) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    const std::string text = random_trace(random);
    SCOPED_TRACE(text);
    const UnitTrace trace = read_unit_traces(text, "t").at(0);
    double time = 0, units = 0;
    for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
      if (!trace.units[unit].is_static()) continue;
      time = std::max(time, longest_by_recursion(trace, unit, false));
      units = std::max(units, longest_by_recursion(trace, unit, true));
    }
    const UnitPath by_time = critical_path(trace), by_units = longest_path(trace);
    EXPECT_DOUBLE_EQ(by_time.length, time);
    EXPECT_EQ(by_units.units.size(), static_cast<std::size_t>(units));
    for (const UnitPath& path : {by_time, by_units})
      for (std::size_t i = 1; i < path.units.size(); ++i)
        EXPECT_THAT(trace.units[path.units[i]].dependencies, ::testing::Contains(path.units[i - 1]));
    double sum = 0;
    for (const auto& list : {by_time.units, by_time.children})
      for (const std::size_t each : list) sum += trace.units[each].seconds;
    EXPECT_DOUBLE_EQ(sum, time);
  }
}

TEST(UnitTraces, OfALaterSchedAreAnotherTrace) {
  const auto traces = read_unit_traces("0 1 0 0\n1 1\n2 1 0.5\n0 1 0 1 2\n0 2 1 0\n1 1\n", "t");
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(traces[0].units.size(), 1U);
  EXPECT_EQ(traces[1].units.size(), 2U);
  EXPECT_THAT(findings_of(traces[1]), ElementsAre("At the end of the trace tag 1 executes.",
                                                  "At the end of the trace tag 2 waits for dependencies."));
}

TEST(UnitTraces, OfWrongGraphsSayWhatIsWrong) {
  const UnitTrace trace = read_unit_traces("0 1 1 1 2\n0 2 1 1 3\n0 3 1 2 1 9\n", "t").at(0);
  EXPECT_THAT(findings_of(trace), ElementsAre("Lists name tag 9, which no event creates.",
                                              "A list of tag 3 closes a circle of dependencies.",
                                              "At the end of the trace tags 1, 2, 3 wait for dependencies."));
  // They can be drawn all the same.
  const NamedUnitTraces file{"t", {trace}};
  EXPECT_THAT(to_svg(unit_trace_page("t", {&file, 1})), HasSubstr("closes a circle"));
  const UnitTrace other = read_unit_traces("0 1 5 1 1\n", "t").at(0);
  EXPECT_THAT(findings_of(other), ::testing::Contains(HasSubstr("icango of tag 1")));
}

TEST(UnitTraces, WhoseLinesAreWrongAreRefusedWithTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"0 1 0 0\n7 1\n", "t:2:1: 7: expected an event, 0 to 5"},
      {"0 1 0 0\n1 2\n", "t:2:3: 2: expected the tag of a unit that an earlier event creates"},
      {"0 1 0 0\n1 1\n1 1\n", "t:3:3: 1: this unit executes already"},
      {"0 1 0 0\n2 1 0.5\n", "t:2:3: 1: this unit does not execute"},
      {"0 1 0 0\n1 1\n2 1 fast\n", "t:3:5: fast: expected seconds"},
      {"0 1 0 0\n1 1\n2 1\n", "t:3:4: end of line: expected seconds"},
      {"0 1 0 2 2\n", "t:1:10: end of line: expected the tag of a dependent"},
      {"0 1 0 1 2 3\n", "t:1:11: 3: expected the end of the line"},
      {"0 1 0 0\n0 1 0 0\n", "t:2:3: 1: this unit exists already"},
      {"0 1 0 0\n1 1\n3 1 2\n3 1 3\n4 2 3\n", "t:5:3: 2: expected the owner 1"},
      {"0 1 0 0\n1 1\n3 1 2\n1 2\n", "t:4:1: 1: the unit was spawned"},
      {"0 x 0 0\n", "t:1:3: x: expected a tag, 1 or more"}};
  for (const auto& [text, expected] : cases) {
    try {
      (void)read_unit_traces(text, "t");
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(expected)) << text;
    }
  }
}

TEST(UnitTraces, MayEndInTheMiddleOfALine) {
  const std::string whole = "0 1 0 1 2\n0 2 1 0\n1 1\n2 1 0.5\n1 2\n2 2 0.5\n";
  for (std::size_t length = 1; length <= whole.size(); ++length) {
    const std::string text = whole.substr(0, length);
    const auto traces = read_unit_traces(text, "t", true);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    ASSERT_EQ(traces.size(), lines > 0 ? 1U : 0U);
    if (lines > 0) {
      EXPECT_EQ(traces[0].events.size(), lines);
    }
  }
  EXPECT_EQ(read_unit_traces("0 1 0 0\n1 1\n2 1", "t").at(0).events.size(), 2U);
}

TEST(UnitTraces, PutBeginningsAtTheBottomAndChildrenBelowTheirParents) {
  std::mt19937 random(9);
  for (int round = 0; round < 50; ++round) {
    const NamedUnitTraces file{"t", read_unit_traces(random_trace(random), "t")};
    const auto run = nlohmann::json::parse(unit_trace_page("t", {&file, 1}).views.at(0)).at("runs").at(0);
    const auto y = run["nodes"]["y"].get<std::vector<double>>();
    const double lowest = *std::ranges::max_element(y);
    for (std::size_t edge = 0; edge < run["edges"]["below"].size(); ++edge)
      EXPECT_GT(y[run["edges"]["below"][edge].get<std::size_t>()],
                y[run["edges"]["above"][edge].get<std::size_t>()]);
    for (std::size_t unit = 0; unit < y.size(); ++unit) {
      const TracedUnit& each = file.traces[0].units[unit];
      if (each.is_static() && each.dependencies.empty() && each.children.empty()) {
        EXPECT_EQ(y[unit], lowest) << "tag " << each.tag;
      }
    }
  }
}

TEST(UnitTimelines, StopAsEarlyAndStartAsLateAsTheTracePermits) {
  // Units 1 and 2 overlap; unit 2 has taken half of the time, so it has started in the second half. Unit 3
  // stops after unit 4 has, which takes longer.
  const auto traces = read_unit_traces(
      "0 1 0 1 5\n0 2 0 1 5\n0 3 0 1 5\n0 4 0 1 5\n0 5 4 0\n"
      "1 1\n1 2\n2 1 1.0\n2 2 0.5\n1 3\n1 4\n2 4 0.3\n2 3 0.1\n1 5\n2 5 0.25\n",
      "t");
  ASSERT_EQ(traces.size(), 1U);
  const UnitTimeline line = unit_timeline(traces[0]);
  std::vector<std::string> shown;
  for (const UnitSlice& each : line.slices)
    shown.push_back(fmt::format("{} on {}: {} to {} ms", traces[0].units[each.unit].tag, each.worker,
                                each.begin_ns / 1'000'000, each.end_ns / 1'000'000));
  EXPECT_THAT(shown, ElementsAre("1 on 0: 0 to 1000 ms", "2 on 1: 500 to 1000 ms", "3 on 0: 1000 to 1300 ms",
                                 "4 on 1: 1000 to 1300 ms", "5 on 0: 1300 to 1550 ms"));
  EXPECT_EQ(line.workers, 2U);
  std::vector<std::pair<std::size_t, std::size_t>> links;
  for (const UnitLink& each : line.links) links.emplace_back(each.from, each.to);
  EXPECT_THAT(links, ElementsAre(std::pair(0, 4), std::pair(1, 4), std::pair(2, 4), std::pair(3, 4)));
}

/// The same random runs, with random times.
std::string with_random_times(const std::string& trace, std::mt19937& random) {
  std::string result;
  std::istringstream stream(trace);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("2 ") || line.starts_with("5 "))
      line = line.substr(0, line.rfind(' ')) +
             fmt::format(" {:.6f}", static_cast<double>(random() % 1000) * 1e-6);
    result += line + "\n";
  }
  return result;
}

TEST(UnitTimelines, OfRandomRunsKeepTheOrderAndTheTimes) {
  std::mt19937 random(11);
  for (int repetition = 0; repetition < 300; ++repetition) {
    const UnitTrace trace = read_unit_traces(with_random_times(random_trace(random), random), "t").at(0);
    const UnitTimeline line = unit_timeline(trace);
    // Starts and stops in the order of events.
    std::vector<std::size_t> running(trace.units.size());
    std::size_t started = 0;
    std::int64_t now = 0;
    for (const UnitEvent& event : trace.events) {
      if (event.is_start()) {
        running[event.unit] = started++;
        EXPECT_EQ(line.slices[running[event.unit]].unit, event.unit);
        EXPECT_GE(line.slices[running[event.unit]].begin_ns, now);
        now = line.slices[running[event.unit]].begin_ns;
      } else if (event.is_stop()) {
        const UnitSlice& slice = line.slices[running[event.unit]];
        EXPECT_GE(slice.end_ns, now);
        EXPECT_GE(static_cast<double>(slice.end_ns - slice.begin_ns), event.seconds * 1e9 - 1);
        now = slice.end_ns;
      }
    }
    EXPECT_EQ(started, line.slices.size());
    EXPECT_EQ(line.workers + 1, replay_units(trace).histogram.size()) << "as many as executed at once";
    std::vector<std::int64_t> free(line.workers);
    for (const UnitSlice& slice : line.slices) {
      EXPECT_GE(slice.begin_ns, free[slice.worker]);
      free[slice.worker] = slice.end_ns;
    }
    // To all that have started: the trace may end before.
    std::set<std::size_t> has_started;
    for (const UnitSlice& slice : line.slices) has_started.insert(slice.unit);
    std::size_t dependencies = 0;
    for (const TracedUnit& unit : trace.units)
      for (const auto* const list : {&unit.dependents, &unit.children})
        for (const std::size_t each : *list) dependencies += has_started.count(each);
    EXPECT_EQ(line.links.size(), dependencies);
  }
}

TEST(UnitTimelines, AreTracesForPerfettoAndPaje) {
  std::mt19937 random(12);
  NamedUnitTraces file{"two \"scheds\"", {}};
  for (int i = 0; i < 2; ++i)
    file.traces.push_back(read_unit_traces(with_random_times(random_trace(random), random), "t").at(0));
  std::size_t slices = 0, links = 0, workers = 0;
  for (const UnitTrace& trace : file.traces) {
    slices += unit_timeline(trace).slices.size();
    links += unit_timeline(trace).links.size();
    workers += unit_timeline(trace).workers;
  }
  const nlohmann::json chrome = nlohmann::json::parse(unit_traces_to_chrome_json({&file, 1}));
  std::map<std::string, std::size_t> phases;
  std::map<int, double> free;
  std::map<int, std::set<double>> begins;
  for (const auto& event : chrome["traceEvents"]) {
    ++phases[event["ph"]];
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["ts"].get<double>() + 1e-6, free[event["tid"]]);
    free[event["tid"]] = event["ts"].get<double>() + event["dur"].get<double>();
    begins[event["tid"]].insert(event["ts"].get<double>());
  }
  EXPECT_EQ(phases["X"], slices);
  EXPECT_EQ(phases["s"], links);
  EXPECT_EQ(phases["f"], links);
  EXPECT_EQ(phases["M"], 2 + workers);
  for (const auto& event : chrome["traceEvents"])
    if (event["ph"] == "s" || event["ph"] == "f") {
      EXPECT_EQ(begins[event["tid"]].count(event["ts"]), 1U);
    }
  if (std::system("command -v pj_dump >/dev/null 2>&1") != 0) return;
  const test::TemporaryFolder folder;
  const test::Result dump =
      test::Program({"pj_dump", "-l", "9", folder.file("t.paje", unit_traces_to_paje({&file, 1}))}).wait();
  EXPECT_EQ(dump.exit_code, 0) << dump.err;
  std::map<std::string, std::size_t> kinds;
  std::istringstream lines(dump.out);
  for (std::string line; std::getline(lines, line);) ++kinds[line.substr(0, line.find(','))];
  EXPECT_EQ(kinds["State"], slices);
  EXPECT_EQ(kinds["Link"], links);
}

}  // namespace
}  // namespace takt::pipeline
