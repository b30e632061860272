#pragma once
/// `sum`: the sum or mean of several inputs, element by element, such as stations or beams.
///
/// Two or more float32 or complex_float32 frames of one type and with the same frequencies -> the same
/// type.
///
/// Values missing (NaN) in some inputs have no weight: a mean is over the inputs that have them, a sum is
/// that mean times the number of inputs. Values missing in all inputs are missing.
///
/// Values keep their unit. O(inputs) per value. Source: Rost and Thomas, "Array seismology: methods and
/// applications" (Reviews of Geophysics 40, 2002), 3.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind sum_kernel();

}  // namespace takt::pipeline
