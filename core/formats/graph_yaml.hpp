#pragma once
/// takt's own format of task graphs.
///
///     tasks:
///       - {name: unpack, work: 40 us, stateless: true}
///       - {name: fft, work: [14, 16, 9]}             # on processors 0, 1, 2 (unrelated machines)
///       - {name: store, work: 7}
///       - {name: solve, work: 4 s, alpha: 0.1}       # moldable: Amdahl's law with a serial part
///       - {name: sort, times: [40 ms, 22 ms, 16 ms]}                # moldable: on 1, 2, 3 processors
///       - {name: fit, times: {1: 40 ms, 8: 6 ms, 64: 7 ms}, hull: true}   # measured, made monotone
///     edges:
///       - {from: unpack, to: fft, size: 4 KiB}
///       - {from: fft, to: [store, unpack2], size: 10}  # one datum for two tasks
///
/// Work without a unit is in ticks (nanoseconds), size in units (bytes), by default 1.

#include <string>
#include <string_view>

#include "core/formats/line_writer.hpp"
#include "core/graphs/task_graph.hpp"

namespace takt {

/// Writes a graph. Read back, tasks and data keep their ids; edges are ordered by their data. O(n + m).
[[nodiscard]] std::string graph_to_yaml(const TaskGraph& graph);

/// Writes the same text, with every line after a margin.
void write_graph_yaml(LineWriter& writer, const TaskGraph& graph, std::string_view margin = {});

/// Throws ConfigError with all errors, each with file:line:column.
[[nodiscard]] TaskGraph graph_from_yaml(std::string text, const std::string& file);
/// Reads a file likewise, without its whole text in memory if it is long and has plain lines.
[[nodiscard]] TaskGraph graph_from_yaml_file(const std::string& file);

}  // namespace takt
