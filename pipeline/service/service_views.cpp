/// Views of a service's state, and the public functions of Service.

#include <algorithm>

#include <unistd.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/launch/rank_texts.hpp"
#include "pipeline/launch/run_registry.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/service/service_state.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_at_work(const RunRecord& record) {
  return record.plan && std::ranges::all_of(record.ranks, [](const auto& rank) {
           return rank && rank->failure.empty() &&
                  (rank->final || rank->phase == Phase::running || rank->phase == Phase::draining);
         });
}

json Service::State::list() const {
  const std::vector<RunningRun> runs = running_runs();
  json streams = json::array();
  for (const Candidate& each : candidates_)
    streams.push_back({{"name", each.row.name}, {"state", "measuring"}, {"file", each.row.file}});
  for (const StoredStream& row : store_->streams()) {
    json stream{{"name", row.name},
                {"state", name_of(row.state)},
                {"file", row.file},
                {"required_hz", row.required_hz},
                {"promised_hz", row.promised_hz},
                {"sustained_hz", nullptr},
                {"delivered", nullptr},
                {"failure", row.failure.empty() ? json(nullptr) : json(row.failure)},
                {"silent", json::array()},
                {"added", row.added}};
    const auto served =
        std::ranges::find(served_, row.name, [](const Served& each) { return each.row.name; });
    if (served != served_.end()) {
      stream["pid"] = row.pid;
      stream["processors"] = served->placed.processors;
      stream["shares"] = served->placed.shares;
      const auto run = std::ranges::find(runs, row.pid, &RunningRun::pid);
      if (run == runs.end() || !is_at_work(run->record)) stream["state"] = "starting";
      if (run != runs.end() && run->record.plan) {
        stream["silent"] = silent_ranks(run->record);
        const Report report = make_report(run->record);
        stream["delivered"] = report.figures.count("delivered");
        if (report.figures["sustained"]) stream["sustained_hz"] = *report.figures["sustained"];
      }
    }
    streams.push_back(std::move(stream));
  }
  return {{"streams", streams}};
}

ServiceAnswer Service::State::log(const std::string& name) const {
  if (fs::exists(log_file(name)) && name.find('/') == std::string::npos)
    return service_answer(200, {{"name", name}, {"log", read_text_file(log_file(name))}});
  const std::vector<std::string> known = names();
  return service_error(not_found, unknown_name("stream", name, {known.begin(), known.end()}));
}

json Service::State::status() const {
  json load = json::array();
  for (ProcessorId p : machine_.processors()) {
    double busy = 0;
    if (timetable_)
      busy =
          static_cast<double>(timetable_->busy(p).count()) / static_cast<double>(timetable_->cycle().count());
    json processor{
        {"processor", p.index()}, {"load", busy}, {"host", nullptr}, {"core", nullptr}, {"lost", false}};
    if (!places_.empty()) {
      const ProcessorPlace& place = places_[p.index()];
      if (!place.host.empty()) processor["host"] = place.host;
      processor["lost"] = hosts_.lost().contains(place.host);
      processor["core"] = place.core;
    }
    load.push_back(std::move(processor));
  }
  return {{"pid", ::getpid()},
          {"processors", machine_.processor_count()},
          {"streams", served_.size()},
          {"cycle_ns", timetable_ && !served_.empty() ? json(timetable_->cycle().count()) : json(nullptr)},
          {"load", load}};
}

Service::Service(ServiceOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Service::~Service() = default;
void Service::add(const std::string& request, Reply reply) {
  state_->add(request, std::move(reply));
}
void Service::drop(const std::string& name, Reply reply) {
  state_->drop(name, std::move(reply));
}
ServiceAnswer Service::list() const {
  return service_answer(200, state_->list());
}
ServiceAnswer Service::log(const std::string& name) const {
  return state_->log(name);
}
ServiceAnswer Service::status() const {
  return service_answer(200, state_->status());
}
void Service::step() {
  state_->step();
}
void Service::stop() {
  state_->stop();
}
bool Service::is_idle() const {
  return state_->is_idle();
}

}  // namespace takt::pipeline
