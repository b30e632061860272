#include "core/graphs/graph_limits.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt {

void check_size(double tasks, double edges) {
  const auto refuse = [](double count, const char* what, std::size_t limit) {
    throw ConfigError(fmt::format("the graph has {:.6g} {}; the limit is {}", count, what, limit));
  };
  if (!(tasks <= static_cast<double>(largest_task_count))) refuse(tasks, "tasks", largest_task_count);
  if (!(edges <= static_cast<double>(largest_edge_count))) refuse(edges, "edges", largest_edge_count);
}

}  // namespace takt
