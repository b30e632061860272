#include "pipeline/kernels/lofar_unpack.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/system/wide_registers.hpp"

namespace takt::pipeline {

namespace {

/// Transposes runs: [packet][beamlet][run] to [beamlet][packet][run].
template <class Integer, class Size>
[[gnu::always_inline]] inline void transpose_runs(const Integer* __restrict from, float* __restrict to,
                                                  std::size_t packets, std::size_t beamlets, Size run) {
  for (std::size_t beamlet = 0; beamlet < beamlets; ++beamlet)
    for (std::size_t packet = 0; packet < packets; ++packet) {
      const Integer* const in = from + (packet * beamlets + beamlet) * run;
      float* const out = to + (beamlet * packets + packet) * run;
      for (std::size_t i = 0; i < run; ++i) out[i] = static_cast<float>(in[i]);
    }
}

/// 16 samples of two polarisations, as in LOFAR's packets.
constexpr std::integral_constant<std::size_t, 64> usual_run;

TAKT_WIDE void unpack_runs(const std::int8_t* from, float* to, std::size_t packets, std::size_t beamlets,
                           std::size_t run) {
  if (run == usual_run) return transpose_runs(from, to, packets, beamlets, usual_run);
  transpose_runs(from, to, packets, beamlets, run);
}

TAKT_WIDE void unpack_runs(const std::int16_t* from, float* to, std::size_t packets, std::size_t beamlets,
                           std::size_t run) {
  if (run == usual_run) return transpose_runs(from, to, packets, beamlets, usual_run);
  transpose_runs(from, to, packets, beamlets, run);
}

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
    parts_ = type.parts;
    parts_.resize(2, 1);
    flags_at_ = type.data_size().count;
    has_flags_ = !type.parts.empty();
    type.parts.clear();
    type.element = ElementType::complex_float32;
    type.axes = {type.axes[1], std::move(samples), type.axes[3]};
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    // [packet][beamlet] becomes [beamlet][time].
    return axis <= 1 ? std::optional<std::size_t>(1 - axis) : std::nullopt;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    float* const to = output.as<float>().data();
    if (is_wide_)
      unpack_runs(inputs.front().as<std::int16_t>().data(), to, packets_, beamlets_, run_);
    else
      unpack_runs(inputs.front().as<std::int8_t>().data(), to, packets_, beamlets_, run_);
    if (has_flags_ && inputs.front().header->missing_parts > 0)
      mark_missing(inputs.front().bytes.subspan(flags_at_), to);
    return Outcome::produced;
  }

 private:
  void mark_missing(std::span<const std::byte> flags, float* to) const {
    for (std::size_t packet = 0; packet < packets_; ++packet)
      for (std::size_t beamlet = 0; beamlet < beamlets_; ++beamlet) {
        const std::size_t row = packet * parts_[0] / packets_, column = beamlet * parts_[1] / beamlets_;
        if (flags[row * parts_[1] + column] != std::byte{0})
          std::fill_n(to + (beamlet * packets_ + packet) * run_, run_,
                      std::numeric_limits<float>::quiet_NaN());
      }
  }

  bool is_wide_ = false;
  /// A run is one beamlet's part of one packet, counted in integers.
  std::size_t packets_ = 0, beamlets_ = 0, run_ = 0;
  /// Parts with a flag on the axes packet and beamlet (FrameType::parts), and the offset of the flags.
  std::vector<std::size_t> parts_;
  std::size_t flags_at_ = 0;
  bool has_flags_ = false;
};

}  // namespace

KernelKind lofar_unpack_kernel() {
  return {
      .name = "lofar_unpack",
      .summary = "samples of LOFAR packets (8 or 16 bits) as complex numbers, beamlet by beamlet",
      .stateless = true,
      .make = [](const Parameters&) -> std::unique_ptr<Kernel> { return std::make_unique<LofarUnpack>(); }};
}

}  // namespace takt::pipeline
