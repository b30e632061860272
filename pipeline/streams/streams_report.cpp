#include "pipeline/streams/streams_report.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/distinct_texts.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"

namespace takt::pipeline {

namespace {

using nlohmann::json;

std::optional<double> number_at(const json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

StreamUse use_of(const PlacedStream& stream, const json& report, const std::optional<double>& sustained_hz) {
  StreamUse use{.name = stream.name};
  if (!sustained_hz) return use;
  const json& ranks = report.at("ranks");
  for (std::size_t rank = 0; rank < std::min(stream.processors.size(), ranks.size()); ++rank) {
    const auto used = number_at(ranks[rank].at("processor_used")),
               delayed = number_at(ranks[rank].at("processor_delayed"));
    if (!used || !delayed) continue;
    constexpr double second = 1e9;
    use.processors.push_back({.processor = stream.processors[rank],
                              .host = ranks[rank].at("host"),
                              .given = stream.shares[rank],
                              .used = *used,
                              .delayed = *delayed,
                              .planned = stream.work[rank],
                              .taken = Time(static_cast<Time::rep>(*used * second / *sustained_hz))});
  }
  return use;
}

StreamsReport::Stream read(StreamResult result) {
  StreamsReport::Stream stream{.result = std::move(result)};
  stream.use.name = stream.result.stream.name;
  if (stream.result.end.report.empty()) return stream;
  const json report = json::parse(stream.result.end.report);
  const json& frames = report.at("frames");
  stream.delivered = frames.at("delivered");
  stream.lost = frames.at("lost");
  stream.dropped = frames.at("dropped");
  stream.sustained_hz = number_at(report.at("frequency_hz").at("sustained"));
  for (const json& restart : report.at("restarts")) stream.restarts.push_back(restart.at("reason"));
  if (report.at("held").is_boolean()) stream.held = report.at("held").get<bool>();
  if (const auto p99 = number_at(report.at("latency_ns").at("p99")))
    stream.latency_p99 = Time(static_cast<Time::rep>(*p99));
  stream.use = use_of(stream.result.stream, report, stream.sustained_hz);
  stream.use.held = stream.held;
  return stream;
}

std::string hertz(double value) {
  return to_string(Frequency{value});
}
std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string outcome(const StreamsReport::Stream& stream) {
  if (stream.result.end.exit_code != 0) return "FAILED";
  if (!stream.held) return "-";
  if (!*stream.held) return "NO";
  return stream.restarts.empty() ? "yes" : "yes, restarted";
}

/// The first line: failed streams, else those below their required rate, else that all rates were held.
std::string verdict(const StreamsReport& report) {
  std::vector<std::string> failed, slow, undecided;
  for (const StreamsReport::Stream& stream : report.streams) {
    const std::string& name = stream.result.stream.name;
    if (stream.result.end.exit_code != 0 && !stream.result.end.failure.empty())
      failed.push_back(name);
    else if (stream.held == false)
      slow.push_back(name);
    else if (!stream.held)
      undecided.push_back(name);
  }
  if (!failed.empty()) return fmt::format("FAILED: {}", fmt::join(failed, ", "));
  if (!slow.empty()) return fmt::format("NOT HELD: {}", fmt::join(slow, ", "));
  if (!undecided.empty()) return fmt::format("too few frames to judge: {}", fmt::join(undecided, ", "));
  return report.streams.size() == 1 ? "held: the rate"
                                    : fmt::format("held: all {} rates", report.streams.size());
}

}  // namespace

int StreamsReport::exit_code() const {
  int code = 0;
  for (const Stream& stream : streams)
    if (const int own = stream.result.end.exit_code; own != 0) code = std::max(code, own == 2 ? 2 : 1);
  return code;
}

StreamsReport make_report(std::vector<StreamResult> results, std::size_t processors, Time cycle) {
  StreamsReport report{.processors = processors, .cycle = cycle};
  std::vector<StreamUse> uses;
  for (StreamResult& result : results) {
    report.streams.push_back(read(std::move(result)));
    uses.push_back(report.streams.back().use);
  }
  report.disturbances = find_disturbances(uses);
  report.notes = slower_than_costs(uses);
  return report;
}

std::string to_text(const StreamsReport& report) {
  std::string text = fmt::format(
      "{}\n{} streams on {} processor{}, a hyperperiod of {}\n\n", fill(verdict(report), text_columns),
      report.streams.size(), report.processors, report.processors == 1 ? "" : "s", to_string(report.cycle));
  TextTable rates({{"stream"},
                   {"required", true},
                   {"reserved", true},
                   {"sustained", true},
                   {"held"},
                   {"delivered", true},
                   {"lost", true},
                   {"dropped", true},
                   {"latency p99", true}});
  // The host is not shown if there is only one.
  std::set<std::string> hosts;
  for (const StreamsReport::Stream& stream : report.streams)
    for (const ProcessorUse& use : stream.use.processors) hosts.insert(use.host);
  TextTable uses({{"stream"},
                  {hosts.size() > 1 ? "processor, host" : "processor", true},
                  {"given", true},
                  {"used", true},
                  {"ready, waiting", true},
                  {"planned per frame", true},
                  {"used per frame", true}},
                 2);
  for (const StreamsReport::Stream& stream : report.streams) {
    const PlacedStream& placed = stream.result.stream;
    std::string required = hertz(placed.required_hz),
                sustained = stream.sustained_hz ? hertz(*stream.sustained_hz) : "-";
    if (stream.sustained_hz && stream.held == false)
      std::tie(required, sustained) =
          distinct_texts(Frequency{placed.required_hz}, Frequency{*stream.sustained_hz});
    rates.add({placed.name, required, hertz(placed.promised_hz), sustained, outcome(stream),
               fmt::format("{}", stream.delivered), fmt::format("{}", stream.lost),
               fmt::format("{}", stream.dropped), stream.latency_p99 ? to_string(*stream.latency_p99) : "-"});
    for (const ProcessorUse& use : stream.use.processors)
      uses.add({placed.name, fmt::format("{}{}", use.processor, hosts.size() > 1 ? ", " + use.host : ""),
                percent(use.given), percent(use.used), percent(use.delayed), to_string(use.planned),
                to_string(use.taken)});
  }
  text += rates.to_text() + '\n' + uses.to_text();
  const auto say = [&](const std::string& sentence) { text += '\n' + fill(sentence, text_columns) + '\n'; };
  for (const StreamsReport::Stream& stream : report.streams)
    if (!stream.result.end.failure.empty())
      say(fmt::format("'{}' failed: {}", stream.result.stream.name, stream.result.end.failure));
  for (const StreamsReport::Stream& stream : report.streams)
    if (!stream.restarts.empty())
      say(fmt::format("'{}' restarted {} time{}: its rate counts from the last restart; reason: {}",
                      stream.result.stream.name, stream.restarts.size(),
                      stream.restarts.size() == 1 ? "" : "s", stream.restarts.back()));
  for (const Disturbance& each : report.disturbances) say(each.text);
  for (const std::string& note : report.notes) say(note);
  return text;
}

std::string to_json(const StreamsReport& report) {
  const auto optional_number = [](const auto& value) { return value ? json(*value) : json(nullptr); };
  json root{{"processors", report.processors},
            {"cycle_ns", report.cycle.count()},
            {"streams", json::array()},
            {"disturbances", json::array()},
            {"notes", report.notes}};
  for (const StreamsReport::Stream& stream : report.streams) {
    const PlacedStream& placed = stream.result.stream;
    json uses = json::array();
    for (const ProcessorUse& use : stream.use.processors)
      uses.push_back({{"processor", use.processor},
                      {"host", use.host},
                      {"given", use.given},
                      {"used", use.used},
                      {"delayed", use.delayed},
                      {"planned_ns", use.planned.count()},
                      {"taken_ns", use.taken.count()},
                      {"over", use.is_over()}});
    root["streams"].push_back(
        {{"name", placed.name},
         {"file", placed.file.string()},
         {"processors", placed.processors},
         {"shares", placed.shares},
         {"frequency_hz",
          {{"required", placed.required_hz},
           {"promised", placed.promised_hz},
           {"sustained", optional_number(stream.sustained_hz)}}},
         {"held", optional_number(stream.held)},
         {"restarts", stream.restarts.size()},
         {"frames", {{"delivered", stream.delivered}, {"lost", stream.lost}, {"dropped", stream.dropped}}},
         {"latency_ns",
          {{"planned", placed.latency.count()},
           {"p99", stream.latency_p99 ? json(stream.latency_p99->count()) : json(nullptr)}}},
         {"use", uses},
         {"failure", stream.result.end.failure.empty() ? json(nullptr) : json(stream.result.end.failure)},
         {"report",
          stream.result.end.report.empty() ? json(nullptr) : json::parse(stream.result.end.report)}});
  }
  for (const Disturbance& each : report.disturbances)
    root["disturbances"].push_back({{"processor", each.processor},
                                    {"by", each.by.empty() ? json(nullptr) : json(each.by)},
                                    {"of", each.of},
                                    {"text", each.text}});
  return json_text(root);
}

}  // namespace takt::pipeline
