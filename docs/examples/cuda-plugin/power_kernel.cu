#include "power_kernel.hpp"

namespace {

__global__ void power_of(const float2* samples, float* power, std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) power[i] = samples[i].x * samples[i].x + samples[i].y * samples[i].y;
}

}  // namespace

void start_power(const float2* samples, float* power, std::size_t count, cudaStream_t stream) {
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  power_of<<<blocks, threads, 0, stream>>>(samples, power, count);
}
