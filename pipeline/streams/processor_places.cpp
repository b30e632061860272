#include "pipeline/streams/processor_places.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "pipeline/launch/hosts/host_survey.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/slurm.hpp"

namespace takt::pipeline {

namespace {

/// Costs of tasks are measured on this computer and may not apply to other ones.
void warn_of_unlike(const std::vector<SurveyedHost>& hosts, std::vector<std::string>& warnings) {
  const auto own = std::ranges::find_if(hosts, [](const SurveyedHost& host) { return bool(host.facts); });
  for (const SurveyedHost& host : hosts)
    if (host.facts && host.facts->processor != own->facts->processor)
      warnings.push_back(
          fmt::format("{} has other processors ({}) than {} ({}): costs are measured here, and speeds are "
                      "those of --machine",
                      host.name, host.facts->processor, own->name, own->facts->processor));
}

/// Returns the processors of a host: those it reports, or the known ones.
std::vector<std::size_t> cores_of(const SurveyedHost& host, const ProcessorPlaces& known) {
  if (host.facts) return host.facts->processors;
  std::vector<std::size_t> cores;
  for (const ProcessorPlace& place : known)
    if (place.host == host.name) cores.push_back(place.core);
  return cores;
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

HostPlaces places_on(const std::vector<std::string>& hosts, const ProcessorPlaces& known) {
  Site site;
  try {
    site.hosts = parse_hosts(hosts, 0, {});
  } catch (const ConfigError& error) {
    throw ConfigError("--hosts: " + error.message());
  }
  const SurveyOptions options{.site = site,
                              .question = {.folder = std::filesystem::current_path(), .files = {}}};
  std::vector<SurveyedHost> surveyed = known.empty() ? survey(options) : survey_what_answers(options);
  HostPlaces result;
  std::vector<SurveyedHost> judged = surveyed;
  for (const SurveyedHost& host : surveyed) {
    if (host.facts || names_this_host(host.name) || cores_of(host, known).empty()) continue;
    result.lost[host.name] = host.silence;
    std::erase_if(judged, [&](const SurveyedHost& each) { return each.name == host.name; });
  }
  if (const std::string faults = faults_of(judge(judged, {})); !faults.empty())
    throw ConfigError("--hosts: " + faults);
  // In the order in which mpirun fills them.
  std::ranges::stable_partition(surveyed,
                                [](const SurveyedHost& host) { return names_this_host(host.name); });
  warn_of_unlike(surveyed, result.warnings);
  for (const SurveyedHost& host : surveyed) {
    const auto said = std::ranges::find_if(
        hosts, [&](const std::string& text) { return text.starts_with(host.name + ':'); });
    const std::vector<std::size_t> cores = cores_of(host, known);
    std::size_t wanted = cores.size();
    if (said != hosts.end()) wanted = std::ranges::find(site.hosts, host.name, &HostSlots::name)->slots;
    if (wanted > cores.size())
      throw ConfigError(fmt::format("--hosts: {} processors of {}, which {}", wanted, host.name,
                                    host.facts ? fmt::format("has {} available to takt", cores.size())
                                               : fmt::format("does not answer, and had {} when it did: {}",
                                                             cores.size(), host.silence)));
    for (std::size_t i = 0; i < wanted; ++i) result.places.push_back({.host = host.name, .core = cores[i]});
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
