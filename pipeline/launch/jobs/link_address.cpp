#include "pipeline/launch/jobs/link_address.hpp"

#include "core/error.hpp"
#include "pipeline/launch/jobs/network_address.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"

namespace takt::pipeline {

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

}  // namespace takt::pipeline
