#include "pipeline/launch/replanning.hpp"

#include <exception>
#include <utility>

#include "core/system/quiet_thread.hpp"
#include "pipeline/exception_text.hpp"

namespace takt::pipeline {

namespace {

Replanning::Outcome outcome_of(const Replanning::Work& work, const std::stop_token& stop) {
  try {
    return {work(stop), {}};
  } catch (const std::exception& error) {
    return {std::nullopt, exception_text(error)};
  } catch (...) {
    return {std::nullopt, "an exception of unknown type"};
  }
}

}  // namespace

Replanning::~Replanning() {
  stop_.request_stop();
  join();
}

void Replanning::begin(Work work) {
  thread_ = quiet_thread([this, work = std::move(work), stop = stop_.get_token()] {
    Outcome outcome = outcome_of(work, stop);
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
  });
}

std::optional<Replanning::Outcome> Replanning::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!outcome_) return std::nullopt;
  }
  join();
  return std::exchange(outcome_, std::nullopt);
}

void Replanning::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace takt::pipeline
