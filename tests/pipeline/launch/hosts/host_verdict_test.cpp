/// Tests which hosts are fit to run a pipeline together.

#include "pipeline/launch/hosts/host_verdict.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "pipeline/launch/jobs/network_address.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

HostFacts good_facts(const std::string& host) {
  return {.host = host,
          .version = "1.2.3",
          .program = 7,
          .mpi = "Open MPI v4.1.4",
          .system = "Linux 6.1.0",
          .processor = "a processor",
          .processors = {0, 1, 2, 3, 4, 5, 6, 7},
          .interfaces = {{"lo", "127.0.0.1", 8}, {"eth0", "10.0.0.1", 24}},
          .limits = {.socket_buffer = 8 << 20,
                     .locked_memory = 64 << 20,
                     .open_files = 1024,
                     .free_memory = 1 << 30,
                     .shared_memory = 1 << 30,
                     .huge_pages = "madvise"},
          .files = {{"/data/p.yaml", "", 11}, {"/data/recording", "", {}}}};
}

std::vector<SurveyedHost> good_hosts() {
  std::vector<SurveyedHost> hosts;
  for (const char* name : {"a", "b", "c"})
    hosts.push_back({.name = name,
                     .facts = good_facts(name),
                     .clock_offset = std::chrono::milliseconds{-1},
                     .has_met_others = true});
  return hosts;
}

/// Returns the findings when one property of the second host changes.
std::vector<Finding> with_change(const std::function<void(SurveyedHost&)>& change) {
  std::vector<SurveyedHost> hosts = good_hosts();
  change(hosts[1]);
  return judge(hosts, 4);
}

auto finding(Grade grade, const std::string& subject, const std::string& says) {
  return Contains(AllOf(Field(&Finding::grade, grade), Field(&Finding::host, "b"),
                        Field(&Finding::subject, subject), Field(&Finding::says, HasSubstr(says)),
                        Field(&Finding::advice, Not(""))));
}

TEST(HostVerdict, is_good_when_all_hosts_are_alike) {
  const std::vector<Finding> findings = judge(good_hosts(), 24);
  EXPECT_THAT(findings, Each(Field(&Finding::grade, Grade::good)));
  EXPECT_THAT(findings, Each(Field(&Finding::advice, "")));
  EXPECT_EQ(faults_of(findings), "");
}

TEST(HostVerdict, refuses_incompatible_hosts_with_advice) {
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.facts->version = "1.2.2"; }),
              finding(Grade::bad, "version", "takt 1.2.2, but 'a' has 1.2.3"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.facts->mpi = "Open MPI v5.0.0"; }),
              finding(Grade::bad, "version", "Open MPI v5.0.0, but 'a' has Open MPI v4.1.4"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.facts->files[0].digest = 12; }),
              finding(Grade::bad, "files", "'/data/p.yaml' is another file than on 'a'"));
  EXPECT_THAT(
      with_change([](SurveyedHost& host) { host.facts->files[1].fault = "No such file or directory"; }),
      finding(Grade::bad, "files", "cannot read '/data/recording': No such file"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.facts->folder_fault = "No such file or directory"; }),
              finding(Grade::bad, "files", "working folder"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.clock_offset = std::chrono::seconds{-90}; }),
              finding(Grade::bad, "clock", "behind this computer's"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.has_met_others = false; }),
              finding(Grade::bad, "mpi", "does not reach the others"));
  EXPECT_THAT(with_change([](SurveyedHost& host) {
                host.facts.reset();
                host.silence = "cannot be reached by 'ssh': No route to host";
              }),
              finding(Grade::bad, "reach", "No route to host"));
}

TEST(HostVerdict, warns_about_suboptimal_hosts) {
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.facts->program = 8; }),
              finding(Grade::warning, "version", "another build"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.clock_offset = std::chrono::milliseconds{300}; }),
              finding(Grade::warning, "clock", "ahead of"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.facts->limits.socket_buffer = 212992; }),
              finding(Grade::warning, "sockets", "less than 8 MiB"));
  EXPECT_THAT(with_change([](SurveyedHost& host) { host.facts->limits.huge_pages = "never"; }),
              finding(Grade::warning, "hugepages", "none"));
  EXPECT_THAT(with_change([](SurveyedHost& host) {
                host.facts->limits.has_verbs = true;
                host.facts->limits.locked_memory = 65536;
              }),
              finding(Grade::warning, "memlock", "64 KiB"));
  EXPECT_THAT(judge(good_hosts(), 25), Contains(Field(&Finding::says, "25 ranks share 24 cores")));
}

TEST(HostVerdict, lists_all_faults_in_one_message_with_one_line_each) {
  std::vector<SurveyedHost> hosts = good_hosts();
  hosts[1].facts->version = "0";
  hosts[2].facts->folder_fault = "Permission denied";
  const std::string faults = faults_of(judge(hosts, {}));
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 1) << faults;
  EXPECT_THAT(faults,
              AllOf(HasSubstr("host 'b': takt 0"), HasSubstr("host 'c': it cannot use the working folder")));
}

TEST(HostVerdict, is_shown_in_80_columns_and_as_json) {
  std::vector<SurveyedHost> hosts = good_hosts();
  hosts[1].facts->files[1].fault = "No such file or directory";
  hosts[2].facts.reset();
  const std::vector<Finding> findings = judge(hosts, 50);
  const std::string text = to_text(hosts, findings);
  EXPECT_LE(takt::test::letters_of_widest_line(text), 80U) << text;
  EXPECT_THAT(text, HasSubstr("3 hosts: not fit, 2 faults\n"));
  const auto json = nlohmann::json::parse(to_json(hosts, findings));
  EXPECT_EQ(json.at("fit"), false);
  EXPECT_EQ(json.at("hosts").size(), 3U);
  EXPECT_EQ(json.at("hosts")[0].at("facts").at("version"), "1.2.3");
  EXPECT_TRUE(json.at("hosts")[2].at("facts").is_null());
  EXPECT_EQ(json.at("findings").size(), findings.size());
}

TEST(HostFacts, survive_the_transfer_to_the_launcher) {
  const HostFacts facts = host_facts_from_text(to_text(good_facts("a")));
  EXPECT_EQ(to_text(facts), to_text(good_facts("a")));
  EXPECT_THROW((void)host_facts_from_text("{}"), ConfigError);
  const HostFacts own =
      facts_of_this_host({.folder = "/", .files = {{"/proc/self/exe", true}, {"/no/such", false}}}, "9");
  EXPECT_EQ(own.version, "9");
  EXPECT_EQ(own.files[0].digest, own.program);
  EXPECT_THAT(own.files[1].fault, HasSubstr("No such file"));
  EXPECT_FALSE(own.processors.empty());
}

TEST(Network, is_chosen_by_name_address_or_network) {
  const std::vector<Interface> interfaces{
      {"lo", "127.0.0.1", 8}, {"eth0", "192.168.7.4", 24}, {"ib0", "10.4.0.9", 16}};
  for (const char* wanted : {"ib0", "10.4.0.9", "10.4.0.0/16", "10.0.0.0/8", "10.4.200.1/16"})
    EXPECT_EQ(choose_interface(interfaces, wanted).name, "ib0") << wanted;
  EXPECT_EQ(network_of(interfaces[1]), "192.168.7.0/24");
  EXPECT_EQ(network_of({"x", "10.4.130.9", 17}), "10.4.128.0/17");
  for (const char* wanted : {"eth1", "10.4.0.8", "10.5.0.0/16", "10.4.0.0/33", "", "10.4.0/16"}) try {
      (void)choose_interface(interfaces, wanted);
      ADD_FAILURE() << wanted;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("eth0 (192.168.7.4/24)"));
    }
}

TEST(Network, towards_this_computer_has_its_own_address) {
  EXPECT_EQ(address_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_FALSE(address_towards("no-such-host.invalid"));
}

}  // namespace
}  // namespace takt::pipeline
