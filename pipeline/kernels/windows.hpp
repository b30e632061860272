#pragma once
/// Windows of spectra, and filters by windowed sinc functions.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace takt::pipeline {

/// Returns `rectangular hann hamming blackman`.
[[nodiscard]] std::vector<std::string> window_names();

/// Returns the named window of a spectrum, periodic, with squares that sum to 1. Source: Harris, "On the use
/// of windows for harmonic analysis with the discrete Fourier transform" (1978).
[[nodiscard]] std::vector<double> unit_power_window(std::string_view name, std::size_t size);

/// Returns `rectangular hann hamming blackman kaiser`, the names for `filter_window`.
[[nodiscard]] std::vector<std::string> filter_window_names();

/// Returns the named window of a filter, symmetric, 1 in its middle. `beta` is the Kaiser window's: 0 is
/// rectangular; larger values widen the edge of the passband and reduce leakage. Source: Kaiser and Schafer,
/// "On the use of the I0-sinh window for spectrum analysis" (1980).
[[nodiscard]] std::vector<double> filter_window(std::string_view name, std::size_t size, double beta = 0);

/// Returns the taps of a linear-phase filter: the ideal one between two frequencies in cycles per sample (0
/// and 0.5: no limit), under a symmetric Hamming window. Its gain in the middle of the passband (at 0, or at
/// 0.5 for a high-pass) is 1. Source: Oppenheim and Schafer, "Discrete-time signal processing", 7.2.
[[nodiscard]] std::vector<double> windowed_sinc(double low, double high, std::size_t taps);

}  // namespace takt::pipeline
