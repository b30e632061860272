#pragma once
/// `downmix`: shifts a band of each beamlet to 0 Hz and reduces its sample rate: phase_rotate and decimate in
/// one step.
///
/// float32 or complex_float32 [beamlet][time=T][polarisation] -> complex_float32
/// [beamlet][time=T/D][polarisation]:
///
///   y[m] = g sum over k of h[k] x[m D - k] exp(-2 pi i f t(m D - k))
///
/// with f `frequency` relative to the beamlet's own in Hz, t in s since 1970 by UTC, D `factor`, h a windowed
/// sinc with its edge at half the lower rate, and g 1 for complex and sqrt(2) for real samples. A band so
/// keeps its power. Beamlets' frequencies rise by f, and UTC moves back by the filter's delay. Sums with
/// missing samples are missing. State: the last samples. Values keep their unit. O(T taps / D) per value.
///
/// Source: Crochiere and Rabiner, "Multirate digital signal processing" (1983), chapter 2.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind downmix_kernel();

}  // namespace takt::pipeline
