// A plug-in with one kernel, `gain`: multiplies every element by a factor.

#include <fmt/format.h>
#include <takt/pipeline/kernel.hpp>

namespace {

using namespace takt::pipeline;

class Gain final : public Kernel {
 public:
  explicit Gain(const Parameters& parameters) : factor_(static_cast<float>(parameters.number("factor"))) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    // Any shape will do, but only these elements.
    if (inputs.front().element != ElementType::float32)
      throw InputError(fmt::format("expected float32..., got {}", inputs.front().to_string()));
    return inputs.front();
  }

  // Several ranks can work on a frame together, each on a block of its first axis: what they make does not
  // depend on each other, so there is no more to it.
  std::optional<BlockDistribution> distribution() const override {
    return BlockDistribution{.inputs = {0}, .output = 0};
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::span<const float> from = inputs.front().as<float>();
    const std::span<float> to = output.as<float>();
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = factor_ * from[i];
    return Outcome::produced;
  }

 private:
  float factor_;
};

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add({.name = "gain",
                .summary = "multiplies every element by a factor",
                .stateless = true,
                .parameters = {{.name = "factor",
                                .type = ParameterType::number,
                                .fallback = "1",
                                .help = "what every element is multiplied by",
                                .minimum = -1e6,
                                .maximum = 1e6}},
                .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
                  return std::make_unique<Gain>(parameters);
                }});
}
