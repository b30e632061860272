#pragma once
/// Serialises the state of a kernel between frames, for Kernel::save and Kernel::load.

#include "core/saved_state.hpp"

namespace takt::pipeline {

using takt::load_into;
using takt::saved;
using takt::StateReader;
using takt::StateWriter;

}  // namespace takt::pipeline
