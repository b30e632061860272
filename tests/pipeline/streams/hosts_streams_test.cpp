/// Tests streams that share the processors of several hosts, emulated by network name spaces
/// (tests/support/hosts.sh). Skipped, with the reason, where the system has no name spaces.

#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int no_hosts_here = 77;

/// Frame k contains k everywhere and can wait for ten seconds on a busy computer. The costs are given, so
/// measurements have no influence.
std::string stream_yaml(const TemporaryFolder& folder, const std::string& name, int tasks) {
  std::string lines, before = "s";
  for (int i = 0; i < tasks; ++i) {
    lines += fmt::format("  t{}: {{kernel: spin, input: {}, time: 100 us}}\n", i, before);
    before = fmt::format("t{}", i);
  }
  return fmt::format(R"(name: {0}
rate: 50 Hz
sources:
  s: {{type: synthetic, element: int32, axes: [sample=64], pattern: count, rate: 50 Hz, depth: 500}}
tasks:
{1}sinks:
  o: {{type: raw, input: {2}, path: {3}}}
deployment: {{hosts: [nowhere.test], slots: 1}}
)",
                     name, lines, before, (folder / (name + ".raw")).string());
}

std::string costs_yaml(int tasks, const std::string& time) {
  std::string text = "costs:\n";
  const auto add = [&](const std::string& stage, const std::string& cost) {
    text += fmt::format("  {0}: {{cost: {1}, low: {1}, high: {1}, runs: 9}}\n", stage, cost);
  };
  add("s", "1 us");
  for (int i = 0; i < tasks; ++i) add(fmt::format("t{}", i), time);
  add("o", "1 us");
  return text;
}

/// `serve` starts a service on both hosts and waits until it accepts requests.
const std::string serving = R"sh(takt=$1 folder=$2
cd "$folder"
export XDG_STATE_HOME=$folder/state
serve() {
  rm -f state/takt/service/address
  "$takt" serve --hosts h1.test:1,h2.test:1 --machine logp:P=2,L=1000,o=1000,g=1000 2>>serve.err &
  service=$!
  for _ in $(seq 1800); do [ -e state/takt/service/address ] && break; sleep 0.05; done
}
)sh";

/// Runs the script on the first of two hosts; exits with `no_hosts_here` where there can be none.
Result run_on_two_hosts(const TemporaryFolder& folder, const std::string& script) {
  return Program({TAKT_SOURCE_DIR "/tests/support/hosts.sh", "2", "--", "bash", script,
                  takt_command({}).front(), (folder / "").string()})
      .wait(std::chrono::seconds{200});
}

/// Returns the number of frames, which must be consecutive.
std::size_t counted_frames(const std::string& file) {
  constexpr std::size_t frame = 64 * sizeof(std::int32_t);
  const std::string bytes = read_file(file);
  EXPECT_EQ(bytes.size() % frame, 0U) << file;
  std::int32_t before = 0;
  for (std::size_t i = 0; i < bytes.size() / frame; ++i) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + i * frame, sizeof(value));
    if (i > 0) {
      EXPECT_EQ(value, before + 1) << file << ", frame " << i;
    }
    before = value;
  }
  return bytes.size() / frame;
}

TEST(StreamsOverHosts, are_admitted_to_the_processors_of_all_hosts_and_fail_alone) {
  const TemporaryFolder folder;
  // 16 of every 20 ms can be reserved. The first stream needs 18 ms and so both
  // processors; two more streams fit on one each.
  for (const auto& [name, tasks, time] :
       {std::tuple("split", 2, "9 ms"), std::tuple("one", 1, "5 ms"), std::tuple("two", 1, "5 ms")}) {
    (void)folder.file(std::string(name) + ".yaml", stream_yaml(folder, name, tasks));
    (void)folder.file(std::string(name) + ".costs", costs_yaml(tasks, time));
  }
  const std::string script = folder.file("script.sh", R"sh(takt=$1 folder=$2
cd "$folder"
export XDG_STATE_HOME=$folder/state
"$takt" serve --hosts h1.test:1,h2.test:1 --machine logp:P=2,L=1000,o=1000,g=1000 2>serve.err &
service=$!
for _ in $(seq 200); do [ -e state/takt/service/address ] && break; sleep 0.05; done
for name in split one two; do "$takt" add $name.yaml --profile $name.costs >$name.added 2>&1; done
"$takt" status --format json >status.json
ready() { "$takt" ps --format json | tee ps.json | python3 -c '
import json, sys
sys.exit(not all((s["delivered"] or 0) > 10 or s["state"] == "failed" for s in json.load(sys.stdin)["streams"]))'; }
for _ in $(seq 200); do ready && break; sleep 0.1; done
for pid in $(ip netns pids "$TAKT_HOSTS_TAG-2"); do
  grep -q '^takt$' /proc/$pid/comm && ! grep -q split.yaml /proc/$pid/cmdline && kill -9 $pid
done
for _ in $(seq 200); do "$takt" ps --format json >ps.json; grep -q failed ps.json && break; sleep 0.1; done
sleep 0.3
"$takt" drop one >/dev/null; "$takt" drop two >/dev/null; "$takt" drop split >split.dropped 2>&1
kill -INT $service; wait $service
)sh");
  const Result result = run_on_two_hosts(folder, script);
  if (result.exit_code == no_hosts_here) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err << read_file(folder / "serve.err");
  const bool one_is_on_the_second =
      read_file(folder / "one.added").find("one runs on processor 1") != std::string::npos;
  const std::string killed = one_is_on_the_second ? "one" : "two",
                    left = one_is_on_the_second ? "two" : "one";
  EXPECT_THAT(read_file(folder / (left + ".added")), HasSubstr(left + " runs on processor 0"));
  EXPECT_THAT(read_file(folder / "split.added"), HasSubstr("split runs on processors 0, 1"));

  const json status = json::parse(read_file(folder / "status.json")), load = status["load"];
  ASSERT_EQ(load.size(), 2U);
  EXPECT_EQ(load[0]["host"], "h1.test");
  EXPECT_EQ(load[1]["host"], "h2.test");

  std::map<std::string, json> streams;
  const json shown = json::parse(read_file(folder / "ps.json"));
  for (const json& each : shown["streams"]) streams[each["name"]] = each;
  EXPECT_EQ(streams[left]["state"], "running") << streams[left].dump();
  EXPECT_EQ(streams["split"]["state"], "running") << streams["split"].dump();
  EXPECT_EQ(streams[killed]["state"], "failed");
  EXPECT_THAT(streams[killed]["failure"].dump(), AllOf(HasSubstr("h2.test"), HasSubstr("died of signal 9")));
  for (const char* name : {"one", "two", "split"})
    EXPECT_GT(counted_frames(folder / (std::string(name) + ".raw")), 10U) << name;
}

TEST(StreamsOverHosts, processors_of_a_lost_host_are_closed_until_it_returns) {
  const TemporaryFolder folder;
  for (const char* name : {"one", "two", "three"}) {
    (void)folder.file(std::string(name) + ".yaml", stream_yaml(folder, name, 1));
    // 16 of every 20 ms can be reserved: a processor has room for one stream.
    (void)folder.file(std::string(name) + ".costs", costs_yaml(1, "10 ms"));
  }
  const std::string script = folder.file("script.sh", R"sh(takt=$1 folder=$2
cd "$folder"
export XDG_STATE_HOME=$folder/state
# As after a power cut: what a service remembers of its hosts is damaged, and all of them answer.
mkdir -p state/takt/service
printf '[{"host": "h2.test", "co' >state/takt/service/places.json
"$takt" serve --hosts h1.test:1,h2.test:1 --machine logp:P=2,L=1000,o=1000,g=1000 2>serve.err &
service=$!
for _ in $(seq 200); do [ -e state/takt/service/address ] && break; sleep 0.05; done
touch "$TAKT_HOSTS_FOLDER/silent-h2.test"
for name in one two; do "$takt" add $name.yaml --profile $name.costs >$name.added 2>&1; done
"$takt" status --format json >status.json
rm "$TAKT_HOSTS_FOLDER/silent-h2.test"
for _ in $(seq 200); do grep -q "answers again" serve.err && break; sleep 0.1; done
"$takt" add three.yaml --profile three.costs >three.added 2>&1
"$takt" drop one >/dev/null; "$takt" drop three >/dev/null
kill -INT $service; wait $service
)sh");
  const Result result = run_on_two_hosts(folder, script);
  if (result.exit_code == no_hosts_here) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err << read_file(folder / "serve.err");
  EXPECT_THAT(read_file(folder / "one.added"), HasSubstr("one runs on processor 0"));
  EXPECT_THAT(read_file(folder / "two.added"),
              AllOf(HasSubstr("'two' is not admitted"), HasSubstr("1 of the 2 processors is closed")));
  const json load = json::parse(read_file(folder / "status.json"))["load"];
  EXPECT_EQ(load[0]["lost"], false);
  EXPECT_EQ(load[1]["lost"], true);
  EXPECT_THAT(read_file(folder / "serve.err"),
              AllOf(HasSubstr("places.json: expected a list of objects with 'host' and 'core'"),
                    HasSubstr("host 'h2.test' is lost"), HasSubstr("host 'h2.test' answers again")));
  EXPECT_EQ(json::parse(read_file(folder / "state/takt/service/places.json")).size(), 2U);
  EXPECT_THAT(read_file(folder / "three.added"), HasSubstr("three runs on processor 1"));
}

TEST(StreamsOverHosts, streams_of_a_lost_host_are_admitted_to_free_processors) {
  const TemporaryFolder folder;
  // 16 of every 20 ms can be reserved: a processor has room for one stream.
  for (const char* name : {"one", "two"}) {
    (void)folder.file(std::string(name) + ".yaml", stream_yaml(folder, name, 1));
    (void)folder.file(std::string(name) + ".costs", costs_yaml(1, "10 ms"));
  }
  const std::string script =
      folder.file("script.sh", serving + R"sh(end_badly() { kill -9 $service; wait $service 2>/dev/null; }
# The answer of `takt ps` in a file, once an expression of Python's holds for it: s are the streams by their names.
await() {
  for _ in $(seq 300); do
    "$takt" ps --format json >$1
    python3 -c 'import json, sys
s = {s["name"]: s for s in json.load(open(sys.argv[1]))["streams"]}
sys.exit(not eval(sys.argv[2]))' "$1" "$2" && return
    sleep 0.1
  done
  echo "never $2: $(cat $1)" >&2
}
go_away() { touch "$TAKT_HOSTS_FOLDER/silent-h2.test"; kill -9 $(ip netns pids "$TAKT_HOSTS_TAG-2"); }
come_back() { rm "$TAKT_HOSTS_FOLDER/silent-h2.test"; }
runs() { echo "s[\"$1\"][\"state\"] == \"running\" and s[\"$1\"][\"delivered\"] > 5"; }
serve
for name in one two; do "$takt" add $name.yaml --profile $name.costs >$name.added 2>&1; done
# A service that starts without a host knows what was there, and so does the next one.
end_badly
go_away
serve
await without.json "$(runs one) and s['two']['state'] == 'waiting'"
"$takt" status --format json >without.status
end_badly
serve
await waiting.json 's["two"]["state"] == "waiting"'
"$takt" ps >waiting.txt
"$takt" add two.yaml --profile two.costs >twice.added 2>&1
come_back
await back.json "$(runs one) and $(runs two)"
go_away
await waiting.json 's["two"]["state"] == "waiting"'
"$takt" drop one >/dev/null
await moved.json "$(runs two)"
"$takt" logs two >two.log
"$takt" drop two >/dev/null
kill -INT $service; wait $service
)sh");
  const Result result = run_on_two_hosts(folder, script);
  if (result.exit_code == no_hosts_here) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err << read_file(folder / "serve.err");
  EXPECT_THAT(result.err, Not(HasSubstr("never"))) << read_file(folder / "serve.err");
  EXPECT_THAT(read_file(folder / "waiting.txt"),
              AllOf(HasSubstr("'two' waits: host h2.test is lost"), HasSubstr("waiting")));
  EXPECT_THAT(read_file(folder / "twice.added"), HasSubstr("'two' waits for admission"));
  const json load = json::parse(read_file(folder / "without.status"))["load"];
  ASSERT_EQ(load.size(), 2U);
  EXPECT_EQ(load[0]["lost"], false);
  EXPECT_EQ(load[1]["lost"], true);
  EXPECT_EQ(load[1]["load"], 0.0);
  EXPECT_THAT(read_file(folder / "serve.err"), HasSubstr("host 'h2.test' is lost (cannot be reached by "));
  const auto place_in = [&](const char* file, const std::string& name) {
    const json shown = json::parse(read_file(folder / file));
    for (const json& each : shown["streams"])
      if (each["name"] == name) return each["processors"];
    return json();
  };
  EXPECT_EQ(place_in("without.json", "one"), json::array({0}));
  EXPECT_EQ(place_in("back.json", "two"), json::array({1}));
  EXPECT_EQ(place_in("moved.json", "two"), json::array({0}));
  EXPECT_THAT(read_file(folder / "two.log"),
              AllOf(HasSubstr("waits for admission: host h2.test is lost"), HasSubstr("not admitted yet: "),
                    HasSubstr("restarted on processor")));
  EXPECT_THAT(read_file(folder / "serve.err"), AllOf(HasSubstr("'two' is admitted again, on processor 1"),
                                                     HasSubstr("'two' is admitted again, on processor 0")));
  EXPECT_GT(counted_frames(folder / "two.raw"), 5U);
}

/// Programs can be started there but hang: mpirun waits for them, and no rank starts anywhere.
TEST(StreamsOverHosts, a_service_starts_without_a_host_whose_network_is_cut) {
  const TemporaryFolder folder;
  (void)folder.file("one.yaml", stream_yaml(folder, "one", 1));
  (void)folder.file("one.costs", costs_yaml(1, "1 ms"));
  const std::string script = folder.file("script.sh", serving + R"sh(serve
kill -INT $service; wait $service
ip -n "$TAKT_HOSTS_TAG-switch" link set port2 down
serve
"$takt" status --format json >without.status
ip -n "$TAKT_HOSTS_TAG-switch" link set port2 up
for _ in $(seq 600); do grep -q "answers again" serve.err && break; sleep 0.05; done
# Its processor 0 is another's from now on.
echo 'taskset -p 2 $$ >/dev/null' >"$TAKT_HOSTS_FOLDER/env-h2.test"
"$takt" add one.yaml --profile one.costs >/dev/null
for _ in $(seq 600); do grep -q "no longer" serve.err && break; sleep 0.05; done
kill -INT $service; wait $service
)sh");
  const Result result = run_on_two_hosts(folder, script);
  if (result.exit_code == no_hosts_here) GTEST_SKIP() << result.err;
  const std::string said = read_file(folder / "serve.err");
  ASSERT_EQ(result.exit_code, 0) << result.err << said;
  const json load = json::parse(read_file(folder / "without.status"))["load"];
  ASSERT_EQ(load.size(), 2U);
  EXPECT_EQ(load[0]["lost"], false);
  EXPECT_EQ(load[1]["lost"], true);
  EXPECT_THAT(said, AllOf(HasSubstr("host 'h2.test' is lost (takt does not start there"),
                          HasSubstr("host 'h2.test' answers again")));
  if (std::thread::hardware_concurrency() == 2) {
    EXPECT_THAT(said, HasSubstr("host 'h2.test' is lost (it lost processor 0)"));
  }
}

}  // namespace
}  // namespace takt::test
