#include "core/graphs/casch.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/graphs/graph_limits.hpp"

namespace takt {

namespace {

/// The calls of a main, in their order.
class Calls {
 public:
  explicit Calls(std::size_t sections) : writer_(sections, 0), datum_(sections, 0) {}

  void add(std::span<const std::size_t> reads, std::span<const std::size_t> writes) {
    const auto task = static_cast<std::uint32_t>(topology_.task_count++);
    for (const std::size_t section : reads) {
      topology_.arcs.push_back({writer_[section], task});
      topology_.datum_of.push_back(datum_[section]);
    }
    for (const std::size_t section : writes) {
      writer_[section] = task;
      datum_[section] = data_++;
    }
  }
  [[nodiscard]] Topology finish() && { return std::move(topology_); }

 private:
  Topology topology_;
  std::vector<std::uint32_t> writer_;
  std::vector<std::size_t> datum_;
  std::size_t data_ = 0;
};

std::vector<std::size_t> run_of(std::size_t first, std::size_t count) {
  std::vector<std::size_t> sections(count);
  for (std::size_t i = 0; i < count; ++i) sections[i] = first + i;
  return sections;
}

}  // namespace

Topology casch_fft_topology(std::uint64_t depth) {
  const double real_depth = static_cast<double>(depth), real_columns = std::pow(2, real_depth);
  check_size(2 + (real_depth + 1) * real_columns, real_columns * (2 * real_depth + 2));
  const std::size_t columns = std::size_t{1} << depth;
  // Column c of level l; the first serial part writes level depth + 1, IntraMult level 0.
  const auto section = [&](std::size_t level, std::size_t column) { return level * columns + column; };
  Calls calls((depth + 2) * columns);
  calls.add({}, run_of(section(depth + 1, 0), columns));
  for (std::size_t level = depth; level >= 1; --level) {
    const std::size_t stride = std::size_t{1} << (level - 1);
    for (std::size_t j = 0; j < columns; j += 2 * stride)
      for (std::size_t k = j; k < j + stride; ++k) {
        const std::size_t low[] = {section(level + 1, k), section(level + 1, k + stride)};
        const std::size_t high[] = {low[1], low[0]};
        calls.add(low, run_of(section(level, k), 1));
        calls.add(high, run_of(section(level, k + stride), 1));
      }
  }
  for (std::size_t column = 0; column < columns; ++column)
    calls.add(run_of(section(1, column), 1), run_of(section(0, column), 1));
  calls.add(run_of(section(0, 0), columns), {});
  return std::move(calls).finish();
}

Topology casch_gauss_topology(std::uint64_t size) {
  const double real_size = static_cast<double>(size);
  check_size(2 + real_size * (real_size + 1) / 2, real_size * real_size + real_size);
  // Block j before step k; after them the factored blocks.
  const auto block = [&](std::size_t step, std::size_t column) { return step * size + column; };
  const auto factored = [&](std::size_t column) { return size * size + column; };
  Calls calls(size * size + size);
  calls.add({}, run_of(block(0, 0), size));
  for (std::size_t k = 0; k < size; ++k) {
    calls.add(run_of(block(k, k), 1), run_of(factored(k), 1));
    for (std::size_t j = k + 1; j < size; ++j) {
      const std::size_t reads[] = {factored(k), block(k, j)};
      calls.add(reads, run_of(block(k + 1, j), 1));
    }
  }
  calls.add(run_of(factored(0), size), {});
  return std::move(calls).finish();
}

Topology casch_laplace_topology(std::uint64_t size, std::uint64_t steps) {
  const double side = static_cast<double>(size), blocks = side * side, sweeps = static_cast<double>(steps);
  check_size(blocks * (sweeps + 1) + 1, sweeps * (5 * blocks - 4 * side) + blocks);
  Calls calls(size * size);
  for (std::size_t block = 0; block < size * size; ++block) calls.add({}, run_of(block, 1));
  for (std::uint64_t step = 0; step < steps; ++step)
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t column = 0; column < size; ++column) {
        const std::size_t block = row * size + column;
        std::vector<std::size_t> reads{block};
        if (row > 0) reads.push_back(block - size);
        if (column > 0) reads.push_back(block - 1);
        if (row + 1 < size) reads.push_back(block + size);
        if (column + 1 < size) reads.push_back(block + 1);
        calls.add(reads, run_of(block, 1));
      }
  calls.add(run_of(0, size * size), {});
  return std::move(calls).finish();
}

Topology casch_nbody_topology(std::uint64_t size, std::uint64_t steps) {
  const double groups = static_cast<double>(size), times = static_cast<double>(steps);
  check_size(groups + times * (groups * groups + groups) + 1, times * (3 * groups * groups) + groups);
  // Group p, and after the groups the forces on p from q, which each step writes anew.
  const auto force = [&](std::size_t p, std::size_t q) { return size + p * size + q; };
  Calls calls(size + size * size);
  for (std::size_t p = 0; p < size; ++p) calls.add({}, run_of(p, 1));
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t p = 0; p < size; ++p)
      for (std::size_t q = 0; q < size; ++q) {
        const std::size_t pair[] = {p, q};
        calls.add(std::span(pair).first(p == q ? 1 : 2), run_of(force(p, q), 1));
      }
    for (std::size_t p = 0; p < size; ++p) {
      std::vector<std::size_t> reads = run_of(force(p, 0), size);
      reads.insert(reads.begin(), p);
      calls.add(reads, run_of(p, 1));
    }
  }
  calls.add(run_of(0, size), {});
  return std::move(calls).finish();
}

}  // namespace takt
