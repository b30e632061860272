/// What does the canary after each output cost per kernel call? Compare `with/BYTES` with `without/BYTES`:
/// the kernel copies its frame, the least work of any kernel.

#include <cstring>
#include <map>

#include <benchmark/benchmark.h>

#include "pipeline/calls/kernel_call.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {
namespace {

class CopyingKernel final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    std::memcpy(output.bytes.data(), inputs.front().bytes.data(), output.bytes.size());
    return Outcome::produced;
  }
};

struct Frames {
  explicit Frames(std::size_t bytes) : from(1, Bytes{bytes}), to(1, Bytes{bytes + canary_bytes}) {}
  sensors::FrameMemory from, to;
};

/// Returns the same memory for both sides of the comparison.
Frames& frames_of(std::size_t bytes) {
  static std::map<std::size_t, Frames> all;
  return all.try_emplace(bytes, bytes).first->second;
}

void call_copying_kernel(benchmark::State& state, bool has_canary) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Frames& frames = frames_of(bytes);
  FrameHeader in_header, out_header;
  const FrameView input{&in_header, frames.from.frame(0)};
  const KernelCall call{.inputs = {&input, 1},
                        .output = {&out_header, frames.to.frame(0).first(bytes)},
                        .has_canary = has_canary};
  CopyingKernel kernel;
  Kernel* called = &kernel;
  for (auto _ : state) {
    // Hides the type of the kernel from the compiler.
    benchmark::DoNotOptimize(called);
    benchmark::DoNotOptimize(call_kernel(*called, call));
  }
}

void with_canary(benchmark::State& state) {
  call_copying_kernel(state, true);
}
void without_canary(benchmark::State& state) {
  call_copying_kernel(state, false);
}
BENCHMARK(with_canary)->Name("canary/with")->Arg(64)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK(without_canary)->Name("canary/without")->Arg(64)->Arg(4096)->Arg(65536)->Arg(1 << 20);

}  // namespace
}  // namespace takt::pipeline
