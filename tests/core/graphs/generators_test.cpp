#include "core/graphs/generators.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/levels.hpp"

namespace takt {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::ThrowsMessage;

std::vector<std::int64_t> works(const TaskGraph& graph) {
  std::vector<std::int64_t> result;
  for (TaskId id : graph.tasks()) result.push_back(graph.task(id).work.count());
  return result;
}

std::vector<std::uint64_t> sizes(const TaskGraph& graph) {
  std::vector<std::uint64_t> result;
  for (EdgeId id : graph.edges()) result.push_back(graph.edge(id).size.count);
  return result;
}

void expect_error(std::string_view text, const std::string& part) {
  EXPECT_THAT([&] { (void)generate(text); }, ThrowsMessage<ConfigError>(HasSubstr(part))) << text;
}

TEST(Generators, all_have_valid_defaults) {
  for (const Generator& generator : all_generators()) {
    const TaskGraph graph = generate(generator.name);
    EXPECT_GT(graph.task_count(), 0U) << generator.name;
    // Only those of CASCH's programs have sections with several readers.
    if (!generator.name.starts_with("casch_")) {
      EXPECT_EQ(graph.datum_count(), graph.edge_count()) << generator.name << ": each edge has its own datum";
    }
    EXPECT_THAT(works(graph), Each(1)) << generator.name;
    EXPECT_THAT(sizes(graph), Each(1U)) << generator.name;
  }
}

TEST(Generators, number_tasks_from_zero_in_their_names) {
  const TaskGraph graph = generate("send_tree:depth=2");
  for (TaskId id : graph.tasks()) EXPECT_EQ(graph.task(id).name, std::to_string(id.index()));
  EXPECT_FALSE(graph.task(TaskId(0)).stateless);
  EXPECT_TRUE(generate("send_tree:depth=2,stateless=1").task(TaskId(0)).stateless);
}

TEST(Generators, put_a_host_around_a_graph_on_request) {
  // CASCH's FFT over four partitions: initiation, two layers of four InterMults and one of four IntraMults,
  // output.
  const TaskGraph graph = generate("fft:depth=2,host=1");
  EXPECT_EQ(graph.task_count(), 14U);
  EXPECT_EQ(graph.edge_count(), 16U + 4 + 4);
  EXPECT_EQ(graph.in_edges(TaskId(0)).size(), 0U);
  EXPECT_EQ(graph.out_edges(TaskId(0)).size(), 4U);
  EXPECT_EQ(graph.in_edges(TaskId(13)).size(), 4U);
  EXPECT_EQ(graph.out_edges(TaskId(13)).size(), 0U);
  for (TaskId id : graph.tasks()) {
    EXPECT_EQ(graph.in_edges(id).empty(), id == TaskId(0));
    EXPECT_EQ(graph.out_edges(id).empty(), id == TaskId(13));
  }
  for (const Generator& generator : all_generators()) {
    const TaskGraph plain = generate(generator.name),
                    hosted = generate(std::string(generator.name) + ":host=1");
    EXPECT_EQ(hosted.task_count(), plain.task_count() + 2) << generator.name;
    EXPECT_EQ(critical_path(hosted), critical_path(plain) + Time{4}) << "two tasks and two edges more";
  }
  EXPECT_THAT(works(generate("chain:depth=0,host=1,cost=3/1/4")), ElementsAre(3, 1, 4));
}

TEST(Generators, give_all_successors_one_result_on_request) {
  const TaskGraph graph = generate("fork_join:depth=1,width=3,data=1/2/3/4/5/6,shared=1");
  ASSERT_EQ(graph.task_count(), 5U);
  EXPECT_EQ(graph.edge_count(), 6U);
  // One of the fork, one of each parallel task; the join has no successor.
  EXPECT_EQ(graph.datum_count(), 4U);
  const auto size_from = [&](std::uint32_t task) {
    std::vector<std::uint64_t> sizes;
    for (const EdgeId edge : graph.edges())
      if (graph.edge(edge).from == TaskId(task))
        sizes.push_back(graph.datum_size(graph.edge(edge).datum).count);
    return sizes;
  };
  const std::vector<std::uint64_t> fork = size_from(0);
  ASSERT_EQ(fork.size(), 3U);
  EXPECT_EQ(std::ranges::count(fork, fork.front()), 3);
  EXPECT_EQ(generate("chain:depth=3,data=7,shared=1").datum_count(), 3U);
}

TEST(Generators, accept_one_value_or_an_array_of_costs_and_sizes) {
  EXPECT_THAT(works(generate("chain:depth=2,cost=7")), Each(7));
  EXPECT_THAT(works(generate("chain:depth=2,cost=3/1/4")), ElementsAre(3, 1, 4));
  EXPECT_THAT(works(generate("chain:depth=2,cost=1us/2/0")), ElementsAre(1000, 2, 0));
  EXPECT_THAT(sizes(generate("chain:depth=2,data=10/20")), ElementsAre(10U, 20U));
}

TEST(Generators, draw_costs_and_sizes_uniformly_from_their_ranges) {
  const TaskGraph graph = generate("fft:depth=8,cost=1..100,data=5..9,seed=7");
  EXPECT_THAT(works(graph), Each(AllOf(Ge(1), Le(100))));
  EXPECT_THAT(sizes(graph), Each(AllOf(Ge(5U), Le(9U))));
  // 2304 costs of mean 50.5 and standard deviation 28.9: five deviations of their mean are 3.
  EXPECT_NEAR(static_cast<double>(graph.total_work().count()) / 2304, 50.5, 3);
  // The first numbers of stream 1 of seed 7; see random_test.
  EXPECT_THAT(std::vector(works(generate("chain:depth=7,cost=1..100,seed=7"))),
              ElementsAre(30, 58, 12, 1, 73, 47, 87, 65));
}

TEST(Generators, produce_equal_graphs_for_equal_seeds_only) {
  EXPECT_EQ(generate("layered:tasks=60,cost=1..100,seed=3"), generate("layered:seed=3,cost=1..100,tasks=60"));
  EXPECT_NE(generate("layered:tasks=60,cost=1..100,seed=3"), generate("layered:tasks=60,cost=1..100,seed=4"));
  EXPECT_EQ(works(generate("fft:cost=1..100,data=1..5")), works(generate("fft:cost=1..100,data=3")));
}

TEST(Generators, scale_sizes_to_the_ratio_of_communication_to_computation) {
  for (const double ratio : {0.1, 1.0, 10.0}) {
    const TaskGraph graph = generate("fft:depth=8,cost=50..150,ccr=" + std::to_string(ratio));
    double size = 0;
    for (std::uint64_t each : sizes(graph)) size += static_cast<double>(each);
    const double mean_size = size / static_cast<double>(graph.edge_count());
    const double mean_work =
        static_cast<double>(graph.total_work().count()) / static_cast<double>(graph.task_count());
    // 4096 sizes, uniform in [0, 2 mean]: five standard deviations (0.9 %) of their mean.
    EXPECT_NEAR(mean_size / mean_work, ratio, 0.045 * ratio + 0.005);
  }
}

TEST(Generators, refuse_invalid_text_with_what_was_expected) {
  expect_error("send_tre:depth=3", "unknown graph generator 'send_tre'; did you mean 'send_tree'?");
  expect_error("fft:dept=3", "unknown parameter of fft 'dept'; did you mean 'depth'?");
  expect_error("wave:depth", "'depth' needs a value");
  expect_error("wave:depth=", "'depth=' needs a value");
  expect_error("wave:depth=3,depth=4", "'depth' is given twice");
  expect_error("wave:depth=-1", "depth=-1: expected a whole number of at least 0");
  expect_error("wave:width=0", "width=0: expected a whole number of at least 1");
  expect_error("wave:width=3x", "width=3x: expected a whole number");
  expect_error("layered:density=1.5", "density=1.5: expected a number from 0 to 1");
  expect_error("chain:cost=x", "cost=x: expected one value, min..max");
  expect_error("chain:cost=-1", "cost=-1: expected one value, min..max");
  expect_error("chain:cost=5..1", "cost=5..1: expected min..max with min not above max");
  expect_error("chain:depth=2,cost=1/2", "cost=1/2: expected 3 values, one for each of the tasks, not 2");
  expect_error("chain:depth=2,data=1/2/3", "data=1/2/3: expected 2 values, one for each of the edges, not 3");
  expect_error("chain:data=1,ccr=1", "expected one of them");
  expect_error("chain:host=2", "host=2: expected 0 or 1");
  expect_error("chain:stateless=yes", "stateless=yes: expected 0 or 1");
  expect_error("chain:seed=x,cost=1..2", "seed=x: expected a whole number");
}

TEST(Generators, refuse_a_graph_that_is_too_large) {
  expect_error("send_tree:depth=60",
               "send_tree:depth=60: the graph has 2.30584e+18 tasks; the limit is 10000000");
  expect_error("fft:depth=99999999999", "the limit is");
  expect_error("chain:cost=9000000000000000000", "work and data of the graph add up to");
}

TEST(Generators, are_distinguished_from_files_by_name) {
  EXPECT_TRUE(names_generator("fft"));
  EXPECT_TRUE(names_generator("fft:depth=3"));
  EXPECT_FALSE(names_generator("fft.yaml"));
  EXPECT_FALSE(names_generator("graphs/fft"));
}

}  // namespace
}  // namespace takt
