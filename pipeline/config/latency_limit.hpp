#pragma once
/// The required latency of a pipeline: `latency: 20 ms`, or `latency: {p50: 20 ms}`.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

/// Quantiles of the latency of frames. The order is that of `all_quantiles`.
enum class Quantile : std::uint8_t { p50, p90, p99, max };

struct NamedQuantile {
  std::string_view name;
  /// Share of the frames that take at most the quantile, in (0, 1].
  double share = 1;
};
inline constexpr std::array<NamedQuantile, 4> all_quantiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1}}};

[[nodiscard]] constexpr const NamedQuantile& named(Quantile quantile) {
  return all_quantiles[static_cast<std::size_t>(quantile)];
}

/// Returns the quantile of this name; nothing for another name.
[[nodiscard]] std::optional<Quantile> quantile_named(std::string_view name);

/// The latency of this share of the frames, from their ingestion to their end in the slowest sink, must not
/// exceed `most`.
struct LatencyLimit {
  Quantile quantile = Quantile::p99;
  Time most{0};
  /// Returns `20 ms (p99)`.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const LatencyLimit&, const LatencyLimit&) = default;
};

/// Reads the value of the key `latency`: a time above 0, of p99, or a mapping from one quantile to a time.
/// Returns nothing after an error.
[[nodiscard]] std::optional<LatencyLimit> read_latency_limit(const YamlNode& node, ErrorList& errors);

}  // namespace takt::pipeline
