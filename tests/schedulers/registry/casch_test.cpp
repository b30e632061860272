/// Do our algorithms stand in CASCH's order, as docs/reproduction/casch.md says?

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/schedulers/registry/casch_study.hpp"

namespace takt::schedulers {
namespace {

TEST(CaschTables, have_random_schedules_last_and_orders_that_rather_agree) {
  for (const casch::Application& application : casch::applications())
    for (const casch::Target& target : casch::targets)
      for (const Time grain : casch::grains) {
        const int size = application.size[0];
        const casch::Planned made = casch::planned(application, target, size, grain);
        ASSERT_EQ(made.length.size() + 1, application.rows.size());
        std::vector<double> printed, planned;
        for (const casch::Row& row : application.rows) printed.push_back((row.*target.printed)[0]);
        for (Time length : made.length) planned.push_back(static_cast<double>(length.count()));
        // With the cheapest operations everything on few processors is best, and not all find that.
        EXPECT_EQ(std::ranges::max(made.length) < made.random, grain > casch::grains[0])
            << application.title << ", " << target.name << ", " << grain.count();
        planned.push_back(static_cast<double>(made.random.count()));
        EXPECT_GT(casch::kendall_tau(printed, planned), 0)
            << application.title << ", " << target.name << ", " << grain.count();
      }
}

TEST(KendallsTau, is_what_its_definition_says) {
  EXPECT_EQ(casch::kendall_tau({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
  EXPECT_EQ(casch::kendall_tau({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  // Five of six pairs agree, one does not.
  EXPECT_NEAR(casch::kendall_tau({1, 2, 3, 4}, {1, 2, 4, 3}), 4 / 6.0, 1e-12);
}

}  // namespace
}  // namespace takt::schedulers
