/// A plug-in with the kernels that the runtime's tests need and no user does.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "pipeline/kernel.hpp"

namespace {

using namespace takt::pipeline;

/// Adds two int32 streams of one shape.
class Add final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto a = inputs[0].as<std::int32_t>(), b = inputs[1].as<std::int32_t>();
    const auto sum = output.as<std::int32_t>();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] + b[i];
    return Outcome::produced;
  }
};

/// Fails on the frame whose elements are a given number.
class Fail final : public Kernel {
 public:
  explicit Fail(std::int64_t frame) : frame_(frame) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    if (inputs[0].as<std::int32_t>()[0] == frame_) throw std::runtime_error("the antenna fell over");
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    return Outcome::produced;
  }

 private:
  std::int64_t frame_;
};

/// Gives nothing of some frames.
class Swallow final : public Kernel {
 public:
  Swallow(std::int64_t from, std::int64_t to) : from_(from), to_(to) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto frame = static_cast<std::int64_t>(inputs[0].header->sequence);
    if (frame >= from_ && frame <= to_) return Outcome::absorbed;
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    return Outcome::produced;
  }

 private:
  std::int64_t from_, to_;
};

/// Sums `frames` frames into one and gives the rest at the end.
class Sum final : public Kernel {
 public:
  explicit Sum(std::int64_t frames) : frames_(frames) {}
  FrameType configure(std::span<const FrameType> inputs) override {
    sum_.assign(inputs[0].element_count(), 0);
    return inputs[0];
  }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto values = inputs[0].as<std::int32_t>();
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += values[i];
    combined_ += inputs[0].header->combined;
    return ++count_ == frames_ ? give(output) : Outcome::absorbed;
  }
  Outcome finish(const FrameBuffer& output) override { return count_ > 0 ? give(output) : Outcome::absorbed; }

 private:
  Outcome give(const FrameBuffer& output) {
    std::copy(sum_.begin(), sum_.end(), output.as<std::int32_t>().begin());
    sum_.assign(sum_.size(), 0);
    count_ = 0;
    output.header->combined = std::exchange(combined_, 0);
    return Outcome::produced;
  }

  std::int64_t frames_;
  std::int64_t count_ = 0;
  std::uint32_t combined_ = 0;
  std::vector<std::int32_t> sum_;
};

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add({.name = "add", .summary = "sum of two streams", .inputs = 2, .make = [](const Parameters&) {
                  return std::unique_ptr<Kernel>(std::make_unique<Add>());
                }});
  registry.add(
      {.name = "fail",
       .summary = "fails on one frame",
       .parameters = {{.name = "frame", .type = ParameterType::integer, .help = "number of the frame"}},
       .make = [](const Parameters& parameters) {
         return std::unique_ptr<Kernel>(std::make_unique<Fail>(parameters.integer("frame")));
       }});
  registry.add({.name = "sum_of_frames",
                .summary = "sums successive frames",
                .stateless = false,
                .parameters = {{.name = "frames", .type = ParameterType::integer, .help = "frames in a sum"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(std::make_unique<Sum>(parameters.integer("frames")));
                }});
  registry.add(
      {.name = "swallow",
       .summary = "gives nothing of some frames",
       .parameters = {{.name = "from", .type = ParameterType::integer, .fallback = "0", .help = "first"},
                      {.name = "to", .type = ParameterType::integer, .fallback = "1000000", .help = "last"}},
       .make = [](const Parameters& parameters) {
         return std::unique_ptr<Kernel>(
             std::make_unique<Swallow>(parameters.integer("from"), parameters.integer("to")));
       }});
}
