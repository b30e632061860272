/// Share of proofs, and distance of other schedulers: the table of docs/reproduction/makespan.md for new
/// random graphs, for its smallest graphs, and the claims of its text about the others.

#include "tests/schedulers/baseline/proof_study.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace {

TEST(ProofStudy, proves_all_small_graphs_as_documented) {
  ProofFigures figures;
  for (const ProofKind& kind : proof_kinds())
    for (const double ratio : proof_ratios) {
      const ProofFigures of_one = prove(proof_case(kind, proof_tasks[0], ratio));
      EXPECT_LE(of_one.exact_excess, of_one.others_excess) << kind.name << ", " << ratio;
      figures.add(of_one);
    }
  EXPECT_EQ(figures.proven, figures.graphs);
  const std::string line = figures.line("10");
  EXPECT_NE(test::read_file(TAKT_SOURCE_DIR "/docs/reproduction/makespan.md").find(line), std::string::npos)
      << line;
}

/// Seeds, edges and sizes stay those of the tables.
TEST(ProofStudy, draws_graphs_of_the_requested_ratio) {
  for (const ProofKind& kind : proof_kinds())
    for (const std::size_t tasks : proof_tasks) {
      const auto [graph, processors] = proof_case(kind, tasks, 10);
      EXPECT_EQ(graph.task_count(), tasks) << kind.name;
      double data = 0;
      for (EdgeId edge : graph.edges()) data += static_cast<double>(graph.edge(edge).size.count);
      EXPECT_NEAR(data / static_cast<double>(graph.total_work().count()), 10, 0.1) << kind.name;
      EXPECT_TRUE(processors == 2 || processors == 4 || processors == 8);
    }
}

}  // namespace
}  // namespace takt::schedulers
