#include "pipeline/program/layout.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/system/caches.hpp"
#include "pipeline/calls/canary.hpp"
#include "pipeline/shared_places.hpp"

namespace takt::pipeline {

namespace {

bool carries(const ChannelPlan& channel, std::size_t stage) {
  return std::ranges::count(channel.parts, stage, &ChannelPlan::Part::stage) > 0;
}

/// Returns the last step that uses the output of the step at `made`.
std::size_t last_use(const Pipeline& pipeline, const RankProgram& program, std::size_t made) {
  std::size_t last = made;
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    if (is_later(program, last, i) && needs(pipeline, program, program.steps[i], program.steps[made].index))
      last = i;
  return last;
}

/// The tiled group of a step: all frames of its steps are in use until the last one.
struct StepSpan {
  /// Null for a single step.
  const TileGroup::Member* member = nullptr;
  std::size_t first = 0, last = 0;
};

std::vector<StepSpan> spans_of(const RankProgram& program) {
  std::vector<StepSpan> spans(program.steps.size());
  for (std::size_t i = 0; i < spans.size(); ++i) spans[i] = {nullptr, i, i};
  for (const auto& [first, group] : program.tiled)
    for (std::size_t i = 0; i < group.members.size(); ++i)
      spans[first + i] = {&group.members[i], first, first + group.members.size() - 1};
  return spans;
}

/// Returns the channel in whose messages the output of a step is made, preferably a shared one: other
/// channels can refer to messages in shared memory. A message must leave before the next output needs the
/// next one.
std::optional<std::size_t> channel_of(const RankProgram& program, const Neighbourhood& neighbourhood,
                                      std::size_t made) {
  const Step& step = program.steps[made];
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (program.steps[i].kind != OperationKind::send || !is_later(program, made, i)) continue;
    const std::size_t c = program.steps[i].index;
    if (!carries(program.sends[c], step.index) || steps_between(program, made, i) >= program.steps.size())
      continue;
    if (!chosen || (neighbourhood.is_shared[c] && !neighbourhood.is_shared[*chosen])) chosen = c;
  }
  return chosen;
}

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + header_bytes - 1) / header_bytes * header_bytes;
}

/// Lays out a channel's messages. Elements of parts that are elsewhere in memory shared by both ends are
/// omitted.
MessageLayout lay_out_message(const ChannelPlan& plan, const std::vector<bool>& is_elsewhere) {
  MessageLayout layout;
  layout.bytes = header_bytes * (1 + plan.parts.size());
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    layout.elements.emplace_back();
    if (is_elsewhere[i]) continue;
    layout.elements[i] = layout.bytes;
    layout.bytes += whole_lines(plan.parts[i].bytes + canary_bytes);
  }
  return layout;
}

/// An output in memory of the rank: its slot, and the steps during which it is in use.
struct OwnOutput {
  std::size_t slot = 0;
  Lifetime lifetime;
};

/// Assigns places to outputs; the steps repeat after `circle`.
void place_outputs(std::vector<OwnOutput> outputs, std::size_t circle, Layout& layout) {
  std::ranges::stable_sort(outputs, {}, [](const OwnOutput& output) { return output.lifetime.from; });
  std::vector<Lifetime> lifetimes;
  for (const OwnOutput& output : outputs) lifetimes.push_back(output.lifetime);
  const std::vector<std::size_t> places = share_places(lifetimes, circle);
  for (std::size_t i = 0; i < outputs.size(); ++i) layout.homes[outputs[i].slot]->place = places[i];
  layout.places = places.empty() ? 0 : *std::ranges::max_element(places) + 1;
}

/// Returns the size of the largest stored output.
Bytes kept_bytes(const Pipeline& pipeline, const ReorderProgram& reordering) {
  Bytes bytes{1};
  for (const std::size_t stage : reordering.needed)
    bytes = std::max(bytes, pipeline.stages[stage].output.size());
  return bytes;
}

/// For smaller outputs a copy has no advantage over output in place.
constexpr Bytes least_copied{4096};

}  // namespace

bool Layout::may_copy() const {
  return std::ranges::any_of(homes, [](const auto& home) { return home && home->may_be_copied; });
}

std::size_t most_lent(const RankProgram& program, const Layout& layout, std::size_t stage,
                      std::size_t stages) {
  std::vector<std::size_t> read_until;
  std::size_t given_back = 0, most = 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != OperationKind::compute || step.index != stage) continue;
    while (given_back < read_until.size() && read_until[given_back] < i) ++given_back;
    read_until.push_back(layout.read_until[step.instance * stages + stage]);
    most = std::max(most, read_until.size() - given_back);
  }
  return most;
}

bool keeps_frames(const Pipeline& pipeline, const RankProgram& program, const Neighbourhood& neighbourhood,
                  std::size_t stage) {
  if (pipeline.stages[stage].kind != StageKind::source || neighbourhood.lends_many[stage]) return false;
  if (instances_of(program, stage) > 1) return true;
  return std::ranges::any_of(program.steps, [&](const Step& step) {
    return step.offset > 0 && needs(pipeline, program, step, stage);
  });
}

Layout lay_out(const Pipeline& pipeline, const RankProgram& program, const Neighbourhood& neighbourhood) {
  Layout layout;
  const std::size_t slots = program.instances * pipeline.stages.size();
  layout.homes.resize(program.phases * slots);
  layout.referring.resize(slots);
  layout.read_until.resize(slots);
  const auto slot = [&](std::uint32_t instance, std::size_t stage) {
    return instance * pipeline.stages.size() + stage;
  };
  for (const Stage& stage : pipeline.stages)
    layout.place_size = std::max(layout.place_size, Bytes{stage.output.size().count + canary_bytes});

  // By instance, then by stage: true if a source lends this frame in memory that other ranks can read.
  std::vector<bool> is_lent(slots);
  std::vector<OwnOutput> own;
  const std::vector<StepSpan> spans = spans_of(program);
  const std::size_t circle = program.phases * program.steps.size();
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != OperationKind::compute) continue;
    const std::size_t index = slot(step.instance, step.index);
    const StageKind kind = pipeline.stages[step.index].kind;
    is_lent[index] = kind == StageKind::source && neighbourhood.lends_many[step.index];
    const std::size_t last = last_use(pipeline, program, i);
    const std::size_t iterations_until_last = program.steps[last].offset - step.offset;
    if (is_lent[index])
      layout.read_until[index] = iterations_until_last * program.steps.size() + spans[last].last;
    if (kind != StageKind::kernel && !keeps_frames(pipeline, program, neighbourhood, step.index)) continue;
    if (spans[i].member != nullptr && !spans[i].member->is_kept) continue;
    std::optional<Home>& home = layout.homes[index];
    home.emplace();
    home->channel = channel_of(program, neighbourhood, i);
    if (home->channel) {
      const auto& parts = program.sends[*home->channel].parts;
      home->part = static_cast<std::size_t>(std::ranges::find(parts, step.index, &ChannelPlan::Part::stage) -
                                            parts.begin());
      const FrameType& output = pipeline.stages[step.index].output;
      const bool is_large = kind == StageKind::kernel && neighbourhood.is_shared[*home->channel] &&
                            output.size() >= least_copied;
      home->may_be_copied = is_large && spans[i].member == nullptr;
      home->may_pass_caches = is_large && spans[i].member != nullptr &&
                              TileCopier(output, spans[i].member->output).copies_whole_lines();
    }
    const bool lasts = std::ranges::count(program.lasting, i) > 0;
    const std::size_t until =
        lasts ? spans.size() - 1 : iterations_until_last * program.steps.size() + spans[last].last;
    for (std::size_t phase = 0; phase < program.phases; ++phase) {
      layout.homes[phase * slots + index] = home;
      if (home->channel) continue;
      const std::size_t begin = (phase + step.offset) * program.steps.size() % circle;
      own.push_back({phase * slots + index, {begin + spans[i].first, begin + until}});
    }
  }
  place_outputs(std::move(own), circle, layout);

  layout.messages.resize(program.sends.size());
  for (std::size_t c = 0; c < program.sends.size(); ++c) {
    const ChannelPlan& plan = program.sends[c];
    std::vector<bool> is_elsewhere(plan.parts.size());
    for (std::size_t i = 0; i < plan.parts.size() && neighbourhood.is_shared[c]; ++i) {
      const std::size_t index = slot(plan.instance, plan.parts[i].stage);
      const std::optional<Home>& home = layout.homes[index];
      const bool is_in_other = home && home->channel && *home->channel != c;
      if (is_in_other) layout.messages[*home->channel].referring.push_back(c);
      if (is_lent[index]) layout.referring[index].push_back(c);
      is_elsewhere[i] = is_in_other || is_lent[index];
    }
    MessageLayout message = lay_out_message(plan, is_elsewhere);
    message.referring = std::move(layout.messages[c].referring);
    layout.messages[c] = std::move(message);
  }
  return layout;
}

std::size_t ring_depth(const Deployment& deployment, std::size_t message_bytes, std::uint32_t instances) {
  constexpr std::size_t most = 64;
  const std::size_t fewest = instances > 1 ? 2 : 4;
  if (deployment.depth > 0) return deployment.depth;
  return std::clamp(second_cache().count / (message_bytes * instances), fewest, most);
}

std::size_t ring_depth(const Pipeline& pipeline, const ChannelPlan& channel, std::uint32_t instances) {
  constexpr double most = 4096, most_bytes = 16 << 20;
  const std::size_t usual =
      std::max(ring_depth(pipeline.deployment, channel.bytes, instances), channel.least_depth);
  double frames = 0;
  for (const ChannelPlan::Part& part : channel.parts)
    frames = std::max(frames, pipeline.stages[part.stage].gives);
  if (pipeline.deployment.depth > 0 || frames <= 0) return usual;
  const double wanted = static_cast<double>(usual) / frames;
  return std::max(usual, static_cast<std::size_t>(
                             std::min({wanted, most, most_bytes / static_cast<double>(channel.bytes)})));
}

std::size_t window_depth(const Deployment& deployment) {
  constexpr std::size_t usual = 8;
  return deployment.depth > 0 ? deployment.depth : usual;
}

std::size_t window_depth(const Deployment& deployment, const ChannelPlan& channel) {
  return std::max(window_depth(deployment), channel.least_depth);
}

std::size_t early_frames(const Pipeline& pipeline, const ReorderProgram& reordering) {
  // As many as messages of another rank may be queued.
  return ring_depth(pipeline.deployment, kept_bytes(pipeline, reordering).count, 1);
}

Bytes early_memory(const Pipeline& pipeline, const ReorderProgram& reordering) {
  return Bytes{early_frames(pipeline, reordering) * reordering.needed.size() *
               kept_bytes(pipeline, reordering).count};
}

Bytes extra_memory(const Stage& stage) {
  Bytes bytes{0};
  const sensors::FrameType& frames = stage.kind == StageKind::source ? stage.own_frames : stage.output;
  bytes.count += stage.in_flight.count;
  if (stage.backlog) bytes.count += sensors::memory_of(*stage.backlog, frames.size()).count;
  if (stage.transient) bytes.count += sensors::memory_of(*stage.transient, stage.output).count;
  return bytes;
}

Bytes memory_of(const Pipeline& pipeline, const RankProgram& program) {
  const auto places_of = [&](bool is_shared) {
    const Layout layout = lay_out(pipeline, program,
                                  {std::vector<bool>(program.sends.size(), is_shared),
                                   std::vector<bool>(pipeline.stages.size(), false)});
    std::size_t bytes = (layout.places + (layout.may_copy() ? 1 : 0)) * layout.place_size.count;
    for (std::size_t c = 0; c < program.sends.size(); ++c)
      bytes +=
          layout.messages[c].bytes * (is_shared ? ring_depth(pipeline, program.sends[c], program.instances)
                                                : window_depth(pipeline.deployment, program.sends[c]));
    return bytes;
  };
  std::size_t tiles = 0;
  for (const TiledSteps& steps : program.tiled) {
    const TilePlaces places = tile_places(pipeline, steps.group);
    tiles += places.count * places.size.count;
  }
  std::size_t windows = 0;
  for (const ChannelPlan& channel : program.receives)
    windows += window_depth(pipeline.deployment, channel) * channel.bytes;
  std::set<std::size_t> stages;
  for (const Step& step : program.steps)
    if (step.kind == OperationKind::compute) stages.insert(step.index);
  std::size_t extra =
      may_reorder(pipeline, program) ? early_memory(pipeline, reorder_program(pipeline, program)).count : 0;
  for (const std::size_t stage : stages) extra += extra_memory(pipeline.stages[stage]).count;
  return Bytes{std::max(places_of(true), places_of(false) + windows) + tiles + extra};
}

}  // namespace takt::pipeline
