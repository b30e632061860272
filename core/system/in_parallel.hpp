#pragma once
/// Parallel execution of independent pieces of work.

#include <functional>
#include <initializer_list>

namespace takt {

/// Executes all pieces, none of which may access data that another one modifies. The pieces start in order,
/// each on the first free thread. There are as many threads as processors available to this process, or
/// fewer if the system refuses one. Completes all pieces, then rethrows the error of the first failed piece
/// in the list. A thread costs some 50 us, and its allocations stay with it until they are reused.
void in_parallel(std::initializer_list<std::function<void()>> pieces);

/// Executes in parallel if `is_long`, otherwise sequentially.
void in_parallel_if(bool is_long, std::initializer_list<std::function<void()>> pieces);

}  // namespace takt
