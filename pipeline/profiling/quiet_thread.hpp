#pragma once
/// Threads beside one that is measured, or waits for signals.

#include <csignal>
#include <thread>
#include <utility>

namespace takt::pipeline {

/// A thread that gets no signals: they are for those that were there before.
template <class Work>
[[nodiscard]] std::thread start_without_signals(Work work) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace takt::pipeline
