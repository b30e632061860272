#include "pipeline/report/latency_quantiles.hpp"

#include <algorithm>

namespace takt::pipeline {

std::optional<Time> LatencyQuantiles::at(Quantile quantile) const {
  switch (quantile) {
    case Quantile::p50:
      return p50;
    case Quantile::p90:
      return p90;
    case Quantile::p99:
      return p99;
    case Quantile::max:
      break;
  }
  return max;
}

LatencyQuantiles quantiles_of(const Distribution& latency) {
  if (latency.count() == 0) return {};
  return {.p50 = latency.quantile(0.5),
          .p90 = latency.quantile(0.9),
          .p99 = latency.quantile(0.99),
          .max = latency.quantile(1),
          .frames = latency.count()};
}

LatencyQuantiles longer(const LatencyQuantiles& a, const LatencyQuantiles& b) {
  return {.p50 = std::max(a.p50, b.p50),
          .p90 = std::max(a.p90, b.p90),
          .p99 = std::max(a.p99, b.p99),
          .max = std::max(a.max, b.max),
          .frames = a.frames + b.frames};
}

}  // namespace takt::pipeline
