#include "pipeline/report/trace_formats.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "pipeline/report/trace_text.hpp"

namespace takt::pipeline {

namespace {

/// Returns the name of an event.
std::string event_name(const RunTrace& trace, const TraceEvent& event) {
  switch (event.kind) {
    case TraceKind::task:
      return trace.plan.stages[event.subject].name;
    case TraceKind::copy:
      return "copy of " + trace.plan.stages[event.subject].name;
    case TraceKind::send:
      return fmt::format("send to {}", event.peer);
    case TraceKind::receive:
      return fmt::format("receive from {}", event.peer);
    case TraceKind::starved:
    case TraceKind::blocked:
      break;
  }
  return std::string(trace_kind_names[static_cast<std::size_t>(event.kind)]);
}

std::string quoted_csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + '"';
}

}  // namespace

std::string to_chrome_json(const RunTrace& trace) {
  ChromeTraceText text;
  const std::int64_t begin = trace.begin_ns();
  for (const RankTrace& rank : trace.ranks) {
    const auto number = static_cast<std::size_t>(rank.rank) + 1;
    text.name_process(number, fmt::format("rank {} ({})", rank.rank, rank.host));
    text.name_thread(number, number, "loop");
    for (const TraceEvent& event : rank.events)
      text.add(fmt::format(
          R"({{"ph":"X","pid":{0},"tid":{0},"cat":"{1}","name":{2},"ts":{3},"dur":{4},"args":{{"frame":{5}}}}})",
          rank.rank + 1, trace_kind_names[static_cast<std::size_t>(event.kind)],
          quoted_json(event_name(trace, event)), microseconds_text(event.start_ns - begin),
          microseconds_text(event.end_ns - event.start_ns), event.frame));
  }
  std::size_t id = 0;
  for (const TracedMessage& message : messages_of(trace)) {
    const RankTrace& from = trace.ranks[message.from_rank];
    const RankTrace& to = trace.ranks[message.to_rank];
    ++id;
    text.add(
        fmt::format(R"({{"ph":"s","pid":{0},"tid":{0},"cat":"message","name":"message","id":{1},"ts":{2}}})",
                    from.rank + 1, id, microseconds_text(from.events[message.send].start_ns - begin)));
    text.add(fmt::format(
        R"({{"ph":"f","bp":"e","pid":{0},"tid":{0},"cat":"message","name":"message","id":{1},"ts":{2}}})",
        to.rank + 1, id, microseconds_text(to.events[message.receive].start_ns - begin)));
  }
  return text.finish();
}

std::string to_paje(const RunTrace& trace) {
  std::string out(paje_header);
  out +=
      "0 RUN 0 \"run\"\n0 RANK RUN \"rank\"\n1 STATE RANK \"activity\"\n2 MESSAGE RUN RANK RANK "
      "\"message\"\n";
  for (std::size_t stage = 0; stage < trace.plan.stages.size(); ++stage)
    out += fmt::format("3 T{} STATE {} \"{}\"\n", stage, quoted_paje(trace.plan.stages[stage].name),
                       paje_colours[stage % std::size(paje_colours)]);
  out +=
      "3 SEND STATE \"send\" \"0.1 0.1 0.2\"\n3 RECEIVE STATE \"receive\" \"0.4 0.4 0.5\"\n3 COPY STATE "
      "\"copy\" "
      "\"0.5 0.5 0.6\"\n3 STARVED STATE \"starved\" \"0.85 0.87 0.9\"\n3 BLOCKED STATE \"blocked\" \"0.7 "
      "0.72 0.75\"\n"
      "3 M MESSAGE \"message\" \"0.1 0.1 0.2\"\n";
  out += fmt::format("4 0.000000000 run RUN 0 {}\n", quoted_paje(trace.plan.pipeline));
  for (const RankTrace& rank : trace.ranks)
    out += fmt::format("4 0.000000000 r{0} RANK run \"rank {0}\"\n", rank.rank);

  const std::int64_t begin = trace.begin_ns();
  // At one moment: what ends, then what begins, then links: a link starts inside its slice.
  std::vector<std::tuple<std::int64_t, int, std::string>> lines;
  const auto at = [&](std::int64_t moment_ns) { return seconds_text(moment_ns - begin); };
  for (const RankTrace& rank : trace.ranks)
    for (const TraceEvent& event : rank.events) {
      std::string value = event.kind == TraceKind::task
                              ? fmt::format("T{}", event.subject)
                              : std::string(trace_kind_names[static_cast<std::size_t>(event.kind)]);
      if (event.kind != TraceKind::task)
        std::ranges::transform(value, value.begin(), [](char c) { return std::toupper(c); });
      lines.emplace_back(event.start_ns, 1,
                         fmt::format("6 {} STATE r{} {}\n", at(event.start_ns), rank.rank, value));
      lines.emplace_back(event.end_ns, 0, fmt::format("7 {} STATE r{}\n", at(event.end_ns), rank.rank));
    }
  std::size_t key = 0;
  for (const TracedMessage& message : messages_of(trace)) {
    const RankTrace& from = trace.ranks[message.from_rank];
    const RankTrace& to = trace.ranks[message.to_rank];
    const std::int64_t sent = from.events[message.send].start_ns,
                       received = to.events[message.receive].end_ns;
    ++key;
    lines.emplace_back(sent, 2, fmt::format("8 {} MESSAGE run r{} M k{}\n", at(sent), from.rank, key));
    // Clocks of two nodes may differ by more than a message takes.
    lines.emplace_back(
        std::max(sent, received), 3,
        fmt::format("9 {} MESSAGE run r{} M k{}\n", at(std::max(sent, received)), to.rank, key));
  }
  std::ranges::stable_sort(lines, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (const auto& [moment, order, line] : lines) out += line;
  const std::int64_t end = lines.empty() ? begin : std::get<0>(lines.back());
  for (const RankTrace& rank : trace.ranks) out += fmt::format("5 {} RANK r{}\n", at(end), rank.rank);
  return out + fmt::format("5 {} RUN run\n", at(end));
}

std::string to_csv(const RunTrace& trace) {
  std::string out = "rank,kind,subject,frame,start_ns,end_ns,peer\n";
  const std::int64_t begin = trace.begin_ns();
  for (const RankTrace& rank : trace.ranks)
    for (const TraceEvent& event : rank.events)
      out += fmt::format("{},{},{},{},{},{},{}\n", rank.rank,
                         trace_kind_names[static_cast<std::size_t>(event.kind)],
                         quoted_csv(event_name(trace, event)), event.frame, event.start_ns - begin,
                         event.end_ns - begin, event.peer < 0 ? "" : fmt::format("{}", event.peer));
  return out;
}

}  // namespace takt::pipeline
