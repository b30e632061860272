#include "pipeline/profiling/neighbour.hpp"

#include <algorithm>
#include <chrono>

#include "core/kept_affinity.hpp"
#include "core/quiet_thread.hpp"
#include "pipeline/profiling/trial_frames.hpp"

namespace takt::pipeline {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Neighbour::Neighbour(const LoopMemory& memory, Time loop, std::size_t processor)
    : frames_(memory.frames_of_loop()), loop_(std::max(loop, Time{1})) {
  for (const std::span<std::byte> frame : frames_) bytes_ += frame.size();
  thread_ = quiet_thread([this, processor] { run(processor); });
}

Neighbour::~Neighbour() {
  want(State::ended);
  thread_.join();
}

void Neighbour::want(State state) {
  wanted_.store(state, std::memory_order_release);
  wanted_.notify_all();
}

void Neighbour::await(State state) const {
  for (State now = state_.load(std::memory_order_acquire); now != state;
       now = state_.load(std::memory_order_acquire))
    state_.wait(now, std::memory_order_acquire);
}

void Neighbour::work() {
  want(State::working);
  await(State::working);
}

void Neighbour::rest() {
  want(State::resting);
  await(State::resting);
}

void Neighbour::run(std::size_t processor) {
  // Where that is refused it is somewhere else, and a neighbour all the same.
  keep_to_processor(processor);
  const auto tell = [&](State state) {
    state_.store(state, std::memory_order_release);
    state_.notify_all();
  };
  // The system gives it its pages now.
  for (const std::span<std::byte> frame : frames_) touch(frame);
  for (;;) {
    wanted_.wait(State::resting, std::memory_order_acquire);
    const State wanted = wanted_.load(std::memory_order_acquire);
    if (wanted == State::ended) return;
    if (wanted == State::resting) continue;
    tell(State::working);
    go_through();
    tell(State::resting);
  }
}

void Neighbour::go_through() {
  constexpr std::size_t piece = 64 << 10;
  const double ns_a_byte =
      static_cast<double>(loop_.count()) / static_cast<double>(std::max<std::size_t>(bytes_, 1));
  auto due = Clock::now();
  while (is_wanted()) {
    for (std::span<std::byte> frame : frames_)
      while (!frame.empty() && is_wanted()) {
        const std::span<std::byte> next = frame.first(std::min(piece, frame.size()));
        frame = frame.subspan(next.size());
        touch(next);
        // One that is late does not hurry later.
        due = std::max(due + Time(static_cast<Time::rep>(ns_a_byte * static_cast<double>(next.size()))),
                       Clock::now());
        while (Clock::now() < due && is_wanted()) {
        }
      }
    rounds_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace takt::pipeline
