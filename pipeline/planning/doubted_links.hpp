#pragma once
/// What links would cost at another moment: a run measures them for a third of a second, and for minutes at a
/// time a shared machine passes messages several times more slowly than it does otherwise.

#include "logp/machine.hpp"

namespace takt::pipeline {

/// By how much links may have been measured too dear.
inline constexpr double doubt_of_links = 10;

/// The same machine, on which every message costs `doubt_of_links` times less.
[[nodiscard]] logp::Machine with_quicker_links(const logp::Machine& machine);

/// The same machine, on which every message costs twice as much: large messages do where the host has moved
/// the machine's cores away from each other, or others need the memory.
[[nodiscard]] logp::Machine with_dearer_links(const logp::Machine& machine);

}  // namespace takt::pipeline
