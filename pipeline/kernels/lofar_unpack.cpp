#include "pipeline/kernels/lofar_unpack.hpp"

#include <algorithm>

namespace takt::pipeline {

namespace {

/// Beamlets treated together: each packet is read in runs of several cache lines, and the runs written are
/// few enough for the processor to follow.
constexpr std::size_t block = 8;

class LofarUnpack final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    is_wide_ = type.element == ElementType::complex_int16;
    require_input(inputs, 0, {ElementType::complex_int8, ElementType::complex_int16},
                  {"packet", "beamlet", "time", "polarisation"});
    const Axis packets = type.axes[0], time = type.axes[2];
    packets_ = packets.size;
    beamlets_ = type.axes[1].size;
    run_ = time.size * type.axes[3].size * 2;

    Axis samples{"time", packets.size * time.size, {}};
    for (double packet : packets.coordinates)
      for (double sample : time.coordinates) samples.coordinates.push_back(packet + sample);
    type.element = ElementType::complex_float32;
    type.axes = {type.axes[1], std::move(samples), type.axes[3]};
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    float* const to = output.as<float>().data();
    if (is_wide_)
      unpack(inputs.front().as<std::int16_t>().data(), to);
    else
      unpack(inputs.front().as<std::int8_t>().data(), to);
    return Outcome::produced;
  }

 private:
  /// A transposition of runs: [packet][beamlet][run] to [beamlet][packet][run].
  template <class Integer>
  void unpack(const Integer* __restrict from, float* __restrict to) const {
    for (std::size_t first = 0; first < beamlets_; first += block) {
      const std::size_t last = std::min(first + block, beamlets_);
      for (std::size_t packet = 0; packet < packets_; ++packet)
        for (std::size_t beamlet = first; beamlet < last; ++beamlet) {
          const Integer* const in = from + (packet * beamlets_ + beamlet) * run_;
          float* const out = to + (beamlet * packets_ + packet) * run_;
          for (std::size_t i = 0; i < run_; ++i) out[i] = static_cast<float>(in[i]);
        }
    }
  }

  bool is_wide_ = false;
  /// A run is one beamlet's part of one packet, counted in integers.
  std::size_t packets_ = 0, beamlets_ = 0, run_ = 0;
};

}  // namespace

KernelKind lofar_unpack_kernel() {
  return {
      .name = "lofar_unpack",
      .summary = "samples of LOFAR packets (8 or 16 bits) as complex numbers, beamlet by beamlet",
      .make = [](const Parameters&) -> std::unique_ptr<Kernel> { return std::make_unique<LofarUnpack>(); }};
}

}  // namespace takt::pipeline
