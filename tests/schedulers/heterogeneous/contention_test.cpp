/// The contention model of communication-aware scheduling: do decision, schedule and checker have the same
/// times, and is the search never worse?
///
/// The oracle follows a schedule's decisions independently: it models channels, not links.

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "logp/timing.hpp"
#include "schedulers/heterogeneous/ca_list.hpp"
#include "schedulers/heterogeneous/ca_search.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/heterogeneous/contention_study.hpp"
#include "tests/schedulers/registry/worked_examples.hpp"
#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace heterogeneous_contention_test {

/// Occupied intervals.
class Channel {
 public:
  std::int64_t take(std::int64_t ready, std::int64_t length) {
    if (length == 0) return ready;
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& [from, to] : taken_)
        if (ready < to && from < ready + length) {
          ready = to;
          moved = true;
        }
    }
    taken_.emplace_back(ready, ready + length);
    return ready + length;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> taken_;
};

/// Communication-aware list scheduling as in the paper: by b-level; on each processor a copy of its channel
/// receives the messages in the order of their senders' ends.
std::int64_t length_by_the_paper(const TaskGraph& graph, const std::vector<double>& speeds) {
  const std::size_t n = graph.task_count(), count = speeds.size();
  const auto duration = [&](std::size_t task, std::size_t p) {
    return static_cast<std::int64_t>(
        std::ceil(static_cast<double>(graph.task(TaskId(task)).work.count()) / speeds[p]));
  };
  std::vector<double> level(n, 0);
  const auto order = graph.topological_order();
  for (std::size_t i = n; i-- > 0;) {
    const std::size_t task = order[i].index();
    double below = 0, mean = 0;
    for (EdgeId edge : graph.out_edges(order[i]))
      below = std::max(below,
                       static_cast<double>(graph.edge(edge).size.count) + level[graph.edge(edge).to.index()]);
    for (std::size_t p = 0; p < count; ++p) mean += static_cast<double>(duration(task, p));
    level[task] = below + std::round(mean / static_cast<double>(count));
  }
  std::vector<Channel> channels(count);
  std::vector<std::int64_t> ready(count, 0), end(n, -1);
  std::vector<std::size_t> home(n);
  std::int64_t length = 0;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t next = n;
    for (std::size_t task = 0; task < n; ++task) {
      if (end[task] >= 0) continue;
      bool is_ready = true;
      for (EdgeId edge : graph.in_edges(TaskId(task)))
        is_ready = is_ready && end[graph.edge(edge).from.index()] >= 0;
      if (is_ready && (next == n || level[task] > level[next])) next = task;
    }
    std::vector<std::pair<std::int64_t, std::size_t>> senders;
    for (EdgeId edge : graph.in_edges(TaskId(next)))
      senders.emplace_back(end[graph.edge(edge).from.index()], edge.index());
    std::sort(senders.begin(), senders.end(), [&](const auto& a, const auto& b) {
      return std::tuple(a.first, graph.edge(EdgeId(a.second)).from, a.second) <
             std::tuple(b.first, graph.edge(EdgeId(b.second)).from, b.second);
    });
    std::int64_t best = -1;
    std::size_t best_p = 0;
    Channel best_channel;
    for (std::size_t p = 0; p < count; ++p) {
      Channel channel = channels[p];
      std::int64_t start = ready[p];
      for (const auto& [sent, id] : senders) {
        const Edge edge = graph.edge(EdgeId(id));
        start = std::max(start, home[edge.from.index()] == p
                                    ? sent
                                    : channel.take(sent, static_cast<std::int64_t>(edge.size.count)));
      }
      if (best >= 0 && start + duration(next, p) >= best) continue;
      best = start + duration(next, p);
      best_p = p;
      best_channel = channel;
    }
    channels[best_p] = best_channel;
    home[next] = best_p;
    end[next] = ready[best_p] = best;
    length = std::max(length, best);
  }
  return length;
}

TEST(Contention, has_the_same_times_in_decision_schedule_and_checker) {
  const struct {
    std::string_view machine;
    std::vector<double> speeds;
  } machines[] = {{"contention:P=4", {1, 1, 1, 1}}, {"contention:P=3,speed=1/2/0.5", {1, 2, 0.5}}};
  for (const auto& [name, speeds] : machines)
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const TaskGraph graph =
          generate(fmt::format("layered:tasks=25,cost=1..20,data=0..30,jump=2,seed={}", seed));
      const logp::Machine machine = logp::parse_machine(name);
      const Schedule schedule = ca_list(graph, machine, {});
      EXPECT_THAT(logp::diagnose(graph, machine, schedule), testing::IsEmpty()) << name << ", seed " << seed;
      EXPECT_EQ(measure(schedule).makespan.count(), length_by_the_paper(graph, speeds))
          << name << ", seed " << seed;
    }
}

/// Three tasks of 20 before a fourth one, with data of 10 each.
TEST(Contention, has_a_join_wait_for_its_messages_in_sequence) {
  const TaskGraph join = examples::make_graph({{20}, {20}, {20}, {1}}, {{1, 4, 10}, {2, 4, 10}, {3, 4, 10}});
  // On one of the three processors the two others' data arrive at 30 and 40; without contention both at 30.
  const auto length = [&](std::string_view machine) {
    return measure(ca_list(join, logp::parse_machine(machine), {})).makespan.count();
  };
  EXPECT_EQ(length("contention:P=3"), 41);
  EXPECT_EQ(length("delay:P=3"), 31);
  EXPECT_EQ(length("contention:P=3,channel=both"), 41);  // never shorter than with one port
}

// In the one-port model a message holds its sender's and its receiver's port for its whole time: by hand,
// four tasks send 40 to a fifth one, of which one is on its processor.
TEST(Contention, a_message_holds_both_ports) {
  const TaskGraph join = examples::make_graph({{100}, {100}, {100}, {100}, {1}},
                                              {{1, 5, 40}, {2, 5, 40}, {3, 5, 40}, {4, 5, 40}});
  const auto length = [&](std::string_view machine) {
    const logp::Allocation allocation{{{TaskId(0)}, {TaskId(1)}, {TaskId(2)}, {TaskId(3), TaskId(4)}}};
    return measure(logp::time_task_messages(join, logp::parse_machine(machine), allocation,
                                            {.aggregate = false, .routed = true}))
        .makespan.count();
  };
  EXPECT_EQ(length("delay:P=4"), 141);
  EXPECT_EQ(length("contention:P=4"), 221);
  EXPECT_EQ(length("contention:P=4,channel=both"), 221);
}

TEST(Contention, no_two_messages_of_a_port_overlap) {
  const logp::Machine machine = logp::parse_machine("contention:P=4,channel=both");
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TaskGraph graph =
        generate(fmt::format("layered:tasks=25,cost=1..20,data=0..30,jump=2,seed={}", seed));
    for (const auto scheduler : {&ca_list, &ca_search}) {
      const Schedule schedule = (*scheduler)(graph, machine, {});
      EXPECT_THAT(logp::diagnose(graph, machine, schedule), testing::IsEmpty()) << "seed " << seed;
      struct Held {
        std::size_t from, to;
        std::int64_t start, end;
      };
      std::vector<Held> all;
      for (MessageId id : ids<MessageId>(schedule.messages.size())) {
        const Message& message = schedule.message(id);
        ASSERT_EQ(schedule.route(id).size(), 2U);
        const Hop &out = schedule.route(id)[0], &in = schedule.route(id)[1];
        EXPECT_EQ(out.start, in.start);
        EXPECT_EQ(out.end, in.end);
        EXPECT_EQ((out.end - out.start).count(), static_cast<std::int64_t>(message.size.count));
        // Messages without bytes hold no port.
        if (out.end > out.start)
          all.push_back({message.from.index(), message.to.index(), out.start.count(), out.end.count()});
      }
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_TRUE((all[i].from != all[j].from && all[i].to != all[j].to) || all[i].end <= all[j].start ||
                      all[j].end <= all[i].start)
              << "seed " << seed;
    }
  }
}

TEST(Contention, does_not_delay_processors_without_messages) {
  // A message out does not delay a message in: two processors send to each other at the same time.
  const TaskGraph cross = examples::make_graph({{5}, {5}, {5}, {5}}, {{1, 4, 4}, {2, 3, 4}});
  const logp::Allocation allocation{{{TaskId(0), TaskId(2)}, {TaskId(1), TaskId(3)}}};
  for (std::string_view machine : {"contention:P=2", "contention:P=2,channel=both"})
    EXPECT_EQ(measure(logp::time_task_messages(cross, logp::parse_machine(machine), allocation,
                                               {.aggregate = false, .routed = true}))
                  .makespan,
              Time{14});
}

TEST(CaSearch, is_never_worse_than_its_starts) {
  double sum = 0;
  int cases = 0;
  for (std::string_view name :
       {"contention:P=4", "contention:P=3,speed=1/2/0.5", "contention:P=4,channel=both",
        "delay:P=6,network=ring:6", "logp:P=3,L=2,o=3,g=4"})
    for (std::string_view shape : {"layered:tasks=40,cost=1..20,ccr=1,seed=3", "fft:depth=3,cost=1..9,ccr=5",
                                   "gauss:size=6,cost=1..9,ccr=0.1"}) {
      const TaskGraph graph = generate(shape);
      const logp::Machine machine = logp::parse_machine(name);
      const Schedule found = ca_search(graph, machine, {});
      EXPECT_THAT(logp::diagnose(graph, machine, found), testing::IsEmpty()) << shape << " on " << name;
      Time best = Time::max();
      for (const char* other : {"mh", "dls_apn", "bu", "bsa", "ca_list", "single"})
        best = std::min(best, measure(find_scheduler(other).schedule(graph, machine, {})).makespan);
      EXPECT_LE(measure(found).makespan, best) << shape << " on " << name;
      sum += static_cast<double>(measure(found).makespan.count()) / static_cast<double>(best.count());
      ++cases;
    }
  EXPECT_LE(sum / cases, 0.95);
}

/// Figures 1 and 2 of the paper, on its smallest graphs.
TEST(Contention, matters_more_for_more_communication) {
  constexpr std::size_t sizes[] = {100};
  for (std::string_view machine : {"P=8", "P=8,speed=1/1/2/2/3/3/4/4"}) {
    const std::vector<ContentionRow> rows = contention_study(sizes, 1, machine, false);
    for (std::size_t i = 1; i < rows.size(); ++i)
      EXPECT_GT(rows[i].classic_error, rows[i - 1].classic_error) << machine;
    for (const ContentionRow& row : rows) {
      if (row.ccr >= 5) {
        EXPECT_LT(row.aware_error, 0.75 * row.classic_error) << machine << ", CCR " << row.ccr;
      }
      if (row.ccr >= 1) {
        EXPECT_LT(row.aware_error, row.classic_error) << machine << ", CCR " << row.ccr;
        EXPECT_GT(row.aware_efficiency, row.classic_efficiency) << machine << ", CCR " << row.ccr;
      }
    }
  }
}

/// Rows of docs/reproduction/contention.md.
TEST(Contention, has_the_makespans_of_its_document) {
  const std::string text = test::read_file(TAKT_SOURCE_DIR "/docs/reproduction/contention.md");
  const std::size_t second = text.find("as the mapping improves them");
  ASSERT_NE(second, std::string::npos);
  for (const char* name : {"ca_list", "dls_apn", "bu", "bsa", "heft", "dsc"})
    EXPECT_THAT(text.substr(0, second),
                testing::HasSubstr(contention_line(name, "P=8", NetworkMapping::none) + "\n"));
  for (const char* name : {"ca_list", "dls_apn"})
    EXPECT_THAT(text.substr(second),
                testing::HasSubstr(contention_line(name, "P=8", NetworkMapping::best) + "\n"));
}

TEST(Contention, reports_unsupported_options) {
  using testing::HasSubstr;
  const auto error_of = [](std::string_view text) -> std::string {
    try {
      (void)logp::parse_machine(text);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of("contention:P=4,channel=recieve"), HasSubstr("receive"));
  EXPECT_THAT(error_of("contention:P=4,network=ring:4"), HasSubstr("network"));
  EXPECT_THAT(error_of("contentoin:P=4"), HasSubstr("contention"));
}

}  // namespace heterogeneous_contention_test
}  // namespace takt::schedulers
