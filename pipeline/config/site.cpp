#include "pipeline/config/site.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/config/written_parameters.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t most_slots = 4096;

bool is_host_name(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  // ssh would interpret a leading - as an option.
  return !name.empty() && name.front() != '-' && name.find_first_not_of(letters) == std::string_view::npos;
}

/// Parses `a` or `a:4`; 0 slots if the number is missing.
HostSlots parse_host(const std::string& text) {
  const std::size_t colon = text.find(':');
  HostSlots host{text.substr(0, colon), 0};
  if (!is_host_name(host.name))
    throw ConfigError(fmt::format(
        "'{}' is not a host: expected a name such as node1, or node1:4 with the number of its ranks",
        excerpt(text)));
  if (colon == std::string::npos) return host;
  const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, host.slots);
  if (error != std::errc{} || rest != end || host.slots < 1 || host.slots > most_slots)
    throw ConfigError(fmt::format("host '{}': expected a number of ranks from 1 to {} after the colon",
                                  excerpt(text), most_slots));
  return host;
}

}  // namespace

const std::vector<ParameterSpec>& site_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "hosts",
       .type = ParameterType::texts,
       .fallback = "",
       .help = "hosts of the ranks, in this order (this computer first), with their numbers of ranks: "
               "[node1, node2:4]; default: this computer, or the nodes of the batch allocation"},
      {.name = "slots",
       .type = ParameterType::integer,
       .fallback = "0",
       .help = "ranks per host without a number; 0: as many as needed",
       .minimum = 0,
       .maximum = most_slots},
      {.name = "launcher",
       .fallback = "auto",
       .help = "program that starts the ranks: mpirun (by ssh, or through Slurm), or srun inside an "
               "allocation; auto: mpirun",
       .choices = {"mpirun", "srun"}},
      {.name = "network",
       .fallback = "auto",
       .help = "network between the hosts: an interface (eth1), an address, or a network (10.0.0.0/24); "
               "auto: the one with a route to the other hosts"}};
  return specification;
}

const std::vector<ParameterSpec>& slurm_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "partition", .fallback = "", .help = "Slurm partition; default: the default of the cluster"},
      {.name = "nodes",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "number of nodes; ranks are distributed evenly",
       .minimum = 1,
       .maximum = most_slots},
      {.name = "time",
       .type = ParameterType::time,
       .fallback = "0",
       .help = "time limit of the job: 2 h; 0: the partition's limit",
       .minimum = 0}};
  return specification;
}

std::vector<HostSlots> parse_hosts(const std::vector<std::string>& texts, std::size_t slots,
                                   std::optional<std::size_t> ranks) {
  std::vector<HostSlots> hosts;
  std::size_t said = 0, open = 0;
  for (const std::string& text : texts) {
    HostSlots host = parse_host(text);
    if (host.slots == 0) host.slots = slots;
    if (std::ranges::find(hosts, host.name, &HostSlots::name) != hosts.end())
      throw ConfigError(fmt::format(
          "host '{}' is given twice: expected it once, with the number of its ranks after a colon",
          host.name));
    said += host.slots;
    if (host.slots == 0) ++open;
    hosts.push_back(std::move(host));
  }
  if (open > 0) {
    const std::size_t left = ranks.value_or(said + open) > said ? ranks.value_or(said + open) - said : 1;
    for (HostSlots& host : hosts)
      if (host.slots == 0) host.slots = (left + open - 1) / open;
  } else if (!hosts.empty() && ranks && *ranks > said) {
    throw ConfigError(
        fmt::format("{} ranks exceed the {} slot{} of the hosts: expected fewer ranks or more slots", *ranks,
                    said, said == 1 ? "" : "s"));
  }
  return hosts;
}

Site read_site(const Parameters& deployment, std::optional<std::size_t> ranks, ErrorList& errors) {
  Site site{.hosts_where = deployment.where("hosts"), .network_where = deployment.where("network")};
  if (deployment.text("launcher") == "srun") site.starter = RankStarter::srun;
  if (deployment.text("network") != "auto") site.network = deployment.text("network");
  std::vector<std::string> texts = deployment.texts("hosts");
  // No host is written.
  if (texts == std::vector<std::string>{""}) texts.clear();
  const auto slots = static_cast<std::size_t>(deployment.integer("slots"));
  errors.attempt([&] {
    if (texts.empty() && slots > 0) deployment.refuse("slots", "it needs 'hosts: [...]'");
    try {
      site.hosts = parse_hosts(texts, slots, ranks);
    } catch (const ConfigError& error) {
      deployment.refuse("hosts", error.message());
    }
  });
  return site;
}

std::optional<SlurmRequest> read_slurm(const YamlNode& deployment, ErrorList& errors) {
  const YamlNode node = deployment["slurm"];
  if (!node) return std::nullopt;
  const std::string owner = "'deployment': 'slurm'";
  if (!node.is_mapping()) {
    errors.add(node.where(),
               fmt::format("{} must be a mapping such as {{partition: sky, nodes: 3, time: 2 h}}, "
                           "not {}",
                           owner, describe(node.kind())));
    return std::nullopt;
  }
  const std::optional<Parameters> values =
      read_parameters(node, slurm_keys(), {}, {}, node.where(), owner, errors);
  if (!values) return std::nullopt;
  return SlurmRequest{.partition = values->text("partition"),
                      .nodes = static_cast<std::size_t>(values->integer("nodes")),
                      .time = values->time("time"),
                      .where = node.where()};
}

}  // namespace takt::pipeline
