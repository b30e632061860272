#include "pipeline/report/trace.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/formats/json_place.hpp"

namespace takt::pipeline {

namespace {

void check_trace(const RunTrace& trace) {
  for (const RankTrace& rank : trace.ranks) {
    if (rank.rank < 0 || static_cast<std::size_t>(rank.rank) >= trace.plan.ranks)
      throw ConfigError(fmt::format("rank {} of {} ranks", rank.rank, trace.plan.ranks));
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const TraceEvent& event : rank.events) {
      const bool is_stage = event.kind == TraceKind::task || event.kind == TraceKind::copy;
      if (is_stage && event.subject >= trace.plan.stages.size())
        throw ConfigError(fmt::format("stage {} of {} stages", event.subject, trace.plan.stages.size()));
      if (event.start_ns < last) throw ConfigError(fmt::format("events of rank {} overlap", rank.rank));
      last = event.end_ns;
    }
  }
}

}  // namespace

std::int64_t RunTrace::begin_ns() const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const RankTrace& rank : ranks)
    if (!rank.events.empty()) begin = std::min(begin, rank.events.front().start_ns);
  return begin == std::numeric_limits<std::int64_t>::max() ? 0 : begin;
}

std::int64_t RunTrace::end_ns() const {
  std::int64_t end = begin_ns();
  for (const RankTrace& rank : ranks)
    if (!rank.events.empty()) end = std::max(end, rank.events.back().end_ns);
  return end;
}

RunTrace trace_of(const RunRecord& record) {
  if (!record.plan) throw WorkError("nothing was recorded: the run ended before the plan was made");
  RunTrace trace{.plan = *record.plan, .schedule = record.schedule, .ranks = record.traces};
  std::ranges::sort(trace.ranks, {}, &RankTrace::rank);
  return trace;
}

std::string to_text(const RunTrace& trace) {
  nlohmann::json json{{"format", "takt-trace/1"},
                      {"plan", nlohmann::json::parse(to_text(trace.plan))},
                      {"schedule", trace.schedule},
                      {"ranks", nlohmann::json::array()}};
  for (const RankTrace& rank : trace.ranks) json["ranks"].push_back(nlohmann::json::parse(to_text(rank)));
  return json_line(json) + "\n";
}

RunTrace trace_from_text(std::string_view text, const std::string& file) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (!json.is_object() || json.value("format", "") != "takt-trace/1")
      throw ConfigError("expected a trace, as takt run --trace writes it ('format': 'takt-trace/1')");
    RunTrace trace{.plan = plan_from_text(json.at("plan").dump()),
                   .schedule = json.at("schedule").get<std::string>(),
                   .ranks = {}};
    for (const nlohmann::json& rank : json.at("ranks"))
      trace.ranks.push_back(rank_trace_from_text(rank.dump()));
    check_trace(trace);
    return trace;
  } catch (const ConfigError& error) {
    throw ConfigError({file}, error.message());
  } catch (const nlohmann::json::parse_error& error) {
    refuse_json(text, file, error);
  } catch (const nlohmann::json::exception& error) {
    // Behind the library's own number: "[json.exception.out_of_range.403] key 'plan' not found".
    const std::string_view what = error.what();
    throw ConfigError({file}, fmt::format("incomplete trace: {}", what.substr(what.find("] ") + 2)));
  }
}

std::vector<TracedMessage> messages_of(const RunTrace& trace) {
  // By sender, receiver, tag and frame.
  std::map<std::tuple<int, int, std::uint32_t, std::uint64_t>, std::pair<std::size_t, std::size_t>> sends;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    for (std::size_t e = 0; e < trace.ranks[r].events.size(); ++e) {
      const TraceEvent& event = trace.ranks[r].events[e];
      // The last piece of a send that was interrupted by a wait counts.
      if (event.kind == TraceKind::send)
        sends[{trace.ranks[r].rank, event.peer, event.subject, event.frame}] = {r, e};
    }
  std::vector<TracedMessage> messages;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    for (std::size_t e = 0; e < trace.ranks[r].events.size(); ++e) {
      const TraceEvent& event = trace.ranks[r].events[e];
      if (event.kind != TraceKind::receive) continue;
      const auto found = sends.find({event.peer, trace.ranks[r].rank, event.subject, event.frame});
      if (found == sends.end()) continue;
      // The last piece of a receive, which has the message.
      if (!messages.empty() && messages.back().from_rank == found->second.first &&
          messages.back().send == found->second.second && messages.back().to_rank == r)
        messages.pop_back();
      messages.push_back({found->second.first, found->second.second, r, e});
    }
  return messages;
}

}  // namespace takt::pipeline
