/// Restarts streams of a service: those of the service before, and those that ended with a lost host.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/service/service_state.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

Pipeline load_in(const fs::path& folder, const fs::path& file) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  try {
    Pipeline pipeline = load_pipeline(file);
    fs::current_path(before);
    pipeline.keep_ends_on_one_rank();
    return pipeline;
  } catch (...) {
    fs::current_path(before);
    throw;
  }
}

Waiting Service::State::waiting_from(const StoredStream& row) const {
  Waiting stream{.row = row, .pipeline = load_in(row.folder, row.file), .stream = {}};
  const fs::path costs = folder_ / "streams" / (row.name + ".costs.yaml");
  write_text_file(costs, row.costs);
  stream.stream = stream_of(stream.pipeline, read_profile(costs, stream.pipeline), row.name);
  return stream;
}

void Service::State::restart(const StoredStream& row) {
  try {
    Waiting stream = waiting_from(row);
    if (row.state == StreamState::waiting) {
      waiting_.push_back(std::move(stream));
      hosts_.ask();
      may_fit_ = true;
      return;
    }
    if (!timetable_) throw WorkError("its processors are not in the store");
    schedulers::StreamVerdict verdict{.name = row.name, .rate = stream.stream.rate};
    verdict.latency = Time(row.latency_ns);
    for (const auto& [name, frames] : timetable_->streams())
      if (name == row.name) verdict.frames = frames;
    if (verdict.frames == 0) throw WorkError("its places are not in the store");
    Served served{.row = row, .pipeline = std::move(stream.pipeline), .stream = std::move(stream.stream)};
    served.placed = place(served.stream, verdict, *timetable_, row.file);
    if (std::set<std::string> lost = lost_hosts_of(served.placed.processors); !lost.empty()) {
      timetable_->remove(row.name);
      served.row.pid = 0;
      served.row.failure = "the service started without it";
      return keep_waiting({.row = std::move(served.row),
                           .pipeline = std::move(served.pipeline),
                           .stream = std::move(served.stream),
                           .hosts = std::move(lost)});
    }
    served_.push_back(std::move(served));
    start(served_.back(), true);
  } catch (const std::exception& error) {
    std::erase_if(served_, [&](const Served& each) { return each.row.name == row.name; });
    if (timetable_) timetable_->remove(row.name);
    give_up(row, error.what());
  }
}

void Service::State::give_up(const StoredStream& row, const std::string& why) {
  StoredStream failed = row;
  failed.state = StreamState::failed;
  failed.failure = fmt::format("it could not be started again: {}", why);
  failed.pid = 0;
  write_log(row.name, "takt: " + failed.failure);
  store_->put(failed, timetable_text());
}

void Service::State::suspect_hosts(Served& served) {
  Waiting stream{
      .row = served.row, .pipeline = std::move(served.pipeline), .stream = std::move(served.stream)};
  for (const std::size_t p : served.placed.processors)
    if (p < places_.size()) stream.hosts.insert(places_[p].host);
  suspected_.push_back(std::move(stream));
}

void Service::State::keep_waiting(Waiting stream) {
  StoredStream& row = stream.row;
  row.state = StreamState::waiting;
  row.failure = fmt::format("host {} is lost ({})", fmt::join(stream.hosts, ", "), row.failure);
  write_log(row.name, "takt: waits for admission: " + row.failure);
  store_->put(row, timetable_text());
  const auto is_later = [&](const Waiting& other) { return other.row.added > row.added; };
  waiting_.insert(std::ranges::find_if(waiting_, is_later), std::move(stream));
  may_fit_ = true;
}

std::set<std::string> Service::State::lost_hosts_of(const std::vector<std::size_t>& processors) const {
  std::set<std::string> lost;
  for (const std::size_t p : processors)
    if (p < places_.size() && hosts_.lost().contains(places_[p].host)) lost.insert(places_[p].host);
  return lost;
}

void Service::State::forget_waiting(const std::string& name) {
  const auto has_name = [&](const Waiting& each) { return each.row.name == name; };
  std::erase_if(suspected_, has_name);
  std::erase_if(waiting_, has_name);
}

void Service::State::admit_again() {
  if (is_stopping_ || hosts_.is_asking()) return;
  for (Waiting& each : std::exchange(suspected_, {})) {
    std::erase_if(each.hosts, [&](const std::string& host) { return !hosts_.lost().contains(host); });
    if (each.hosts.empty()) continue;
    keep_waiting(std::move(each));
  }
  if (!std::exchange(may_fit_, false)) return;
  std::erase_if(waiting_, [this](Waiting& each) { return is_settled(each); });
}

bool Service::State::is_settled(Waiting& waiting) {
  const StoredStream row = waiting.row;
  try {
    if (timetable_ && timetable_->streams().empty()) timetable_.reset();
    schedulers::Admission admission =
        schedulers::admit({waiting.stream}, machine_, timetable_, closed_processors());
    const schedulers::StreamVerdict& verdict = admission.verdicts.front();
    if (!verdict.is_admitted) {
      if (std::exchange(waiting.refusal, verdict.reason) != verdict.reason)
        write_log(row.name, "takt: not admitted yet: " + verdict.reason);
      return false;
    }
    seat({.row = row, .pipeline = std::move(waiting.pipeline), .stream = std::move(waiting.stream)},
         admission, true);
    fmt::print(stderr, "takt: '{}' is admitted again, on processor{} {}\n", row.name,
               served_.back().placed.processors.size() == 1 ? "" : "s",
               fmt::join(served_.back().placed.processors, ", "));
  } catch (const std::exception& error) {
    give_up(row, error.what());
  }
  return true;
}

}  // namespace takt::pipeline
