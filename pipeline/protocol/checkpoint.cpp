#include "pipeline/protocol/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/formats/json.hpp"

namespace takt::pipeline {

namespace {

using nlohmann::json;

json json_of(const sensors::SourceCounters& counters) {
  json details = json::array();
  for (const sensors::Counter& each : counters.details) details.push_back({each.name, each.unit, each.value});
  return {{"ingested", counters.ingested},
          {"lost", counters.lost},
          {"dropped", counters.dropped},
          {"incomplete", counters.incomplete},
          {"details", std::move(details)}};
}

sensors::SourceCounters counters_of(const json& root) {
  sensors::SourceCounters counters{.ingested = root.at("ingested"),
                                   .lost = root.at("lost"),
                                   .dropped = root.at("dropped"),
                                   .incomplete = root.at("incomplete"),
                                   .details = {}};
  for (const json& each : root.at("details"))
    counters.details.push_back({each.at(0), each.at(1), each.at(2)});
  return counters;
}

json json_of(const SavedStage::Stream& stream) {
  const sensors::FrameHeader& last = stream.place.last;
  return {{"frames", stream.place.frames},
          {"last", {last.sequence, last.epoch, last.first_sample, last.utc_ns}},
          {"begun", stream.begun_utc_ns},
          {"step", stream.step},
          {"counters", json_of(stream.counters)}};
}

SavedStage::Stream stream_of(const json& root) {
  const json& last = root.at("last");
  SavedStage::Stream stream{.place = {.frames = root.at("frames"), .last = {}},
                            .counters = counters_of(root.at("counters")),
                            .begun_utc_ns = root.at("begun"),
                            .step = root.at("step")};
  stream.place.last.sequence = last.at(0);
  stream.place.last.epoch = last.at(1);
  stream.place.last.first_sample = last.at(2);
  stream.place.last.utc_ns = last.at(3);
  return stream;
}

SavedStage stage_of(const json& root, std::string_view& bytes) {
  SavedStage stage{.stage = root.at("stage"),
                   .runs = root.at("runs"),
                   .given = root.at("given"),
                   .total_ns = root.at("total_ns")};
  if (root.contains("stream")) stage.stream = stream_of(root["stream"]);
  if (root.contains("delivery")) {
    const json& delivery = root["delivery"];
    stage.delivery = {.passed = delivery.at(0),
                      .delivered = delivery.at(1),
                      .most_combined = delivery.at(2),
                      .held_back = delivery.at(3)};
  }
  if (!root.contains("bytes")) return stage;
  const std::size_t size = root["bytes"];
  if (size > bytes.size()) throw ConfigError("the checkpoint is truncated");
  stage.state.emplace(size);
  if (size > 0) std::memcpy(stage.state->data(), bytes.data(), size);
  bytes.remove_prefix(size);
  return stage;
}

/// Adds the counters of another rank, and takes over the state that only that rank has.
void merge(SavedStage& into, SavedStage from) {
  into.runs += from.runs;
  into.given += from.given;
  into.total_ns += from.total_ns;
  if (from.state) into.state = std::move(from.state);
  if (from.stream) into.stream = std::move(from.stream);
  if (from.delivery) into.delivery = from.delivery;
}

}  // namespace

const SavedStage* Checkpoint::find(std::size_t stage) const {
  const auto found = std::ranges::find(stages, stage, &SavedStage::stage);
  return found == stages.end() ? nullptr : &*found;
}

std::string to_text(const Checkpoint& checkpoint) {
  json stages = json::array();
  std::string bytes;
  for (const SavedStage& each : checkpoint.stages) {
    json stage{
        {"stage", each.stage}, {"runs", each.runs}, {"given", each.given}, {"total_ns", each.total_ns}};
    if (each.stream) stage["stream"] = json_of(*each.stream);
    if (const auto& delivery = each.delivery)
      stage["delivery"] = {delivery->passed, delivery->delivered, delivery->most_combined,
                           delivery->held_back};
    if (each.state) {
      stage["bytes"] = each.state->size();
      bytes.append(reinterpret_cast<const char*>(each.state->data()), each.state->size());
    }
    stages.push_back(std::move(stage));
  }
  const json head{{"frame", checkpoint.frame},
                  {"parts", checkpoint.parts},
                  {"rank", checkpoint.rank},
                  {"stages", std::move(stages)}};
  return head.dump() + '\n' + bytes;
}

Checkpoint checkpoint_from_text(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) throw ConfigError("the checkpoint has no first line");
  std::string_view bytes = text.substr(end + 1);
  try {
    const json head = json::parse(text.substr(0, end));
    Checkpoint checkpoint{
        .frame = head.at("frame"), .parts = head.at("parts"), .rank = head.at("rank"), .stages = {}};
    for (const json& each : head.at("stages")) checkpoint.stages.push_back(stage_of(each, bytes));
    return checkpoint;
  } catch (const json::exception& error) {
    throw ConfigError(std::string("not a checkpoint: ") + error.what());
  }
}

void CheckpointDesk::take(Checkpoint part) {
  if (whole_ && part.frame <= whole_->frame) return;
  const auto is_same = [&](const Checkpoint& other) {
    return other.frame == part.frame && other.rank == part.rank;
  };
  std::erase_if(parts_, is_same);
  const std::uint64_t frame = part.frame;
  const std::size_t wanted = part.parts;
  parts_.push_back(std::move(part));
  if (static_cast<std::size_t>(std::ranges::count(parts_, frame, &Checkpoint::frame)) < wanted) return;
  Checkpoint whole{.frame = frame};
  for (Checkpoint& each : parts_) {
    if (each.frame != frame) continue;
    for (SavedStage& stage : each.stages) {
      const auto there = std::ranges::find(whole.stages, stage.stage, &SavedStage::stage);
      if (there == whole.stages.end())
        whole.stages.push_back(std::move(stage));
      else
        merge(*there, std::move(stage));
    }
  }
  std::erase_if(parts_, [&](const Checkpoint& each) { return each.frame <= frame; });
  whole_ = std::move(whole);
}

}  // namespace takt::pipeline
