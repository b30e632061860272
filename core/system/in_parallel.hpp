#pragma once
/// Pieces of one long work at the same time.

#include <functional>
#include <initializer_list>

namespace takt {

/// Does all pieces of work, none of which may touch what another one changes: in their order, each by the
/// first of the threads that is free, of which there are as many as this process may use processors and has
/// room for. Throws what one of them throws, the first one that stands in the list; the others are done all
/// the same. A thread costs some 50 us, and what it allocates stays with it until it is needed again.
void in_parallel(std::initializer_list<std::function<void()>> pieces);

/// The same if `is_long`, one after the other otherwise.
void in_parallel_if(bool is_long, std::initializer_list<std::function<void()>> pieces);

}  // namespace takt
