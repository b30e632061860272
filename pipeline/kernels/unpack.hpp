#pragma once
/// Integers of files and networks as the floating-point numbers that kernels compute with.
///
/// `int8`, `uint8`, `int16`, `uint16`, `int32` or `float64`, any axes -> `float32` of the same axes
/// `complex_int8`, `complex_uint8`, `complex_int16` or `complex_uint16`, any axes -> `complex_float32` of the
/// same axes
///
///   y = scale (x - offset),    of complex ones in both parts
///
/// Without `offset` it is 128 and 32768 of complex unsigned integers of 8 and 16 bits (offset binary), 0 of
/// others.
///
/// What flags say is missing is NaN from here on. float32 holds integers up to 2^24 exactly.
///
/// The unit stays. Stateless. O(1) a value. Source: Oppenheim and Schafer, "Discrete-time signal processing"
/// (2010), 4.8: codes in two's complement and offset binary.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind unpack_kernel();

}  // namespace takt::pipeline
