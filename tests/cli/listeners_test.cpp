/// Tests that every command listens on loopback only, unless the user names
/// another address. `ss` lists the sockets of the system.

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::StartsWith;

/// Returns the program and all its descendants.
std::set<pid_t> family_of(pid_t program) {
  std::set<pid_t> family{program};
  for (std::size_t before = 0; before != family.size();) {
    before = family.size();
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string stat = read_file(entry.path() / "stat");
      // `pid (name) state parent ...`
      std::istringstream rest(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
      std::string state;
      pid_t parent = 0;
      if (rest >> state >> parent && family.contains(parent)) family.insert(std::stoi(name));
    }
  }
  return family;
}

/// Returns whether the process only sends: its UDP socket is bound to any address.
bool is_sender(pid_t pid) {
  const std::string words = read_file(fmt::format("/proc/{}/cmdline", pid));
  return words.find(std::string("\0send\0", 6)) != std::string::npos;
}

/// Returns the local addresses (`127.0.0.1:9464`) of these processes: of
/// listening TCP sockets and of UDP sockets without a peer.
std::vector<std::string> listeners_of(const std::set<pid_t>& family) {
  Program ss({"ss", "-H", "-l", "-n", "-p", "-t", "-u"});
  std::istringstream lines(ss.wait().out);
  std::vector<std::string> addresses;
  for (std::string line; std::getline(lines, line);) {
    const bool is_ours = std::ranges::any_of(family, [&](pid_t pid) {
      return line.find(fmt::format("pid={},", pid)) != std::string::npos &&
             !(line.starts_with("udp") && is_sender(pid));
    });
    if (!is_ours) continue;
    std::istringstream words(line);
    std::string kind, state, received, sent, local;
    words >> kind >> state >> received >> sent >> local;
    addresses.push_back(local);
  }
  return addresses;
}

/// Returns the addresses on which a command listens, once it listens on this port.
std::vector<std::string> listeners(const std::vector<std::string>& arguments, int port) {
  Program program(takt_command(arguments));
  std::vector<std::string> found;
  const std::string end = fmt::format(":{}", port);
  EXPECT_TRUE(program.await([&] {
    found = listeners_of(family_of(program.pid()));
    return std::ranges::any_of(found, [&](const std::string& each) { return each.ends_with(end); });
  })) << program.err_so_far();
  program.signal(SIGINT);
  program.signal(SIGTERM);
  (void)program.wait();
  return found;
}

/// Returns all addresses on which a command listens until it ends by itself, by polling.
std::vector<std::string> ever_listens(const std::vector<std::string>& arguments) {
  Program program(takt_command(arguments));
  std::set<std::string> all;
  const auto state = [&] {
    const std::string stat = read_file(fmt::format("/proc/{}/stat", program.pid()));
    const std::size_t name = stat.rfind(')');
    return name == std::string::npos || name + 2 >= stat.size() ? 'X' : stat[name + 2];
  };
  while (state() != 'X' && state() != 'Z')
    for (const std::string& each : listeners_of(family_of(program.pid()))) all.insert(each);
  const Result result = program.wait();
  // On a busy computer takt calibrate rejects its measurements.
  EXPECT_LE(result.exit_code, 1) << result.err;
  return {all.begin(), all.end()};
}

MATCHER(Is_on_loopback, "") {
  return arg.starts_with("127.") || arg.starts_with("[::1]") || arg.starts_with("[::ffff:127.");
}

std::string pipeline(const TemporaryFolder& folder, const std::string& source, const std::string& sink) {
  return folder.file("p.yaml", fmt::format("sources: {{s: {{{}}}}}\nsinks: {{o: {{{}, input: s}}}}\n"
                                           "deployment: {{ranks: 2, machine: \"logp:P=2,L=1,o=1,g=1\"}}\n",
                                           source, sink));
}

constexpr const char* slow = "type: synthetic, axes: [time=16], rate: 10 Hz";

TEST(A_sink_tcp, with_only_a_port_listens_on_loopback_like_all_of_its_run) {
  const TemporaryFolder folder;
  const auto found = listeners(
      {"run", pipeline(folder, slow, "type: tcp, port: 24101"), "--serve", "24102", "--trial", "0s"}, 24101);
  EXPECT_THAT(found, Contains(EndsWith(":24102")));
  EXPECT_THAT(found, Each(Is_on_loopback()));
}

TEST(A_source_udp, with_only_a_port_listens_on_loopback) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      listeners({"run", pipeline(folder, "type: lofar_udp, ports: [24103], packets: 16", "type: null"),
                 "--no-serve", "--trial", "0s"},
                24103),
      Each(Is_on_loopback()));
}

TEST(Sustain, listens_on_loopback_only) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      listeners({"sustain", pipeline(folder, "type: lofar_udp, ports: [24104], packets: 16", "type: null")},
                24104),
      Each(Is_on_loopback()));
}

TEST(A_sender, listens_only_at_its_destination) {
  const std::vector<std::string> frames{"send",         "--protocol", "takt",       "--axes", "time=16",
                                        "--frame-rate", "1Hz",        "--duration", "60s",    "--to"};
  for (const auto& [way, port] :
       {std::pair{"tcp", 24105}, std::pair{"push", 24106}, std::pair{"pub", 24107}}) {
    std::vector<std::string> command = frames;
    command.insert(command.end(), {fmt::format("127.0.0.1:{}", port), "--over", way});
    EXPECT_THAT(listeners(command, port), Each(Is_on_loopback())) << way;
  }
  EXPECT_THAT(listeners({"send", "--protocol", "seedlink", "--traces", "NL.HGN.00.HHZ", "--to",
                         "127.0.0.1:24108", "--duration", "60s"},
                        24108),
              Each(Is_on_loopback()));
}

TEST(Zmq, that_binds_listens_only_at_its_endpoint) {
  const TemporaryFolder folder;
  const std::vector<std::string> rest{"--no-serve", "--trial", "0s"};
  const auto run = [&](const std::string& source, const std::string& sink) {
    std::vector<std::string> command{"run", pipeline(folder, source, sink)};
    command.insert(command.end(), rest.begin(), rest.end());
    return command;
  };
  for (const auto& [socket, port] : {std::pair{"pub", 24110}, std::pair{"push", 24111}})
    EXPECT_THAT(
        listeners(run(slow, fmt::format("type: zmq, bind: true, socket: {}, endpoint: 'tcp://127.0.0.1:{}'",
                                        socket, port)),
                  port),
        Each(Is_on_loopback()))
        << socket;
  for (const auto& [socket, port] : {std::pair{"sub", 24112}, std::pair{"pull", 24113}})
    EXPECT_THAT(
        listeners(run(fmt::format("type: zmq, bind: true, socket: {}, endpoint: 'tcp://127.0.0.1:{}', "
                                  "axes: [time=16]",
                                  socket, port),
                      "type: null"),
                  port),
        Each(Is_on_loopback()))
        << socket;
}

TEST(Commands, that_end_by_themselves_listen_on_loopback_only) {
  const TemporaryFolder folder;
  const std::string file = pipeline(folder, slow, "type: null");
  const std::vector<std::vector<std::string>> commands{
      {"doctor"},
      {"doctor", file},
      {"plan", file},
      {"profile", file, "--output", (folder / "costs.yaml").string()},
      {"calibrate", "--ranks", "2", "--duration", "1s", "--largest", "64 KiB", "--force", "--output",
       (folder / "m.yaml").string()}};
  for (const std::vector<std::string>& command : commands)
    EXPECT_THAT(ever_listens(command), Each(Is_on_loopback())) << command.front();
}

TEST(Commands, that_inspect_a_run_listen_on_loopback_only) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("p.yaml", fmt::format("name: listened\nsources: {{s: {{{}}}}}\n"
                                        "tasks: {{m: {{kernel: threshold, input: s, above: 1}}}}\n"
                                        "sinks: {{o: {{type: null, input: m}}}}\n"
                                        "deployment: {{ranks: 2, machine: \"logp:P=2,L=1,o=1,g=1\"}}\n",
                                        slow));
  Program run(takt_command({"run", file, "--serve", "24119", "--trial", "0s"}));
  const std::string pid = fmt::to_string(run.pid());
  ASSERT_TRUE(run.await([&] {
    const Result shown = takt({"top", "--once", "--format", "json", "--pid", pid});
    return shown.out.find("\"ingested\"") != std::string::npos &&
           shown.out.find("\"ingested\": 0") == std::string::npos;
  })) << run.err_so_far();
  EXPECT_THAT(ever_listens({"top", "--once", "--pid", pid}), Each(Is_on_loopback()));
  EXPECT_THAT(ever_listens({"set", pid, "m.above=2"}), Each(Is_on_loopback()));
  EXPECT_THAT(listeners_of(family_of(run.pid())), Each(Is_on_loopback()));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().exit_code, 0);
}

TEST(A_service, with_only_a_port_listens_on_loopback) {
  const TemporaryFolder folder;
  EXPECT_THAT(listeners({"serve", "--listen", "24109", "--folder", (folder / "service").string(), "--machine",
                         "logp:P=2,L=1,o=1,g=1"},
                        24109),
              Each(Is_on_loopback()));
}

}  // namespace
}  // namespace takt::test
