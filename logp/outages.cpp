#include "logp/outages.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::logp {

Outages::Outages(std::span<const Outage> outages, std::size_t processors) {
  if (outages.empty()) return;
  by_processor_.resize(processors);
  for (const Outage& outage : outages) {
    if (outage.processor.index() >= processors)
      throw ConfigError(fmt::format("processor {} fails: expected one from 0 to {}", outage.processor.index(),
                                    processors - 1));
    if (outage.begin < Time{0} || outage.end <= outage.begin)
      throw ConfigError(
          fmt::format("processor {} fails from {} to {}: expected a time of 0 or more and a later one",
                      outage.processor.index(), outage.begin.count(), outage.end.count()));
    by_processor_[outage.processor.index()].push_back({outage.begin, outage.end});
  }
  for (std::vector<Span>& spans : by_processor_) {
    std::ranges::sort(spans, {}, &Span::begin);
    std::vector<Span> merged;
    for (const Span& span : spans)
      if (!merged.empty() && span.begin <= merged.back().end)
        merged.back().end = std::max(merged.back().end, span.end);
      else
        merged.push_back(span);
    spans = std::move(merged);
  }
}

Outages::Work Outages::work(std::size_t processor, Time start, Time length) const {
  if (by_processor_.empty()) return {start, start + length};
  const std::vector<Span>& spans = by_processor_[processor];
  // The first one that has not ended.
  auto next = std::ranges::upper_bound(spans, start, {}, &Span::end);
  if (next != spans.end() && next->begin <= start) start = (next++)->end;
  Time end = start + length;
  for (; next != spans.end() && next->begin < end; ++next) end += next->end - next->begin;
  return {start, end};
}

}  // namespace takt::logp
