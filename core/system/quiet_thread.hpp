#pragma once
/// A thread that blocks signals, which the program's own threads handle.

#include <csignal>
#include <thread>
#include <utility>

namespace takt {

template <class Work>
[[nodiscard]] std::thread quiet_thread(Work work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace takt
