#include "pipeline/streams/stream_job.hpp"

#include <utility>

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/system/own_program.hpp"
#include "core/system/text_file.hpp"

namespace takt::pipeline {

namespace {

std::vector<std::string> command_of(const PlacedStream& stream, const ProcessorPlaces& places,
                                    const std::filesystem::path& folder, const std::filesystem::path& report,
                                    const std::vector<std::string>& more, const std::string& working_folder) {
  const std::filesystem::path schedule = folder / (stream.name + ".schedule.yaml");
  write_text_file(schedule, stream.schedule);
  // From an earlier run.
  std::filesystem::remove(report);
  std::vector<std::string> command;
  if (!working_folder.empty()) command = {"env", "--chdir=" + working_folder};
  command.push_back(own_program());
  const std::vector<std::string> words = words_of(stream, places, schedule, report);
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

}  // namespace

StreamJob::StreamJob(const PlacedStream& stream, const ProcessorPlaces& places,
                     const std::filesystem::path& folder, const std::vector<std::string>& more,
                     const std::string& working_folder)
    : report_(folder / (stream.name + ".report.json")),
      process_(command_of(stream, places, folder, report_, more, working_folder), {}) {}

void StreamJob::pull() {
  constexpr std::string_view prefix = "takt: ", warning = "takt: warning: ";
  for (std::string& line : process_.read_lines()) {
    if (line.starts_with(prefix) && !line.starts_with(warning)) last_word_ = line.substr(prefix.size());
    lines_.push_back(std::move(line));
  }
}

std::vector<std::string> StreamJob::read_lines() {
  pull();
  return std::exchange(lines_, {});
}

const std::optional<StreamEnd>& StreamJob::look() {
  constexpr int killed = 128;
  if (end_) return end_;
  const std::optional<int> status = process_.ended();
  if (!status) return end_;
  pull();
  StreamEnd end{.exit_code = WIFEXITED(*status) ? WEXITSTATUS(*status) : killed + WTERMSIG(*status)};
  if (std::filesystem::exists(report_)) end.report = read_text_file(report_);
  if (end.exit_code != 0)
    end.failure = !last_word_.empty()    ? last_word_
                  : WIFSIGNALED(*status) ? fmt::format("its launcher died of signal {}", WTERMSIG(*status))
                                         : fmt::format("it ended with exit code {}", end.exit_code);
  end_ = std::move(end);
  return end_;
}

}  // namespace takt::pipeline
