/// A plug-in: the stages of bench/runtime.py as takt's kernels.

#include "bench/runtime/stage.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/kernel_state.hpp"

namespace {

using namespace takt::pipeline;

class BenchStage : public Kernel {
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

/// Counts its frames.
class StatefulStage final : public BenchStage {
 public:
  using BenchStage::BenchStage;
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    ++frames_;
    return BenchStage::process(inputs, output);
  }
  std::optional<std::vector<std::byte>> save() const override { return saved(frames_); }
  void load(std::span<const std::byte> state) override { load_into(state, frames_); }
  std::size_t travelling_state() const override { return sizeof(frames_); }

 private:
  std::uint64_t frames_ = 0;
};

template <class Stage>
KernelKind bench_stage(const char* name, bool stateless) {
  return {.name = name,
          .summary = "a stage of bench/runtime.py",
          .stateless = stateless,
          .parameters = {{.name = "work", .help = "hand, touch, or microseconds"}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Stage>(takt::bench::parse_work(parameters.text("work")));
          }};
}

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add(bench_stage<BenchStage>("bench_stage", true));
  registry.add(bench_stage<StatefulStage>("bench_stateful", false));
}
