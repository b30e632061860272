#include "pipeline/kernels/pass.hpp"

#include "core/copy_out.hpp"

namespace takt::pipeline {

namespace {

class Pass final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }

  std::optional<std::size_t> separates(std::size_t axis) const override { return axis; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    copy_out(output.bytes.data(), inputs.front().bytes.data(), output.bytes.size());
    return Outcome::produced;
  }
};

}  // namespace

KernelKind pass_kernel() {
  return {.name = "pass",
          .summary = "outputs its first input unchanged",
          .stateless = true,
          .more_inputs = true,
          .make = [](const Parameters&) -> std::unique_ptr<Kernel> { return std::make_unique<Pass>(); }};
}

}  // namespace takt::pipeline
