#include "pipeline/costs/loop_memory.hpp"

#include <algorithm>

#include "pipeline/calls/canary.hpp"
#include "pipeline/costs/trial_frames.hpp"
#include "pipeline/shared_places.hpp"

namespace takt::pipeline {

namespace {

/// Returns true if a kernel's output needs a whole frame: a kernel with tiled output needs one only for
/// consumers outside its group.
bool is_whole(const Pipeline& pipeline, const Tiling& tiling, std::size_t stage) {
  if (!tiling[stage]) return true;
  for (std::size_t next = stage + 1; next < pipeline.stages.size(); ++next) {
    const bool is_in_group = tiling[next] && tiling[next]->group == tiling[stage]->group;
    if (!is_in_group && std::ranges::count(pipeline.stages[next].inputs, stage) > 0) return true;
  }
  return false;
}

/// First and last member of a tiled group of kernels: all of their frames are in use until the last member
/// has finished.
struct Span {
  std::size_t first = 0, last = 0;
};

Span span_of(const Tiling& tiling, std::size_t stage) {
  if (!tiling[stage]) return {stage, stage};
  Span span{stage, stage};
  for (std::size_t i = 0; i < tiling.size(); ++i) {
    if (!tiling[i] || tiling[i]->group != tiling[stage]->group) continue;
    span.first = std::min(span.first, i);
    span.last = std::max(span.last, i);
  }
  return span;
}

Lifetime lifetime_of(const Pipeline& pipeline, const Tiling& tiling, std::size_t stage) {
  Lifetime life{span_of(tiling, stage).first, span_of(tiling, stage).last};
  for (std::size_t next = stage + 1; next < pipeline.stages.size(); ++next)
    if (std::ranges::count(pipeline.stages[next].inputs, stage) > 0)
      life.to = std::max(life.to, span_of(tiling, next).last);
  return life;
}

}  // namespace

LoopMemory::LoopMemory(const Pipeline& pipeline, const Tiling& tiling)
    : pipeline_(pipeline),
      goes_through_(pipeline.stages.size(), true),
      frames_(pipeline.stages.size()),
      headers_(pipeline.stages.size()) {
  Bytes largest{0};
  std::vector<std::size_t> kernels;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (stage.kind == StageKind::source) {
      of_sources_.emplace_back(1, stage.output.size());
      frames_[i] = of_sources_.back().frame(0);
    }
    if (stage.kind != StageKind::kernel || !is_whole(pipeline, tiling, i)) continue;
    largest = std::max(largest, stage.output.size());
    kernels.push_back(i);
  }
  if (kernels.empty()) return;
  const auto begin = [&](std::size_t kernel) { return lifetime_of(pipeline, tiling, kernel).from; };
  std::ranges::stable_sort(kernels, {}, begin);
  std::vector<Lifetime> lifetimes;
  for (const std::size_t kernel : kernels) lifetimes.push_back(lifetime_of(pipeline, tiling, kernel));
  const std::vector<std::size_t> places = share_places(lifetimes);
  places_.emplace(*std::ranges::max_element(places) + 1, Bytes{largest.count + canary_bytes});
  for (std::size_t k = 0; k < kernels.size(); ++k)
    frames_[kernels[k]] = places_->frame(places[k]).first(pipeline.stages[kernels[k]].output.size().count);
}

FrameBuffer LoopMemory::frame(std::size_t stage) {
  headers_[stage] = {};
  return {&headers_[stage], frames_[stage].value()};
}

void LoopMemory::learn(std::size_t stage, Time cost) {
  constexpr double most_bytes_per_ns = 200;
  const double bytes = static_cast<double>(pipeline_.stages[stage].output.size().count);
  goes_through_[stage] = bytes < most_bytes_per_ns * static_cast<double>(cost.count());
}

void LoopMemory::add_passes(std::size_t stage, std::vector<std::size_t>& passes) const {
  const auto add = [&](std::size_t frame) {
    if (frames_[frame] && (passes.empty() || passes.back() != frame)) passes.push_back(frame);
  };
  if (!goes_through_[stage]) return;
  for (const std::size_t input : pipeline_.stages[stage].inputs) add(input);
  if (pipeline_.stages[stage].kind != StageKind::sink) add(stage);
}

std::vector<std::size_t> LoopMemory::passes_of_others(std::span<const std::size_t> measured) const {
  std::vector<std::size_t> passes;
  const auto add_all = [&](std::size_t begin, std::size_t end) {
    for (std::size_t stage = begin; stage < end; ++stage)
      if (std::ranges::count(measured, stage) == 0) add_passes(stage, passes);
  };
  add_all(measured.back() + 1, pipeline_.stages.size());
  add_all(0, measured.back());
  std::size_t bytes = 0;
  constexpr std::size_t most = 64 << 20;
  auto first = passes.end();
  while (first != passes.begin() && bytes < most) bytes += frames_[*--first]->size();
  passes.erase(passes.begin(), first);
  return passes;
}

void LoopMemory::run_others(std::span<const std::size_t> measured) const {
  for (const std::size_t frame : passes_of_others(measured)) touch(*frames_[frame]);
}

std::size_t LoopMemory::bytes_of_other_stages(std::span<const std::size_t> measured) const {
  std::size_t bytes = 0;
  for (const std::size_t frame : passes_of_others(measured)) bytes += frames_[frame]->size();
  return bytes;
}

}  // namespace takt::pipeline
