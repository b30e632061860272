#include "pipeline/runtime/joined_sources.hpp"

#include <algorithm>
#include <utility>

#include "core/system/clock.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

namespace {

bool has_sources(const Pipeline& pipeline, const RankProgram& program) {
  return std::ranges::any_of(program.steps, [&](const Step& step) {
    return step.kind == OperationKind::compute && pipeline.stages[step.index].kind == StageKind::source;
  });
}

}  // namespace

JoinedSources::JoinedSources(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator)
    : pipeline_(pipeline), exchange_(communicator, has_sources(pipeline, program)) {
  if (!has_sources(pipeline, program)) return;
  sensors::GroupOptions options = pipeline.group_options();
  options.decides = exchange_.decides();
  options.granule = program.instances;
  group_.emplace(options);
}

std::unique_ptr<sensors::Source> JoinedSources::make(std::size_t stage, std::int64_t clock_offset_ns,
                                                     std::unique_ptr<sensors::Source> own) {
  auto made = pipeline_.make_joined_source(stage, *group_, clock_offset_ns, std::move(own));
  sources_.push_back({stage, made.get()});
  return made;
}

void JoinedSources::advance() {
  if (!group_) return;
  exchange_.exchange(*group_);
  for (const Joined& joined : sources_)
    as_stage(pipeline_, joined.stage, 0, [&] {
      const std::int64_t now = now_ns();
      joined.feed->stop_when_due(now);
      return joined.source->advance(now), 0;
    });
  exchange_.exchange(*group_);
}

std::size_t JoinedSources::awaited(std::size_t stage) const {
  const auto own = std::ranges::find(sources_, stage, &Joined::stage);
  if (own == sources_.end() || own->source->lacks_data()) return stage;
  const auto other =
      std::ranges::find_if(sources_, [](const Joined& each) { return each.source->lacks_data(); });
  return other == sources_.end() ? stage : other->stage;
}

}  // namespace takt::pipeline
