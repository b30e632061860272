#include "pipeline/launch/jobs/job.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <signal.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/own_program.hpp"
#include "pipeline/config/site.hpp"
#include "pipeline/launch/jobs/network_address.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/slurm.hpp"

namespace takt::pipeline {

namespace {

/// Throws ConfigError if many copies of this program would each start a job.
const Site& expect_one_launcher(const Site& site) {
  if (!is_one_of_many_copies()) return site;
  throw ConfigError(
      "srun started several independent copies of takt: run takt without srun, which starts its ranks "
      "itself, or use srun --mpi=pmix, where each copy is one rank");
}

/// Returns an address of this computer that all hosts of the site reach; nothing if all ranks are on this
/// computer. Throws ConfigError, with its place, for a network that this computer does not have.
std::optional<std::string> link_address(const Site& site) {
  if (is_on_this_host(site)) return std::nullopt;
  const std::vector<Interface> interfaces = own_interfaces();
  if (!site.network.empty()) {
    try {
      return choose_interface(interfaces, site.network).address;
    } catch (const ConfigError& error) {
      if (site.network_where.file.empty()) throw;
      throw ConfigError(site.network_where, "'deployment': " + error.message());
    }
  }
  for (const std::string& host : other_hosts(site))
    if (const auto address = address_towards(host); address && !address->starts_with("127.")) return address;
  // Only mpirun's agent or Slurm can resolve the names: use the first interface with a network.
  for (const Interface& interface : interfaces)
    if (!interface.address.starts_with("127.")) return interface.address;
  return "127.0.0.1";
}

/// Printed lines that are kept until take_lines.
constexpr std::size_t most_lines = 1000;

RanksCommand start_of(const JobOptions& options, const RunFolder& folder, const LauncherLink& link) {
  RanksCommand start{.site = options.site,
                     .ranks = options.ranks,
                     .options = options.mpirun_options,
                     .command = {own_program()},
                     .for_ranks = {{link_variable, link.endpoints()}, {folder_variable, folder.path()}}};
  start.command.insert(start.command.end(), options.arguments.begin(), options.arguments.end());
  start.for_ranks.insert(start.for_ranks.end(), options.environment.begin(), options.environment.end());
  return start;
}

}  // namespace

Job::Job(const JobOptions& options)
    : link_(folder_.path(), link_address(expect_one_launcher(options.site))),
      mpirun_(words_of(start_of(options, folder_, link_)),
              environment_of(start_of(options, folder_, link_), folder_)),
      is_quiet_(options.is_quiet) {}

std::vector<RankMessage> Job::wait(std::chrono::milliseconds longest) {
  // All messages sent before mpirun ended are read by then.
  const bool has_ended = mpirun_.ended().has_value();
  link_.wait(has_ended ? std::nullopt : std::optional(mpirun_.output()), longest);
  for (const std::string& line : mpirun_.read_lines()) {
    if (!output_.take(line)) continue;
    if (!is_quiet_) fmt::print(stderr, "{}\n", line);
    if (lines_.size() < most_lines) lines_.push_back(line);
  }
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
