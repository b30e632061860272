#include "pipeline/sustain/rate_trial.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/config/draft.hpp"
#include "pipeline/config/stage_reader.hpp"
#include "pipeline/launch/launcher.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* senders_fault = "sender too slow";
constexpr const char* schedule_name = "schedule.yaml";

/// Throws ConfigError like check_rates_can_be_chosen.
const Pipeline& expect_chosen_rates(const Pipeline& pipeline) {
  check_rates_can_be_chosen(pipeline);
  return pipeline;
}

std::string path_of(const Stage& stage, std::string_view parameter) {
  return fmt::format("{}.{}.{}", section_of(stage.kind).key, stage.name, parameter);
}

/// Returns the source's own frames/s for an output rate; its frames may hold several output frames.
double own_rate(const Stage& source, double hertz) {
  const double output = source.output.rate_hz;
  return output > 0 ? hertz * source.own_frames.rate_hz / output : hertz;
}

/// Sender to the sources of a trial.
enum class Sending : std::uint8_t { sources_themselves, unheeding, held_up };

/// Returns true if the ranks could have processed the offered rate: they waited long enough for their source,
/// and the busiest one had time. Ranks that waited for each other could not.
bool could_take(const Report& report, double offered_hz) {
  double for_source = 0;
  for (const Report::Rank& rank : report.ranks) for_source = std::max(for_source, rank.for_sources());
  return report.figures.value("capacity") >= offered_hz &&
         report.figures.value("sustained") >= offered_hz * (1 - for_source);
}

/// Returns the fault of a run. Data missing in a source without a sender are missing from its recording at
/// any rate and do not count.
std::string fault_of(const Report& report, double offered_hz, double tolerance, Sending sending) {
  const bool may_miss = sending == Sending::sources_themselves;
  const std::uint64_t dropped = report.figures.count("dropped"), lost = report.figures.count("lost"),
                      incomplete = report.figures.count("incomplete");
  if (dropped > 0) return fmt::format("{} dropped", dropped);
  if (lost > 0 && !may_miss) return fmt::format("{} lost", lost);
  if (incomplete > 0 && !may_miss) return fmt::format("{} incomplete", incomplete);
  if (!report.miscounts.empty()) return report.miscounts.front();
  if (!report.overstatements.empty()) return report.overstatements.front();
  if (!report.figures["sustained"]) return "too few frames";
  if (*report.figures["sustained"] >= offered_hz * (1 - tolerance)) return {};
  if (sending == Sending::sources_themselves) return "too slow";
  if (could_take(report, offered_hz)) return senders_fault;
  return sending == Sending::held_up ? "sender held up" : "too slow";
}

/// Returns RateTrial::delayed.
std::optional<double> delayed_by_others(const Report& report) {
  // Other hosts are assumed to have as many.
  const std::size_t cores = allowed_processors().size();
  std::map<std::string, std::size_t> on_host;
  std::optional<double> most;
  for (const Report::Rank& rank : report.ranks) {
    if (rank.figures.value("compute") == 0) continue;
    if (++on_host[rank.host] > cores) return std::nullopt;
    if (const auto& delayed = rank.figures["delayed"]) most = std::max(most.value_or(0), *delayed);
  }
  return most;
}

RateTrial trial_of(const Report& report, double offered_hz, const TrialOptions& options, Sending sending) {
  std::string fault = fault_of(report, offered_hz, options.tolerance, sending);
  const std::optional<LatencyLimit>& limit = options.latency_limit;
  const std::optional<Time> latency = limit ? report.latency.at(limit->quantile) : std::nullopt;
  // At full speed frames wait in queues.
  const bool is_late = fault.empty() && offered_hz > 0 && latency && *latency > limit->most;
  if (is_late) fault = fmt::format("{} {}", named(limit->quantile).name, takt::to_string(*latency));
  return {.offered_hz = offered_hz,
          .sustained_hz = report.figures["sustained"],
          .ingested = report.figures.count("ingested"),
          .delivered = report.figures.count("delivered"),
          .lost = report.figures.count("lost"),
          .dropped = report.figures.count("dropped"),
          .incomplete = report.figures.count("incomplete"),
          .latency = report.latency,
          .fault = fault,
          .is_senders_fault = fault == senders_fault,
          .is_late = is_late,
          .delayed = delayed_by_others(report)};
}

/// Returns the name of a sink's output in the directory of the trials, also the prefix of its other files.
std::string output_name(const Stage& stage, const ParameterSpec& spec) {
  return fmt::format("{}.{}", stage.name, spec.name);
}

}  // namespace

TrialBed::TrialBed(const Pipeline& pipeline, std::vector<std::string> run, const PipelinePlan& plan,
                   TrialOptions options)
    : pipeline_(expect_chosen_rates(pipeline)),
      sources_(pipeline.sources()),
      run_(std::move(run)),
      options_(std::move(options)),
      senders_(pipeline, plan.summary, options_.emulator_host),
      folder_(fs::temp_directory_path(), "takt-sustain-") {
  write_text_file(folder_.path() / schedule_name, to_yaml(plan));
}

std::vector<std::string> words_of_rate(const Pipeline& pipeline, double hertz) {
  std::vector<std::string> words;
  for (const std::size_t index : pipeline.sources()) {
    const Stage& source = pipeline.stages[index];
    const SourceKind& kind = *pipeline.kernels.find_source(source.type);
    for (const auto& [name, value] : kind.at_rate(own_rate(source, hertz), source.own_frames)) {
      words.emplace_back("--set");
      words.push_back(fmt::format("{}={}", path_of(source, name), value));
    }
  }
  return words;
}

void check_rates_can_be_chosen(const Pipeline& pipeline) {
  for (const std::size_t index : pipeline.sources()) {
    const Stage& source = pipeline.stages[index];
    const SourceKind& kind = *pipeline.kernels.find_source(source.type);
    if (!kind.at_rate(own_rate(source, 1), source.own_frames).empty()) continue;
    if (EmulatedSenders::can_serve(source, kind)) continue;
    throw ConfigError(source.where,
                      fmt::format("source '{}': takt cannot set the rate of a source of type '{}'{}",
                                  source.name, source.type,
                                  kind.is_live && source.output.rate_hz <= 0
                                      ? " without a 'rate': expected one, which trials multiply"
                                      : ""));
  }
}

bool can_saturate(const Pipeline& pipeline) {
  // Joined frames have a rate.
  if (pipeline.joins_sources()) return false;
  const Stage& source = pipeline.stages[pipeline.sources().front()];
  return !pipeline.kernels.find_source(source.type)->at_rate(0, source.own_frames).empty();
}

std::vector<std::string> warnings_of_trials(const Pipeline& pipeline) {
  std::vector<std::string> warnings;
  for (const Stage& stage : pipeline.stages)
    if (stage.kind == StageKind::sink && pipeline.kernels.find_sink(stage.type)->is_live)
      warnings.push_back(fmt::format(
          "sink '{}' sends the frames of the trials to all its receivers, as in a run", stage.name));
  return warnings;
}

void TrialBed::remove_outputs() const {
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_.path(), ignored))
    for (const Stage& stage : pipeline_.stages)
      for (const ParameterSpec& spec : specification_of(stage.kind, stage.type, pipeline_.kernels))
        if (spec.type == ParameterType::output_file &&
            file.path().filename().string().starts_with(output_name(stage, spec)))
          fs::remove(file.path(), ignored);
}

std::vector<std::string> TrialBed::arguments(double hertz, Time duration) const {
  std::vector<std::string> words = run_;
  const auto set = [&](const Stage& stage, std::string_view parameter, const std::string& value) {
    words.emplace_back("--set");
    words.push_back(fmt::format("{}={}", path_of(stage, parameter), value));
  };
  const std::vector<std::string> at_rate = words_of_rate(pipeline_, hertz);
  words.insert(words.end(), at_rate.begin(), at_rate.end());
  for (const std::size_t index : sources_) {
    const Stage& source = pipeline_.stages[index];
    for (const auto& [name, value] : senders_.settings_of(index)) set(source, name, value);
  }
  for (const Stage& stage : pipeline_.stages)
    for (const ParameterSpec& spec : specification_of(stage.kind, stage.type, pipeline_.kernels))
      if (spec.type == ParameterType::output_file)
        set(stage, spec.name, folder_.path() / output_name(stage, spec));
  // A file may remain if its removal failed.
  words.emplace_back("--overwrite");
  for (const std::string& word : {std::string("--schedule"), (folder_.path() / schedule_name).string(),
                                  std::string("--duration"), fmt::format("{} ns", duration.count())})
    words.push_back(word);
  return words;
}

RateTrial TrialBed::run(double hertz) const {
  const Time for_frames =
      hertz > 0 ? Time(static_cast<Time::rep>(1e9 * static_cast<double>(options_.least_frames) / hertz))
                : Time{0};
  const Time duration = std::max(options_.duration, for_frames);
  // Truncating old files would delay the first frame.
  remove_outputs();
  EmulatedSenders::Work sending = senders_.start(hertz);
  const RunRecord record = launch({.ranks = pipeline_.deployment.ranks,
                                   .site = pipeline_.deployment.site,
                                   .stages = pipeline_.stages.size(),
                                   .arguments = arguments(hertz, duration),
                                   .standstill = 2 * pipeline_.deployment.deadlines.frame,
                                   .stream_time = duration,
                                   .on_progress = options_.on_progress,
                                   .commands = [&] {
                                     // No more frames arrive then.
                                     return sending.has_given_up()
                                                ? std::vector<ControlCommand>{{ControlCommandKind::end}}
                                                : std::vector<ControlCommand>{};
                                   }});
  sending.expect_to_last();
  if (record.is_config_error) throw ConfigError(record.failure);
  if (!record.failure.empty()) throw WorkError(record.failure);
  const Sending by = senders_.empty()         ? Sending::sources_themselves
                     : senders_.are_held_up() ? Sending::held_up
                                              : Sending::unheeding;
  RateTrial trial = trial_of(make_report(record), hertz, options_, by);
  // An interrupted trial has no result, whatever was counted.
  trial.was_interrupted = record.was_to_end;
  if (trial.was_interrupted) trial.fault = "interrupted";
  const double expected = hertz * std::chrono::duration<double>(duration).count();
  // Too few frames for a more detailed result.
  constexpr double few = 2;
  const auto given = static_cast<double>(trial.ingested + trial.dropped + trial.lost);
  const bool has_ended_early =
      !trial.was_interrupted && (trial.holds() || (senders_.empty() && given < few)) && given < expected / 2;
  if (!has_ended_early) return trial;
  const std::string expects =
      fmt::format("{} frame{}, where a trial of {} at {} has {:.0f}", given, given == 1 ? "" : "s",
                  takt::to_string(duration), takt::to_string(Frequency{hertz}), expected);
  if (!senders_.empty())
    throw WorkError(fmt::format("the emulated sender of the trial stopped: {}", expects));
  const Stage& source = pipeline_.stages[sources_.front()];
  throw ConfigError(
      source.where,
      fmt::format("source '{}': its stream ended after {}: it is too short, or the trial is too long",
                  source.name, expects));
}

}  // namespace takt::pipeline
