#pragma once
/// `sum`: the sum or mean of several inputs, element by element: of stations, of beams.
///
/// float32 or complex_float32 frames of one type, with the same frequencies, from 2 inputs on -> the same
/// type.
///
/// What is missing (NaN) in some inputs has no weight: a mean is over those that have it, a sum is that mean
/// times the number of inputs. What is missing in all of them is missing.
///
/// Values keep their unit. O(inputs) a value. Source: Rost and Thomas, "Array seismology: methods and
/// applications" (Reviews of Geophysics 40, 2002), 3.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind sum_kernel();

}  // namespace takt::pipeline
