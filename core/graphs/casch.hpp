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

}  // namespace takt
