#include "pipeline/streams/disturbances.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Share of processor time whose loss disturbs a stream.
constexpr double suffered = 0.02;

const ProcessorUse* use_of(const StreamUse& stream, std::size_t processor) {
  const auto use = std::ranges::find(stream.processors, processor, &ProcessorUse::processor);
  return use == stream.processors.end() ? nullptr : &*use;
}

std::string excess(const ProcessorUse& use) {
  return fmt::format(
      "its frames took {} of processor {}, not {} as planned: {:.1f} % of its time, planned {:.1f} %",
      to_string(use.taken), use.processor, to_string(use.planned), 100 * use.used, 100 * use.given);
}

}  // namespace

bool ProcessorUse::is_over() const {
  // Smaller excesses are due to the loop around tasks, its sleeping and waking, and chance.
  constexpr double tolerance = 1.15, least = 0.02;
  const double part =
      static_cast<double>(planned.count()) / static_cast<double>(std::max<Time::rep>(taken.count(), 1));
  return part * tolerance < 1 && used * (1 - part) > least;
}

std::vector<Disturbance> find_disturbances(const std::vector<StreamUse>& streams) {
  std::vector<Disturbance> found;
  for (const StreamUse& victim : streams) {
    if (victim.held.value_or(true)) continue;
    for (const ProcessorUse& use : victim.processors) {
      if (use.delayed < suffered) continue;
      const std::string waited =
          fmt::format("'{}' was ready, but waited {:.1f} % of the time for processor {}", victim.name,
                      100 * use.delayed, use.processor);
      const std::size_t before = found.size();
      for (const StreamUse& other : streams) {
        const ProcessorUse* const theirs = &other == &victim ? nullptr : use_of(other, use.processor);
        if (theirs != nullptr && theirs->is_over())
          found.push_back(
              {use.processor, other.name, victim.name,
               fmt::format("'{}' disturbed '{}': {}; {}", other.name, victim.name, excess(*theirs), waited)});
      }
      if (found.size() > before) continue;
      if (use.is_over())
        found.push_back({use.processor, victim.name, victim.name,
                         fmt::format("'{}' is too slow for its share: {}", victim.name, excess(use))});
      else
        found.push_back({use.processor, "", victim.name,
                         waited + "; no stream there exceeded its plan: other processes used it"});
    }
  }
  return found;
}

std::vector<std::string> slower_than_costs(const std::vector<StreamUse>& streams) {
  const std::vector<Disturbance> disturbances = find_disturbances(streams);
  std::vector<std::string> texts;
  for (const StreamUse& stream : streams)
    for (const ProcessorUse& use : stream.processors) {
      if (!use.is_over()) continue;
      const bool is_reported = std::ranges::any_of(disturbances, [&](const Disturbance& each) {
        return each.by == stream.name && each.processor == use.processor;
      });
      if (!is_reported)
        texts.push_back(fmt::format("'{}' exceeds its measured costs: {}", stream.name, excess(use)));
    }
  return texts;
}

}  // namespace takt::pipeline
