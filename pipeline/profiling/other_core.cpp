#include "pipeline/profiling/other_core.hpp"

#include "core/copy_out.hpp"
#include "core/kept_affinity.hpp"
#include "core/quiet_thread.hpp"
#include "pipeline/profiling/trial_frames.hpp"

namespace takt::pipeline {

OtherCore::OtherCore(std::size_t processor) {
  thread_ = quiet_thread([this, processor] { run(processor); });
}

OtherCore::~OtherCore() {
  work_.store(Work::ended, std::memory_order_release);
  work_.notify_all();
  thread_.join();
}

void OtherCore::read(std::span<std::byte> memory) {
  ask(Work::reading, memory);
}

void OtherCore::write(std::span<std::byte> memory) {
  ask(Work::writing, memory);
}

void OtherCore::write_past_caches(std::span<std::byte> memory) {
  ask(Work::writing_past_caches, memory);
}

void OtherCore::ask(Work work, std::span<std::byte> memory) {
  memory_ = memory;
  work_.store(work, std::memory_order_release);
  work_.notify_all();
  work_.wait(work, std::memory_order_acquire);
}

void OtherCore::run(std::size_t processor) {
  // Where that is refused it may be the core that asks, and messages cost nothing.
  keep_to_processor(processor);
  for (;;) {
    work_.wait(Work::none, std::memory_order_acquire);
    const Work work = work_.load(std::memory_order_acquire);
    switch (work) {
      case Work::reading:
        read_through(memory_);
        break;
      case Work::writing:
        touch(memory_);
        break;
      case Work::writing_past_caches:
        copy_past_caches(memory_.data(), memory_.data(), memory_.size());
        end_copies_past_caches();
        break;
      case Work::none:
      case Work::ended:
        return;
    }
    work_.store(Work::none, std::memory_order_release);
    work_.notify_all();
  }
}

}  // namespace takt::pipeline
