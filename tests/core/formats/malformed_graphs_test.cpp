#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/formats/dot.hpp"
#include "core/formats/graph_yaml.hpp"
#include "core/formats/pegasus_dax.hpp"
#include "core/formats/stg.hpp"
#include "core/formats/wfcommons.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// A text and the beginning of its error.
struct Case {
  std::string text;
  std::string error;
};

template <class Read>
void expect_errors(Read read, const std::vector<Case>& cases) {
  for (const Case& each : cases)
    EXPECT_THAT([&] { (void)read(each.text, "f"); }, ThrowsMessage<ConfigError>(StartsWith(each.error)))
        << each.text;
}

TEST(MalformedGraphs, in_yaml_get_an_error_with_the_place) {
  const std::string ab = "tasks:\n  - {name: a, work: 1}\n  - {name: b, work: 1}\nedges:\n";
  expect_errors(
      graph_from_yaml,
      {{"", "f: expected a graph as a mapping with the keys tasks edges undirected, found nothing"},
       {"tasks: [", "f:1:8: not valid YAML: this '[' is not closed: expected ']'"},
       {"tasks: 5", "f:1:8: expected tasks as a list, found a single value"},
       {"tasks: []\n---\ntasks: []", "f:2:1: a second document begins here"},
       {"task: []", "f:1:1: unknown key of a graph 'task'; did you mean 'tasks'?"},
       {"edges: []", "f:1:1: a graph needs a 'tasks'"},
       {"tasks:\n  - {name: a}", "f:2:5: a task needs a 'work'"},
       {"tasks:\n  - {work: 1}", "f:2:5: a task needs a 'name'"},
       {"tasks:\n  - {name: a, work: -1}", "f:2:21: work: '-1' is not a duration"},
       {"tasks:\n  - {name: a, work: 1e400}", "f:2:21: work: '1e400' is not a duration"},
       {"tasks:\n  - {name: a, work: 1, wrk: 2}",
        "f:2:24: unknown key of a task 'wrk'; did you mean 'work'?"},
       {"tasks:\n  - {name: a, work: 1, work: 2}", "f:2:24: the key 'work' is already at f:2:15"},
       {"tasks:\n  - {name: [a], work: 1}",
        "f:2:12: expected the name of a task as a single value, found a list"},
       {"tasks:\n  - {name: a, work: 1, stateless: 1}",
        "f:2:35: '1' is not a valid stateless: expected true"},
       {"tasks:\n  - {name: a, work: 1}\n  - {name: a, work: 2}",
        "f:3:5: two tasks have the name 'a'; the first one is in line 2"},
       {"tasks:\n  - {name: a, work: []}", "f:2:5: task 'a' has works for 0 processors"},
       {"tasks:\n  - {name: a, work: [1, 2]}\n  - {name: b, work: [1]}",
        "f:3:5: task 'b' has works for 1 processors, another task for 2"},
       {"tasks:\n  - {name: a, work: [1, 2]}\n  - {name: b, work: 1}",
        "f:3:5: task 'b' has works for 0 processors"},
       {ab + "  - {from: a, to: c}", "f:5:19: unknown task 'c'"},
       {ab + "  - {from: a, to: [b, b]}", "f:5:23: 'b' is given twice in 'to'"},
       {ab + "  - {from: a, to: b, size: -3}", "f:5:28: size: '-3' is not a size"},
       {ab + "  - {from: a}", "f:5:5: an edge needs a 'to'"},
       {ab + "  - {from: a, to: a}", "f:5:5: task 'a' has an edge to itself"},
       {ab + "  - {from: a, to: b}\n  - {from: b, to: a}", "f:6:5: the graph has a cycle: "},
       {ab + "  - {from: a, to: b, size: 9000000000000000000}", "f: work and data of the graph add up to"}});
}

TEST(MalformedGraphs, in_dot_get_an_error_with_the_place) {
  expect_errors(
      graph_from_dot,
      {{"", "f:1:1: expected 'digraph', found 'the end of the file'"},
       {"graph {\n a [Weight=1]\n a -> b\n}", "f:3:4: expected '--'"},
       {"digraph {", "f:1:10: expected a statement or '}', found 'the end of the file'"},
       {"digraph {\n a [Weight=1]\n} }", "f:3:3: expected the end of the file"},
       {"digraph {\n a [Weight=-4];\n}", "f:2:12: '-4' is not a valid weight"},
       {"digraph {\n a [Weight=\"2e18\"];\n}", "f:2:12: '2e18' is not a valid weight"},
       {"digraph {\n a [Weight=nan];\n}", "f:2:12: 'nan' is not a valid weight"},
       {"digraph {\n a [Weight=1];\n root -> a\n}", "f:3:2: node 'root' has no Weight, or is not declared"},
       {"digraph {\n a [size=1];\n start -> a\n}", "f:3:2: node 'start' has no Weight, or is not declared"},
       {"digraph {\n a [size=-1];\n}", "f:2:10: '-1' is not a valid weight"},
       {"digraph {\n a [Weight=1] b [Weight=2]\n a -> b [Weight=-1]\n}",
        "f:3:17: '-1' is not a valid weight"},
       {"digraph {\n a [Weight=x];\n}", "f:2:12: 'x' is not a valid weight"},
       {"digraph {\n a [Weight=1];\n a -> b [Weight=2]\n}",
        "f:3:7: node 'b' has no Weight, or is not declared"},
       {"digraph {\n a [Weight=1]\n b [Weight=1]\n a -> b\n b -> a\n}", "f:5:4: the graph has a cycle: "},
       {"digraph {\n a [Weight=1]\n a -> a\n}", "f:3:4: task 'a' has an edge to itself"},
       {"digraph {\n a [Weight=1]\n a -- a\n}", "f:3:4: expected '->'"},
       {"digraph {\n a [Weight]\n}", "f:2:11: expected '=', found ']'"},
       {"digraph {\n a [Weight=]\n}", "f:2:12: expected a value, found ']'"},
       {"digraph {\n a: [Weight=1]\n}", "f:2:5: expected a port after ':'"},
       {"digraph {\n a -> {b c\n}", "f:3:2: expected a statement or '}'"},
       {"digraph {\n a -> subgraph -> b\n}", "f:2:16: expected '{'"},
       {"digraph {\n \"a", "f:2:2: a quoted text is not closed"},
       {"digraph {\n /* a", "f:2:2: a comment is not closed"},
       {"digraph {\n label=<<b>", "f:2:8: an HTML text is not closed"},
       {"digraph {\n 12ab [Weight=1]\n}", "f:2:2: '12ab' is neither a number nor a name"},
       {"digraph {\n a ! b\n}", "f:2:4: unexpected character '!'"},
       {"digraph {" + std::string(100'000, '{'), "f:1:75: groups are nested more than 64 deep"},
       {"digraph {\n a [Weight=1, Stateless=maybe]\n}", "f:2:25: Stateless is 'maybe'"},
       {"digraph {\n a [Works=\"1 x\"]\n}", "f:2:11: 'x' is not a valid work"},
       {"digraph {\n a [Weight=1] b [Weight=1] c [Weight=1]\n a -> b [Weight=1, Datum=0]\n a -> c [Datum=0, "
        "Weight=2]\n}",
        "f:4:4: edges of 'a' with Datum=0 carry the same datum, but their sizes differ"}});
}

TEST(MalformedGraphs, with_an_invalid_embedded_schedule_are_refused_with_the_place) {
  const std::string length = "digraph {\n \"Total schedule length\"=5\n";
  expect_errors(
      read_dot,
      {{length + "}", "f:2:26: a schedule needs TargetSystem"},
       {length + "TargetSystem=\"Mesh-2\" }", "f:3:14: a schedule needs TargetSystem"},
       {length + "TargetSystem=\"Homogeneous-x\" }", "f:3:14: 'x' is not a valid number of processors"},
       {length + "TargetSystem=\"Homogeneous-2\"\n a [Weight=1, Processor=0, \"Start time\"=0]\n}",
        "f:4:2: the graph has a schedule, but node 'a' no 'Finish time'"},
       {length + "TargetSystem=\"Homogeneous-2\"\n a [Weight=1, Processor=2]\n}",
        "f:4:2: node 'a' runs on processor 2, but they go from 0 to 1"}});
}

TEST(MalformedGraphs, in_stg_get_an_error_with_the_place) {
  const auto read = [](const std::string& text, const std::string& file) {
    return graph_from_stg(text, file);
  };
  expect_errors(
      read,
      {{"", "f:1: expected the number of tasks, found an empty file"},
       {"# only a comment\n", "f:1: expected the number of tasks"},
       {"x\n", "f:1:1: expected the number of tasks, a whole number from 0 to"},
       {"1 2 3\n", "f:1:5: expected one or two numbers in the first line"},
       {"-5\n", "f:1:1: expected the number of tasks"},
       {"1000000000\n0 0 0\n1 3 1 0\n", "f:3:8: the file declares 1000000000 tasks"},
       {"99999999999999999999\n", "f:1:1: expected the number of tasks"},
       {"1000000000\n",
        "f:1:11: the file declares 1000000000 tasks, so that the dummy exit is task 1000000001, "
        "but holds none"},
       {"1\n0 0 0\n1 3 1000000000 0\n", "f:3:17: expected a predecessor, found the end of the line"},
       {"1\n0 0 0\n1 -3 1 0\n2 0 1 1\n", "f:3:3: expected a processing time, a whole number from 0 to"},
       {"1\n0 0 0\n1 3.5 1 0\n2 0 1 1\n", "f:3:3: expected a processing time"},
       {"1\n0 0 0\n1 3\n2 0 1 1\n", "f:3:4: expected the number of predecessors, found the end of the line"},
       {"1\n0 0 0\n1 3 1 0 0\n2 0 1 1\n", "f:3:9: task 1 declares 1 predecessors, but has more"},
       {"1\n0 0 0\n2 3 1 0\n", "f:3:1: expected task 1, found task 2"},
       {"1\n0 0 0\n1 3 1 9\n2 0 1 1\n", "f:3:7: no task 9: expected 0 to 2"},
       {"1\n0 0 0\n1 3 1 2\n2 0 1 1\n", "f:4:7: the graph has a cycle: "},
       {"1\n0 0 0\n1 3 1 1\n2 0 1 1\n", "f:3:7: task '1' has an edge to itself"},
       {"3\n0 0 0\n1 3 1 0\n2 3 1 1\n", "f:4:8: the file declares 3 tasks"},
       {"1\n0 0 0\n1 3 1\n0 5\n2 0 1 1\n",
        "f:5:7: expected the end of the line: this file has one line per predecessor, with its cost"},
       {"1\n0 0 0\n1 3 1 0\n2 0 1\n1 5\n", "f:4:6: expected a predecessor, found the end of the line"},
       {"1\n0 0 0\n1 3 1\n0\n", "f:4:2: expected the cost of its message, found the end of the line"},
       {"1\n0 0 0\n1 3 1\n0 5 6\n", "f:4:5: expected only a predecessor and its cost in the line"},
       {"1\n0 0 0\n1 3 2\n0 5\n", "f:4:4: expected 1 more lines with a predecessor and its cost"},
       {"1\n0 0 0\n1 3 1\n7 5\n2 0 1\n1 2\n", "f:4:1: no task 7: expected 0 to 2"}});
}

TEST(MalformedGraphs, in_wfcommons_get_an_error_with_the_line) {
  const auto read = [](const std::string& text, const std::string& file) {
    return graph_from_wfcommons(text, file);
  };
  // One line for each part, so that the expected lines are apparent.
  const auto file = [](const std::string& tasks, const std::string& files, const std::string& runs) {
    return "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\n\"tasks\": [" + tasks +
           "],\n\"files\": [" + files + "]},\n\"execution\": {\"tasks\": [" + runs + "]}}}";
  };
  const std::string a = R"({"id": "a", "parents": [], "children": []})",
                    run_a = R"({"id": "a", "runtimeInSeconds": 1})";
  expect_errors(
      read,
      {{"", "f:1: not valid JSON"},
       {"{\n\"a\": 1,\n", "f:3: not valid JSON: parse error at line 3, column 1: syntax error"},
       {"[]", "f:1: the file needs a 'schemaVersion'"},
       {"{\n\"schemaVersion\": \"1.6\"}",
        "f:2: /schemaVersion: expected version 1.0 to 1.5 of WfFormat, found '1.6'"},
       {"{\"schemaVersion\": 1.5}", "f:1: /schemaVersion: expected a text, found number"},
       {"{\"schemaVersion\": \"1.5\"}", "f:1: the file needs a 'workflow'"},
       {"{\"schemaVersion\": \"1.5\",\n\"workflow\": {}}", "f:2: /workflow needs a 'execution'"},
       {file("5", "", ""), "f:2: /workflow/specification/tasks/0 needs a 'id'"},
       {file(a, "", ""),
        "f:2: /workflow/specification/tasks/0/id: /workflow/execution/tasks has no runtime of task 'a'"},
       {file(a + ",\n" + a, "", run_a), "f:3: /workflow/specification/tasks/1/id: two tasks have the id 'a'"},
       {file(a, "", R"({"id": "a", "runtimeInSeconds": -1})"),
        "f:4: /workflow/execution/tasks/0/runtimeInSeconds: expected a number from 0 to"},
       {file(a, "", R"({"id": "a", "runtimeInSeconds": "1"})"),
        "f:4: /workflow/execution/tasks/0/runtimeInSeconds: expected a number"},
       {file(a, "", R"({"id": "a"})"), "f:4: /workflow/execution/tasks/0 needs a 'runtimeInSeconds'"},
       {file(a, R"({"id": "x", "sizeInBytes": -1})", run_a),
        "f:3: /workflow/specification/files/0/sizeInBytes: expected a whole number"},
       {file(a, R"({"id": "x", "sizeInBytes": 18446744073709551615})", run_a),
        "f:3: /workflow/specification/files/0/sizeInBytes: expected a whole number from 0 to"},
       {file(a, "", R"({"id": "a", "runtimeInSeconds": 1e400})"), "f:4: not valid JSON: number overflow"},
       {file(a, "", R"({"id": "a", "runtimeInSeconds": NaN})"), "f:4: not valid JSON: parse error at line 4"},
       {file(R"({"id": "a", "parents": ["b"]})", "", run_a),
        "f:2: /workflow/specification/tasks/0/parents/0: no task 'b'"},
       {file(R"({"id": "a", "parents": "b"})", "", run_a),
        "f:2: /workflow/specification/tasks/0/parents: expected a list"},
       {file(R"({"id": "a", "parents": [7]})", "", run_a),
        "f:2: /workflow/specification/tasks/0/parents/0: expected a text"},
       {file(R"({"id": "a", "inputFiles": ["x"]})", "", run_a),
        "f:2: /workflow/specification/tasks/0/inputFiles/0: /workflow/specification/files has no file 'x'"},
       {file(R"({"id": "a", "parents": ["b"]},)"
             "\n"
             R"({"id": "b", "parents": ["a"]})",
             "", run_a + R"(, {"id": "b", "runtimeInSeconds": 1})"),
        "f:2: /workflow/specification/tasks/0/parents/0: the graph has a cycle: "}});
}

TEST(MalformedGraphs, in_older_wfcommons_get_an_error_with_the_line) {
  const auto file = [](const std::string& tasks) {
    return "{\"schemaVersion\": \"1.3\",\n\"workflow\": {\"tasks\": [\n" + tasks + "]}}";
  };
  const std::string a = R"({"name": "a", "runtime": 1})";
  expect_errors(
      graph_from_wfcommons,
      {{"{\"schemaVersion\": \"1.0\",\n\"workflow\": {}}", "f:2: /workflow needs a 'tasks'"},
       {file(R"({"id": "a", "runtime": 1})"), "f:3: /workflow/tasks/0 needs a 'name'"},
       {file(R"({"name": "a"})"), "f:3: /workflow/tasks/0 needs a 'runtime'"},
       {file(R"({"name": "a", "runtime": -2})"), "f:3: /workflow/tasks/0/runtime: expected a number from 0"},
       {file(a + ",\n" + a), "f:4: /workflow/tasks/1/name: two tasks have the id 'a'"},
       {file(R"({"name": "a", "runtime": 1, "parents": ["b"]})"),
        "f:3: /workflow/tasks/0/parents/0: no task 'b'"},
       {file(R"({"name": "a", "id": "1", "runtime": 1}, {"name": "a", "id": "2", "runtime": 1},)"
             "\n"
             R"({"name": "c", "runtime": 1, "parents": ["a"]})"),
        "f:4: /workflow/tasks/2/parents/0: several tasks have the name 'a': expected an id"},
       {file(R"({"name": "a", "runtime": 1, "files": [{"name": "x", "size": 1, "link": "both"}]})"),
        "f:3: /workflow/tasks/0/files/0/link: expected input or output, found 'both'"},
       {file(R"({"name": "a", "runtime": 1, "files": [{"name": "x", "link": "input"}]})"),
        "f:3: /workflow/tasks/0/files/0 needs a 'size'"},
       {file(R"({"name": "a", "runtime": 1, "parents": ["b"]},)"
             "\n"
             R"({"name": "b", "runtime": 1, "parents": ["a"]})"),
        "f:3: /workflow/tasks/0/parents/0: the graph has a cycle: "}});
}

TEST(MalformedGraphs, in_dax_get_an_error_with_the_place) {
  const auto file = [](const std::string& jobs) { return "<adag>\n" + jobs + "\n</adag>"; };
  const std::string a = R"(<job id="a" runtime="1"/>)", b = R"(<job id="b" runtime="1"/>)";
  expect_errors(
      [](const std::string& text, const std::string& name) { return read_dax(text, name); },
      {{"", "f:1:1: expected an element"},
       {"<platform/>", "f:1:1: expected <adag>, not <platform>"},
       {file("<job runtime='1'/>"), "f:2:1: <job> lacks 'id'"},
       {file("<job id='a' runtime='-1'/>"), "f:2:13: runtime is '-1': expected a number from 0"},
       {file("<job id='a' runtime='1s'/>"), "f:2:13: runtime is '1s': expected a number"},
       {file(a + "\n<job id='b'/>"), "f:3:1: the job has no runtime"},
       {file(a + "\n" + a), "f:3:6: two jobs have the id 'a'"},
       {file("<dax id='x' file='other.dax'/>"), "f:2:1: <dax>: jobs that are workflows"},
       {file("<job id='a' runtime='1'><uses link='input'/></job>"), "f:2:25: <uses> lacks 'name'"},
       {file("<job id='a' runtime='1'><uses file='x' link='in'/></job>"),
        "f:2:40: link is 'in': expected input"},
       {file("<job id='a' runtime='1'><uses file='x' link='input' size='-1'/></job>"),
        "f:2:53: size is '-1'"},
       {file(a + "\n<child ref='b'/>"), "f:3:8: no job 'b'"},
       {file(a + "\n<child ref='a'><parent/></child>"), "f:3:16: <parent> lacks 'ref'"},
       {file(a + b + "\n<child ref='a'><parent ref='b'/></child>\n<child ref='b'><parent ref='a'/></child>"),
        "f:"},
       {"<adag>\n" + a, "f:1:1: <adag> is not closed"},
       {file("<job id='a' runtime='1'>\n<![CDATA[</job>"), "f:3:1: the CDATA section is not closed"}});
}

TEST(MalformedGraphs, with_unlimited_nesting_are_refused_quickly) {
  constexpr std::size_t depth = 200'000;
  const std::string open(depth, '['), close(depth, ']');
  for (const std::string& text : {open, open + close})
    EXPECT_THAT([&] { (void)graph_from_yaml(text, "f"); },
                ThrowsMessage<ConfigError>(HasSubstr("lists and mappings are nested more than 100 deep")));
  const auto read = [](const std::string& text, const std::string& file) {
    return graph_from_wfcommons(text, file);
  };
  expect_errors(read, {{open, "f:1: not valid JSON"},
                       {open + close, "f:1: the file needs a 'schemaVersion'"},
                       {"{\"a\": " + open + close + ",\n\"schemaVersion\": \"2.0\"}",
                        "f:2: /schemaVersion: expected"}});
}

TEST(MalformedGraphs, with_far_more_edges_than_text_are_refused_quickly) {
  std::string tasks = "tasks:\n", edges = "edges:\n  - {from: t0, to: &all [", group;
  for (int i = 0; i < 7'000; ++i) {
    tasks += fmt::format("  - {{name: t{}, work: 1}}\n", i);
    if (i > 0) edges += fmt::format("t{},", i);
    group += fmt::format("t{} ", i);
  }
  edges += "]}\n";
  for (int i = 1; i < 7'000; ++i) edges += fmt::format("  - {{from: t{}, to: *all}}\n", i);
  EXPECT_THAT([&] { (void)graph_from_yaml(tasks + edges, "f"); },
              ThrowsMessage<ConfigError>(HasSubstr("more than 40000000 edges")));
  EXPECT_THAT([&] { (void)graph_from_dot("digraph { {" + group + "} -> { " + group + "} }", "f"); },
              ThrowsMessage<ConfigError>(HasSubstr("more than 40000000 edges")));
}

TEST(MalformedGraphs, are_quoted_in_one_line_without_control_characters) {
  const std::string word = "\x1b[2J" + std::string(100'000, 'x');
  const std::string shown = "'?[2J" + std::string(56, 'x') + "...'";
  expect_errors(
      [](const std::string& text, const std::string& file) { return graph_from_stg(text, file); },
      {{word, "f:1:1: expected the number of tasks, a whole number from 0 to 1000000000000000000, found " +
                  shown}});
  expect_errors(graph_from_dot,
                {{"\"" + word + "\"", "f:1:1: expected 'digraph', found " + shown},
                 {"digraph { a [Weight=\"" + word + "\"] }", "f:1:21: " + shown + " is not a valid weight"}});
}

}  // namespace
}  // namespace takt
