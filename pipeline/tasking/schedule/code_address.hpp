#pragma once
/// Detects a variable where a procedure is expected.

namespace takt::tasking::schedule {

/// Whether the processor may execute what is there. A name that is not declared EXTERNAL is a variable of its
/// own, whose address is passed instead of the procedure's.
[[nodiscard]] bool is_code(const void* address);

}  // namespace takt::tasking::schedule
