#pragma once
/// Which stage takes whose output.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Looks up the names of the inputs, puts the stages in topological order (as near to theirs as it can be),
/// and reports unknown inputs, cycles and stages whose output nobody takes. Afterwards inputs that are known
/// come before the stage, but for those of a cycle, which are broken.
void connect(std::vector<Draft>& drafts, ErrorList& errors);

}  // namespace takt::pipeline
