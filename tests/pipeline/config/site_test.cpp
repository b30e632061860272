/// Tests on which hosts a pipeline file places its ranks.

#include "pipeline/config/site.hpp"

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline {
namespace {

using test::errors_in;
using test::good_pipeline;
using test::load;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Deployment deployment_of(const std::string& keys) {
  return load(good_pipeline + "deployment: {" + keys + "}\n").deployment;
}

std::vector<std::string> deployment_errors(const std::string& keys) {
  return errors_in(good_pipeline + "deployment: {" + keys + "}\n");
}

TEST(Site, is_this_computer_unless_the_file_names_hosts) {
  const Deployment deployment = deployment_of("ranks: 2");
  EXPECT_THAT(deployment.site.hosts, IsEmpty());
  EXPECT_EQ(deployment.site.starter, RankStarter::mpirun);
  EXPECT_EQ(deployment.site.network, "");
  EXPECT_FALSE(deployment.slurm);
}

TEST(Site, has_one_rank_per_host_by_default) {
  const Deployment deployment = deployment_of("hosts: [a, b.site.org, 10.0.0.7]");
  EXPECT_EQ(deployment.ranks, 3U);
  EXPECT_THAT(deployment.site.hosts,
              ElementsAre(HostSlots{"a", 1}, HostSlots{"b.site.org", 1}, HostSlots{"10.0.0.7", 1}));
}

TEST(Site, distributes_ranks_to_hosts_without_slots) {
  EXPECT_THAT(deployment_of("hosts: [a, b], ranks: 5").site.hosts,
              ElementsAre(HostSlots{"a", 3}, HostSlots{"b", 3}));
  // Host a has four slots for the seven ranks.
  EXPECT_THAT(deployment_of("hosts: ['a:4', b, c], ranks: 7").site.hosts,
              ElementsAre(HostSlots{"a", 4}, HostSlots{"b", 2}, HostSlots{"c", 2}));
  EXPECT_EQ(deployment_of("hosts: ['a:4', b], slots: 2").ranks, 6U);
}

TEST(Site, reads_hosts_from_the_command_line) {
  const Pipeline pipeline = load(good_pipeline + "deployment: {ranks: 2, hosts: [a]}\n",
                                 {{"deployment.hosts", "[b:1,c:1]", "--hosts"}});
  EXPECT_THAT(pipeline.deployment.site.hosts, ElementsAre(HostSlots{"b", 1}, HostSlots{"c", 1}));
}

TEST(Site, reports_errors_with_their_position) {
  EXPECT_THAT(
      deployment_errors("hosts: [a, -oProxyCommand=x]"),
      ElementsAre(HasSubstr("p.yaml:9:21: 'deployment': parameter 'hosts': '-oProxyCommand=x' is not a host: "
                            "expected a name such as node1")));
  EXPECT_THAT(deployment_errors("hosts: [a, '']"), ElementsAre(HasSubstr("'' is not a host")));
  EXPECT_THAT(deployment_errors("hosts: ['a:0']"),
              ElementsAre(HasSubstr("expected a number of ranks from 1")));
  EXPECT_THAT(deployment_errors("hosts: ['a:b']"),
              ElementsAre(HasSubstr("expected a number of ranks from 1")));
  EXPECT_THAT(deployment_errors("hosts: [a, a]"), ElementsAre(HasSubstr("host 'a' is given twice")));
  EXPECT_THAT(deployment_errors("hosts: ['a:1', 'b:2'], ranks: 4"),
              ElementsAre(HasSubstr("4 ranks exceed the 3 slots of the hosts")));
  EXPECT_THAT(deployment_errors("slots: 2"), ElementsAre(HasSubstr("it needs 'hosts: [...]'")));
  EXPECT_THAT(deployment_errors("launcher: mprun"), ElementsAre(HasSubstr("mpirun")));
}

TEST(SlurmRequest, has_the_settings_of_a_batch_job) {
  const Deployment deployment = deployment_of("slurm: {partition: sky, nodes: 3, time: 90 min}");
  ASSERT_TRUE(deployment.slurm);
  EXPECT_EQ(deployment.slurm->partition, "sky");
  EXPECT_EQ(deployment.slurm->nodes, 3U);
  EXPECT_EQ(deployment.slurm->time, std::chrono::minutes{90});
  EXPECT_EQ(deployment.ranks, 3U) << "one a node";
  EXPECT_EQ(deployment_of("ranks: 6, slurm: {nodes: 3}").ranks, 6U);
}

TEST(SlurmRequest, is_refused_with_the_position_of_the_error) {
  EXPECT_THAT(deployment_errors("slurm: sky"),
              ElementsAre(HasSubstr("p.yaml:9:21: 'deployment': 'slurm' must be a "
                                    "mapping such as {partition: sky")));
  EXPECT_THAT(deployment_errors("slurm: {node: 3}"), ElementsAre(HasSubstr("did you mean 'nodes'?")));
  EXPECT_THAT(deployment_errors("slurm: {nodes: 0}"), ElementsAre(HasSubstr("out of range")));
}

}  // namespace
}  // namespace takt::pipeline
