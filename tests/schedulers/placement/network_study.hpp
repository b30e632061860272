#pragma once
/// Lengths of schedules on networks, relative to one processor and to the best of the schedulers for
/// networks.

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

/// One scheduler's schedules with a mapping.
struct NetworkFigures {
  /// Makespan over the shortest of the network family's by the default mapping: mean and largest.
  double mean = 0;
  double largest = 0;
  /// Number of schedules longer than all tasks on the fastest processor.
  std::size_t longer_than_one = 0;
};

struct NetworkRow {
  const Scheduler* scheduler = nullptr;
  /// As decided (no mapping), and with the default mapping.
  NetworkFigures decided, mapped;
};

struct NetworkStudy {
  std::vector<NetworkRow> rows;
  std::size_t cases = 0;
};

/// Whether the scheduler is for short makespans and is mapped to networks.
[[nodiscard]] bool is_for_makespans(const Scheduler& scheduler);

/// Runs all of those on every graph and every machine.
/// Calls `begins` before each graph on each machine.
[[nodiscard]] NetworkStudy network_study(std::span<const std::string_view> graphs,
                                         std::span<const std::string_view> machines,
                                         const std::function<void(std::string_view)>& begins = {});

/// 10 to 100 tasks; the first three are for a test.
inline constexpr std::array<std::string_view, 13> small_network_graphs{
    "gauss:size=8,cost=10,data=20",
    "fft:depth=3,cost=1..100,ccr=1,seed=2",
    "layered:tasks=60,cost=1..100,ccr=10,seed=3",
    "layered:tasks=60,cost=1..100,ccr=0.1,seed=4",
    "receive_tree:depth=4,cost=1..100,ccr=5,seed=2",
    "wave:depth=5,width=5,cost=1..100,ccr=1,seed=1",
    "gauss:size=8,cost=1..100,ccr=1,seed=2",
    "fft:depth=4,cost=1..100,ccr=5,seed=3",
    "layered:tasks=100,cost=1..100,ccr=1,seed=5",
    "send_tree:depth=4,cost=1..100,ccr=1,seed=2",
    "laplace:size=6,cost=1..100,ccr=1,seed=1",
    "diamond:depth=8,cost=1..100,ccr=5,seed=1",
    "fork_join:width=10,cost=1..100,ccr=1,seed=1"};
inline constexpr std::array<std::string_view, 4> small_networks{
    "delay:P=16,network=mesh:4x4", "delay:P=8,network=ring:8", "delay:P=4,network=star:4,speed=1/2/1/1",
    "logp:P=8,L=2,o=3,g=4,network=hypercube:3"};

/// 1,000 to 2,500 tasks: too many for trials of single tasks.
inline constexpr std::array<std::string_view, 6> large_network_graphs{
    "gauss:size=50,cost=1..100,ccr=1,seed=1",          "fft:depth=8,cost=1..100,ccr=1,seed=1",
    "layered:tasks=2000,cost=1..100,ccr=0.1,seed=1",   "layered:tasks=1500,cost=1..100,ccr=1,seed=1",
    "wave:depth=50,width=20,cost=1..100,ccr=1,seed=1", "laplace:size=50,cost=1..100,ccr=1,seed=1"};
inline constexpr std::array<std::string_view, 2> large_networks{"delay:P=64,network=mesh:8x8",
                                                                "delay:P=16,network=ring:16"};

}  // namespace takt::schedulers
