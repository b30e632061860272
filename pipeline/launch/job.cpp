#include "pipeline/launch/job.hpp"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <signal.h>

#include "core/clock.hpp"

namespace takt::pipeline {

namespace {

std::vector<std::string> command_of(const JobOptions& options) {
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe")};
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  return mpirun_command(options.ranks, options.mpirun_options, command);
}

Variables environment_of(const JobOptions& options, const RunFolder& folder, const LauncherLink& link) {
  Variables environment = mpirun_environment(folder);
  environment.emplace_back(link_variable, link.endpoints());
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  return environment;
}

}  // namespace

Job::Job(const JobOptions& options)
    : link_(folder_.path()), mpirun_(command_of(options), environment_of(options, folder_, link_)) {}

std::vector<RankMessage> Job::wait(std::chrono::milliseconds longest) {
  // Whatever has come before mpirun ended has been told by then.
  const bool has_ended = mpirun_.ended().has_value();
  link_.wait(has_ended ? std::nullopt : std::optional(mpirun_.output()), longest);
  for (const std::string& line : mpirun_.read_lines())
    if (output_.take(line)) fmt::print(stderr, "{}\n", line);
  std::vector<RankMessage> messages;
  while (std::optional<RankMessage> message = link_.receive()) messages.push_back(*std::move(message));

  constexpr std::chrono::nanoseconds grace{std::chrono::seconds{3}};
  if (told_to_end_ && now_ns() - *told_to_end_ > grace.count()) mpirun_.signal(SIGKILL);
  return messages;
}

void Job::end() {
  if (told_to_end_) return;
  told_to_end_ = now_ns();
  mpirun_.signal(SIGTERM);
}

}  // namespace takt::pipeline
