/// Tests which ranks and processors places have, on hosts that hwloc makes up, and what is refused.

#include "pipeline/planning/places.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pipeline/protocol/rank_host.hpp"
#include "pipeline/runtime/pinning.hpp"
#include "pipeline/runtime/rank/rank_places.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Stages 0 to 3: s, a, b, o.
Pipeline pipeline_of(const std::string& source, const std::string& a, const std::string& b,
                     const std::string& deployment = "ranks: 4") {
  const auto place = [](const std::string& keys) { return keys.empty() ? "" : ", place: {" + keys + "}"; };
  return load(fmt::format(R"(sources: {{s: {{type: synthetic, axes: [time=4]{}}}}}
tasks:
  a: {{kernel: pass, input: s{}}}
  b: {{kernel: pass, input: a{}}}
sinks: {{o: {{type: 'null', input: b}}}}
deployment: {{{}}}
)",
                          place(source), place(a), place(b), deployment));
}

/// Two hosts of two NUMA nodes with two processors each; two ranks on each.
std::vector<RankHost> two_hosts() {
  const auto processors = logp::synthetic_processors("numa:2 core:2 pu:1");
  return {{"node1.site.org", 0, processors, {}},
          {"node1.site.org", 0, processors, {}},
          {"node2.site.org", 2, processors, {}},
          {"node2.site.org", 2, processors, {}}};
}

/// Returns the refusal, with `p.yaml` for the path.
std::string refusal(const Pipeline& pipeline) {
  try {
    (void)find_places(pipeline, two_hosts());
    return "";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    return text.substr(text.find("p.yaml"));
  }
}

TEST(Places, are_processors_and_nodes_of_the_topology) {
  EXPECT_THAT(logp::synthetic_processors("numa:2 core:2 pu:1"),
              ElementsAre(logp::HostProcessor{0, 0, {}}, logp::HostProcessor{1, 0, {}},
                          logp::HostProcessor{2, 1, {}}, logp::HostProcessor{3, 1, {}}));
  EXPECT_THROW((void)logp::synthetic_processors("two cores"), ConfigError);
  EXPECT_FALSE(logp::host_processors().empty());
}

TEST(Places, of_ranks_and_hosts_restrict_ranks_and_bind_nothing) {
  const RankPlaces places =
      find_places(pipeline_of("host: node1", "rank: 3", "host: node2.site.org"), two_hosts());
  EXPECT_THAT(places.ranks, ElementsAre(ElementsAre(0, 1), ElementsAre(3), ElementsAre(2, 3), IsEmpty()));
  EXPECT_FALSE(places.bind());
  EXPECT_THAT(find_places(pipeline_of("", "", ""), two_hosts()).ranks,
              ElementsAre(IsEmpty(), IsEmpty(), IsEmpty(), IsEmpty()));
}

TEST(Places, on_cores_bind_the_first_free_rank_of_the_host) {
  const RankPlaces places =
      find_places(pipeline_of("host: node2, core: 3", "host: node2, core: 1", "rank: 2"), two_hosts());
  EXPECT_THAT(places.ranks, ElementsAre(ElementsAre(2), ElementsAre(3), ElementsAre(2), IsEmpty()));
  EXPECT_THAT(places.processors, ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(3), ElementsAre(1)));
  // Two tasks on one core share a rank.
  EXPECT_THAT(find_places(pipeline_of("core: 3", "", "core: 3"), two_hosts()).ranks,
              ElementsAre(ElementsAre(0), IsEmpty(), ElementsAre(0), IsEmpty()));
  // A place with a rank comes first, wherever it stands in the file.
  EXPECT_THAT(find_places(pipeline_of("host: node1, core: 2", "", "rank: 0, core: 0"), two_hosts()).ranks,
              ElementsAre(ElementsAre(1), IsEmpty(), ElementsAre(0), IsEmpty()));
}

TEST(Places, leave_the_remaining_processors_to_the_other_ranks) {
  const RankPlaces places = find_places(
      pipeline_of("", "rank: 1, core: 0", "host: node2, numa: 1", "ranks: 4, pin: auto"), two_hosts());
  EXPECT_THAT(places.processors, ElementsAre(ElementsAre(1), ElementsAre(0), ElementsAre(2), ElementsAre(0)));
  EXPECT_THAT(places.ranks, ElementsAre(IsEmpty(), ElementsAre(1), ElementsAre(2), IsEmpty()));
}

TEST(Places, on_a_numa_node_may_use_all_its_processors) {
  const RankPlaces places = find_places(pipeline_of("", "rank: 2, numa: 1", "numa: 0"), two_hosts());
  EXPECT_THAT(places.processors, ElementsAre(ElementsAre(0, 1), IsEmpty(), ElementsAre(2, 3), IsEmpty()));
  EXPECT_THAT(places.ranks, ElementsAre(IsEmpty(), ElementsAre(2), ElementsAre(0), IsEmpty()));
}

/// Processors 0 and 1 are of one type, 2 and 3 of another one.
TEST(Places, on_cores_of_a_type_may_use_all_of_them) {
  std::vector<RankHost> hosts = two_hosts();
  for (RankHost& host : hosts)
    for (logp::HostProcessor& each : host.processors) each.type = each.number < 2 ? "IntelCore" : "IntelAtom";
  const RankPlaces places =
      find_places(pipeline_of("", "host: node2, type: IntelAtom", "type: IntelCore"), hosts);
  EXPECT_THAT(places.processors, ElementsAre(ElementsAre(0, 1), IsEmpty(), ElementsAre(2, 3), IsEmpty()));
  EXPECT_THAT(places.ranks, ElementsAre(IsEmpty(), ElementsAre(2), ElementsAre(0), IsEmpty()));
  EXPECT_EQ(pipeline_of("", "host: node2, type: IntelAtom", "").stages[1].place->to_string(),
            "host node2, cores of type IntelAtom");
  const auto refusal_of = [&](const std::string& place) -> std::string {
    try {
      (void)find_places(pipeline_of("", place, ""), hosts);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal_of("type: big"),
              HasSubstr("host 'node1.site.org' has no cores of type big available to takt: it has cores of "
                        "type IntelAtom and of IntelCore"));
  EXPECT_THAT(refusal_of("type: IntelCore, numa: 1"),
              HasSubstr("has no NUMA node 1, cores of type IntelCore available to takt: it has 0, 1, and "
                        "cores of type IntelAtom and of IntelCore"));
  // The ranks of this host have one type.
  EXPECT_THAT(refusal(pipeline_of("", "type: big", "")), HasSubstr("it has cores of one type"));
}

TEST(Places, use_the_ranks_that_pin_lists) {
  const std::string listed = "ranks: 4, hosts: ['node1:2', 'node2:2'], pin: [0, 2, 1, 3]";
  const RankPlaces places =
      find_places(pipeline_of("host: node2, core: 3", "numa: 1", "host: node1", listed), two_hosts());
  EXPECT_THAT(places.ranks, ElementsAre(ElementsAre(3), ElementsAre(1, 3), ElementsAre(0, 1), IsEmpty()));
  EXPECT_FALSE(places.bind());
  EXPECT_THAT(refusal(pipeline_of("", "host: node1, core: 3", "", listed)),
              StartsWith("p.yaml:3:38: task 'a': 'place': 'pin' binds no such rank to processor 3"));
}

TEST(Places, that_cannot_hold_are_refused_at_their_place) {
  EXPECT_EQ(refusal(pipeline_of("", "rank: 4", "")),
            "p.yaml:3:38: task 'a': 'place': there is no rank 4: expected 0 to 3");
  EXPECT_EQ(refusal(pipeline_of("host: node3", "", "")),
            "p.yaml:1:55: source 's': 'place': no rank is on host 'node3': the ranks are on node1.site.org, "
            "node2.site.org");
  EXPECT_EQ(refusal(pipeline_of("", "rank: 3, host: node1", "")),
            "p.yaml:3:38: task 'a': 'place': rank 3 is on host 'node2.site.org'");
  EXPECT_EQ(
      refusal(pipeline_of("", "", "core: 7")),
      "p.yaml:4:38: task 'b': 'place': host 'node1.site.org' has no processor 7 available to takt: it has "
      "0, 1, 2, 3");
  EXPECT_EQ(
      refusal(pipeline_of("", "numa: 2", "")),
      "p.yaml:3:38: task 'a': 'place': host 'node1.site.org' has no NUMA node 2 available to takt: it has 0, "
      "1");
  // Both ranks of node1 have cores.
  EXPECT_THAT(refusal(pipeline_of("host: node1, core: 0", "host: node1, core: 1", "host: node1, core: 2")),
              HasSubstr("p.yaml:4:38: task 'b': 'place': no rank is left for processor 2"));
  EXPECT_THAT(refusal(pipeline_of("rank: 0, core: 0", "rank: 1, core: 0", "")),
              HasSubstr("task 'a': 'place': no rank is left for processor 0"));
  EXPECT_THAT(refusal(pipeline_of("", "core: 0", "", "ranks: 4, cores_per_rank: 2")),
              HasSubstr("needs a list of processors in 'pin'"));
}

TEST(Places, in_files_are_checked) {
  const auto errors = [](const std::string& place) {
    return errors_in(
        "sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: 'null', input: s, place: " +
        place + "}}\n");
  };
  EXPECT_THAT(errors("{rank: 0}"), IsEmpty());
  EXPECT_THAT(errors("3"),
              ElementsAre("p.yaml:2:44: sink 'o': 'place' must be a mapping such as {host: node1, "
                          "core: 3}, not a single value"));
  EXPECT_THAT(errors("{}"), ElementsAre(HasSubstr("not an empty one")));
  EXPECT_THAT(errors("{cor: 3}"), ElementsAre(HasSubstr("did you mean 'core'")));
  EXPECT_THAT(errors("{core: -1}"), ElementsAre(HasSubstr("expected the number of a processor, from 0 on")));
  EXPECT_THAT(errors("{core: 1, numa: 0}"), ElementsAre(HasSubstr("expected 'core' or 'numa'")));
  EXPECT_THAT(errors("{numa: interface}"), ElementsAre(HasSubstr("only a source has a network interface")));
}

TEST(Places, of_interfaces_are_those_that_the_system_names) {
  const takt::test::TemporaryFolder folder;
  // The loopback interface has 127.0.0.1 everywhere, and no NUMA node of its own.
  EXPECT_EQ(node_of_interface("127.0.0.1"), std::nullopt);
  std::filesystem::create_directories(folder / "lo/device");
  std::ofstream(folder / "lo/device/numa_node") << "1\n";
  EXPECT_EQ(node_of_interface("127.0.0.1", folder / ""), 1U);
  std::ofstream(folder / "lo/device/numa_node") << "-1\n";
  EXPECT_EQ(node_of_interface("127.0.0.1", folder / ""), std::nullopt);
  EXPECT_EQ(node_of_interface("192.0.2.1", folder / ""), std::nullopt);

  std::vector<RankHost> hosts = two_hosts();
  for (RankHost& host : hosts) host.interface_nodes = {1, std::nullopt, std::nullopt, std::nullopt};
  const Pipeline pipeline = pipeline_of("numa: interface", "", "");
  EXPECT_THAT(find_places(pipeline, hosts).processors.front(), ElementsAre(2, 3));
  for (RankHost& host : hosts) host.interface_nodes.front().reset();
  const RankPlaces unknown = find_places(pipeline, hosts);
  EXPECT_FALSE(unknown.bind());
  EXPECT_THAT(unknown.ranks.front(), IsEmpty());
  EXPECT_THAT(unknown.unmet,
              ElementsAre(HasSubstr("source 's': 'numa: interface': the system names no NUMA node")));
}

TEST(Places, are_those_of_hosts_as_ranks_tell_them) {
  RankHost host = two_hosts().front();
  host.interface_nodes = {1, std::nullopt};
  const RankHost read = rank_host_from_text(to_text(host), 7);
  EXPECT_EQ(read.name, host.name);
  EXPECT_EQ(read.node, 7);
  EXPECT_EQ(read.processors, host.processors);
  EXPECT_EQ(read.interface_nodes, host.interface_nodes);
}

TEST(Places, of_memory_are_the_nodes_of_bound_processors) {
  const auto processors = logp::synthetic_processors("numa:2 core:2 pu:1");
  const auto node_of = [&](std::initializer_list<int> numbers) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int number : numbers) CPU_SET(number, &set);
    return memory_node_of(set, processors);
  };
  EXPECT_EQ(node_of({2}), 1U);
  EXPECT_EQ(node_of({0, 1}), 0U);
  EXPECT_EQ(node_of({1, 2}), std::nullopt);
  EXPECT_EQ(memory_node_of(std::nullopt, processors), std::nullopt);
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  // One node needs no binding.
  EXPECT_EQ(memory_node_of(first, logp::synthetic_processors("numa:1 core:2 pu:1")), std::nullopt);
}

/// With real calls, where the system allows them.
TEST(Places, of_memory_are_obeyed_by_the_system) {
  const std::size_t node = logp::host_processors().front().numa;
  const auto bytes = static_cast<std::size_t>(16 * ::sysconf(_SC_PAGESIZE));
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::unique_ptr<void, std::function<void(void*)>> owner(memory,
                                                                [&](void* each) { ::munmap(each, bytes); });
  if (const std::string reason = logp::bind_memory(memory, bytes, node); !reason.empty())
    GTEST_SKIP() << "the system binds no memory: " << reason;
  std::fill_n(static_cast<char*>(memory), bytes, 'x');
  EXPECT_THAT(logp::nodes_of_memory(memory, bytes), ElementsAre(node));
  EXPECT_EQ(logp::prefer_memory(node), "");
  // A node that does not exist.
  EXPECT_NE(logp::bind_memory(memory, bytes, 1000), "");
}

/// With real calls: this host has no such node.
TEST(Places, of_shared_rings_that_the_system_refuses_are_reported) {
  const std::size_t node = logp::host_processors().front().numa;
  const std::vector<std::string> unbound = unbound_rings({node, 1000});
  ASSERT_FALSE(unbound.empty());
  EXPECT_THAT(unbound.back(), HasSubstr("does not bind shared memory to NUMA node 1000 ("));
  EXPECT_THAT(unbound.back(), HasSubstr("allow mbind"));
  if (unbound.size() == 2) {
    EXPECT_THAT(unbound.front(), HasSubstr(fmt::format("to NUMA node {} (", node)));
  }
}

}  // namespace
}  // namespace takt::pipeline::test
