#pragma once
/// `python`: a function or a class of a Python script, for trying out.
///
/// Any frames -> what the script says: frames like the first input's, those that `element` and `axes`
/// describe, or those that the script's own `NAME_type` or `output_type` gives. A function keeps nothing; an
/// object of a class may, and may give frames at the end. The script runs in a process of its own, one a
/// kernel object (pipeline/python): each input is copied three times, the output twice, and a frame waits
/// twice for the other process, so that it is slower than a kernel in C++ whatever it computes
/// (docs/reference/python.md has figures). Missing samples are NaN and in the mask that the script may ask
/// for; NaN in what it gives marks the frame as incomplete.
///
/// Units are the first input's, unless the script says otherwise. Source of how arrays are shared: PEP 3118,
/// "Revising the buffer protocol" (2006).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind python_kernel();

}  // namespace takt::pipeline
