#pragma once
/// What must hold of a graph before any of its units runs.

#include <deque>

#include "pipeline/tasking/schedule/unit.hpp"

namespace takt::tasking::schedule {

/// Ends the process with a message about the first rule that is broken: tags without gaps, a putq for each
/// dep, lists that name units, one icango that is 0, exactly one ncheks that is 0, icango as the lists say,
/// no circle. Unit i has tag i; 0 is none.
void require_valid_graph(const std::deque<Unit>& units);

}  // namespace takt::tasking::schedule
