#pragma once
/// `unpack`: converts integers of files and networks to floating-point numbers for kernels.
///
/// `int8`, `uint8`, `int16`, `uint16`, `int32` or `float64`, any axes -> `float32` of the same axes
/// `complex_int8`, `complex_uint8`, `complex_int16` or `complex_uint16`, any axes -> `complex_float32` of the
/// same axes
///
///   y = scale (x - offset),    for complex numbers in both parts
///
/// The default of `offset` is 128 and 32768 for complex unsigned integers of 8 and 16 bits (offset binary),
/// otherwise 0.
///
/// Values flagged as missing become NaN. float32 represents integers up to 2^24 exactly.
///
/// The unit is kept. Stateless. O(1) per value. Source: Oppenheim and Schafer, "Discrete-time signal
/// processing" (2010), 4.8: codes in two's complement and offset binary.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind unpack_kernel();

}  // namespace takt::pipeline
