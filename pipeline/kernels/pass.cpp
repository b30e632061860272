#include "pipeline/kernels/pass.hpp"

#include <algorithm>

namespace takt::pipeline {

namespace {

class Pass final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    std::ranges::copy(inputs.front().bytes, output.bytes.begin());
    return Outcome::produced;
  }
};

}  // namespace

KernelKind pass_kernel() {
  return {.name = "pass",
          .summary = "hands its first input on, unchanged",
          .more_inputs = true,
          .make = [](const Parameters&) -> std::unique_ptr<Kernel> { return std::make_unique<Pass>(); }};
}

}  // namespace takt::pipeline
