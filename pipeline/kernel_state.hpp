#pragma once
/// What a kernel keeps from one frame to the next as bytes, for Kernel::save and Kernel::load.

#include "core/saved_state.hpp"

namespace takt::pipeline {

using takt::load_into;
using takt::saved;
using takt::StateReader;
using takt::StateWriter;

}  // namespace takt::pipeline
