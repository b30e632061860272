/// Fuzzed readers of texts: task graphs, machines, schedules, tables, and short texts of options.

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/csv.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/graphs/generators.hpp"
#include "core/leap_seconds.hpp"
#include "core/meshes/gmsh.hpp"
#include "core/network.hpp"
#include "core/system/text_file.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/schedule_file.hpp"
#include "logp/simgrid_platform.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/frames/axis_text.hpp"
#include "tests/core/graphs/random_graph.hpp"
#include "tests/fuzz/reader.hpp"

namespace takt::test {

namespace {

/// Returns small files of public sets, if present: their writers use features that ours do not.
std::vector<std::string> public_files(std::string_view extension) {
  constexpr std::uintmax_t largest = 30'000;
  std::vector<std::string> texts;
  if (test_data().empty()) return texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test_data() / "schedules"))
    if (entry.path().extension() == extension && entry.file_size() < largest)
      texts.push_back(read_text_file(entry.path()));
  std::ranges::sort(texts);
  return texts;
}

/// Requires that a graph read from a damaged file is valid: unchanged when it is written and read again.
FuzzedReader graph_reader(const GraphFormat& format) {
  return {.name = fmt::format("graphs_{}", format.name),
          .valid =
              [&format] {
                std::vector<std::string> texts{format.write(generate("fft:depth=2,cost=1..9"))};
                for (std::uint64_t seed = 0; seed < 5; ++seed)
                  texts.push_back(format.write(random_graph(seed)));
                std::ranges::move(public_files(format.extension), std::back_inserter(texts));
                return texts;
              },
          .read =
              [&format](Reading& reading, const std::string& text) {
                const std::string written = format.write(format.read(text, "damaged"));
                reading.note(written);
                require(format.write(format.read(written, "written")) == written,
                        "a graph is another one when written and read again");
              }};
}

void read_bare_schedule(Reading& reading, const std::string& text) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(text, "damaged", errors);
  const auto scheduled = read_schedule(tree.root(), errors);
  errors.throw_if_any();
  require(scheduled.has_value(), "no schedule, and no error");
  reading.note(scheduled->schedule.processors.size());
}

std::vector<std::string> bare_schedules() {
  const TaskGraph graph = generate("fft:depth=2,cost=1..9");
  Schedule schedule("x", 2);
  const MessageId message =
      schedule.add_message(ProcessorId(0), ProcessorId(1), Bytes{2}, std::array{DatumId(0), DatumId(3)});
  for (TaskId id : graph.tasks()) schedule.add_compute(ProcessorId(id.index() % 2), id, Time{0}, Time{1});
  schedule.add_send(ProcessorId(0), message, Time{1}, Time{2});
  schedule.add_receive(ProcessorId(1), message, Time{3}, Time{4}, 0);
  return {schedule_to_yaml(schedule, graph, "processors: 2\n")};
}

std::vector<std::string> schedule_files() {
  return {R"(scheduler: greedy
replicas: 1
processors:                # operations in order of time; processors and messages count from 0
  0:
    - {compute: a, start: 0, end: 4}
    - {send: 0, start: 4, end: 5}
  1:
    - {receive: 0, start: 6, end: 7}
    - {compute: b, start: 7, end: 9}
messages:
  - {from: 0, to: 1, size: 3, data: [a]}
machine:
  processors: 2
  costs:
    all: {latency: 1, overhead: 1, gap: 1}
graph:
  tasks:
    - {name: a, work: 4}
    - {name: b, work: 2}
  edges:
    - {from: a, to: b, size: 3}
)"};
}

std::vector<std::string> machines() {
  return {R"(processors: 3
speeds: [1, 1, 2]
nodes: [0, 0, 1]
clusters: [0, 0]
costs:
  node: {latency: 300, overhead: 200 + 0.05, gap: 250}
  cluster:
    latency: 12000 + 0.1
    send_overhead:
      - {from: 0, cost: 900 + 0.2}
      - {from: 4096, cost: 2500 + 0.1}
    receive_overhead: 1000
    gap: 1500
  pairs:
    - {between: [0, 2], latency: 15000}
    - {from: 1, to: 2, gap: 2000}
network: {topology: mesh:2x2, link: 0 + 1}
)",
          R"(processors: 2
profile: verify
profiles:
  predict: {all: &costs {latency: 300}}
  verify: {all: *costs}
calibration: {verdict: accepted}
network:
  nodes: 3
  links: [{from: 0, to: 1, cost: 5 + 1}, {between: [1, 2], cost: 5 + 1}]
)"};
}

std::vector<std::string> platforms() {
  return {R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "simgrid.dtd">
<!-- two of them -->
<platform version="4">
  <zone id="world" routing="Full">
    <cluster id="a" prefix="a-" suffix=".me" radical="0-3" speed="2Gf" bw="1Gbps" lat="50us" bb_bw="2.25GBps" bb_lat="500us"/>
    <cluster id="b" prefix="b-" suffix=".me" radical="0-1,7" power="1000000000" bw="125000000" lat="1E-4" core="2"/>
    <link id="line" bandwidth="10Gbps" latency="5ms"/>
    <zoneRoute src="a" dst="b" gw_src="r" gw_dst="s"><link_ctn id="line"/></zoneRoute>
  </zone>
</platform>
)"};
}

/// Returns a `leap-seconds.list` and a `leapseconds` with the contents of the built-in table.
std::vector<std::string> leap_second_tables() {
  const LeapSecondTable known = LeapSecondTable::built_in();
  std::string ntp = "#\tof a test\n#$\t3960835200\n", zone = "# of a test\n";
  for (const LeapSecondTable::Entry& entry : known.entries()) {
    ntp += fmt::format("{}\t{}\t# day\n", entry.unix_second + 2'208'988'800, entry.tai_minus_utc);
    if (entry == known.entries().front()) continue;
    // The day of the leap second.
    const std::chrono::year_month_day day(
        std::chrono::sys_days(std::chrono::days(entry.unix_second / 86400 - 1)));
    zone += fmt::format("Leap\t{}\t{}\t23:59:60\t+\tS\n", static_cast<int>(day.year()),
                        day.month() == std::chrono::June ? "Jun\t30" : "Dec\t31");
  }
  return {ntp + "4007750400\t38\n#@\t4023129600\n", zone + "#expires 1782604800\n"};
}

void read_leap_seconds(Reading& reading, const std::string& text) {
  const auto table = LeapSecondTable::parse(text);
  if (!table) throw ConfigError("no table of leap seconds");
  for (const std::int64_t second : {INT64_C(-1) << 40, INT64_C(0), INT64_C(1) << 31, INT64_C(1) << 40}) {
    reading.note(static_cast<std::uint64_t>(table->tai_minus_utc(second)));
    reading.note(static_cast<std::uint64_t>(table->utc_second(second).unix_second));
    reading.note(static_cast<std::uint64_t>(table->utc_of_gps(second).unix_second));
  }
  reading.note(static_cast<std::uint64_t>(table->is_certain(0, INT64_C(1) << 40)));
  reading.note(expired_leap_seconds(*table));
}

/// Excludes digits that produce large graphs and would only cost time.
void read_generator(Reading& reading, const std::string& text) {
  if (text.find_first_of("56789") != std::string::npos) return;
  reading.note(generate(text).task_count());
}

/// Parses each line as every kind of option value; a line that is none of them is refused.
void read_short_texts(Reading& reading, const std::string& text) {
  std::size_t refused = 0, taken = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const auto attempt = [&](const auto& parse) {
      try {
        parse();
        ++taken;
      } catch (const ConfigError& error) {
        require(*error.what() != '\0', "an error without a message");
        ++refused;
      }
    };
    attempt([&] { reading.note(to_string(parse_time(line))); });
    attempt([&] { reading.note(to_string(parse_duration(line))); });
    attempt([&] { reading.note(to_string(parse_bytes(line))); });
    attempt([&] { reading.note(to_string(parse_frequency(line))); });
    attempt([&] { reading.note(static_cast<std::uint64_t>(sensors::parse_utc(line))); });
    attempt([&] { reading.note(sensors::parse_axis(line).size); });
    attempt([&] { reading.note(sensors::name_at(line, 1'600'000'000'000'000'000)); });
  }
  reading.note(taken);
  reading.note(refused);
}

}  // namespace

std::vector<FuzzedReader> text_readers() {
  std::vector<FuzzedReader> readers;
  for (const GraphFormat& format : all_graph_formats()) readers.push_back(graph_reader(format));
  const std::vector<FuzzedReader> others{
      {.name = "generators",
       .valid =
           [] {
             return std::vector<std::string>{
                 "send_tree:depth=3,cost=1", "fft:depth=4,cost=1..100,seed=3,data=10", "wave:depth=3,width=4",
                 "layered:tasks=30,density=0.4,ccr=2", "chain:depth=2,cost=3/1/4"};
           },
       .read = read_generator},
      {.name = "bare_schedules", .valid = bare_schedules, .read = read_bare_schedule},
      {.name = "schedule_files",
       .valid = schedule_files,
       .read =
           [](Reading& reading, const std::string& text) {
             const logp::ScheduleFile file = logp::schedule_from_yaml(text, "damaged");
             reading.note(logp::schedule_to_yaml(file.graph, file.machine, file.schedule));
           }},
      {.name = "machine_files",
       .valid = machines,
       .read =
           [](Reading& reading, const std::string& text) {
             reading.note(logp::to_yaml(logp::machine_from_yaml(text, "damaged")));
           }},
      {.name = "simgrid_platforms",
       .valid = platforms,
       .read =
           [](Reading& reading, const std::string& text) {
             reading.note(logp::machine_from_simgrid(text, "damaged").processor_count());
           }},
      {.name = "csv_tables",
       .valid =
           [] {
             return std::vector<std::string>{"scheduler,tasks,note\ngreedy,12,\"a, b\"\ncpop,1e3,\n",
                                             "a;b\r\n1;2\r\n"};
           },
       .read =
           [](Reading& reading, const std::string& text) {
             reading.note(
                 rows_of_csv(text, "damaged").dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
           }},
      {.name = "gmsh_meshes",
       .valid =
           [] {
             const std::string begin = "$MeshFormat\n";
             return std::vector<std::string>{
                 begin +
                     "2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                     "$Elements\n2\n1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 4\n$EndElements\n",
                 begin +
                     "4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n"
                     "0 1 0\n$EndNodes\n$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n"};
           },
       .read =
           [](Reading& reading, const std::string& text) {
             const Mesh mesh = mesh_from_gmsh(text, "damaged");
             require(std::ranges::all_of(mesh.cell_corners,
                                         [&](std::uint32_t corner) { return corner < mesh.corners.size(); }),
                     "a cell has a corner that does not exist");
             reading.note(mesh.cell_count());
             reading.note(mesh.sides.size());
           }},
      {.name = "leap_second_tables", .valid = leap_second_tables, .read = read_leap_seconds},
      {.name = "short_texts",
       .valid =
           [] {
             return std::vector<std::string>{
                 "12 ms\n1.5 h\n4 KiB\n2.4 GHz\n2013-07-02T01:37:40.5\n59759.0625\n",
                 "time=4096\nchannel=16:100MHz:1MHz\nantenna=3\nout-%Y%m%dT%H%M%S.raw\n-3 us\n1e3 B\n"};
           },
       .read = read_short_texts},
  };
  readers.insert(readers.end(), others.begin(), others.end());
  return readers;
}

}  // namespace takt::test
