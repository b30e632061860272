#pragma once
/// `lofar_unpack`: converts the samples of a LOFAR station's packets to complex numbers, with the time of
/// each beamlet contiguous.
///
/// complex_int8|complex_int16[packet=K][beamlet=B][time=16][polarisation=2]
///   -> complex_float32[beamlet=B][time=16 K][polarisation=2]
///
/// Values equal the received integers. Beamlets keep their sky frequencies; sample 16 p + t of the result is
/// sample t of packet p, with its time. Samples of missing packets are NaN.
///
/// The unit is that of the station's counts. Stateless. O(1) per value. Source: Virtanen, "Station data
/// cookbook" (LOFAR-ASTRON-MAN-064, 2012), beamlet data.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind lofar_unpack_kernel();

}  // namespace takt::pipeline
