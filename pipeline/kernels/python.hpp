#pragma once
/// `python`: a function or a class of a Python script, for prototypes.
///
/// Any frames -> frames like the first input's, those described by `element` and `axes`, or those from the
/// script's own `NAME_type` or `output_type`. A function is stateless; an object of a class may have state,
/// and may output frames at the end. The script runs in its own process, one for each kernel object
/// (pipeline/python): each input is copied three times, the output twice, and each frame needs a round trip
/// to the other process, so that it is slower than any kernel in C++ (figures: docs/reference/python.md).
/// Missing samples are NaN, and marked in an optional mask; NaN in the output marks the frame as
/// incomplete.
///
/// Units are the first input's, unless the script sets others. Source of the sharing of arrays: PEP 3118,
/// "Revising the buffer protocol" (2006).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind python_kernel();

}  // namespace takt::pipeline
