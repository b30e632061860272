#pragma once
/// Task graphs in Graphviz's DOT language.
///
/// Supported: one `digraph` (also `strict`), node, edge and attribute statements, chains `a -> b -> c`,
/// defaults (`node [Weight=3]`), subgraphs, also as ends of edges, which then join all their nodes, all kinds
/// of identifiers, comments. Ports of nodes are ignored. Tasks are numbered in the order of their first
/// occurrence.
///
/// A `graph` with edges `a -- b` describes interacting tasks without an order: each edge then leads from the
/// task mentioned first to the other one.
///
/// | attribute | of | meaning |
/// |---|---|---|
/// | `Weight`, otherwise `weight` or `size` | node | work; a fraction is rounded, with a note |
/// | the same | edge | size of the data; default 1 |
/// | `Works="14 16 9"` | node | work on processors 0, 1, 2, instead of a weight |
/// | `alpha="0.19"` | node | a moldable task with this serial part (Amdahl's law); as in daggen, with
/// the
///   number of operations as `size`: nanoseconds on a processor of speed 1, assumed to be 1 Gflop/s |
/// | `Stateless=true` | node | a stateless task |
/// | `Datum=k` | edge | edges of one task with the same k carry the same datum |
///
/// If no node has a weight (drawings of dask, Snakemake or Nextflow), each task gets work 1, with a note;
/// otherwise each node needs one. `size` on nodes is SimGrid's dialect: without a size, nodes `root` and
/// `end` have no work, and an edge without a size, or with a negative one, carries no data.
///
/// `Weight`, `Processor`, `Start time` and `Finish time` of nodes and `Total schedule length` and
/// `TargetSystem` of the graph are those of the optimal-scheduling project of the University of Auckland.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt {

/// A proven optimal schedule in a file, under the delay model.
struct EmbeddedSchedule {
  struct Placement {
    ProcessorId processor;
    Time start{0};
    Time finish{0};
  };

  Time length{0};
  /// Processors of the target system, all of the same speed.
  std::size_t processor_count = 0;
  /// One per task.
  std::vector<Placement> placements;
};

struct DotFile {
  TaskGraph graph;
  /// Set if the graph has a `Total schedule length`.
  std::optional<EmbeddedSchedule> schedule;
  /// Assumptions and changes by the reader, one sentence each.
  std::vector<std::string> notes = {};
};

/// Throws ConfigError with file:line:column. O(size of the text).
[[nodiscard]] DotFile read_dot(std::string_view text, const std::string& file);
[[nodiscard]] TaskGraph graph_from_dot(std::string_view text, const std::string& file);

/// Returns text that Graphviz draws, with work and sizes in the labels. graph_from_dot reads it back to the
/// same tasks and edges. Data that no task consumes are lost.
[[nodiscard]] std::string graph_to_dot(const TaskGraph& graph);

}  // namespace takt
