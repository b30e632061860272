#pragma once

#include <cstddef>

#include <cuda_runtime.h>

// Starts power[i] = |samples[i]|^2 on the device.
void start_power(const float2* samples, float* power, std::size_t count, cudaStream_t stream);
