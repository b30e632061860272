#include "pipeline/kernels/spin.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <time.h>

#include "core/copy_out.hpp"

namespace takt::pipeline {

namespace {

/// A chain of dependent multiplications, so that no processor can overlap them and no compiler can drop them.
void burn(std::uint64_t steps) {
  std::uint64_t state = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(state));
  }
}

/// Of this thread: a processor that others have meanwhile is no slower one.
std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Steps of `burn` a nanosecond. The fastest of several runs is the one that nothing disturbed.
double measure_speed() {
  constexpr std::uint64_t steps = 500'000;
  constexpr int runs = 8;
  burn(steps);
  std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
  for (int run = 0; run < runs; ++run) {
    const auto start = processor_time();
    burn(steps);
    least = std::min(least, processor_time() - start);
  }
  return static_cast<double>(steps) / static_cast<double>(std::max<std::int64_t>(least.count(), 1));
}

class Spin final : public Kernel {
 public:
  explicit Spin(Time time) : time_(time) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    static const double steps_per_ns = measure_speed();
    steps_ = static_cast<std::uint64_t>(std::llround(static_cast<double>(time_.count()) * steps_per_ns));
    return inputs.front();
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    burn(steps_);
    copy_out(output.bytes.data(), inputs.front().bytes.data(), output.bytes.size());
    return Outcome::produced;
  }

 private:
  Time time_;
  std::uint64_t steps_ = 0;
};

}  // namespace

KernelKind spin_kernel() {
  return {.name = "spin",
          .summary = "keeps the processor busy for a given time, then hands its first input on",
          .more_inputs = true,
          .parameters = {{.name = "time",
                          .type = ParameterType::time,
                          .help = "how long one frame takes on an idle processor",
                          .maximum = 60e9,
                          .may_change = true}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Spin>(parameters.time("time"));
          }};
}

}  // namespace takt::pipeline
