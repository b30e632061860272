#include "pipeline/kernels/hold.hpp"

#include <algorithm>

namespace takt::pipeline {

namespace {

/// An asynchronous kernel whose work ends at once: its frames wait for later ones.
class Hold final : public AsynchronousKernel {
 public:
  explicit Hold(const Parameters& parameters)
      : frames_(static_cast<std::size_t>(parameters.integer("frames"))) {}

  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
  [[nodiscard]] std::size_t depth() const override { return frames_; }
  void start(std::span<const FrameView> inputs, const FrameBuffer& output, Completion& completion) override {
    std::ranges::copy(inputs.front().bytes, output.bytes.begin());
    completion.done();
  }

 private:
  std::size_t frames_;
};

}  // namespace

KernelKind hold_kernel() {
  return {.name = "hold",
          .summary = "outputs its input unchanged, some frames later",
          .stateless = true,
          .parameters = {{.name = "frames",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "number of frames to hold back",
                          .minimum = 1,
                          .maximum = 1024}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Hold>(parameters);
          }};
}

}  // namespace takt::pipeline
