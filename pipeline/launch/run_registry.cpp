#include "pipeline/launch/run_registry.hpp"

#include <algorithm>

#include <signal.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/launch/parameter_updates.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

namespace {

constexpr const char* note_name = "now.json";

RunningRun read_note(const std::filesystem::path& file) {
  const nlohmann::json note = parse_json(read_text_file(file));
  RunningRun run{.pid = note.at("pid").get<std::int64_t>()};
  if (const std::string plan = note.at("plan"); !plan.empty()) run.record.plan = plan_from_text(plan);
  for (const nlohmann::json& change : note.at("changes"))
    run.record.changes.push_back(made_change_from_text(change.get<std::string>()));
  note.at("warnings").get_to(run.record.warnings);
  for (const nlohmann::json& silence : note.at("silence_ns"))
    run.record.silence.emplace_back(silence.get<Time::rep>());
  for (const nlohmann::json& rank : note.at("ranks")) {
    std::optional<RankStatus>& status = run.record.ranks.emplace_back();
    if (!rank.is_null()) status = status_from_text(rank.get<std::string>());
  }
  return run;
}

}  // namespace

void post(const std::filesystem::path& run_folder, const RunRecord& record) {
  nlohmann::json note{{"pid", ::getpid()},
                      {"plan", record.plan ? to_text(*record.plan) : ""},
                      {"changes", nlohmann::json::array()},
                      {"warnings", record.warnings},
                      {"silence_ns", nlohmann::json::array()},
                      {"ranks", nlohmann::json::array()}};
  for (const Time silence : record.silence) note["silence_ns"].push_back(silence.count());
  for (const auto& rank : record.ranks)
    note["ranks"].push_back(rank ? nlohmann::json(to_text(*rank)) : nlohmann::json(nullptr));
  for (const MadeChange& change : record.changes) note["changes"].push_back(to_text(change));
  try {
    write_text_file(run_folder / note_name, json_line(note));
  } catch (const WorkError&) {
    // A failure must not affect the run.
  }
}

std::vector<RunningRun> running_runs() {
  std::vector<RunningRun> runs;
  for (const std::filesystem::path& folder : run_folders()) {
    try {
      RunningRun run = read_note(folder / note_name);
      run.folder = folder;
      if (::kill(static_cast<pid_t>(run.pid), 0) == 0) runs.push_back(std::move(run));
    } catch (const std::exception&) {
      // Another user's record, an incomplete one, or one of another version of takt.
    }
  }
  std::ranges::sort(runs, {}, &RunningRun::pid);
  return runs;
}

}  // namespace takt::pipeline
