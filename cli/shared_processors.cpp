#include "cli/shared_processors.hpp"

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"

namespace takt::cli {

namespace {

std::string in_words(const pipeline::ProcessorPlaces& places) {
  std::vector<std::size_t> all(places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::string> texts;
  for (const pipeline::HostSlots& host : hosts_of(places, all))
    texts.push_back(fmt::format("{}:{}", host.name, host.slots));
  return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace

SharedProcessors shared_processors(std::vector<std::string> hosts, const std::string& machine,
                                   const pipeline::ProcessorPlaces& known) {
  SharedProcessors processors;
  if (!machine.empty()) processors.machine = read_machine(machine);
  if (hosts.empty()) hosts = pipeline::allocated_hosts();
  if (hosts.empty()) {
    processors.places = pipeline::places_here(processors.machine ? processors.machine->processor_count()
                                                                 : allowed_processors().size());
    return processors;
  }
  pipeline::HostPlaces found = pipeline::places_on(hosts, known);
  processors.places = std::move(found.places);
  processors.warnings = std::move(found.warnings);
  processors.lost = std::move(found.lost);
  if (processors.machine) {
    const std::size_t wanted = processors.machine->processor_count();
    if (wanted > processors.places.size())
      throw ConfigError(fmt::format("--machine: {} processors, but takt may use {} of the hosts", wanted,
                                    processors.places.size()));
    processors.places.resize(wanted);
  }
  processors.hosts = in_words(processors.places);
  return processors;
}

}  // namespace takt::cli
