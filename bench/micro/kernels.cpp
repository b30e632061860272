/// How long does each kernel take for one frame of a station?

#include <benchmark/benchmark.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline {
namespace {

using test::frame_type;
using test::KernelBench;

constexpr std::size_t beamlets = 122, packets = 128, samples = 16 * packets;

FrameType packets_type() {
  return frame_type(ElementType::complex_int8,
                    {{"packet", packets}, {"beamlet", beamlets}, {"time", 16}, {"polarisation", 2}});
}
FrameType voltages_type() {
  return frame_type(ElementType::complex_float32,
                    {{"beamlet", beamlets}, {"time", samples}, {"polarisation", 2}});
}
FrameType spectra_type() {
  return frame_type(ElementType::complex_float32,
                    {{"time", samples / 64}, {"channel", 64 * beamlets}, {"polarisation", 2}});
}
FrameType powers_type() {
  return frame_type(ElementType::float32, {{"time", samples / 64}, {"channel", 64 * beamlets}});
}

/// Fills the inputs with arbitrary noise, without zeros, which are faster in places.
void fill(KernelBench& bench, const FrameType& type) {
  if (type.element == ElementType::complex_int8) {
    const auto values = bench.input().as<std::int8_t>();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(i * 37 % 101);
    return;
  }
  const auto values = bench.input().as<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) - 50;
}

std::string taps_of_one_s_own(int count) {
  std::string list = "[0.5";
  for (int i = 1; i < count; ++i) list += ", 0.01";
  return list + "]";
}

void kernel(benchmark::State& state, const char* name, const test::Written& parameters,
            const FrameType& input) {
  KernelBench bench(name, parameters, {input});
  fill(bench, input);
  for (auto _ : state) benchmark::DoNotOptimize(bench.process());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(input.size().count));
}
BENCHMARK_CAPTURE(kernel, lofar_unpack, "lofar_unpack", {}, packets_type())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, fft_64, "fft", {{"channels", "64"}}, voltages_type())
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, fft_1024_hann, "fft", {{"channels", "1024"}, {"window", "hann"}}, voltages_type())
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, stokes, "stokes", {}, spectra_type())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, integrate, "integrate", {{"factor", "8"}}, powers_type())
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, statistics, "statistics", {}, powers_type())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, pass, "pass", {}, voltages_type())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, pfb_64_of_4_taps, "pfb", {{"channels", "64"}, {"taps", "4"}}, voltages_type())
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, fir_32, "fir", {{"coefficients", taps_of_one_s_own(32)}}, voltages_type())
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, rfi_mask, "rfi_mask", {}, powers_type())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, bandpass, "bandpass", {}, powers_type())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, quantise, "quantise", {}, powers_type())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(kernel, transpose, "transpose", {{"axes", "[channel, time]"}}, powers_type())
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace takt::pipeline
