#pragma once
/// Owner computes: the baseline that distributes data, not calls.

#include <cstddef>
#include <vector>

#include "core/meshes/distribution.hpp"
#include "pipeline/frontend/communication/assignment.hpp"
#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// Returns the number of partitions of each array, as owner_computes() divides it; 0 if no call writes it.
[[nodiscard]] std::vector<std::size_t> partition_counts(const Program& program);

/// Each call runs on the owner of the section that its first written argument names, in the program's order.
///
/// The partitions of an array are along one dimension: the innermost one that the smallest written sections
/// divide. In an array without such a dimension, each place where a written section begins is a partition.
/// Calls that write nothing run on rank 0; calls that use the environment go to the rank of the first of
/// them, which becomes rank 0. Source: Ahmad et al. (2000), "data partitioning" and "owner computes".
[[nodiscard]] Assignment owner_computes(const Program& program, Distribution distribution, std::size_t ranks);

}  // namespace takt::frontend
