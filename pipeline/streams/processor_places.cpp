#include "pipeline/streams/processor_places.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/allowed_processors.hpp"
#include "core/error.hpp"
#include "pipeline/launch/host_survey.hpp"
#include "pipeline/launch/ranks_command.hpp"
#include "pipeline/launch/slurm.hpp"

namespace takt::pipeline {

namespace {

/// Costs of tasks are measured on this computer.
void warn_of_unlike(const std::vector<SurveyedHost>& hosts, std::vector<std::string>& warnings) {
  const std::string& own = hosts.front().facts->processor;
  for (const SurveyedHost& host : hosts)
    if (host.facts->processor != own)
      warnings.push_back(
          fmt::format("{} has other processors ({}) than {} ({}): tasks are measured here, and speeds are "
                      "what --machine says",
                      host.name, host.facts->processor, hosts.front().name, own));
}

}  // namespace

ProcessorPlaces places_here(std::size_t processors) {
  ProcessorPlaces places;
  for (const std::size_t core : allowed_processors())
    if (places.size() < processors) places.push_back({.core = core});
  if (places.size() < processors) places.clear();
  return places;
}

std::vector<std::string> allocated_hosts() {
  std::vector<std::string> hosts = slurm_hosts();
  if (hosts.size() < 2) hosts.clear();
  return hosts;
}

HostPlaces places_on(const std::vector<std::string>& hosts) {
  Site site;
  try {
    site.hosts = parse_hosts(hosts, 0, {});
  } catch (const ConfigError& error) {
    throw ConfigError("--hosts: " + error.message());
  }
  std::vector<SurveyedHost> surveyed =
      survey({.site = site, .question = {.folder = std::filesystem::current_path(), .files = {}}});
  if (const std::string faults = faults_of(judge(surveyed, {})); !faults.empty())
    throw ConfigError("--hosts: " + faults);
  // As mpirun fills them.
  std::ranges::stable_partition(surveyed,
                                [](const SurveyedHost& host) { return names_this_host(host.name); });
  HostPlaces result;
  warn_of_unlike(surveyed, result.warnings);
  for (const SurveyedHost& host : surveyed) {
    const auto said = std::ranges::find_if(
        hosts, [&](const std::string& text) { return text.starts_with(host.name + ':'); });
    std::size_t wanted = host.facts->processors.size();
    if (said != hosts.end()) wanted = std::ranges::find(site.hosts, host.name, &HostSlots::name)->slots;
    if (wanted > host.facts->processors.size())
      throw ConfigError(fmt::format("--hosts: {} processors of {}, which has {} that takt may use", wanted,
                                    host.name, host.facts->processors.size()));
    for (std::size_t i = 0; i < wanted; ++i)
      result.places.push_back({.host = host.name, .core = host.facts->processors[i]});
  }
  return result;
}

std::vector<HostSlots> hosts_of(const ProcessorPlaces& places, const std::vector<std::size_t>& processors) {
  std::vector<HostSlots> hosts;
  if (places.empty()) return hosts;
  for (const std::size_t processor : processors) {
    const std::string& host = places.at(processor).host;
    if (host.empty()) return {};
    if (hosts.empty() || hosts.back().name != host)
      hosts.push_back({.name = host, .slots = 1});
    else
      ++hosts.back().slots;
  }
  return hosts;
}

}  // namespace takt::pipeline
