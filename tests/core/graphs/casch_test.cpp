/// The graphs of CASCH's programs, against their loops executed over named sections.

#include "core/graphs/casch.hpp"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"

namespace takt {
namespace {

/// What each task reads: the writing task and the name of the section, in order.
using Reads = std::vector<std::vector<std::pair<std::size_t, std::string>>>;

class Recorder {
 public:
  void call(const std::vector<std::string>& reads, const std::vector<std::string>& writes) {
    reads_.emplace_back();
    for (const std::string& section : reads) reads_.back().emplace_back(writer_.at(section), section);
    for (const std::string& section : writes) EXPECT_TRUE(writer_.emplace(section, reads_.size() - 1).second);
  }
  [[nodiscard]] const Reads& reads() const { return reads_; }

 private:
  Reads reads_;
  std::map<std::string, std::size_t> writer_;
};

std::vector<std::string> row(const std::string& name, std::size_t level, std::size_t count) {
  std::vector<std::string> sections;
  for (std::size_t i = 0; i < count; ++i) sections.push_back(fmt::format("{}[{}][{}]", name, level, i));
  return sections;
}

Reads figure_2(std::size_t depth) {
  const std::size_t columns = std::size_t{1} << depth;
  Recorder main;
  const auto data = [](std::size_t level, std::size_t column) {
    return fmt::format("data[{}][{}]", level, column);
  };
  main.call({}, row("data", depth + 1, columns));
  for (std::size_t i = depth; i >= 1; --i)
    for (std::size_t j = 0; j < columns; j += std::size_t{1} << i)
      for (std::size_t k = 0; k < std::size_t{1} << (i - 1); ++k) {
        const std::size_t low = j + k, high = low + (std::size_t{1} << (i - 1));
        main.call({data(i + 1, low), data(i + 1, high)}, {data(i, low)});
        main.call({data(i + 1, high), data(i + 1, low)}, {data(i, high)});
      }
  for (std::size_t i = 0; i < columns; ++i) main.call({data(1, i)}, {data(0, i)});
  main.call(row("data", 0, columns), {});
  return main.reads();
}

Reads gauss(std::size_t blocks) {
  Recorder main;
  main.call({}, row("a", 0, blocks));
  for (std::size_t k = 0; k < blocks; ++k) {
    main.call({fmt::format("a[{}][{}]", k, k)}, {fmt::format("lu[0][{}]", k)});
    for (std::size_t j = k + 1; j < blocks; ++j)
      main.call({fmt::format("lu[0][{}]", k), fmt::format("a[{}][{}]", k, j)},
                {fmt::format("a[{}][{}]", k + 1, j)});
  }
  main.call(row("lu", 0, blocks), {});
  return main.reads();
}

/// Versions of blocks are sections of their own here.
Reads laplace(std::size_t side, std::size_t steps) {
  Recorder main;
  const auto block = [](std::size_t i, std::size_t j, std::size_t version) {
    return fmt::format("u[{}][{}] {}", i, j, version);
  };
  std::vector<std::string> result;
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      main.call({}, {block(i, j, 0)});
      result.push_back(block(i, j, steps));
    }
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j) {
        std::vector<std::string> reads{block(i, j, t)};
        if (i > 0) reads.push_back(block(i - 1, j, t + 1));
        if (j > 0) reads.push_back(block(i, j - 1, t + 1));
        if (i < side - 1) reads.push_back(block(i + 1, j, t));
        if (j < side - 1) reads.push_back(block(i, j + 1, t));
        main.call(reads, {block(i, j, t + 1)});
      }
  main.call(result, {});
  return main.reads();
}

Reads nbody(std::size_t groups, std::size_t steps) {
  Recorder main;
  const auto bodies = [](std::size_t t, std::size_t p) { return fmt::format("bodies[{}][{}]", t, p); };
  const auto force = [](std::size_t t, std::size_t p, std::size_t q) {
    return fmt::format("forces[{}][{}][{}]", t, p, q);
  };
  for (std::size_t p = 0; p < groups; ++p) main.call({}, {bodies(0, p)});
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t p = 0; p < groups; ++p)
      for (std::size_t q = 0; q < groups; ++q)
        main.call(p == q ? std::vector{bodies(t, p)} : std::vector{bodies(t, p), bodies(t, q)},
                  {force(t, p, q)});
    for (std::size_t p = 0; p < groups; ++p) {
      std::vector<std::string> reads{bodies(t, p)};
      for (std::size_t q = 0; q < groups; ++q) reads.push_back(force(t, p, q));
      main.call(reads, {bodies(t + 1, p)});
    }
  }
  main.call(row("bodies", steps, groups), {});
  return main.reads();
}

/// Data with equal numbers must be equal sections, and the other way round.
void expect_same(const Topology& topology, const Reads& expected) {
  ASSERT_EQ(topology.task_count, expected.size());
  std::map<std::size_t, std::string> sections;
  std::map<std::string, std::size_t> data;
  std::size_t arc = 0;
  for (std::size_t task = 0; task < expected.size(); ++task)
    for (const auto& [writer, section] : expected[task]) {
      ASSERT_LT(arc, topology.arcs.size());
      EXPECT_EQ(topology.arcs[arc].from, writer);
      EXPECT_EQ(topology.arcs[arc].to, task);
      EXPECT_EQ(sections.try_emplace(topology.datum_of[arc], section).first->second, section);
      EXPECT_EQ(data.try_emplace(section, topology.datum_of[arc]).first->second, topology.datum_of[arc]);
      ++arc;
    }
  EXPECT_EQ(arc, topology.arcs.size());
}

TEST(CaschGraphs, match_the_loops_of_their_programs) {
  for (std::size_t depth = 0; depth <= 5; ++depth) expect_same(casch_fft_topology(depth), figure_2(depth));
  for (std::size_t size = 1; size <= 7; ++size) expect_same(casch_gauss_topology(size), gauss(size));
  for (std::size_t size = 1; size <= 5; ++size)
    for (std::size_t steps = 1; steps <= 3; ++steps) {
      expect_same(casch_laplace_topology(size, steps), laplace(size, steps));
      expect_same(casch_nbody_topology(size, steps), nbody(size, steps));
    }
}

TEST(CaschGraphs, have_a_datum_for_each_section_that_is_read) {
  const TaskGraph graph = generate("casch_fft:depth=2,data=64");
  // Figure 2 with PN = 4: 14 calls, 24 edges, 16 sections.
  EXPECT_EQ(graph.task_count(), 14U);
  EXPECT_EQ(graph.edge_count(), 24U);
  EXPECT_EQ(graph.datum_count(), 16U);
  // A host of its own hands over nothing to the first task but one datum, and takes none but the last one's.
  const TaskGraph hosted = generate("casch_fft:depth=2,host=1");
  EXPECT_EQ(hosted.task_count(), 16U);
  EXPECT_EQ(hosted.edge_count(), 26U);
  EXPECT_EQ(hosted.datum_count(), 18U);
}

}  // namespace
}  // namespace takt
