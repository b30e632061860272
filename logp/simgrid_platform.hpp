#pragma once
/// SimGrid's platform files, limited to the description of clusters: `<cluster>` elements in zones,
/// connected by `<zoneRoute>` or `<ASroute>` over `<link>`s.
///
/// | in the file | in the machine |
/// |---|---|
/// | `id`, `radical` | a cluster's name, its processors (`cores` as many of a node) |
/// | `speed` (or `power`) | speed, 1 for 1 Gflop/s |
/// | `lat`, `bw`, `bb_lat` | a message within the cluster: 2 lat + bb_lat + size / bw; gap size / bw |
/// | `bb_bw` | backbone of the cluster |
/// | a route | latency of its links plus lat of both ends; backbone of its narrowest link |
///
/// Versions 3 and 4 of the format, with their units (`50us`, `1Gbps`, `125MBps`, `3.4Gf`). Other
/// hosts, zones that compute routes, and unlisted attributes are refused or ignored; the errors report
/// which.

#include <string>
#include <string_view>

#include "logp/machine.hpp"

namespace takt::logp {

/// Throws ConfigError with file:line:column.
[[nodiscard]] Machine machine_from_simgrid(std::string_view text, const std::string& file);

}  // namespace takt::logp
