#include "pipeline/pages/unit_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "pipeline/report/trace_text.hpp"

namespace takt::pipeline {

namespace {

std::int64_t measured_ns(const UnitEvent& event) {
  // Longer ones would run over in sums of thousands.
  constexpr double most_seconds = 1e6;
  return std::llround(std::min(event.seconds, most_seconds) * 1e9);
}

/// The time of each event: see `unit_timeline`.
std::vector<std::int64_t> times_of(const std::vector<UnitEvent>& events, std::size_t units) {
  std::vector<std::int64_t> times(events.size());
  std::vector<std::size_t> start(units, TracedUnit::none), start_of(events.size(), TracedUnit::none),
      stop_of(events.size(), TracedUnit::none);
  std::int64_t now = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::size_t unit = events[i].unit;
    if (events[i].is_start()) {
      start[unit] = i;
    } else if (events[i].is_stop() && start[unit] != TracedUnit::none) {
      start_of[i] = std::exchange(start[unit], TracedUnit::none);
      stop_of[start_of[i]] = i;
      now = std::max(now, times[start_of[i]] + measured_ns(events[i]));
    }
    times[i] = now;
  }
  std::int64_t next = now;
  for (std::size_t i = events.size(); i-- > 0;) {
    if (stop_of[i] != TracedUnit::none) {
      const std::size_t stop = stop_of[i];
      times[i] = std::max(times[i], std::min(next, times[stop] - measured_ns(events[stop])));
    }
    if (events[i].is_start() || events[i].is_stop()) next = times[i];
  }
  return times;
}

std::string unit_name(const UnitTrace& trace, std::size_t unit) {
  return fmt::format("tag {}", trace.units[unit].tag);
}

/// Calls `take(name, trace, timeline, begin)` for each sched; those of one file follow each other.
template <class F>
void for_each_sched(std::span<const NamedUnitTraces> files, const F& take) {
  for (const NamedUnitTraces& file : files) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < file.traces.size(); ++i) {
      const UnitTimeline timeline = unit_timeline(file.traces[i]);
      take(file.name_of(i), file.traces[i], timeline, begin);
      begin += timeline.end_ns;
    }
  }
}

}  // namespace

UnitTimeline unit_timeline(const UnitTrace& trace) {
  UnitTimeline line;
  const std::vector<std::int64_t> times = times_of(trace.events, trace.units.size());
  line.end_ns = times.empty() ? 0 : times.back();
  std::vector<bool> is_busy;
  // The execution that runs, the first and the last one of each unit.
  std::vector<std::size_t> running(trace.units.size(), TracedUnit::none), first = running, last = running;
  std::vector<std::size_t> spawned_by(trace.units.size(), TracedUnit::none);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const UnitEvent& event = trace.events[i];
    const std::size_t unit = event.unit, parent = trace.units[unit].parent;
    if (event.is_start()) {
      const auto free = static_cast<std::size_t>(std::ranges::find(is_busy, false) - is_busy.begin());
      if (free == is_busy.size()) is_busy.push_back(false);
      is_busy[free] = true;
      running[unit] = last[unit] = line.slices.size();
      if (first[unit] == TracedUnit::none) first[unit] = last[unit];
      line.slices.push_back({unit, free, times[i], line.end_ns});
    } else if (event.is_stop() && running[unit] != TracedUnit::none) {
      UnitSlice& slice = line.slices[std::exchange(running[unit], TracedUnit::none)];
      slice.end_ns = times[i];
      is_busy[slice.worker] = false;
    } else if (event.kind == UnitEventKind::create_child && parent != TracedUnit::none) {
      spawned_by[unit] = running[parent];
    }
  }
  line.workers = is_busy.size();
  const auto link = [&](std::size_t from, std::size_t to) {
    // Where the trace contradicts its graph, an arrow would go back.
    if (from != TracedUnit::none && to != TracedUnit::none && from < to) line.links.push_back({from, to});
  };
  for (std::size_t unit = 0; unit < trace.units.size(); ++unit) {
    for (const std::size_t each : trace.units[unit].dependents) link(last[unit], first[each]);
    link(spawned_by[unit], first[unit]);
  }
  return line;
}

std::string unit_traces_to_chrome_json(std::span<const NamedUnitTraces> files) {
  ChromeTraceText text;
  std::size_t process = 0, threads = 0, links = 0;
  for_each_sched(files, [&](const std::string& name, const UnitTrace& trace, const UnitTimeline& line,
                            std::int64_t begin) {
    ++process;
    text.name_process(process, name);
    for (std::size_t worker = 0; worker < line.workers; ++worker)
      text.name_thread(process, threads + worker + 1, fmt::format("worker {}", worker));
    const auto place = [&](const UnitSlice& slice) {
      return fmt::format(R"("pid":{},"tid":{},"ts":{})", process, threads + slice.worker + 1,
                         microseconds_text(begin + slice.begin_ns));
    };
    for (const UnitSlice& slice : line.slices) {
      const TracedUnit& unit = trace.units[slice.unit];
      std::string arguments = fmt::format(R"("tag":{},"seconds of all entries":{})", unit.tag, unit.seconds);
      if (!unit.is_static()) arguments += fmt::format(R"(,"parent":{})", trace.units[unit.parent].tag);
      text.add(fmt::format(R"({{"ph":"X",{},"dur":{},"cat":"unit","name":"{}","args":{{{}}}}})", place(slice),
                           microseconds_text(slice.end_ns - slice.begin_ns), unit_name(trace, slice.unit),
                           arguments));
    }
    for (const UnitLink& link : line.links) {
      ++links;
      text.add(fmt::format(R"({{"ph":"s",{},"cat":"dependency","name":"dependency","id":{}}})",
                           place(line.slices[link.from]), links));
      text.add(fmt::format(R"({{"ph":"f","bp":"e",{},"cat":"dependency","name":"dependency","id":{}}})",
                           place(line.slices[link.to]), links));
    }
    threads += line.workers;
  });
  return text.finish();
}

std::string unit_traces_to_paje(std::span<const NamedUnitTraces> files) {
  std::string out(paje_header);
  out +=
      "0 SCHED 0 \"sched\"\n0 WORKER SCHED \"worker\"\n1 STATE WORKER \"unit\"\n"
      "2 LINK SCHED WORKER WORKER \"dependency\"\n3 D LINK \"dependency\" \"0.1 0.1 0.2\"\n";
  // At one moment: containers, what ends, what begins, links.
  std::vector<std::tuple<std::int64_t, int, std::string>> lines;
  std::size_t sched = 0, keys = 0;
  std::int64_t end = 0;
  std::string last_lines;
  for_each_sched(files, [&](const std::string& name, const UnitTrace& trace, const UnitTimeline& line,
                            std::int64_t begin) {
    const auto at = [](std::int64_t ns) { return seconds_text(ns); };
    out += fmt::format("4 0.000000000 s{} SCHED 0 {}\n", sched, quoted_paje(name));
    for (std::size_t worker = 0; worker < line.workers; ++worker)
      out += fmt::format("4 0.000000000 s{0}w{1} WORKER s{0} \"worker {1}\"\n", sched, worker);
    for (std::size_t unit = 0; unit < trace.units.size(); ++unit)
      out += fmt::format("3 s{}u{} STATE \"{}\" \"{}\"\n", sched, unit, unit_name(trace, unit),
                         paje_colours[unit % std::size(paje_colours)]);
    for (std::size_t i = 0; i < line.slices.size(); ++i) {
      const UnitSlice& slice = line.slices[i];
      const std::int64_t from = begin + slice.begin_ns, to = begin + slice.end_ns;
      const std::string worker = fmt::format("s{}w{}", sched, slice.worker);
      lines.emplace_back(from, 1, fmt::format("6 {} STATE {} s{}u{}\n", at(from), worker, sched, slice.unit));
      // Executions that take no time end after they have begun.
      lines.emplace_back(to, from == to ? 1 : 0, fmt::format("7 {} STATE {}\n", at(to), worker));
    }
    for (const UnitLink& link : line.links) {
      ++keys;
      const UnitSlice &a = line.slices[link.from], &b = line.slices[link.to];
      lines.emplace_back(
          begin + a.begin_ns, 2,
          fmt::format("8 {} LINK s{} s{}w{} D k{}\n", at(begin + a.begin_ns), sched, sched, a.worker, keys));
      lines.emplace_back(
          begin + b.begin_ns, 3,
          fmt::format("9 {} LINK s{} s{}w{} D k{}\n", at(begin + b.begin_ns), sched, sched, b.worker, keys));
    }
    end = std::max(end, begin + line.end_ns);
    ++sched;
  });
  std::ranges::stable_sort(lines, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (const auto& [moment, order, text] : lines) out += text;
  sched = 0;
  for_each_sched(files, [&](const std::string&, const UnitTrace&, const UnitTimeline& line, std::int64_t) {
    for (std::size_t worker = 0; worker < line.workers; ++worker)
      out += fmt::format("5 {} WORKER s{}w{}\n", seconds_text(end), sched, worker);
    out += fmt::format("5 {} SCHED s{}\n", seconds_text(end), sched);
    ++sched;
  });
  return out;
}

}  // namespace takt::pipeline
