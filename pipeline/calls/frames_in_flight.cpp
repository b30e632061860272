#include "pipeline/calls/frames_in_flight.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/saved_state.hpp"
#include "core/system/clock.hpp"
#include "pipeline/calls/canary.hpp"
#include "pipeline/calls/kernel_call.hpp"

namespace takt::pipeline {

namespace {

/// Time between two calls of AsynchronousKernel::poll.
constexpr std::int64_t poll_ns = 50'000;
/// Upper bound of a sleep that a completion ends.
constexpr std::int64_t longest_sleep_ns = 100'000'000;

}  // namespace

FramesInFlight::FramesInFlight(std::unique_ptr<AsynchronousKernel> kernel, std::span<const FrameType> inputs,
                               FrameType output, bool is_stateless, Maker maker)
    : kernel_(std::move(kernel)),
      type_(std::move(output)),
      is_stateless_(is_stateless),
      maker_(std::move(maker)) {
  const std::size_t bytes = type_.size().count;
  for (std::size_t i = 0; i < kernel_->depth(); ++i) {
    Place& place = *places_.emplace_back(std::make_unique<Place>());
    place.headers.resize(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      place.memories.emplace_back(1, inputs[k].size());
      place.inputs.push_back({&place.headers[k], place.memories[k].frame(0)});
    }
    place.memory.emplace(1, Bytes{bytes + canary_bytes});
    place.output = {&place.header, place.memory->frame(0).first(bytes)};
  }
}

Outcome FramesInFlight::process(std::span<const FrameView> inputs, const FrameBuffer& output) {
  const Outcome outcome = count_ == places_.size() ? give(output) : Outcome::absorbed;
  start(inputs);
  return outcome;
}

Outcome FramesInFlight::finish(const FrameBuffer& output) {
  while (count_ > 0)
    if (give(output) == Outcome::produced) return Outcome::more;
  return kernel_->finish(output);
}

void FramesInFlight::start(std::span<const FrameView> inputs) {
  (void)kernel_->poll();
  Place& place = *places_[(first_ + count_) % places_.size()];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    place.headers[i] = *inputs[i].header;
    std::ranges::copy(inputs[i].bytes, place.memories[i].frame(0).begin());
  }
  place.header = place.headers.front();
  plant_canary(place.output.bytes);
  place.completion.begin();
  ++count_;
  kernel_->start(place.inputs, place.output, place.completion);
}

Outcome FramesInFlight::give(const FrameBuffer& output) {
  Place& place = oldest();
  wait_for(place);
  const Outcome outcome = place.completion.outcome();
  if (outcome > Outcome::absorbed) throw_wrong_outcome(outcome, "Completion::done");
  if (!canary_lives(place.output.bytes)) throw_dead_canary(place.output.bytes);
  last_duration_ns_ = place.completion.duration_ns();
  *output.header = place.header;
  if (outcome == Outcome::produced) std::ranges::copy(place.output.bytes, output.bytes.begin());
  first_ = (first_ + 1) % places_.size();
  --count_;
  return outcome;
}

void FramesInFlight::wait_for(Place& place) const {
  while (!place.completion.is_complete()) {
    const bool polls = kernel_->poll();
    place.completion.sleep(now_ns() + (polls ? poll_ns : longest_sleep_ns));
  }
}

void FramesInFlight::wait_for_all() const {
  for (std::size_t i = 0; i < count_; ++i) wait_for(*places_[(first_ + i) % places_.size()]);
}

bool FramesInFlight::is_ready(bool has_input) const {
  if (count_ == 0 || (has_input && count_ < places_.size()) || oldest().completion.is_complete()) return true;
  (void)kernel_->poll();
  return oldest().completion.is_complete();
}

void FramesInFlight::sleep(std::int64_t latest_ns) const {
  const bool polls = kernel_->poll();
  oldest().completion.sleep(polls ? std::min(latest_ns, now_ns() + poll_ns) : latest_ns);
}

bool FramesInFlight::change(const Parameters& parameters) {
  wait_for_all();
  if (kernel_->change(parameters)) return true;
  std::unique_ptr<AsynchronousKernel> kernel = maker_(parameters);
  if (kernel->depth() != places_.size())
    throw WorkError(
        fmt::format("the change alters its depth from {} frames to {}", places_.size(), kernel->depth()));
  kernel_ = std::move(kernel);
  return true;
}

std::optional<std::vector<std::byte>> FramesInFlight::save() const {
  wait_for_all();
  std::optional<std::vector<std::byte>> own = kernel_->save();
  if (!own && !is_stateless_) return std::nullopt;
  StateWriter writer;
  writer.add(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    const Place& place = *places_[(first_ + i) % places_.size()];
    // A failure is reported when the frame is passed on, after this checkpoint: it must not enter it.
    writer.add(place.completion.outcome()).add(place.header);
    writer.add(std::span<const std::byte>(place.output.bytes));
  }
  writer.add(own.has_value()).add(own.value_or(std::vector<std::byte>{}));
  return writer.take();
}

void FramesInFlight::load(std::span<const std::byte> state) {
  StateReader reader(state);
  first_ = 0;
  reader.get(count_);
  if (count_ > places_.size())
    throw WorkError("the saved state has more frames under way than this kernel's depth");
  for (std::size_t i = 0; i < count_; ++i) {
    Place& place = *places_[i];
    Outcome outcome{};
    reader.get(outcome).get(place.header).get(place.output.bytes);
    plant_canary(place.output.bytes);
    place.completion.begin();
    place.completion.done(outcome);
  }
  bool has_own = false;
  std::vector<std::byte> own;
  reader.get(has_own).get_all(own).end();
  if (has_own) kernel_->load(own);
}

}  // namespace takt::pipeline
