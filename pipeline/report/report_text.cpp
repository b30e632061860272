/// A report for people.

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/distinct_texts.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/report/optional_text.hpp"
#include "pipeline/report/plan_report.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/report/report_verdict.hpp"
#include "pipeline/report/shown_text.hpp"

namespace takt::pipeline {

namespace {

/// `packets received 1023, socket buffer 8 MiB`: what is not zero.
std::string counters_text(const std::vector<sensors::Counter>& counters) {
  std::vector<std::string> texts;
  for (const sensors::Counter& counter : counters) {
    if (counter.value == 0) continue;
    std::string name = counter.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    texts.push_back(
        name + ' ' +
        (counter.unit == "bytes" ? to_string(Bytes{counter.value}) : std::to_string(counter.value)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string tasks_text(const Report& report) {
  TextTable table(with_figures<Scope::task>({{"task"}, {"type"}, {.name = "rank", .is_prose = true}}));
  for (const Report::Task& task : report.tasks)
    table.add(with_figures({task.name, task.type, ranks_of_task(task.ranks, task.group)}, task.figures));
  return table.to_text(2);
}

std::string percent(double share) {
  return fmt::format("{:.1f}{}%", 100 * share, no_break);
}

/// Returns a time as a share of that of the rank's loop.
double share_of_loop(const Report::Rank& rank, std::uint64_t ns) {
  std::uint64_t loop_ns = 0;
  for (const auto use : {rank.counts["compute"], rank.counts["message"], rank.counts["other"],
                         rank.counts["starved"], rank.counts["blocked"]})
    loop_ns += use;
  return loop_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(loop_ns);
}

/// `40.0 % for the source, 3.1 % for frames of rank 0, 0.2 % for room at rank 2`.
std::string waits_text(const Report& report, std::size_t number) {
  constexpr double worth_saying = 0.0005;
  const Report::Rank& rank = report.ranks[number];
  if (std::ranges::none_of(
          report.tasks, [&](const Report::Task& task) { return std::ranges::count(task.ranks, number) > 0; }))
    return "it has no task";
  std::vector<std::string> texts;
  double rest = rank.figures.value("starved") - rank.for_sources();
  for (const Report::Rank::SourceWait& wait : rank.source_waits)
    if (wait.figures.value("starved") >= worth_saying)
      texts.push_back(percent(wait.figures.value("starved")) +
                      (rank.source_waits.size() == 1
                           ? " for the source"
                           : fmt::format(" for '{}'", report.tasks[wait.stage].name)));
  for (const Report::Rank::Wait& wait : rank.waits) {
    if (wait.figures.value("starved") >= worth_saying)
      texts.push_back(
          fmt::format("{} for frames of rank {}", percent(wait.figures.value("starved")), wait.rank));
    if (wait.figures.value("blocked") >= worth_saying)
      texts.push_back(
          fmt::format("{} back-pressure from rank {}", percent(wait.figures.value("blocked")), wait.rank));
    rest -= wait.figures.value("starved");
  }
  for (const Report::Task& task : report.tasks) {
    if (task.counts["awaited"] == 0 || std::ranges::count(task.ranks, number) == 0) continue;
    const double share = share_of_loop(rank, task.counts["awaited"]);
    if (share >= worth_saying)
      texts.push_back(fmt::format("{} for frames under way of '{}'", percent(share), task.name));
    rest -= share;
  }
  if (rest >= worth_saying) texts.push_back(percent(rest) + " for other ranks to end");
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ranks_text(const Report& report) {
  const bool has_plan = std::ranges::any_of(
      report.ranks, [](const Report::Rank& rank) { return rank.figures["planned_utilisation"].has_value(); });
  const IsColumn is_column = has_plan ? has_column : [](const Figure& figure) {
    return has_column(figure) && figure.name != "planned_utilisation";
  };
  std::vector<TextTable::Column> columns = with_figures<Scope::rank>({{"rank", true}, {"host"}}, is_column);
  for (TextTable::Column& column : columns)
    if (column.name == "planned") column.name += " at " + to_string(Frequency{report.planned_hz});
  columns.push_back({.name = "waits", .is_prose = true});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    std::vector<std::string> row =
        with_figures({fmt::to_string(i), report.ranks[i].host}, report.ranks[i].figures, is_column);
    row.push_back(waits_text(report, i));
    table.add(std::move(row));
  }
  std::string text = table.to_text(2);
  for (std::size_t i = 0; i < report.ranks.size(); ++i)
    if (const std::optional<double> idle = report.ranks[i].figures["workers_idle"])
      text += fmt::format("  rank {} runs tasks of its kernels on {} cores: its workers were idle for {}\n",
                          i, report.ranks[i].counts["cores"], percent(*idle));
  return text;
}

/// A line for each device; nothing without any.
std::string devices_text(const Report& report) {
  if (report.devices.empty()) return "";
  TextTable table({{"device"},
                   {"units", true},
                   {"per frame", true},
                   {"load", true},
                   {"planned at " + to_string(Frequency{report.planned_hz}), true},
                   {.name = "tasks", .is_prose = true}});
  for (const Report::Device& device : report.devices)
    table.add({device.name, fmt::format("{}", device.units), to_string(device.work),
               device.load ? percent(*device.load) : "-", percent(device.planned_load),
               fmt::format("{}", fmt::join(device.tasks, " "))});
  return table.to_text(2) + '\n';
}

std::string outage_text(const Outage& outage) {
  const std::int64_t second = outage.utc_ns / 1'000'000'000 % 86400;
  std::string text = fmt::format("{:02}:{:02}:{:02} UTC after frame {}", second / 3600, second / 60 % 60,
                                 second % 60, outage.frame);
  if (outage.lost) text += fmt::format(", {} frame{} lost", *outage.lost, *outage.lost == 1 ? "" : "s");
  if (!outage.hosts.empty()) text += fmt::format(", without {}", fmt::join(outage.hosts, ", "));
  return text + ": " + outage.reason;
}

std::string quantiles_text(const LatencyQuantiles& latency) {
  return fmt::format("p50 {}, p90 {}, p99 {}, max {}", optional_time(latency.p50), optional_time(latency.p90),
                     optional_time(latency.p99), optional_time(latency.max));
}

/// ` (402 Hz to 431 Hz in repetitions)`; nothing where both are the same.
template <typename Unit>
std::string repetitions_text(const std::optional<Spread>& spread, Unit unit) {
  if (!spread) return "";
  const std::string least = to_string(unit(spread->least)), most = to_string(unit(spread->most));
  return least == most ? "" : fmt::format(" ({} to {} in repetitions)", least, most);
}

std::string repetitions_text(const Report::PredictedLatency& predicted) {
  return repetitions_text(predicted.trial_ns, [](double ns) { return Time(std::llround(ns)); });
}

std::string predicted_text(const Report::Output& output) {
  const Report::PredictedLatency& predicted = output.predicted_latency;
  return predicted.median > Time{0}
             ? fmt::format("; {} predicted{}", to_string(predicted.median), repetitions_text(predicted))
             : "";
}

/// Returns the estimated limit of the ranks of a slow source, or that no rank waited for its source.
std::string capacity_text(const Report& report) {
  if (report.is_held_up_by_source() ||
      *report.figures["capacity"] <= (1 + small_share) * report.figures.value("sustained"))
    return "estimated limit " + to_string(Frequency{*report.figures["capacity"]});
  return "no limit: ranks waited for each other, not for the source";
}

/// Where the predictions come from, and the bottleneck.
std::string predictions_text(const Report& report) {
  std::string text;
  const auto line = [&](std::string_view title, const std::string& rest) { text += titled(title, rest); };
  if (report.figures["capacity"])
    line("capacity", fmt::format("{}; {}bottleneck: {}", capacity_text(report),
                                 report.figures["by_costs"] ? "by costs, " : "predicted ", report.limit));
  if (report.figures["by_costs"])
    line("prediction",
         fmt::format("by a trial run{}; by the costs of single tasks {}",
                     repetitions_text(report.trial_hz, [](double hertz) { return Frequency{hertz}; }),
                     to_string(Frequency{*report.figures["by_costs"]})));
  const Report::PredictedLatency& predicted = report.predicted_latency;
  if (report.latency.p50 && predicted.by_costs)
    line("", fmt::format("latency: by a trial run {}{}; by costs {}, without queueing",
                         to_string(predicted.median), repetitions_text(predicted),
                         to_string(*predicted.by_costs)));
  for (const Report::Source& source : report.sources)
    if (const std::string counts = counters_text(source.details); !counts.empty())
      line("  " + source.name, counts);
  for (const Report::Output& output : report.outputs)
    if (const std::string counts = counters_text(output.counters); !counts.empty())
      line("  " + output.sink, counts);
  return text;
}

std::string frames_text(const Report& report) {
  const FigureValues<Scope::run>& figures = report.figures;
  const std::uint64_t dropped = figures.count("dropped"), absorbed = figures.count("absorbed"),
                      incomplete = figures.count("incomplete");
  const bool is_least = figures.flag("is_least");
  return fmt::format("{} ingested, {}{} delivered, {} lost, {}{} dropped{}{}", figures.count("ingested"),
                     is_least ? "at least " : "", figures.count("delivered"), figures.count("lost"),
                     is_least && dropped > 0 ? "at most " : "", dropped,
                     absorbed > 0 ? fmt::format(", {} consumed by kernels", absorbed) : "",
                     incomplete > 0 ? fmt::format(" ({} ingested with missing parts)", incomplete) : "");
}

/// `p50 2.1 s, p99 4.2 s, max 4.3 s; of 3 channels 'NL.WIT.00.BHZ' is the latest: mean 3 s, longest 4.3 s`.
std::string age_text(const Report::Source& source) {
  std::vector<std::string> texts;
  if (source.age.frames > 0)
    texts.push_back(fmt::format("p50 {}, p99 {}, max {}", optional_time(source.age.p50),
                                optional_time(source.age.p99), optional_time(source.age.max)));
  if (!source.channels.empty()) {
    const sensors::ChannelLatency& latest =
        *std::ranges::max_element(source.channels, {}, &sensors::ChannelLatency::mean);
    texts.push_back(fmt::format("of {} channel{} '{}' is the latest: mean {}, longest {}",
                                source.channels.size(), source.channels.size() == 1 ? "" : "s",
                                latest.channel, to_string(latest.mean()), to_string(latest.longest)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// A line for each channel.
std::string channels_text(const Report& report) {
  TextTable table({{"source"}, {"channel"}, {"records", true}, {"mean latency", true}, {"longest", true}});
  bool has_rows = false;
  for (const Report::Source& source : report.sources)
    for (const sensors::ChannelLatency& each : source.channels) {
      table.add({source.name, each.channel, fmt::format("{}", each.records), to_string(each.mean()),
                 to_string(each.longest)});
      has_rows = true;
    }
  return has_rows ? table.to_text(2) + '\n' : "";
}

std::string throughput_text(const Report& report) {
  const FigureValues<Scope::run>& figures = report.figures;
  std::string sustained = optional_hertz(figures["sustained"]),
              required = optional_hertz(figures["required"]);
  if (report.held() == false)
    std::tie(sustained, required) =
        distinct_texts(Frequency{*figures["sustained"]}, Frequency{*figures["required"]});
  return fmt::format("{} sustained{}, {} predicted{}", sustained,
                     figures.count("delivered") > 0 && !figures["sustained"] ? " (too few frames)" : "",
                     to_string(Frequency{figures.value("predicted")}),
                     figures["required"] ? fmt::format(", {} required", required) : "");
}

std::string latency_text(const Report& report) {
  const bool has_several_sinks = report.outputs.size() > 1;
  const Time predicted = report.predicted_latency.median;
  return quantiles_text(report.latency) +
         (report.latency.p50 && predicted > Time{0} ? fmt::format("; {} predicted", to_string(predicted))
                                                    : "") +
         (report.latency_limit ? fmt::format(", {} required", report.latency_limit->text()) : "") +
         (has_several_sinks ? ", with several sinks the slowest one per frame" : "");
}

}  // namespace

std::string to_text(const Report& report, bool is_verbose) {
  std::string text =
      '\n' + plain_blanks(fill(verdict_text(report), text_columns)) + '\n' +
      fill(fmt::format("{}: {} rank{}, scheduled by {}{}{}", report.pipeline, report.ranks.size(),
                       report.ranks.size() == 1 ? "" : "s", report.scheduler,
                       report.figures.value("predicted") < report.figures.value("required")
                           ? ""
                           : purpose_of(report.objective),
                       iteration_text(report.replicas, report.is_pipelined)),
           text_columns) +
      "\n\n";
  const auto line = [&](std::string_view title, const std::string& rest) { text += titled(title, rest); };
  line("frames", frames_text(report));
  if (report.sources.size() > 1)
    for (const Report::Source& source : report.sources)
      line("  " + source.name,
           fmt::format("{} ingested, {} lost, {} dropped, {} with missing parts",
                       source.figures.count("ingested"), source.figures.count("lost"),
                       source.figures.count("dropped"), source.figures.count("incomplete")));
  for (const Outage& outage : report.outages) line("restarted", outage_text(outage));
  line("throughput", throughput_text(report));
  line("latency", latency_text(report));
  for (const Report::Source& source : report.sources)
    if (const std::string age = age_text(source); !age.empty())
      line("data age", report.sources.size() > 1 ? fmt::format("{}: {}", source.name, age) : age);
  if (report.outputs.size() > 1)
    for (const Report::Output& output : report.outputs)
      line("  " + output.sink, quantiles_text(output.latency) + predicted_text(output));
  for (const Report::Output& output : report.outputs)
    if (!output.location.empty()) line("output", fmt::format("{}: {}", output.sink, output.location));
  for (const std::string& miscount : report.miscounts)
    line("MISCOUNT", miscount + "; this is a fault of takt: please report it");
  for (const std::string& overstatement : report.overstatements)
    line("MISCOUNT", overstatement + "; this is a fault of its kernel");
  for (const MadeChange& change : report.changes)
    line("changed", fmt::format("{} = {} (was {}) from frame {} on", change.parameter, change.value,
                                change.old_value, change.frame));
  for (const std::string& note : report.notes) line("note", note);
  if (is_verbose)
    text += '\n' + tasks_text(report) + '\n' + ranks_text(report) + '\n' + devices_text(report) +
            channels_text(report) + predictions_text(report);
  return text;
}

}  // namespace takt::pipeline
