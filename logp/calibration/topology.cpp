#include "logp/calibration/topology.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/utsname.h>

#include "core/system/host_name.hpp"
#include "logp/calibration/core_type.hpp"
#include "logp/calibration/hwloc_owners.hpp"
#include "logp/mpi/blocking.hpp"

namespace takt::logp {

namespace {

Topology load_topology() {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_load(topology);
  return Topology(topology);
}

/// Linux draws a new one at each boot.
std::string computer_name() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  return name.empty() ? host_name() : name;
}

std::string system_name() {
  utsname name{};
  ::uname(&name);
  return fmt::format("{} {}", name.sysname, name.release);
}

std::string processor_name(hwloc_topology_t topology) {
  for (const hwloc_obj_t object :
       {hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology)})
    if (object != nullptr)
      if (const char* model = hwloc_obj_get_info_by_name(object, "CPUModel")) return model;
  return "unknown";
}

/// Returns the cores on which this process may run.
Bitmap allowed_cores(hwloc_topology_t topology) {
  Bitmap allowed(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_THREAD) != 0)
    hwloc_bitmap_copy(allowed.get(), hwloc_topology_get_allowed_cpuset(topology));
  hwloc_bitmap_and(allowed.get(), allowed.get(), hwloc_topology_get_allowed_cpuset(topology));
  return allowed;
}

std::vector<hwloc_obj_t> cores_in(hwloc_topology_t topology, hwloc_const_bitmap_t set) {
  std::vector<hwloc_obj_t> cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr;)
    if (hwloc_bitmap_intersects(core->cpuset, set) != 0) cores.push_back(core);
  return cores;
}

/// Returns the path of objects that contain the whole set, from the machine down.
std::string path_to(hwloc_topology_t topology, hwloc_const_bitmap_t set) {
  std::string path;
  hwloc_obj_t object = hwloc_get_obj_covering_cpuset(topology, set);
  while (object != nullptr && object->type == HWLOC_OBJ_PU) object = object->parent;
  for (; object != nullptr; object = object->parent) {
    std::array<char, 64> type{};
    hwloc_obj_type_snprintf(type.data(), type.size(), object, 0);
    path = fmt::format("{}#{}{}{}", type.data(), object->logical_index, path.empty() ? "" : " ", path);
  }
  return path;
}

/// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037ULL;
  for (const char character : text)
    value = (value ^ static_cast<unsigned char>(character)) * 1099511628211ULL;
  return value;
}

std::uint64_t fingerprint(hwloc_topology_t topology, const RankLocation& place) {
  std::string description = place.processor + place.system;
  for (int depth = 0; depth < hwloc_topology_get_depth(topology); ++depth) {
    const hwloc_obj_t first = hwloc_get_obj_by_depth(topology, static_cast<unsigned>(depth), 0);
    description +=
        fmt::format(" {}x{}", hwloc_get_nbobjs_by_depth(topology, depth), hwloc_obj_type_string(first->type));
    if (hwloc_obj_type_is_cache(first->type) != 0) description += fmt::format(":{}", first->attr->cache.size);
  }
  return hash(description);
}

std::string domain_of(const std::string& host) {
  const std::size_t dot = host.find('.');
  return dot == std::string::npos ? std::string() : host.substr(dot + 1);
}

/// Numbers the keys in order of first appearance.
std::vector<std::uint32_t> numbered(const std::vector<std::string>& keys) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  for (const std::string& key : keys)
    result.push_back(numbers.emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
  return result;
}

bool is_one_core(const std::string& path) {
  return path.find("Core#") != std::string::npos;
}

/// Returns the type of the last common object of two paths.
std::string shared_object(const std::string& a, const std::string& b) {
  std::string shared;
  std::size_t at = 0;
  while (at < a.size()) {
    const std::size_t end = std::min(a.find(' ', at), a.size());
    if (b.compare(at, end - at, a, at, end - at) != 0 || (end < b.size() && b[end] != ' ')) break;
    shared = a.substr(at, a.find('#', at) - at);
    at = end + 1;
  }
  return shared;
}

/// Names the types of unlike ranks; adds nothing if all are alike.
void add_core_types(const std::vector<RankLocation>& locations, Platform& platform) {
  std::vector<std::string> keys, names;
  for (const RankLocation& place : locations) keys.push_back(place.processor + '\n' + place.core_type);
  const std::vector<std::uint32_t> types = numbered(keys);
  for (std::size_t rank = 0; rank < types.size(); ++rank)
    if (types[rank] == names.size()) names.push_back(locations[rank].core_type);
  if (names.size() < 2) return;
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  if (sorted.front().empty() || std::ranges::adjacent_find(sorted) != sorted.end())
    for (std::size_t type = 0; type < names.size(); ++type) names[type] = fmt::format("type-{}", type + 1);
  platform.core_types = std::move(names);
  platform.type_of = types;
}

}  // namespace

std::size_t usable_cores() {
  const Topology topology = load_topology();
  return cores_in(topology.get(), allowed_cores(topology.get()).get()).size();
}

std::vector<RankLocation> find_locations(MPI_Comm communicator, bool bind) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const Topology topology = load_topology();
  RankLocation own{.host = host_name(), .computer = computer_name()};
  const std::vector<std::string> hosts = mpi::gather(own.host, communicator),
                                 computers = mpi::gather(own.computer, communicator);
  const auto before = std::count(computers.begin(), computers.begin() + rank, own.computer);

  Bitmap allowed = allowed_cores(topology.get());
  const std::vector<hwloc_obj_t> cores = cores_in(topology.get(), allowed.get());
  own.cores = cores.size();
  own.bound_by = cores.size() == 1 ? "launcher" : "nothing";
  if (bind && cores.size() > 1) {
    const hwloc_obj_t core = cores[static_cast<std::size_t>(before) % cores.size()];
    hwloc_bitmap_and(allowed.get(), allowed.get(), core->cpuset);
    if (hwloc_set_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_THREAD) == 0) own.bound_by = "takt";
    allowed = allowed_cores(topology.get());
  }
  own.path = path_to(topology.get(), allowed.get());
  own.processor = processor_name(topology.get());
  own.core_type = core_type_of(topology.get(), allowed.get());
  own.system = system_name();
  own.fingerprint = fingerprint(topology.get(), own);

  const std::vector<std::string> paths = mpi::gather(own.path, communicator),
                                 binders = mpi::gather(own.bound_by, communicator),
                                 processors = mpi::gather(own.processor, communicator),
                                 core_types = mpi::gather(own.core_type, communicator),
                                 systems = mpi::gather(own.system, communicator),
                                 counts = mpi::gather(std::to_string(own.cores), communicator),
                                 fingerprints = mpi::gather(std::to_string(own.fingerprint), communicator);
  std::vector<RankLocation> all;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    all.push_back({hosts[i], computers[i], paths[i], binders[i], processors[i], core_types[i], systems[i],
                   std::stoull(counts[i]), std::stoull(fingerprints[i])});
  return all;
}

Platform platform_of(const std::vector<RankLocation>& locations) {
  std::vector<std::string> hosts, domains;
  for (const RankLocation& place : locations) hosts.push_back(place.host);
  Platform platform{.speeds = std::vector<double>(locations.size(), 1.0), .node_of = numbered(hosts)};
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    if (platform.node_of[rank] == domains.size()) domains.push_back(domain_of(hosts[rank]));
  platform.cluster_of_node = numbered(domains);
  add_core_types(locations, platform);
  return platform;
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::processor:
      return "processor";
    case Level::node:
      return "node";
    case Level::cluster:
      return "cluster";
    case Level::wide:
      break;
  }
  return "wide";
}

std::string name_of(const LinkKind& kind) {
  if (!kind.host_pairs.empty())
    return fmt::format("{} (ranks {} and {})", name_of(kind.level), kind.ranks[0], kind.ranks[1]);
  return kind.shares.empty() ? std::string(name_of(kind.level))
                             : fmt::format("{} ({})", name_of(kind.level), kind.shares);
}

std::vector<LinkKind> find_link_kinds(const std::vector<RankLocation>& locations) {
  const Platform platform = platform_of(locations);
  auto share_core = [&](std::size_t a, std::size_t b) {
    return locations[a].computer == locations[b].computer && is_one_core(locations[a].path) &&
           locations[a].path == locations[b].path;
  };
  auto shares = [&](std::size_t a, std::size_t b) {
    return locations[a].host == locations[b].host ? shared_object(locations[a].path, locations[b].path)
                                                  : std::string();
  };
  std::vector<LinkKind> kinds;
  for (std::size_t a = 0; a < locations.size(); ++a)
    for (std::size_t b = a + 1; b < locations.size(); ++b) {
      const Level level = platform.level(ProcessorId(a), ProcessorId(b));
      const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const LinkKind& kind) {
        return kind.level == level && kind.shares == shares(a, b);
      });
      LinkKind kind{level, shares(a, b), {static_cast<int>(a), static_cast<int>(b)}, share_core(a, b)};
      if (known == kinds.end())
        kinds.push_back(std::move(kind));
      else if (known->on_one_core && !kind.on_one_core)
        *known = std::move(kind);
      else if (known->ranks.front() == static_cast<int>(a) && known->ranks.size() < 4 &&
               std::none_of(known->ranks.begin(), known->ranks.end(),
                            [&](int rank) { return share_core(static_cast<std::size_t>(rank), b); }))
        known->ranks.push_back(static_cast<int>(b));
    }
  const bool has_two_cores = std::any_of(kinds.begin(), kinds.end(), [](const LinkKind& kind) {
    return kind.level == Level::node && !kind.on_one_core;
  });
  if (has_two_cores) std::erase_if(kinds, [](const LinkKind& kind) { return kind.on_one_core; });
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const LinkKind& a, const LinkKind& b) { return a.level < b.level; });
  return kinds;
}

}  // namespace takt::logp
