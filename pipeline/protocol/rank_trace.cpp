#include "pipeline/protocol/rank_trace.hpp"

#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"

namespace takt::pipeline {

std::string to_text(const RankTrace& trace) {
  nlohmann::json json{{"rank", trace.rank}, {"host", trace.host}, {"lost", trace.lost}};
  for (const char* const column : {"start", "len", "frame", "kind", "subject", "peer"})
    json[column] = nlohmann::json::array();
  for (const TraceEvent& event : trace.events) {
    json["start"].push_back(event.start_ns);
    json["len"].push_back(event.end_ns - event.start_ns);
    json["frame"].push_back(event.frame);
    json["kind"].push_back(static_cast<int>(event.kind));
    json["subject"].push_back(event.subject);
    json["peer"].push_back(event.peer);
  }
  return json_line(json);
}

RankTrace rank_trace_from_text(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  RankTrace trace;
  try {
    trace.rank = json.at("rank").get<int>();
    trace.host = json.at("host").get<std::string>();
    trace.lost = json.at("lost").get<std::uint64_t>();
    const nlohmann::json& start = json.at("start");
    for (std::size_t i = 0; i < start.size(); ++i) {
      TraceEvent& event = trace.events.emplace_back();
      event.start_ns = start.at(i).get<std::int64_t>();
      event.end_ns = event.start_ns + json.at("len").at(i).get<std::int64_t>();
      event.frame = json.at("frame").at(i).get<std::uint64_t>();
      const auto kind = json.at("kind").at(i).get<std::size_t>();
      if (kind >= std::size(trace_kind_names))
        throw ConfigError(fmt::format("kind {} of an event is unknown", kind));
      event.kind = static_cast<TraceKind>(kind);
      event.subject = json.at("subject").at(i).get<std::uint32_t>();
      event.peer = json.at("peer").at(i).get<std::int32_t>();
      if (event.end_ns < event.start_ns) throw ConfigError("an event ends before it begins");
    }
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(fmt::format("not the trace of a rank: {}", error.what()));
  }
  return trace;
}

TracedFrames parse_traced_frames(std::string_view text) {
  TracedFrames frames;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto take = [&](std::uint64_t& number) {
    const auto [rest, error] = std::from_chars(at, end, number);
    const bool is_number = error == std::errc{} && rest != at;
    at = rest;
    return is_number;
  };
  const auto skip = [&](char letter) { return at != end && *at == letter && (++at, true); };
  bool is_good = take(frames.first);
  frames.last = frames.first;
  if (is_good && skip('-')) is_good = take(frames.last);
  if (is_good && skip('/')) is_good = take(frames.every);
  if (!is_good || at != end || frames.every == 0 || frames.last < frames.first)
    throw ConfigError(
        fmt::format("'{}' is not a valid range of frames: expected a number, a range or every n-th of a "
                    "range: 1000, 0-199, 0-99999/100",
                    text));
  return frames;
}

}  // namespace takt::pipeline
