#pragma once
/// `lofar_unpack`: the samples of a LOFAR station's packets as complex numbers, each beamlet's in one run of
/// time.
///
/// complex_int8|complex_int16[packet=K][beamlet=B][time=16][polarisation=2]
///   -> complex_float32[beamlet=B][time=16 K][polarisation=2]
///
/// Values are the integers as they came. Beamlets keep their sky frequencies; sample 16 p + t of the result
/// is sample t of packet p, and has its time. Samples of packets that are missing are NaN.
///
/// Their unit is that of the station's counts. Stateless. O(1) a value. Source: Virtanen, "Station data
/// cookbook" (LOFAR-ASTRON-MAN-064, 2012), beamlet data.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind lofar_unpack_kernel();

}  // namespace takt::pipeline
