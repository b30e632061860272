#pragma once
/// The user's request to stop this process, for all its waits.

#include <cstdint>
#include <optional>

namespace takt {

/// Requests that this process stop: sources receive no more data, and kernels' remaining output is wanted
/// only if it arrives soon. The first request's time counts. Thread-safe.
void ask_to_stop() noexcept;
/// Returns the time of the request on the clock of now_ns(); empty if there is none. Thread-safe.
[[nodiscard]] std::optional<std::int64_t> asked_to_stop_at() noexcept;

}  // namespace takt
