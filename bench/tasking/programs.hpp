#pragma once
/// The programs that are measured, written once for all libraries: recursive tasks, and dense linear algebra
/// in tiles. `Group` has `run(f)`, which starts a task, and `wait()`, which waits for those of this group.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bench/tasking/tiles.hpp"

namespace takt::bench {

template <class Group>
std::uint64_t spawn_and_join(std::uint64_t tasks) {
  Group group;
  for (std::uint64_t i = 0; i < tasks; ++i) group.run([] {});
  group.wait();
  return tasks;
}

/// Fibonacci's number by two tasks a call.
template <class Group>
std::uint64_t fibonacci(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  Group group;
  group.run([n, &a] { a = fibonacci<Group>(n - 1); });
  group.run([n, &b] { b = fibonacci<Group>(n - 2); });
  group.wait();
  return a + b;
}

/// Sum of the numbers below 10^depth by trees of ten children.
template <class Group>
std::uint64_t skynet(std::uint64_t first, std::uint64_t size) {
  if (size == 1) return first;
  std::array<std::uint64_t, 10> parts{};
  Group group;
  for (std::uint64_t i = 0; i < parts.size(); ++i)
    group.run([=, &parts] { parts[i] = skynet<Group>(first + i * size / 10, size / 10); });
  group.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t part : parts) sum += part;
  return sum;
}

/// Placements of queens on a board, a task for each placement of the next row.
struct Queens {
  static constexpr std::size_t most = 16;
  std::array<std::uint8_t, most> columns{};

  [[nodiscard]] bool admits(std::size_t row, std::size_t column) const {
    for (std::size_t i = 0; i < row; ++i) {
      const std::size_t other = columns[i], distance = row - i;
      if (other == column || other + distance == column || column + distance == other) return false;
    }
    return true;
  }
};

template <class Group>
std::uint64_t place_queens(const Queens& placed, std::size_t row, std::size_t size) {
  if (row == size) return 1;
  std::array<std::uint64_t, Queens::most> counts{};
  Group group;
  for (std::size_t column = 0; column < size; ++column) {
    if (!placed.admits(row, column)) continue;
    Queens next = placed;
    next.columns[row] = static_cast<std::uint8_t>(column);
    group.run(
        [next, row, size, count = &counts[column]] { *count = place_queens<Group>(next, row + 1, size); });
  }
  group.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

/// A tree of unknown shape, as UTS has them (S. Olivier and others, "UTS: an unbalanced tree search
/// benchmark", 2006): binomial, with a hash in place of SHA-1. The children of a node lie in memory that it
/// allocates.
struct TreeNode {
  std::uint64_t state;
  std::uint64_t count;

  [[nodiscard]] std::uint64_t children(std::uint64_t depth) const {
    // 4 children with probability 0.2495, so that the tree ends.
    if (depth == 0) return 400;
    return mix(state) < static_cast<std::uint64_t>(0.2495 * 18446744073709551615.0) ? 4 : 0;
  }
};

template <class Group>
void search_tree(TreeNode& node, std::uint64_t depth) {
  node.count = 1;
  const std::uint64_t children = node.children(depth);
  if (children == 0) return;
  const auto memory = std::make_unique<TreeNode[]>(children);
  Group group;
  for (std::uint64_t i = 0; i < children; ++i) {
    memory[i].state = mix(node.state + 0x632BE59BD9B4E019U * (i + 1));
    group.run([child = &memory[i], depth] { search_tree<Group>(*child, depth + 1); });
  }
  group.wait();
  for (std::uint64_t i = 0; i < children; ++i) node.count += memory[i].count;
}

template <class Group>
std::uint64_t count_tree(std::uint64_t seed) {
  TreeNode root{seed, 0};
  search_tree<Group>(root, 0);
  return root.count;
}

/// Cholesky's factorisation, column after column of tiles.
template <class Group>
std::uint64_t cholesky(std::uint64_t tiles) {
  Tiles a(tiles);
  a.fill();
  for (std::size_t k = 0; k < tiles; ++k) {
    factor_tile(a.at(k, k));
    Group solves;
    for (std::size_t i = k + 1; i < tiles; ++i)
      solves.run([&a, i, k] { solve_tile(a.at(k, k), a.at(i, k)); });
    solves.wait();
    Group updates;
    for (std::size_t i = k + 1; i < tiles; ++i)
      for (std::size_t j = k + 1; j <= i; ++j)
        updates.run([&a, i, j, k] { update_tile(a.at(i, k), a.at(j, k), a.at(i, j)); });
    updates.wait();
  }
  return a.hash();
}

/// Solves for one block row of right sides with a lower triangular matrix, by halves.
template <class Group>
void solve_rows(Tiles& a, std::vector<double>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t n = Tiles::side;
  if (end - begin == 1) {
    solve_vector(a.at(begin, begin), x.data() + begin * n);
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  solve_rows<Group>(a, x, begin, middle);
  Group group;
  for (std::size_t row = middle; row < end; ++row)
    group.run([&a, &x, begin, middle, row] {
      for (std::size_t column = begin; column < middle; ++column)
        update_vector(a.at(row, column), x.data() + column * n, x.data() + row * n);
    });
  group.wait();
  solve_rows<Group>(a, x, middle, end);
}

template <class Group>
std::uint64_t triangular_solve(std::uint64_t tiles) {
  static Tiles* const matrix = [tiles] {
    auto* const made = new Tiles(tiles);
    made->fill();
    return made;
  }();
  std::vector<double> x(tiles * Tiles::side, 1);
  solve_rows<Group>(*matrix, x, 0, tiles);
  return hash_of(x);
}

}  // namespace takt::bench
