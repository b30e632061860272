#include "pipeline/launch/jobs/parent_watch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <signal.h>
#include <unistd.h>

namespace takt::pipeline {

namespace {

void watch(const std::stop_token& stop, pid_t parent) {
  constexpr std::chrono::milliseconds interval{100};
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    if (::getppid() != parent) {
      // SIGTERM gives a rank time to send its final status: a launcher on another host may still be alive.
      ::kill(::getpid(), SIGTERM);
      std::this_thread::sleep_for(std::chrono::seconds{1});
      ::_exit(1);
    }
    never.wait_for(lock, stop, interval, [] { return false; });
  }
}

}  // namespace

ParentWatch::ParentWatch() {
  // Other threads handle the signals.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread(watch, ::getppid());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace takt::pipeline
