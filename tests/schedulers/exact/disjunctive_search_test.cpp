/// Does the search for orders charge its budget?

#include "schedulers/exact/disjunctive_search.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace takt::schedulers {
namespace {

// Guards against plans of minutes: on twelve tasks without work the search ran very many queries that ended
// before any decision, without a charge.
TEST(DisjunctiveSearch, charges_infeasible_queries_without_decisions) {
  // 40 operations of 10, one after the other, do not fit into 399.
  std::vector<DisjunctiveOperation> operations(40, {OperationKind::compute, 0, 10, 10});
  std::vector<Precedence> precedences;
  for (std::uint32_t i = 0; i + 1 < operations.size(); ++i) precedences.push_back({i, i + 1, 10});
  std::uint64_t budget = 100'000;
  EXPECT_FALSE(find_starts(operations, precedences, 399, budget));
  // All paths among 40 operations are extended over each of them: 40^3 / 400.
  EXPECT_LE(budget, 100'000U - 160);
  EXPECT_GT(budget, 0U);
  EXPECT_TRUE(find_starts(operations, precedences, 400, budget));
}

TEST(DisjunctiveSearch, is_undecided_when_its_budget_is_spent) {
  const std::vector<DisjunctiveOperation> operations(4, {OperationKind::compute, 0, 10, 10});
  std::uint64_t budget = 1;
  EXPECT_FALSE(find_starts(operations, {}, 40, budget));
  EXPECT_EQ(budget, 0U);
}

}  // namespace
}  // namespace takt::schedulers
