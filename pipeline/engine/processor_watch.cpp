#include "pipeline/engine/processor_watch.hpp"

#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "core/clock.hpp"

namespace takt::pipeline {

namespace {

/// Since the thread's start. Source: Documentation/scheduler/sched-stats.rst of Linux, /proc/<pid>/schedstat.
std::optional<ProcessorTime> since_start() {
  const std::string name = fmt::format("/proc/self/task/{}/schedstat", ::getpid());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "re"), std::fclose);
  unsigned long long used = 0, delayed = 0;
  if (!file || std::fscanf(file.get(), "%llu %llu", &used, &delayed) != 2) return std::nullopt;
  return ProcessorTime{used, delayed, static_cast<std::uint64_t>(now_ns())};
}

}  // namespace

ProcessorTime ProcessorWatch::look(bool is_at_work) {
  if (!is_at_work) return passed_;
  const std::optional<ProcessorTime> now = since_start();
  if (!now) return passed_;
  if (!first_) first_ = now;
  passed_ = {now->used_ns - first_->used_ns, now->delayed_ns - first_->delayed_ns,
             now->span_ns - first_->span_ns};
  return passed_;
}

}  // namespace takt::pipeline
