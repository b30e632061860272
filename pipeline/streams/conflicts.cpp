#include "pipeline/streams/conflicts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/config/files.hpp"

namespace takt::pipeline {

namespace {

/// The port or address of a listening stage: `udp port 16130`.
struct Listener {
  std::string what;
  std::size_t stage = 0;
  SourceLocation where;
};

std::vector<Listener> listeners_of(const Pipeline& pipeline) {
  std::vector<Listener> all;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    const Parameters& values = stage.parameters;
    const auto add_port = [&](const char* kind, const char* parameter, std::int64_t port) {
      // The system chooses the port.
      if (port != 0) all.push_back({fmt::format("{} port {}", kind, port), i, values.where(parameter)});
    };
    if (stage.kind == StageKind::source && values.has("ports"))
      for (const std::int64_t port : values.integers("ports")) add_port("UDP", "ports", port);
    if (stage.kind == StageKind::sink && values.has("port")) add_port("TCP", "port", values.integer("port"));
    if (values.has("endpoint") && values.has("bind") && values.boolean("bind"))
      all.push_back({values.text("endpoint"), i, values.where("endpoint")});
  }
  return all;
}

std::string title(const Pipeline& pipeline, std::size_t stage) {
  return fmt::format("{} '{}'", name_of(pipeline.stages[stage].kind), pipeline.stages[stage].name);
}

void check_files_apart(const NamedPipeline& later, const NamedPipeline& earlier, ErrorList& errors) {
  for (const StageFile& own : stage_files(*later.pipeline))
    for (const StageFile& other : stage_files(*earlier.pipeline)) {
      if ((!own.is_written && !other.is_written) || !are_same_file(own.path, other.path)) continue;
      errors.add(own.where,
                 fmt::format("stream '{}': {}: cannot {} the file '{}': {} of stream '{}' {} it", later.name,
                             title(*later.pipeline, own.stage), own.is_written ? "write" : "read",
                             own.path.string(), title(*earlier.pipeline, other.stage), earlier.name,
                             other.is_written ? "writes" : "reads"));
      break;
    }
}

void check_listeners_apart(const NamedPipeline& later, const NamedPipeline& earlier, ErrorList& errors) {
  const std::vector<Listener> others = listeners_of(*earlier.pipeline);
  for (const Listener& own : listeners_of(*later.pipeline)) {
    const auto other = std::ranges::find(others, own.what, &Listener::what);
    if (other == others.end()) continue;
    errors.add(own.where, fmt::format("stream '{}': {}: cannot listen at {}: {} of stream '{}' does",
                                      later.name, title(*later.pipeline, own.stage), own.what,
                                      title(*earlier.pipeline, other->stage), earlier.name));
  }
}

}  // namespace

void check_apart(const std::vector<NamedPipeline>& pipelines, ErrorList& errors) {
  for (std::size_t later = 1; later < pipelines.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      check_files_apart(pipelines[later], pipelines[earlier], errors);
      check_listeners_apart(pipelines[later], pipelines[earlier], errors);
    }
}

}  // namespace takt::pipeline
