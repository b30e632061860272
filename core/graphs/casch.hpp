#pragma once
/// The task graphs of programs in the form of CASCH's: tasks are the calls of a main, in their order, and
/// data are sections of arrays, each written once and read by any number of calls.
///
/// Source: Ahmad, Kwok, Wu, Shu, "CASCH: a tool for computer-aided scheduling" (2000).

#include <cstdint>

#include "core/graphs/topologies.hpp"

namespace takt {

/// Returns the FFT of figure 2 over 2^depth columns: the first serial part writes all columns; `depth` rounds
/// of InterMult with strides 2^(depth-1), ..., 1 read two columns each and write one; IntraMult reads one and
/// writes one; the last serial part reads all. 2 + (depth + 1) 2^depth tasks, 2^depth (2 depth + 2) edges.
[[nodiscard]] Topology casch_fft_topology(std::uint64_t depth);

/// Returns Gaussian elimination by `size` blocks of columns: a serial part writes all blocks; step k factors
/// block k and updates each block j > k by it; the last part reads all factored blocks. 2 + size (size + 1) /
/// 2 tasks.
[[nodiscard]] Topology casch_gauss_topology(std::uint64_t size);

/// Returns Laplace's equation by Gauss and Seidel over size x size blocks, updated in place `steps` times: a
/// call for each block starts it; each update reads the block and its upper, left, lower and right
/// neighbours; the last part reads all blocks. size^2 (steps + 1) + 1 tasks.
[[nodiscard]] Topology casch_laplace_topology(std::uint64_t size, std::uint64_t steps);

/// Returns the forces of all pairs of `size` groups of bodies over `steps` steps: a call for each group
/// places its bodies; in each step a call for each pair writes the forces on the first group, then one for
/// each group reads its bodies and forces and moves it; the last part reads all groups. size + steps (size^2
/// + size) + 1 tasks.
[[nodiscard]] Topology casch_nbody_topology(std::uint64_t size, std::uint64_t steps);

}  // namespace takt
