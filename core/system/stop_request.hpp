#pragma once
/// The user's request that this process stops, for everything in it that waits.

#include <cstdint>
#include <optional>

namespace takt {

/// The user has asked this process to stop: sources receive nothing more, and what kernels still have is
/// wanted only as far as it comes soon. The first moment counts. Any thread.
void ask_to_stop() noexcept;
/// When that was on the clock of now_ns(); nothing where nobody has asked. Any thread.
[[nodiscard]] std::optional<std::int64_t> asked_to_stop_at() noexcept;

}  // namespace takt
