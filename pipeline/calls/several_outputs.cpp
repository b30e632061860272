#include "pipeline/calls/several_outputs.hpp"

#include <utility>

#include "core/copy_out.hpp"
#include "pipeline/calls/kernel_call.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t line = 128;

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

struct OutputHead {
  FrameHeader header;
  std::uint64_t is_given = 0;
};
constexpr std::size_t head_bytes = whole_lines(sizeof(OutputHead));

/// Returns the offset of each output's head, and the end; each output has room for a canary after it.
std::vector<std::size_t> places_of(std::span<const FrameType> outputs) {
  std::vector<std::size_t> places{0};
  for (const FrameType& output : outputs)
    places.push_back(places.back() + head_bytes + whole_lines(output.size().count + canary_bytes));
  return places;
}

class PackingKernel final : public Kernel {
 public:
  PackingKernel(std::unique_ptr<Kernel> kernel, std::vector<FrameType> outputs)
      : kernel_(std::move(kernel)), outputs_(std::move(outputs)), places_(places_of(outputs_)) {
    further_.resize(outputs_.size() - 1);
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    return packed_type(outputs_, inputs.front().rate_hz);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& packed) override {
    begin(packed);
    for (std::size_t i = 0; i < further_.size(); ++i) further_[i] = {frame(packed, i + 1), false};
    for (std::size_t i = 0; i < outputs_.size(); ++i) plant_canary(frame(packed, i).bytes);
    const Outcome first = kernel_->process_all(inputs, frame(packed, 0), further_);
    if (first > Outcome::absorbed) throw_wrong_outcome(first, "process_all");
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (!canary_lives(frame(packed, i).bytes)) throw_dead_canary(frame(packed, i).bytes);
    bool any = first == Outcome::produced;
    head(packed, 0).is_given = any ? 1 : 0;
    for (std::size_t i = 0; i < further_.size(); ++i) {
      head(packed, i + 1).is_given = further_[i].is_given ? 1 : 0;
      any = any || further_[i].is_given;
    }
    if (!any) return Outcome::absorbed;
    // Gathered input counts as that of the first output.
    if (first == Outcome::produced) *packed.header = head(packed, 0).header;
    return Outcome::produced;
  }

  Outcome finish(const FrameBuffer& packed) override {
    begin(packed);
    const Outcome outcome = finish_checked(*kernel_, frame(packed, 0), true);
    head(packed, 0).is_given = outcome == Outcome::absorbed ? 0 : 1;
    *packed.header = head(packed, 0).header;
    return outcome;
  }

  std::optional<std::vector<std::byte>> save() const override { return kernel_->save(); }
  void load(std::span<const std::byte> state) override { kernel_->load(state); }
  std::size_t travelling_state() const override { return kernel_->travelling_state(); }
  bool change(const Parameters& parameters) override { return kernel_->change(parameters); }

 private:
  [[nodiscard]] OutputHead& head(const FrameBuffer& packed, std::size_t output) const {
    return *reinterpret_cast<OutputHead*>(packed.bytes.data() + places_[output]);
  }
  [[nodiscard]] FrameBuffer frame(const FrameBuffer& packed, std::size_t output) const {
    return {&head(packed, output).header,
            packed.bytes.subspan(places_[output] + head_bytes, outputs_[output].size().count)};
  }
  void begin(const FrameBuffer& packed) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) head(packed, i) = {*packed.header, 0};
  }

  std::unique_ptr<Kernel> kernel_;
  std::vector<FrameType> outputs_;
  std::vector<std::size_t> places_;
  std::vector<FurtherOutput> further_;
};

class PortKernel final : public Kernel {
 public:
  PortKernel(std::span<const FrameType> outputs, std::size_t port)
      : type_(outputs[port]), place_(places_of(outputs)[port]) {}

  FrameType configure(std::span<const FrameType>) override { return type_; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::byte* const packed = inputs.front().bytes.data() + place_;
    const auto& head = *reinterpret_cast<const OutputHead*>(packed);
    if (head.is_given == 0) return Outcome::absorbed;
    *output.header = head.header;
    copy_out(output.bytes.data(), packed + head_bytes, output.bytes.size());
    return Outcome::produced;
  }

 private:
  FrameType type_;
  std::size_t place_;
};

}  // namespace

FrameType packed_type(std::span<const FrameType> outputs, double rate_hz) {
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {Axis{"byte", places_of(outputs).back(), {}}};
  type.rate_hz = rate_hz;
  return type;
}

std::unique_ptr<Kernel> packing_kernel(std::unique_ptr<Kernel> kernel, std::vector<FrameType> outputs) {
  return std::make_unique<PackingKernel>(std::move(kernel), std::move(outputs));
}

std::unique_ptr<Kernel> port_kernel(std::span<const FrameType> outputs, std::size_t port) {
  return std::make_unique<PortKernel>(outputs, port);
}

}  // namespace takt::pipeline
