#include "pipeline/c_program/call_kernel.hpp"

#include "pipeline/c_program/calls.hpp"

namespace takt::pipeline {

namespace {

class Call final : public Kernel {
 public:
  explicit Call(const takt_call& call) : call_(call), in_(call.inputs) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    check_inputs(call_, inputs);
    FrameType type = frame_of_bytes(call_.out_bytes);
    type.rate_hz = inputs.front().rate_hz;
    type.start_s = inputs.front().start_s;
    type.has_gaps = inputs.front().has_gaps;
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = const_cast<std::byte*>(inputs[i].bytes.data());
    call_.run(in_.data(), output.bytes.data());
    return Outcome::produced;
  }

 private:
  const takt_call& call_;
  std::vector<void*> in_;
};

}  // namespace

KernelKind call_kernel(const std::string& path) {
  return {.name = "c_call",
          .summary = "a call of a C program (takt parallelise --pipeline)",
          .stateless = true,
          .more_inputs = true,
          .parameters = call_parameters(path, {}),
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Call>(call_of(parameters));
          }};
}

}  // namespace takt::pipeline
