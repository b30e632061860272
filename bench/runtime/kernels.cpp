/// A plug-in: the stages of bench/runtime.py as takt's kernels.

#include "bench/runtime/stage.hpp"
#include "pipeline/kernel.hpp"

namespace {

using namespace takt::pipeline;

class BenchStage final : public Kernel {
 public:
  explicit BenchStage(const takt::bench::StageWork& work) : work_(work) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto in = inputs[0].as<float>();
    takt::bench::run_stage(work_, in.data(), output.as<float>().data(), in.size());
    return Outcome::produced;
  }

 private:
  takt::bench::StageWork work_;
};

KernelKind bench_stage(const char* name, bool stateless) {
  return {.name = name,
          .summary = "a stage of bench/runtime.py",
          .stateless = stateless,
          .parameters = {{.name = "work", .help = "hand, touch, or microseconds"}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<BenchStage>(takt::bench::parse_work(parameters.text("work")));
          }};
}

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add(bench_stage("bench_stage", true));
  registry.add(bench_stage("bench_stateful", false));
}
