#include "logp/simgrid_platform.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/xml_tree.hpp"

namespace takt::logp {

namespace {

struct QuantityUnit {
  std::string_view name;
  double factor;
};

constexpr std::array time_units{QuantityUnit{"", 1}, QuantityUnit{"s", 1}, QuantityUnit{"ms", 1e-3},
                                QuantityUnit{"us", 1e-6}, QuantityUnit{"ns", 1e-9}};
constexpr std::array bandwidth_units{
    QuantityUnit{"", 1},           QuantityUnit{"Bps", 1},         QuantityUnit{"kBps", 1e3},
    QuantityUnit{"MBps", 1e6},     QuantityUnit{"GBps", 1e9},      QuantityUnit{"bps", 0.125},
    QuantityUnit{"kbps", 1e3 / 8}, QuantityUnit{"Mbps", 1e6 / 8},  QuantityUnit{"Gbps", 1e9 / 8},
    QuantityUnit{"KiBps", 1024},   QuantityUnit{"MiBps", 1048576}, QuantityUnit{"GiBps", 1073741824}};
constexpr std::array speed_units{QuantityUnit{"", 1},     QuantityUnit{"f", 1},    QuantityUnit{"kf", 1e3},
                                 QuantityUnit{"Mf", 1e6}, QuantityUnit{"Gf", 1e9}, QuantityUnit{"Tf", 1e12}};

struct FileLink {
  double latency = 0;
  double bandwidth = 0;
};

struct FileCluster {
  const XmlElement* element = nullptr;
  std::string name;
  std::size_t nodes = 0, cores = 1;
  double speed = 1;
  FileLink own;
  std::optional<FileLink> backbone;
};

class PlatformReader {
 public:
  explicit PlatformReader(const std::string& file) : file_(file) {}

  Machine read(const XmlElement& root) {
    if (root.name != "platform") refuse(root.place, fmt::format("expected <platform>, not <{}>", root.name));
    collect(root);
    if (clusters_.empty()) refuse(root.place, "no <cluster>: expected at least one");
    Platform platform;
    for (std::uint32_t c = 0; c < clusters_.size(); ++c) {
      platform.cluster_names.push_back(clusters_[c].name);
      for (std::size_t node = 0; node < clusters_[c].nodes; ++node) {
        for (std::size_t core = 0; core < clusters_[c].cores; ++core) {
          platform.speeds.push_back(clusters_[c].speed / 1e9);
          platform.node_of.push_back(static_cast<std::uint32_t>(platform.cluster_of_node.size()));
        }
        platform.cluster_of_node.push_back(c);
      }
    }
    std::vector<ClusterCosts> costs;
    for (std::uint32_t a = 0; a < clusters_.size(); ++a)
      for (std::uint32_t b = 0; b < clusters_.size(); ++b)
        costs.push_back({a, b, a == b ? within(a) : between(a, b)});
    return {std::move(platform), std::array<LinkCosts, level_count>{}, {}, std::move(costs)};
  }

 private:
  [[noreturn]] void refuse(Place place, const std::string& message) const {
    throw ConfigError(place.in(file_), message);
  }

  template <std::size_t n>
  double quantity(const XmlAttribute& attribute, const std::array<QuantityUnit, n>& units,
                  const char* example) const {
    double number = 0;
    const char* const end = attribute.value.data() + attribute.value.size();
    const auto [rest, error] = std::from_chars(attribute.value.data(), end, number);
    const auto unit = std::ranges::find(units, std::string_view(rest, end), &QuantityUnit::name);
    if (error != std::errc{} || unit == units.end() || !(number >= 0) ||
        !std::isfinite(number * unit->factor))
      refuse(attribute.place, fmt::format("{} is '{}': expected a number such as {}", attribute.name,
                                          attribute.value, example));
    return number * unit->factor;
  }

  const XmlAttribute& require(const XmlElement& element, std::string_view name,
                              std::string_view other = {}) const {
    if (const XmlAttribute* found = element.find(name)) return *found;
    if (const XmlAttribute* found = other.empty() ? nullptr : element.find(other)) return *found;
    refuse(element.place, fmt::format("<{}> lacks '{}'", element.name, name));
  }

  FileLink link_of(const XmlElement& element, const char* bandwidth, const char* latency) const {
    const XmlAttribute& wide = require(element, bandwidth);
    FileLink link{0, quantity(wide, bandwidth_units, "125MBps")};
    if (!(link.bandwidth > 0)) refuse(wide.place, fmt::format("{} is 0: expected more", bandwidth));
    if (const XmlAttribute* time = element.find(latency)) link.latency = quantity(*time, time_units, "50us");
    return link;
  }

  /// Number of hosts of `0-19` or `0-3,7`.
  std::size_t count_of(const XmlAttribute& radical) const {
    std::size_t count = 0;
    std::string_view rest = radical.value;
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      std::size_t first = 0, last = 0;
      const auto [dash, error] = std::from_chars(part.data(), part.data() + part.size(), first);
      last = first;
      const char* end = dash;
      if (error == std::errc{} && dash != part.data() + part.size() && *dash == '-')
        end = std::from_chars(dash + 1, part.data() + part.size(), last).ptr;
      if (error != std::errc{} || end != part.data() + part.size() || last < first ||
          last - first > 10'000'000)
        refuse(radical.place,
               fmt::format("radical is '{}': expected numbers such as 0-19 or 0-3,7", radical.value));
      count += last - first + 1;
    }
    if (count == 0) refuse(radical.place, "radical has no host");
    return count;
  }

  void collect(const XmlElement& element) {
    for (const XmlElement& child : element.children) {
      if (child.name == "cluster") {
        add_cluster(child);
      } else if (child.name == "link") {
        links_.emplace(require(child, "id").value, link_of(child, "bandwidth", "latency"));
      } else if (child.name == "zoneRoute" || child.name == "ASroute") {
        routes_.push_back(&child);
      } else if (child.name == "host" || child.name == "cabinet" || child.name == "peer") {
        refuse(child.place, fmt::format("<{}>: only hosts of a <cluster> are read", child.name));
      } else if (child.name == "zone" || child.name == "AS") {
        collect(child);
      }
    }
  }

  void add_cluster(const XmlElement& element) {
    FileCluster cluster;
    cluster.element = &element;
    const XmlAttribute& id = require(element, "id");
    cluster.name = id.value;
    if (find(cluster.name)) refuse(id.place, fmt::format("two clusters have the name '{}'", cluster.name));
    cluster.nodes = count_of(require(element, "radical"));
    const XmlAttribute& speed = require(element, "speed", "power");
    cluster.speed = quantity(speed, speed_units, "3.4Gf");
    if (!(cluster.speed > 0)) refuse(speed.place, fmt::format("{} is 0: expected more", speed.name));
    if (const XmlAttribute* cores = element.find("core")) {
      std::size_t count = 0;
      const char* const end = cores->value.data() + cores->value.size();
      if (std::from_chars(cores->value.data(), end, count).ptr != end || count == 0 || count > 1'000'000)
        refuse(cores->place, fmt::format("core is '{}': expected a whole number", cores->value));
      cluster.cores = count;
    }
    cluster.own = link_of(element, "bw", "lat");
    if (element.find("bb_bw") != nullptr) cluster.backbone = link_of(element, "bb_bw", "bb_lat");
    clusters_.push_back(std::move(cluster));
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(clusters_, name, &FileCluster::name);
    if (found == clusters_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - clusters_.begin());
  }

  /// Converts seconds and bytes per second to ticks.
  static LinkCosts costs_of(double latency, double port_bandwidth, double shared_bandwidth) {
    LinkCosts costs;
    costs.latency = Cost(std::round(latency * 1e9), 1e9 / port_bandwidth);
    costs.send_gap = costs.receive_gap = Cost(0, 1e9 / port_bandwidth);
    if (shared_bandwidth > 0) costs.backbone = Cost(0, 1e9 / shared_bandwidth);
    return costs;
  }

  [[nodiscard]] LinkCosts within(std::size_t c) const {
    const FileCluster& cluster = clusters_[c];
    const double shared = cluster.backbone ? cluster.backbone->bandwidth : 0;
    return costs_of(2 * cluster.own.latency + (cluster.backbone ? cluster.backbone->latency : 0),
                    cluster.backbone ? std::min(cluster.own.bandwidth, shared) : cluster.own.bandwidth,
                    shared);
  }

  [[nodiscard]] LinkCosts between(std::size_t a, std::size_t b) const {
    for (const bool is_reversed : {false, true})
      for (const XmlElement* route : routes_) {
        const XmlAttribute* symmetrical = route->find("symmetrical");
        const bool is_one_way =
            symmetrical != nullptr && (symmetrical->value == "NO" || symmetrical->value == "no");
        if (is_reversed && is_one_way) continue;
        const std::string &from = require(*route, "src").value, &to = require(*route, "dst").value;
        if (from != clusters_[is_reversed ? b : a].name || to != clusters_[is_reversed ? a : b].name)
          continue;
        double latency = clusters_[a].own.latency + clusters_[b].own.latency, narrowest = 0;
        for (const XmlElement& part : route->children) {
          if (part.name != "link_ctn") continue;
          const XmlAttribute& id = require(part, "id");
          const auto link = links_.find(id.value);
          if (link == links_.end()) {
            std::vector<std::string_view> known;
            for (const auto& [name, each] : links_) known.push_back(name);
            refuse(id.place, unknown_name("link", id.value, std::move(known)));
          }
          latency += link->second.latency;
          narrowest = narrowest > 0 ? std::min(narrowest, link->second.bandwidth) : link->second.bandwidth;
        }
        double port = std::min(clusters_[a].own.bandwidth, clusters_[b].own.bandwidth);
        if (narrowest > 0) port = std::min(port, narrowest);
        return costs_of(latency, port, narrowest);
      }
    refuse(clusters_[b].element->place,
           fmt::format("there is no route from cluster '{}' to '{}': expected a <zoneRoute> or <ASroute>",
                       clusters_[a].name, clusters_[b].name));
  }

  const std::string& file_;
  std::vector<FileCluster> clusters_;
  std::map<std::string, FileLink, std::less<>> links_;
  std::vector<const XmlElement*> routes_;
};

}  // namespace

Machine machine_from_simgrid(std::string_view text, const std::string& file) {
  return PlatformReader(file).read(parse_xml(text, file));
}

}  // namespace takt::logp
