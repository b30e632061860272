#include "pipeline/live/run_server.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/page.hpp"
#include "core/system/clock.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/exception_text.hpp"
#include "pipeline/launch/parameter_updates.hpp"
#include "pipeline/live/live_update.hpp"
#include "pipeline/live/metrics.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

HttpAnswer health(const RunRecord& record) {
  if (!record.failure.empty()) return {.status = 503, .body = record.failure + "\n"};
  if (record.ranks.empty()) return {.status = 503, .body = "no rank has reported\n"};
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank) {
    if (!record.ranks[rank]) return {.status = 503, .body = fmt::format("rank {} has not reported\n", rank)};
    if (!record.ranks[rank]->failure.empty())
      return {.status = 503, .body = fmt::format("rank {}: {}\n", rank, record.ranks[rank]->failure)};
  }
  return {.body = "ok\n"};
}

}  // namespace

RunServer::RunServer(const HttpAddress& address)
    : start_ns_(now_ns()),
      server_(
          address,
          {{"/",
            [] {
              try {
                return HttpAnswer{
                    .type = "text/html; charset=utf-8", .body = live_page(), .policy = live_page_policy()};
              } catch (const WorkError& error) {
                return HttpAnswer{.status = 503, .body = exception_text(error) + "\n"};
              }
            }},
           {"/metrics",
            [this] {
              return HttpAnswer{.type = "text/plain; version=0.0.4; charset=utf-8",
                                .body = to_prometheus(now())};
            }},
           {"/status",
            [this] { return HttpAnswer{.type = "application/json", .body = to_json(make_report(now()))}; }},
           {"/graph",
            [this] {
              std::string graph = live_graph(now());
              if (graph.empty()) return HttpAnswer{.status = 503, .body = "no plan yet\n"};
              return HttpAnswer{.type = "application/json", .body = std::move(graph)};
            }},
           {"/parameters",
            [this] {
              const std::lock_guard lock(mutex_);
              return HttpAnswer{.type = "application/json", .body = json_text(nlohmann::json(parameters_))};
            }},
           {"/transients",
            [this] {
              const std::lock_guard lock(mutex_);
              return HttpAnswer{.type = "application/json", .body = json_text(nlohmann::json(transients_))};
            }},
           {"/healthz", [this] { return health(now()); }}},
          {{"/end", {[this](const std::string&) { return command(ControlCommandKind::end); }}},
           {"/hold", {[this](const std::string&) { return command(ControlCommandKind::hold); }}},
           {"/write", {[this](const std::string&) { return command(ControlCommandKind::write); }}},
           {"/new-files", {[this](const std::string&) { return command(ControlCommandKind::new_files); }}},
           {"/trigger", {[this](const std::string&) { return command(ControlCommandKind::trigger); }}},
           {"/set", {[this](const std::string& change) { return set(change); }}},
           {"/probe", {[this](const std::string& task) { return probe(task); }, false}}}) {}

HttpAnswer RunServer::command(ControlCommandKind kind) {
  const std::lock_guard lock(mutex_);
  // Ranks receive commands once all of them are set up.
  if (!record_.plan) return {.status = 503, .body = "no plan yet: try again\n"};
  if (kind == ControlCommandKind::trigger && transients_.empty())
    return {.status = 409, .body = "no sink of this run has a transient buffer\n"};
  commands_.push_back({.kind = kind, .who = "a user of the live page"});
  return {.status = 202, .body = "asked for\n"};
}

HttpAnswer RunServer::set(const std::string& change) {
  std::filesystem::path folder;
  {
    const std::lock_guard lock(mutex_);
    if (!record_.plan || record_.folder.empty()) return {.status = 503, .body = "no plan yet: try again\n"};
    folder = record_.folder;
  }
  // As takt set does it, from another thread than the launcher's.
  const ChangeAnswer answer = set_parameter(folder, change);
  const MadeChange& made = answer.made;
  return {.body = fmt::format(
              "{} = {} (was {}) {}\n", made.parameter, made.value, made.old_value,
              answer.has_begun ? fmt::format("from frame {} on", made.frame) : "with the next frame")};
}

void RunServer::offer(std::vector<std::string> parameters, std::vector<std::string> transients) {
  const std::lock_guard lock(mutex_);
  parameters_ = std::move(parameters);
  transients_ = std::move(transients);
}

HttpAnswer RunServer::probe(const std::string& task) {
  const std::lock_guard lock(mutex_);
  if (!record_.plan) return {.status = 503, .body = "no plan yet: try again\n"};
  ControlCommand command{.kind = ControlCommandKind::probe};
  if (!task.empty()) {
    std::vector<std::string_view> names;
    for (const PlannedStage& stage : record_.plan->stages)
      if (stage.kind != name_of(StageKind::sink)) names.emplace_back(stage.name);
    const auto found = std::ranges::find(record_.plan->stages, task, &PlannedStage::name);
    if (std::ranges::find(names, std::string_view(task)) == names.end())
      throw ConfigError(unknown_name("source or task", task, names));
    command.stage = static_cast<std::size_t>(found - record_.plan->stages.begin());
  }
  // The current probe continues.
  if (is_probing_ && command.stage == probed_) return {.status = 202, .body = "asked for\n"};
  probed_ = command.stage;
  is_probing_ = command.stage.has_value();
  commands_.push_back(command);
  return {.status = 202, .body = "asked for\n"};
}

std::vector<ControlCommand> RunServer::take_commands() {
  const std::lock_guard lock(mutex_);
  if (is_probing_ && server_.listeners() == 0) {
    is_probing_ = false;
    commands_.push_back({.kind = ControlCommandKind::probe});
  }
  return std::exchange(commands_, {});
}

RunRecord RunServer::now() const {
  const std::lock_guard lock(mutex_);
  return record_;
}

double RunServer::seconds() const {
  return static_cast<double>(now_ns() - start_ns_) / 1e9;
}

void RunServer::show(const RunRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    record_.plan = record.plan;
    record_.folder = record.folder;
    record_.ranks = record.ranks;
    record_.warnings = record.warnings;
    record_.log = record.log;
    record_.are_outputs_held = record.are_outputs_held;
    record_.failure = record.failure;
  }
  std::string state = live_state(record);
  const bool has_changed = state != state_;
  state_ = std::move(state);
  // Without listeners no update is made.
  if (server_.listeners() > 0) server_.publish(live_update(record, seconds()), has_changed);
}

}  // namespace takt::pipeline
