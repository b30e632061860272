#include "pipeline/kernels/spin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/copy_out.hpp"
#include "core/system/clock.hpp"

namespace takt::pipeline {

namespace {

/// A chain of dependent multiplications that processors cannot overlap and compilers cannot remove.
void burn(std::uint64_t steps) {
  std::uint64_t state = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(state));
  }
}

/// Measures the steps of `burn` per nanosecond of this thread's CPU time, which excludes other processes. The
/// fastest of several runs is the least disturbed one.
double measure_speed() {
  constexpr std::uint64_t steps = 500'000;
  constexpr int runs = 8;
  burn(steps);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int run = 0; run < runs; ++run) {
    const std::int64_t start = thread_processor_ns();
    burn(steps);
    least = std::min(least, thread_processor_ns() - start);
  }
  return static_cast<double>(steps) / static_cast<double>(std::max<std::int64_t>(least, 1));
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
          .summary = "occupies the processor for a given time, then outputs its first input",
          .stateless = true,
          .more_inputs = true,
          .parameters = {{.name = "time",
                          .type = ParameterType::time,
                          .help = "time per frame on an idle processor",
                          .maximum = 60e9,
                          .may_change = true}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Spin>(parameters.time("time"));
          }};
}

}  // namespace takt::pipeline
