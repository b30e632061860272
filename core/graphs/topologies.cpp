#include "core/graphs/topologies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "core/graphs/graph_limits.hpp"
#include "core/random.hpp"

namespace takt {

namespace {

/// Returns an empty topology with reserved memory.
Topology with_size(double tasks, double edges) {
  check_size(tasks, edges);
  Topology topology;
  topology.task_count = static_cast<std::size_t>(tasks);
  topology.arcs.reserve(static_cast<std::size_t>(edges));
  return topology;
}

double real(std::uint64_t number) {
  return static_cast<double>(number);
}
/// Returns 2^exponent, infinite if it is too large.
double power_of_two(std::uint64_t exponent) {
  return std::ldexp(1.0, static_cast<int>(std::min<std::uint64_t>(exponent, 2000)));
}

void connect(Topology& topology, std::size_t from, std::size_t to) {
  topology.arcs.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
}

/// Layers of 2^depth tasks; task i of layer l feeds i and i xor 2^bit(l) of the next one.
template <class Bit>
Topology butterfly(std::uint64_t depth, Bit bit) {
  const double row = power_of_two(depth);
  Topology topology = with_size((real(depth) + 1) * row, 2 * real(depth) * row);
  const std::size_t width = std::size_t{1} << depth;
  for (std::size_t layer = 0; layer < depth; ++layer)
    for (std::size_t i = 0; i < width; ++i) {
      connect(topology, layer * width + i, (layer + 1) * width + i);
      connect(topology, layer * width + i, (layer + 1) * width + (i ^ (std::size_t{1} << bit(layer))));
    }
  return topology;
}

/// Returns the graph with tasks numbered by layer; within a layer the old order stays. Edges are in order of
/// their numbers.
Topology numbered_by_layer(Topology topology) {
  std::vector<std::vector<std::uint32_t>> successors(topology.task_count);
  std::vector<std::uint32_t> open_inputs(topology.task_count, 0), layer(topology.task_count, 0);
  for (const Arc& arc : topology.arcs) {
    successors[arc.from].push_back(arc.to);
    ++open_inputs[arc.to];
  }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < topology.task_count; ++i)
    if (open_inputs[i] == 0) ready.push_back(i);
  for (std::size_t next = 0; next < ready.size(); ++next)
    for (std::uint32_t to : successors[ready[next]]) {
      layer[to] = std::max(layer[to], layer[ready[next]] + 1);
      if (--open_inputs[to] == 0) ready.push_back(to);
    }

  std::vector<std::uint32_t> order(topology.task_count), number(topology.task_count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return layer[a] < layer[b]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  for (Arc& arc : topology.arcs) arc = {number[arc.from], number[arc.to]};
  std::sort(topology.arcs.begin(), topology.arcs.end());
  return topology;
}

/// Builds Strassen's graph by recursion. A matrix is represented by the tasks that compute it.
class Strassen {
 public:
  explicit Strassen(Topology& topology) : topology_(topology) {}

  using Matrix = std::vector<std::size_t>;

  Matrix multiply(std::uint64_t depth, const Matrix& a, const Matrix& b) {
    if (depth == 0) return task({&a, &b});
    // The five sums of quarters of a matrix that products need, then the same for the other matrix.
    std::array<Matrix, 5> sum_a, sum_b;
    for (Matrix& sum : sum_a) sum = task({&a});
    for (Matrix& sum : sum_b) sum = task({&b});
    const Matrix m1 = multiply(depth - 1, sum_a[0], sum_b[0]);  // (A11 + A22) (B11 + B22)
    const Matrix m2 = multiply(depth - 1, sum_a[1], b);         // (A21 + A22) B11
    const Matrix m3 = multiply(depth - 1, a, sum_b[1]);         // A11 (B12 - B22)
    const Matrix m4 = multiply(depth - 1, a, sum_b[2]);         // A22 (B21 - B11)
    const Matrix m5 = multiply(depth - 1, sum_a[2], b);         // (A11 + A12) B22
    const Matrix m6 = multiply(depth - 1, sum_a[3], sum_b[3]);  // (A21 - A11) (B11 + B12)
    const Matrix m7 = multiply(depth - 1, sum_a[4], sum_b[4]);  // (A12 - A22) (B21 + B22)
    const Matrix m1_m4 = task({&m1, &m4}), m1_m4_m5 = task({&m1_m4, &m5});
    const Matrix c11 = task({&m1_m4_m5, &m7}), c12 = task({&m3, &m5}), c21 = task({&m2, &m4});
    const Matrix m1_m2 = task({&m1, &m2}), m1_m2_m3 = task({&m1_m2, &m3});
    const Matrix c22 = task({&m1_m2_m3, &m6});
    return {c11.front(), c12.front(), c21.front(), c22.front()};
  }

 private:
  Matrix task(std::initializer_list<const Matrix*> operands) {
    const std::size_t id = topology_.task_count++;
    for (const Matrix* operand : operands)
      for (std::size_t maker : *operand) connect(topology_, maker, id);
    return {id};
  }

  Topology& topology_;
};

}  // namespace

Topology chain_topology(std::uint64_t depth) {
  Topology topology = with_size(real(depth) + 1, real(depth));
  for (std::size_t i = 0; i < depth; ++i) connect(topology, i, i + 1);
  return topology;
}

Topology fork_join_topology(std::uint64_t depth, std::uint64_t width) {
  Topology topology = with_size(real(depth) * (real(width) + 1) + 1, 2 * real(depth) * real(width));
  for (std::size_t round = 0; round < depth; ++round) {
    const std::size_t fork = round * (width + 1), join = fork + width + 1;
    for (std::size_t i = 1; i <= width; ++i) connect(topology, fork, fork + i);
    for (std::size_t i = 1; i <= width; ++i) connect(topology, fork + i, join);
  }
  return topology;
}

Topology diamond_topology(std::uint64_t depth) {
  return fork_join_topology(depth, 2);
}

Topology send_tree_topology(std::uint64_t depth) {
  const double leaves = power_of_two(depth);
  Topology topology = with_size(2 * leaves - 1, 2 * leaves - 2);
  for (std::size_t i = 0; 2 * i + 2 < topology.task_count; ++i) {
    connect(topology, i, 2 * i + 1);
    connect(topology, i, 2 * i + 2);
  }
  return topology;
}

Topology receive_tree_topology(std::uint64_t depth) {
  const double leaves = power_of_two(depth);
  Topology topology = with_size(2 * leaves - 1, 2 * leaves - 2);
  // Two neighbours join in one task; the tasks of the next layer follow those of this one without a hole.
  for (std::size_t i = 0; i + 1 < topology.task_count; ++i)
    connect(topology, i, (topology.task_count + 1) / 2 + i / 2);
  return topology;
}

Topology fft_topology(std::uint64_t depth) {
  return butterfly(depth, [](std::size_t layer) { return layer; });
}

Topology inverse_fft_topology(std::uint64_t depth) {
  return butterfly(depth, [depth](std::size_t layer) { return depth - 1 - layer; });
}

Topology wave_topology(std::uint64_t depth, std::uint64_t width) {
  Topology topology = with_size((real(depth) + 1) * real(width), real(depth) * (3 * real(width) - 2));
  for (std::size_t layer = 0; layer < depth; ++layer)
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t to = i == 0 ? 0 : i - 1; to <= std::min<std::size_t>(i + 1, width - 1); ++to)
        connect(topology, layer * width + i, (layer + 1) * width + to);
  return topology;
}

Topology gauss_topology(std::uint64_t size) {
  const double n = real(size);
  Topology topology = with_size((n * n + n - 2) / 2, n * n - n - 1);
  std::size_t pivot = 0;
  for (std::size_t k = 1; k < size; ++k) {
    const std::size_t updates = size - k, next_pivot = pivot + updates + 1;
    for (std::size_t j = 1; j <= updates; ++j) connect(topology, pivot, pivot + j);
    if (k + 1 < size)
      for (std::size_t j = 1; j <= updates; ++j) connect(topology, pivot + j, next_pivot + j - 1);
    pivot = next_pivot;
  }
  return topology;
}

Topology laplace_topology(std::uint64_t size) {
  const double n = real(size);
  Topology topology = with_size(n * n, 2 * n * (n - 1));
  // Anti-diagonal l holds the points i + j = l, in ascending order of i.
  std::size_t first = 0;
  for (std::size_t l = 0; l + 2 < 2 * size; ++l) {
    const std::size_t least_i = l < size ? 0 : l - size + 1, most_i = std::min<std::size_t>(l, size - 1);
    const std::size_t next = first + (most_i - least_i + 1);
    const std::size_t next_least_i = l + 1 < size ? 0 : l + 2 - size;
    for (std::size_t i = least_i; i <= most_i; ++i) {
      const std::size_t from = first + i - least_i;
      if (l - i + 1 < size) connect(topology, from, next + i - next_least_i);
      if (i + 1 < size) connect(topology, from, next + i + 1 - next_least_i);
    }
    first = next;
  }
  return topology;
}

Topology nbody_topology(std::uint64_t size, std::uint64_t steps) {
  const double layers = real(size) * real(steps);
  Topology topology =
      with_size(layers * real(size), std::max(0.0, layers - 1) * real(size) * (size > 1 ? 2 : 1));
  for (std::size_t layer = 0; layer + 1 < size * steps; ++layer)
    for (std::size_t i = 0; i < size; ++i) {
      connect(topology, layer * size + i, (layer + 1) * size + i);
      if (size > 1) connect(topology, layer * size + i, (layer + 1) * size + (i + 1) % size);
    }
  return topology;
}

Topology strassen_topology(std::uint64_t depth) {
  // tasks(d) = 18 + 7 tasks(d - 1), so tasks(d) + 3 grows by a factor of 7 from 4.
  const double tasks = 4 * std::pow(7.0, real(std::min<std::uint64_t>(depth, 300))) - 3;
  check_size(tasks, 0);
  Topology topology;
  (void)Strassen(topology).multiply(depth, {}, {});
  return numbered_by_layer(std::move(topology));
}

Topology with_host(const Topology& topology) {
  std::vector<bool> has_parent(topology.task_count, false), has_child(topology.task_count, false);
  for (const Arc& arc : topology.arcs) {
    has_child[arc.from] = true;
    has_parent[arc.to] = true;
  }
  const auto count = [](const std::vector<bool>& flags) {
    return static_cast<double>(std::count(flags.begin(), flags.end(), false));
  };
  Topology result = with_size(real(topology.task_count) + 2, static_cast<double>(topology.arcs.size()) +
                                                                 count(has_parent) + count(has_child));
  const std::size_t last = topology.task_count + 1;
  for (std::size_t i = 0; i < topology.task_count; ++i)
    if (!has_parent[i]) connect(result, 0, i + 1);
  for (const Arc& arc : topology.arcs) connect(result, arc.from + 1, arc.to + 1);
  for (std::size_t i = 0; i < topology.task_count; ++i)
    if (!has_child[i]) connect(result, i + 1, last);
  if (topology.datum_of.empty()) return result;
  // The host's data and those for the host are after the others, one for each new arc.
  const auto behind = static_cast<std::size_t>(*std::ranges::max_element(topology.datum_of)) + 1;
  const std::size_t before = static_cast<std::size_t>(count(has_parent));
  for (std::size_t i = 0; i < result.arcs.size(); ++i) {
    const bool is_old = i >= before && i < before + topology.arcs.size();
    result.datum_of.push_back(is_old ? topology.datum_of[i - before] : behind + i);
  }
  return result;
}

Topology layered_topology(const LayeredOptions& options) {
  const double tasks_per_layer = std::max(1.0, std::round(std::pow(real(options.tasks), options.width)));
  check_size(real(options.tasks), 0);
  Topology topology;
  topology.task_count = options.tasks;
  Random random(options.seed);
  const auto mean = static_cast<std::size_t>(tasks_per_layer);
  const auto deviation = static_cast<std::int64_t>((1 - options.regularity) * static_cast<double>(mean));

  // First task of each layer, and the end of the last one.
  std::vector<std::size_t> first{0};
  while (first.back() < options.tasks) {
    const std::int64_t wanted = static_cast<std::int64_t>(mean) + random.between(-deviation, deviation);
    first.push_back(std::min<std::size_t>(
        options.tasks, first.back() + static_cast<std::size_t>(std::max<std::int64_t>(wanted, 1))));
  }

  // The number of edges is only known at the end: a task has about 1 + density / 2 * the number of tasks in
  // the layer above.
  double expected_edges = 0;
  for (std::size_t layer = 1; layer + 1 < first.size(); ++layer) {
    const double above = real(first[layer] - first[layer - 1]);
    expected_edges += real(first[layer + 1] - first[layer]) *
                      (options.degree ? std::min(real(*options.degree), above * real(options.jump))
                                      : 1 + options.density * above / 2);
  }
  check_size(real(options.tasks), expected_edges);

  std::vector<std::size_t> last_child(options.tasks, 0);
  for (std::size_t layer = 1; layer + 1 < first.size(); ++layer)
    for (std::size_t task = first[layer]; task < first[layer + 1]; ++task) {
      const std::size_t above = first[layer] - first[layer - 1];
      const auto most = static_cast<std::uint64_t>(options.density * static_cast<double>(above));
      const std::size_t within_reach =
          first[layer] - first[layer - std::min<std::size_t>(options.jump, layer)];
      const std::size_t parents = options.degree ? std::min<std::size_t>(*options.degree, within_reach)
                                                 : std::min<std::size_t>(1 + random.below(most + 1), above);
      for (std::size_t parent = 0; parent < parents; ++parent) {
        const std::size_t up =
            options.degree ? 0 : std::min<std::size_t>(1 + random.below(options.jump), layer);
        const std::size_t begin = options.degree ? first[layer] - within_reach : first[layer - up],
                          count = options.degree ? within_reach : first[layer - up + 1] - begin;
        // A random task of that layer, or of all within reach, or the next one after it that is not a parent
        // yet.
        const std::size_t start = random.below(count);
        for (std::size_t k = 0; k < count; ++k) {
          const std::size_t candidate = begin + (start + k) % count;
          if (last_child[candidate] == task) continue;
          last_child[candidate] = task;
          connect(topology, candidate, task);
          break;
        }
      }
    }
  std::sort(topology.arcs.begin(), topology.arcs.end());
  return topology;
}

}  // namespace takt
