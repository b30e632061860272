#include "cli/receiving_line.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::cli {

namespace {

bool is_live(const pipeline::Pipeline& pipeline, std::size_t source) {
  return pipeline.kernels.find_source(pipeline.stages[source].type)->is_live;
}

/// Uses the parameters of the kind of source.
std::string place_of(const pipeline::Parameters& parameters) {
  for (const char* name : {"server", "endpoint"})
    if (parameters.has(name)) return parameters.text(name);
  const std::string address = parameters.has("address") ? parameters.text("address") : "127.0.0.1";
  const std::string host = address.find(':') == std::string::npos ? address : '[' + address + ']';
  if (parameters.has("port")) return fmt::format("{}:{}", host, parameters.integer("port"));
  if (!parameters.has("ports")) return "";
  const std::vector<std::int64_t> ports = parameters.integers("ports");
  return ports.size() == 1 ? fmt::format("{}:{}", host, ports.front())
                           : fmt::format("{}:{}-{}", host, std::ranges::min(ports), std::ranges::max(ports));
}

}  // namespace

std::vector<std::string> places_of_reception(const pipeline::Pipeline& pipeline) {
  std::vector<std::string> places;
  for (const std::size_t source : pipeline.sources())
    if (is_live(pipeline, source))
      if (std::string place = place_of(pipeline.stages[source].parameters); !place.empty())
        places.push_back(std::move(place));
  return places;
}

ReceivingLine::ReceivingLine(const pipeline::Pipeline& pipeline) : places_(places_of_reception(pipeline)) {
  for (const std::size_t source : pipeline.sources())
    if (is_live(pipeline, source)) sources_.push_back(source);
}

void ReceivingLine::show(const pipeline::RunRecord& record, ProgressLine& progress) {
  if (is_shown_ || places_.empty()) return;
  const auto is_open = [&](std::size_t source) {
    return std::ranges::any_of(record.ranks, [&](const auto& rank) {
      return rank && rank->phase == pipeline::Phase::running &&
             std::ranges::any_of(rank->sources,
                                 [&](const pipeline::SourceStatus& each) { return each.stage == source; });
    });
  };
  if (!std::ranges::all_of(sources_, is_open)) return;
  is_shown_ = true;
  progress.clear();
  fmt::print(stderr, "takt: receiving on {}\n", fmt::join(places_, ", "));
}

}  // namespace takt::cli
