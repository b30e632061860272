#include "pipeline/launch/jobs/ranks_command.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/host_name.hpp"
#include "core/system/own_program.hpp"
#include "pipeline/launch/jobs/network_address.hpp"
#include "pipeline/launch/jobs/slurm.hpp"

namespace takt::pipeline {

namespace {

constexpr const char* agent_variable = "OMPI_MCA_plm_rsh_agent";

std::string without_domain(const std::string& name) {
  return name.substr(0, name.find('.'));
}

bool is_address(const std::string& name) {
  return name.find_first_not_of("0123456789.") == std::string::npos;
}

/// Returns `a:2,b:4`.
std::string host_option(const std::vector<HostSlots>& hosts) {
  std::vector<std::string> texts;
  for (const HostSlots& host : hosts) texts.push_back(fmt::format("{}:{}", host.name, host.slots));
  return fmt::format("{}", fmt::join(texts, ","));
}

/// Returns the library that restricts mpirun to the loopback (loopback_only.cpp); nothing if not installed.
std::optional<std::string> loopback_library() {
  const std::filesystem::path folder = own_program().parent_path();
  std::error_code none;
  for (const char* const place : {"", TAKT_LOOPBACK_FOLDER})
    if (const auto file = folder / place / "takt-loopback.so"; std::filesystem::exists(file, none))
      return file.lexically_normal().string();
  return std::nullopt;
}

std::vector<std::string> words_of_srun(const RanksCommand& start) {
  if (std::getenv("SLURM_JOB_ID") == nullptr)
    throw ConfigError(
        "'deployment': launcher srun needs a Slurm allocation: use takt run inside salloc or sbatch, takt "
        "submit, or launcher mpirun");
  std::vector<std::string> words{"srun", "--mpi=pmix", "--kill-on-bad-exit=1", "--cpu-bind=none",
                                 "--overcommit"};
  if (start.ranks) {
    words.push_back(fmt::format("--ntasks={}", *start.ranks));
  } else {
    const std::size_t nodes = std::max<std::size_t>(1, slurm_hosts().size());
    words.push_back(fmt::format("--nodes={}", nodes));
    words.push_back(fmt::format("--ntasks={}", nodes));
    words.emplace_back("--ntasks-per-node=1");
  }
  if (!start.site.hosts.empty()) {
    std::vector<std::string> names;
    for (const HostSlots& host : start.site.hosts) names.push_back(host.name);
    words.push_back(fmt::format("--nodelist={}", fmt::join(names, ",")));
  }
  return words;
}

std::vector<std::string> words_of_mpirun(const RanksCommand& start) {
  std::vector<std::string> words{"mpirun"};
  if (start.ranks)
    words.insert(words.end(), {"-n", std::to_string(*start.ranks)});
  else
    words.insert(words.end(), {"--map-by", "ppr:1:node"});
  words.insert(words.end(), {"--bind-to", "none"});
  if (!is_on_this_host(start.site)) {
    if (!start.site.hosts.empty()) words.insert(words.end(), {"--host", host_option(start.site.hosts)});
    if (start.ranks) words.insert(words.end(), {"--map-by", "slot"});
    for (const auto& [name, value] : start.for_ranks)
      if (!name.starts_with("OMPI_MCA_")) words.insert(words.end(), {"-x", name});
  }
  words.insert(words.end(), start.options.begin(), start.options.end());
  return words;
}

}  // namespace

bool names_this_host(const std::string& name) {
  const std::string own = host_name();
  if (name == "localhost" || name == own) return true;
  // Slurm may use another name for this computer.
  if (const char* node = std::getenv("SLURMD_NODENAME"); node != nullptr && name == node) return true;
  if (is_address(name)) {
    if (name.starts_with("127.")) return true;
    const std::vector<Interface> interfaces = own_interfaces();
    return std::ranges::find(interfaces, name, &Interface::address) != interfaces.end();
  }
  const bool has_domain = name.find('.') != std::string::npos && own.find('.') != std::string::npos;
  return !has_domain && without_domain(name) == without_domain(own);
}

bool is_on_this_host(const Site& site) {
  if (!site.hosts.empty()) return std::ranges::all_of(site.hosts, names_this_host, &HostSlots::name);
  if (!has_allocation()) return true;
  // The shell of salloc may run on another computer.
  return std::getenv("SLURMD_NODENAME") != nullptr && slurm_hosts().size() == 1;
}

std::vector<std::string> other_hosts(const Site& site) {
  std::vector<std::string> names;
  for (const HostSlots& host : site.hosts) names.push_back(host.name);
  if (names.empty()) names = slurm_hosts();
  std::erase_if(names, names_this_host);
  return names;
}

void expect_rank_here(const Site& site, std::string_view what) {
  if (is_on_this_host(site)) return;
  const std::size_t hosts = site.hosts.empty() ? slurm_hosts().size() : site.hosts.size();
  if (other_hosts(site).size() < hosts) return;
  throw ConfigError(site.hosts_where.file.empty() ? SourceLocation{"hosts"} : site.hosts_where,
                    fmt::format("'deployment': {} needs rank 0 on this computer, where it reads a file: add "
                                "this computer to the hosts",
                                what));
}

std::vector<std::string> words_of(const RanksCommand& start) {
  std::vector<std::string> words =
      start.site.starter == RankStarter::srun ? words_of_srun(start) : words_of_mpirun(start);
  words.insert(words.end(), start.command.begin(), start.command.end());
  return words;
}

Variables environment_of(const RanksCommand& start, const RunFolder& folder) {
  Variables environment{{"OMPI_MCA_btl_vader_backing_directory", folder.path()},
                        {"OMPI_MCA_orte_tmpdir_base", folder.path()}};
  const auto unless_set = [&](const char* name, const std::string& value) {
    if (std::getenv(name) == nullptr) environment.emplace_back(name, value);
  };
  if (is_on_this_host(start.site)) {
    // All ranks are on this computer and need no ports. mpirun itself still listens on one, whatever its
    // options are.
    unless_set("OMPI_MCA_btl", "self,vader");
    unless_set("OMPI_MCA_oob_tcp_if_include", "lo");
    unless_set("OMPI_MCA_oob_tcp_disable_ipv6_family", "1");
    if (const auto library = loopback_library(); library && start.site.starter == RankStarter::mpirun) {
      const char* const others = std::getenv("LD_PRELOAD");
      environment.emplace_back("LD_PRELOAD", *library + (others != nullptr ? std::string(":") + others : ""));
    }
    // Skip parts of MPI for other networks and of hwloc for graphics cards: their search takes a third of a
    // rank's start-up time.
    unless_set("OMPI_MCA_pml", "ob1");
    unless_set("HWLOC_PLUGINS_PATH", folder.path());
  } else {
    if (!start.site.network.empty()) {
      const std::string network = network_of(choose_interface(own_interfaces(), start.site.network));
      unless_set("OMPI_MCA_oob_tcp_if_include", network);
      unless_set("OMPI_MCA_btl_tcp_if_include", network);
    }
    unless_set(agent_variable, fmt::format("{}", fmt::join(remote_shell(), " ")));
    const auto has_domain = [](const HostSlots& host) {
      return host.name.find('.') != std::string::npos && !is_address(host.name);
    };
    if (std::ranges::any_of(start.site.hosts, has_domain))
      unless_set("OMPI_MCA_orte_keep_fqdn_hostnames", "1");
  }
  // From 32 ranks on a host, Open MPI starts them with several threads, whose forks can deadlock or lose a
  // child.
  unless_set("OMPI_MCA_odls_base_num_threads", "0");
  // Slurm's default fence lets ranks continue on busy hosts before all have arrived: a message then reaches a
  // rank within MPI_Init and crashes it.
  if (start.site.starter == RankStarter::srun) unless_set("SLURM_PMIX_FENCE", "tree");
  if (::geteuid() == 0) {
    environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  for (const Variables* more : {&start.for_starter, &start.for_ranks})
    environment.insert(environment.end(), more->begin(), more->end());
  return environment;
}

std::vector<std::string> remote_shell() {
  const char* agent = std::getenv(agent_variable);
  std::istringstream text(agent != nullptr ? agent : "ssh -o BatchMode=yes -o ConnectTimeout=10");
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace takt::pipeline
