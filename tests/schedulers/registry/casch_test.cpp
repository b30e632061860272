/// Do takt's algorithms rank in CASCH's order, as documented in docs/reproduction/casch.md?

#include <algorithm>

#include <gtest/gtest.h>

#include "schedulers/judge/rank_correlation.hpp"
#include "tests/schedulers/registry/casch_study.hpp"

namespace takt::schedulers {
namespace registry_casch_test {

TEST(CaschTables, have_random_schedules_last_and_mostly_agreeing_orders) {
  for (const casch::Application& application : casch::applications())
    for (const casch::Target& target : casch::targets)
      for (const Time grain : casch::grains) {
        const int size = application.size[0];
        const casch::Planned made = casch::planned(application, target, size, grain);
        ASSERT_EQ(made.length.size() + 1, application.rows.size());
        std::vector<double> printed, planned;
        for (const casch::Row& row : application.rows) printed.push_back((row.*target.printed)[0]);
        for (Time length : made.length) planned.push_back(static_cast<double>(length.count()));
        // With the cheapest operations few processors are best, and not all algorithms find that.
        EXPECT_EQ(std::ranges::max(made.length) < made.random, grain > casch::grains[0])
            << application.title << ", " << target.name << ", " << grain.count();
        planned.push_back(static_cast<double>(made.random.count()));
        EXPECT_GT(kendall_tau(printed, planned), 0)
            << application.title << ", " << target.name << ", " << grain.count();
      }
}

}  // namespace registry_casch_test
}  // namespace takt::schedulers
