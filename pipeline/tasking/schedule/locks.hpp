#pragma once
/// Locks that are integers of the program: 0 off, 1 on.

namespace takt::tasking::schedule {

/// Declares a lock and turns it off.
void assign_lock(int* lock);
/// Waits until it is off and turns it on, in one step. Ends the process with a message instead of waiting for
/// ever: where no unit can turn it off, because there is one worker, or because every unit that executes
/// waits for a lock.
void turn_lock_on(int* lock);
void turn_lock_off(int* lock);

}  // namespace takt::tasking::schedule
