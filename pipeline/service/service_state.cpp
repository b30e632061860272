#include "pipeline/service/service_state.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/system/own_program.hpp"
#include "core/system/text_file.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/launch/start_checks.hpp"
#include "pipeline/planning/run_cache.hpp"
#include "pipeline/service/left_over.hpp"
#include "pipeline/streams/conflicts.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Parses a request: texts, and the bool `overwrite`. Throws ConfigError.
json read_request(const std::string& request) {
  static const std::set<std::string> keys{"costs", "file", "folder", "name", "overwrite"};
  json command;
  try {
    command = parse_json(request);
  } catch (const json::exception&) {
    throw ConfigError("the request is not JSON");
  }
  if (!command.is_object())
    throw ConfigError("expected an object with the absolute paths 'file' and 'folder'");
  for (const auto& [key, value] : command.items()) {
    if (!keys.contains(key)) throw ConfigError(unknown_name("key", key, {keys.begin(), keys.end()}));
    if (key == "overwrite" ? !value.is_boolean() : !value.is_string())
      throw ConfigError(
          fmt::format("'{}': expected {}", key, key == "overwrite" ? "true or false" : "a text"));
  }
  return command;
}

/// Returns the places and predicted figures of a stream.
ServiceAnswer place_of(const Served& served) {
  return service_answer(created, {{"name", served.row.name},
                                  {"processors", served.placed.processors},
                                  {"shares", served.placed.shares},
                                  {"required_hz", served.placed.required_hz},
                                  {"promised_hz", served.placed.promised_hz},
                                  {"latency_ns", served.row.latency_ns}});
}

/// Writes costs from the cache, measured for an earlier addition of the pipeline, to the file. Returns false
/// if there are none or they are unreadable.
bool write_kept_costs(const Pipeline& pipeline, const std::string& cache_key, const fs::path& file) {
  const std::optional<std::string> text = RunCache().find(Kept::costs, cache_key);
  if (!text) return false;
  try {
    write_text_file(file, *text);
    (void)read_profile(file, pipeline);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

std::vector<std::string> in_folder(const std::string& folder, std::vector<std::string> words) {
  std::vector<std::string> command{"env", "--chdir=" + folder, own_program().string()};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

}  // namespace

Service::State::State(ServiceOptions options)
    : machine_(std::move(options.machine)),
      folder_(std::move(options.folder)),
      places_(std::move(options.places)),
      hosts_(places_, options.lost) {
  fs::create_directories(folder_ / "logs");
  fs::create_directories(folder_ / "streams");
  lock_ = ::open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (lock_ >= 0) ::close(lock_);
    throw WorkError(fmt::format("another service uses {}: expected a folder of its own", folder_.string()));
  }
  // One setting for all children, in any order of their ends (child_process.hpp).
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  store_ = std::make_unique<ServiceStore>(folder_ / "service.db");
  const std::vector<StoredStream> rows = store_->streams();
  for (const StoredStream& row : rows)
    if (row.state == StreamState::running) await_end_of_launcher(row.pid, folder_);
  if (const std::string text = store_->timetable(); !text.empty()) {
    const logp::ScheduleFile file = logp::schedule_from_yaml(text, (folder_ / "service.db").string());
    if (file.machine != machine_)
      throw ConfigError(fmt::format(
          "the streams in {} were admitted to another machine: use that machine, or another folder",
          folder_.string()));
    timetable_.emplace(machine_, file.graph, file.schedule, 1);
    for (const StreamRequirement& each : file.requirements) timetable_->note(each);
  }
  for (const StoredStream& row : rows)
    if (row.state == StreamState::running || row.state == StreamState::waiting) restart(row);
}

Service::State::~State() {
  served_.clear();
  candidates_.clear();
  if (lock_ >= 0) ::close(lock_);
}

std::string Service::State::timetable_text() const {
  if (!timetable_ || timetable_->streams().empty()) return "";
  return logp::schedule_to_yaml(timetable_->graph(), machine_, timetable_->schedule(), {},
                                timetable_->requirements());
}

std::vector<std::string> Service::State::names() const {
  std::vector<std::string> names;
  for (const StoredStream& row : store_->streams()) names.push_back(row.name);
  return names;
}

void Service::State::write_log(const std::string& name, const std::string& line) const {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  std::ofstream(log_file(name), std::ios::app) << text << ' ' << line << '\n';
}

void Service::State::add(const std::string& request, Reply reply) {
  if (is_stopping_) return reply(service_error(conflict, "the service is ending"));
  Candidate candidate;
  candidate.reply = std::move(reply);
  std::string costs;
  try {
    const json command = read_request(request);
    const auto text = [&](const char* key) { return command.value(key, std::string()); };
    candidate.row.file = text("file");
    candidate.row.folder = text("folder");
    candidate.row.name = text("name");
    costs = text("costs");
    candidate.row.overwrites = command.value("overwrite", false);
    if (!fs::path(candidate.row.file).is_absolute() || !fs::path(candidate.row.folder).is_absolute())
      throw ConfigError("expected an object with the absolute paths 'file' and 'folder'");
    if (!fs::is_directory(candidate.row.folder))
      throw ConfigError(fmt::format("'folder': {} is not a folder on this computer", candidate.row.folder));
    candidate.pipeline = load_in(candidate.row.folder, candidate.row.file);
    Pipeline& pipeline = candidate.pipeline;
    pipeline.deployment.machine.clear();
    pipeline.deployment.pinning = {};
    pipeline.overwrites = candidate.row.overwrites;
    if (candidate.row.name.empty()) candidate.row.name = pipeline.name;
    candidate.row.name = schedulers::stream_name(candidate.row.name, {});
    const std::string& name = candidate.row.name;
    const auto has_name = [&](const auto& each) { return each.row.name == name; };
    if (std::ranges::any_of(served_, has_name) || std::ranges::any_of(candidates_, has_name))
      return candidate.reply(service_error(
          conflict, fmt::format("stream '{}' already runs: use another name, or drop it first", name)));
    if (std::ranges::any_of(waiting_, has_name))
      return candidate.reply(service_error(
          conflict,
          fmt::format("stream '{}' waits for admission: use another name, or drop it first", name)));
    (void)stream_of(pipeline, {}, name);
    const fs::path before = fs::current_path();
    fs::current_path(candidate.row.folder);
    try {
      std::vector<NamedPipeline> pair{{"", nullptr}, {name, &pipeline}};
      ErrorList errors;
      const auto check_other = [&](const auto& other) {
        pair.front() = {other.row.name, &other.pipeline};
        check_apart(pair, errors);
      };
      std::ranges::for_each(served_, check_other);
      std::ranges::for_each(waiting_, check_other);
      errors.throw_if_any();
      // Conflicts with files of other streams have been reported more precisely above.
      check_start(pipeline, {});
      if (costs.empty()) candidate.cache_key = cache_key(pipeline, {"takt serve"});
    } catch (...) {
      fs::current_path(before);
      throw;
    }
    fs::current_path(before);
    candidate.costs = folder_ / "streams" / (name + ".costs.yaml");
    hosts_.ask();
    if (!costs.empty()) write_text_file(candidate.costs, costs);
    if (!costs.empty() || write_kept_costs(pipeline, candidate.cache_key, candidate.costs)) {
      candidate.is_measured = true;
      candidates_.push_back(std::move(candidate));
      return;
    }
    candidate.measuring = std::make_unique<ChildProcess>(
        in_folder(candidate.row.folder, {"profile", candidate.row.file, "--set", "deployment.ranks=1",
                                         "--set", "deployment.pin=none", "--set", "deployment.share=none",
                                         "--output", candidate.costs.string()}),
        std::vector<std::pair<std::string, std::string>>{});
    candidates_.push_back(std::move(candidate));
  } catch (const ConfigError& error) {
    candidate.reply(service_error(bad_request, error.what()));
  } catch (const std::exception& error) {
    candidate.reply(service_error(conflict, error.what()));
  }
}

void Service::State::admit(Candidate candidate) {
  try {
    candidate.row.costs = read_text_file(candidate.costs);
    schedulers::Stream stream =
        stream_of(candidate.pipeline, read_profile(candidate.costs, candidate.pipeline), candidate.row.name);
    if (timetable_ && timetable_->streams().empty()) timetable_.reset();
    schedulers::Admission admission = schedulers::admit({stream}, machine_, timetable_, closed_processors());
    const schedulers::StreamVerdict& verdict = admission.verdicts.front();
    if (!verdict.is_admitted) {
      json refused{{"error", fmt::format("'{}' is not admitted: {}", verdict.name, verdict.reason)},
                   {"reason", verdict.reason},
                   {"advice", verdict.advice},
                   {"margin", verdict.margin},
                   {"possible_hz", nullptr}};
      if (verdict.possible_frames > 0)
        refused["possible_hz"] = 1e9 * verdict.possible_frames / verdict.margin /
                                 static_cast<double>(admission.timetable.cycle().count());
      return candidate.reply(service_answer(conflict, refused));
    }
    candidate.row.added = std::time(nullptr);
    const std::string kept =
        candidate.cache_key.empty() ? "" : RunCache::file_name(Kept::costs, candidate.cache_key);
    seat({.row = candidate.row,
          .pipeline = std::move(candidate.pipeline),
          .stream = std::move(stream),
          .kept_costs = kept},
         admission, false);
    served_.back().on_start.push_back(std::move(candidate.reply));
  } catch (const ConfigError& error) {
    candidate.reply(service_error(bad_request, error.what()));
  } catch (const std::exception& error) {
    candidate.reply(service_error(conflict, error.what()));
  }
}

void Service::State::seat(Served served, schedulers::Admission& admission, bool is_again) {
  const schedulers::StreamVerdict& verdict = admission.verdicts.front();
  served.placed = place(served.stream, verdict, admission.timetable, served.row.file);
  served.row.state = StreamState::running;
  served.row.failure.clear();
  served.row.required_hz = served.placed.required_hz;
  served.row.promised_hz = served.placed.promised_hz;
  served.row.latency_ns = verdict.latency.count();
  timetable_ = std::move(admission.timetable);
  served_.push_back(std::move(served));
  try {
    start(served_.back(), is_again);
  } catch (...) {
    timetable_->remove(served_.back().row.name);
    served_.pop_back();
    throw;
  }
}

void Service::State::start(Served& served, bool is_again) {
  std::vector<std::string> more;
  if (served.row.overwrites) more.emplace_back("--overwrite");
  if (is_again && !served.row.overwrites)
    for (const std::string& moved : set_aside_outputs(served.pipeline, served.row.folder))
      write_log(served.row.name, "takt: " + moved);
  served.job =
      std::make_unique<StreamJob>(served.placed, places_, folder_ / "streams", more, served.row.folder);
  served.row.pid = served.job->pid();
  write_log(served.row.name,
            fmt::format("takt: {} on processor{} {}, pid {}", is_again ? "restarted" : "started",
                        served.placed.processors.size() == 1 ? "" : "s",
                        fmt::join(served.placed.processors, ", "), served.row.pid));
  store_->put(served.row, timetable_text());
}

void Service::State::drop(const std::string& name, Reply reply) {
  const auto running = std::ranges::find(served_, name, [](const Served& each) { return each.row.name; });
  if (running != served_.end()) {
    running->is_dropped = true;
    running->on_end.push_back(std::move(reply));
    running->job->stop();
    return;
  }
  const auto measured =
      std::ranges::find(candidates_, name, [](const Candidate& each) { return each.row.name; });
  if (measured != candidates_.end()) {
    const Candidate dropped = std::move(*measured);
    candidates_.erase(measured);
    dropped.reply(service_error(conflict, fmt::format("'{}' was dropped during its measurement", name)));
    return reply(service_answer(200, {{"name", name}, {"state", "dropped"}}));
  }
  const std::vector<std::string> known = names();
  if (std::ranges::find(known, name) == known.end())
    return reply(service_error(not_found, unknown_name("stream", name, {known.begin(), known.end()})));
  forget_waiting(name);
  store_->remove(name, timetable_text());
  reply(service_answer(200, {{"name", name}, {"state", "dropped"}}));
}

void Service::State::finish(Served& served) {
  const StreamEnd& end = *served.job->look();
  served.row.pid = 0;
  served.row.state = end.exit_code == 0 ? StreamState::ended : StreamState::failed;
  served.row.failure = end.failure;
  write_log(served.row.name, end.failure.empty() ? "takt: ended" : "takt: failed: " + end.failure);
  // Streams that the service ends itself continue with the next one.
  if (is_stopping_ && !served.is_dropped) {
    served.row.state = StreamState::running;
    store_->put(served.row, timetable_text());
    return;
  }
  timetable_->remove(served.row.name);
  may_fit_ = true;
  if (!served.is_dropped)
    store_->put(served.row, timetable_text());
  else
    store_->remove(served.row.name, timetable_text());
  // Clients that wait for its start get an answer and may add it again.
  const bool may_wait = end.exit_code != 0 && !served.is_dropped && served.on_start.empty();
  for (const Reply& reply : std::exchange(served.on_start, {})) {
    if (served.is_dropped)
      reply(service_error(conflict, fmt::format("'{}' was dropped during its start", served.row.name)));
    else if (end.exit_code == 0)
      reply(place_of(served));
    else
      reply(service_error(
          end.exit_code == 2 ? bad_request : conflict,
          fmt::format("'{}' was admitted, but did not start: {}", served.row.name, end.failure)));
  }
  if (end.exit_code != 0) hosts_.ask();
  // Wrong costs may be the cause.
  if (end.exit_code != 0 && !served.kept_costs.empty()) RunCache().remove(served.kept_costs);
  json body{{"name", served.row.name}, {"state", "dropped"}, {"report", nullptr}};
  if (!end.report.empty()) body["report"] = json::parse(end.report);
  for (const Reply& reply : served.on_end) reply(service_answer(200, body));
  if (may_wait) suspect_hosts(served);
}

void Service::State::step() {
  std::vector<pid_t> own;
  for (const Candidate& each : candidates_)
    if (each.measuring) own.push_back(each.measuring->pid());
  for (const Served& each : served_) own.push_back(each.job->pid());
  std::ranges::copy(hosts_.pids(), std::back_inserter(own));
  reap_adopted(own);
  for (const std::string& line : hosts_.step()) {
    fmt::print(stderr, "takt: {}\n", line);
    may_fit_ = true;
  }
  admit_again();
  for (auto each = candidates_.begin(); each != candidates_.end();) {
    if (each->measuring) {
      const std::optional<int> status = each->measuring->ended();
      for (const std::string& line : each->measuring->read_lines()) {
        write_log(each->row.name, line);
        if (line.starts_with("takt: ")) each->said = line.substr(std::string("takt: ").size());
      }
      if (status) end_measuring(*each, *status);
    }
    if (each->reply && !(each->is_measured && !hosts_.is_asking())) {
      ++each;
      continue;
    }
    Candidate candidate = std::move(*each);
    each = candidates_.erase(each);
    if (candidate.reply) admit(std::move(candidate));
  }
  report_starts();
  for (auto each = served_.begin(); each != served_.end();) {
    const bool has_ended = each->job->look().has_value();
    for (const std::string& line : each->job->read_lines()) write_log(each->row.name, line);
    if (has_ended) finish(*each);
    each = has_ended ? served_.erase(each) : std::next(each);
  }
}

void Service::State::end_measuring(Candidate& candidate, int status) {
  candidate.measuring.reset();
  candidate.is_measured = status == 0;
  if (candidate.is_measured) {
    RunCache().keep(Kept::costs, candidate.cache_key, candidate.pipeline.name,
                    read_text_file(candidate.costs));
    return;
  }
  const bool is_users = WIFEXITED(status) && WEXITSTATUS(status) == 2;
  const std::string died = WIFSIGNALED(status)
                               ? fmt::format("its process died of signal {} ({})", WTERMSIG(status),
                                             ::sigdescr_np(WTERMSIG(status)))
                               : "its process died";
  std::exchange(candidate.reply, nullptr)(service_error(
      is_users ? bad_request : conflict, fmt::format("cannot measure '{}': {}", candidate.row.name,
                                                     candidate.said.empty() ? died : candidate.said)));
}

void Service::State::report_starts() {
  const auto is_awaited = [](const Served& each) { return !each.on_start.empty(); };
  if (std::ranges::none_of(served_, is_awaited)) return;
  const std::vector<RunningRun> runs = running_runs();
  for (Served& served : served_) {
    const auto run = std::ranges::find(runs, served.row.pid, &RunningRun::pid);
    if (!is_awaited(served) || run == runs.end() || !is_at_work(run->record)) continue;
    for (const Reply& reply : std::exchange(served.on_start, {})) reply(place_of(served));
  }
}

std::vector<ProcessorId> Service::State::closed_processors() const {
  std::vector<ProcessorId> closed;
  for (std::size_t p = 0; p < places_.size(); ++p)
    if (hosts_.lost().contains(places_[p].host)) closed.emplace_back(p);
  return closed;
}

void Service::State::stop() {
  is_stopping_ = true;
  for (Candidate& each : candidates_) each.reply(service_error(conflict, "the service is ending"));
  candidates_.clear();
  for (Served& each : served_)
    for (const Reply& reply : std::exchange(each.on_start, {}))
      reply(service_error(conflict, "the service is ending"));
  for (Served& each : served_) each.job->stop();
}

bool Service::State::is_idle() const {
  return served_.empty() && candidates_.empty();
}

}  // namespace takt::pipeline
