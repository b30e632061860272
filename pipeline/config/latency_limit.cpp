#include "pipeline/config/latency_limit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

constexpr std::string_view expected =
    "expected a time such as 20 ms, or one quantile with its time: {p99: 20 ms}";

std::optional<Time> read_time(const YamlNode& node, std::string_view key, ErrorList& errors) {
  try {
    if (!node.is_text()) throw ConfigError(fmt::format("{}, not {}", expected, describe(node.kind())));
    const Time most = parse_duration(node.text());
    if (most <= Time{0}) throw ConfigError("expected more than 0, for example 20 ms");
    return most;
  } catch (const ConfigError& error) {
    errors.add(node.where(), fmt::format("'{}': {}", key, error.message()));
    return std::nullopt;
  }
}

}  // namespace

std::optional<Quantile> quantile_named(std::string_view name) {
  const auto found = std::ranges::find(all_quantiles, name, &NamedQuantile::name);
  if (found == all_quantiles.end()) return std::nullopt;
  return static_cast<Quantile>(found - all_quantiles.begin());
}

std::string LatencyLimit::text() const {
  return fmt::format("{} ({})", takt::to_string(most), named(quantile).name);
}

std::optional<LatencyLimit> read_latency_limit(const YamlNode& node, ErrorList& errors) {
  if (!node.is_mapping()) {
    const std::optional<Time> most = read_time(node, "latency", errors);
    return most ? std::optional(LatencyLimit{.most = *most}) : std::nullopt;
  }
  if (node.size() != 1) {
    errors.add(node.where(), fmt::format("'latency': {} quantiles: {}", node.size(), expected));
    return std::nullopt;
  }
  const auto [key, value] = *node.pairs().begin();
  const std::optional<Quantile> quantile = quantile_named(key.text());
  if (!quantile) {
    errors.add(key.where(),
               fmt::format("'latency': unknown quantile '{}': expected p50, p90, p99 or max", key.text()));
    return std::nullopt;
  }
  const std::optional<Time> most = read_time(value, fmt::format("latency.{}", key.text()), errors);
  if (!most) return std::nullopt;
  return LatencyLimit{*quantile, *most};
}

}  // namespace takt::pipeline
