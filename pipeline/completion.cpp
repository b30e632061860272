#include "pipeline/completion.hpp"

#include <utility>

#include "core/system/clock.hpp"
#include "core/system/futex.hpp"

namespace takt::pipeline {

void Completion::begin() {
  failure_ = nullptr;
  begin_ns_ = now_ns();
  state_.store(under_way, std::memory_order_relaxed);
}

void Completion::complete(Outcome outcome, std::exception_ptr failure) noexcept {
  outcome_ = outcome;
  failure_ = std::move(failure);
  end_ns_ = now_ns();
  if (state_.exchange(complete_, std::memory_order_acq_rel) == awaited) futex_wake(state_);
}

void Completion::sleep(std::int64_t latest_ns) {
  std::uint32_t expected = under_way;
  state_.compare_exchange_strong(expected, awaited);
  if (expected != complete_) futex_wait(state_, awaited, latest_ns);
}

Outcome Completion::outcome() const {
  if (failure_) std::rethrow_exception(failure_);
  return outcome_;
}

}  // namespace takt::pipeline
