#include "pipeline/kernels/spin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/copy_out.hpp"
#include "core/system/clock.hpp"
#include "pipeline/kernel_state.hpp"

namespace takt::pipeline {

namespace {

/// A chain of dependent multiplications that processors cannot overlap and compilers cannot remove. Returns
/// the last value.
std::uint64_t burn(std::uint64_t steps, std::uint64_t value) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));
  }
  return value;
}

/// Measures the steps of `burn` per nanosecond of this thread's CPU time, which excludes other processes. The
/// fastest of several runs is the least disturbed one.
double measure_speed() {
  constexpr std::uint64_t steps = 500'000;
  constexpr int runs = 8;
  (void)burn(steps, 0);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int run = 0; run < runs; ++run) {
    const std::int64_t start = thread_processor_ns();
    (void)burn(steps, 0);
    least = std::min(least, thread_processor_ns() - start);
  }
  return static_cast<double>(steps) / static_cast<double>(std::max<std::int64_t>(least, 1));
}

class Spin final : public Kernel {
 public:
  explicit Spin(const Parameters& parameters)
      : time_(parameters.time("time")), has_state_(parameters.boolean("state")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    set_steps();
    return inputs.front();
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    // Each frame continues with the value of the frame before it.
    const std::uint64_t last = burn(steps_, value_);
    if (has_state_) value_ = last;
    copy_out(output.bytes.data(), inputs.front().bytes.data(), output.bytes.size());
    return Outcome::produced;
  }

  [[nodiscard]] bool is_stateless() const override { return !has_state_; }

  bool change(const Parameters& parameters) override {
    time_ = parameters.time("time");
    set_steps();
    return true;
  }

  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override {
    if (!has_state_) return std::nullopt;
    return saved(value_);
  }
  void load(std::span<const std::byte> state) override { load_into(state, value_); }

 private:
  void set_steps() {
    static const double steps_per_ns = measure_speed();
    steps_ = static_cast<std::uint64_t>(std::llround(static_cast<double>(time_.count()) * steps_per_ns));
  }

  Time time_;
  bool has_state_;
  std::uint64_t steps_ = 0;
  std::uint64_t value_ = 0;
};

}  // namespace

KernelKind spin_kernel() {
  return {.name = "spin",
          .summary = "occupies the processor for a given time, then outputs its first input",
          .stateless = false,
          .more_inputs = true,
          .parameters = {{.name = "time",
                          .type = ParameterType::time,
                          .help = "time per frame on an idle processor",
                          .maximum = 60e9,
                          .may_change = true},
                         {.name = "state",
                          .type = ParameterType::boolean,
                          .fallback = "false",
                          .help = "whether it keeps a value from frame to frame, so that one rank runs it"}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Spin>(parameters);
          }};
}

}  // namespace takt::pipeline
