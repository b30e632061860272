/// Tests the errors of wrong pipelines, and their positions.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "logp/machine.hpp"
#include "logp/machine_yaml.hpp"
#include "pipeline/config/files.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Returns the valid pipeline with one piece of its text replaced.
std::string with(const std::string& piece, const std::string& replacement) {
  std::string text = good_pipeline;
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), replacement);
}

TEST(PipelineErrors, are_none_in_a_good_file) {
  EXPECT_THAT(errors_in(good_pipeline), IsEmpty());
}

TEST(PipelineErrors, of_a_required_latency_name_the_quantile_and_the_time) {
  const std::string stages =
      "sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: 'null', input: s}}\n";
  const auto errors = [&](const std::string& latency) {
    return errors_in(stages + "latency: " + latency + "\n");
  };
  EXPECT_THAT(errors("20 ms"), IsEmpty());
  EXPECT_THAT(errors("{max: 1 s}"), IsEmpty());
  EXPECT_THAT(errors("20"), ElementsAre(StartsWith("p.yaml:3:10: 'latency': ")));
  EXPECT_THAT(errors("0 ms"), ElementsAre("p.yaml:3:10: 'latency': expected more than 0, for example 20 ms"));
  EXPECT_THAT(
      errors("[20 ms]"),
      ElementsAre("p.yaml:3:10: 'latency': expected a time such as 20 ms, or one quantile with its time: "
                  "{p99: 20 ms}, not a list"));
  EXPECT_THAT(errors("{p95: 20 ms}"),
              ElementsAre("p.yaml:3:11: 'latency': unknown quantile 'p95': expected p50, p90, p99 or max"));
  EXPECT_THAT(errors("{p50: 2 ms, p99: 20 ms}"),
              ElementsAre(HasSubstr("'latency': 2 quantiles: expected a time")));
  EXPECT_THAT(errors("{p50: soon}"), ElementsAre(StartsWith("p.yaml:3:16: 'latency.p50': ")));
}

TEST(PipelineErrors, name_a_missing_file) {
  try {
    (void)load_pipeline("/nowhere/p.yaml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/p.yaml: cannot read the file: No such file or directory");
  }
}

TEST(PipelineErrors, explain_why_a_file_is_not_a_pipeline) {
  EXPECT_THAT(errors_in(""), ElementsAre("p.yaml: the file is empty"));
  EXPECT_THAT(errors_in("# nothing but words\n"), ElementsAre("p.yaml: the file is empty"));
  EXPECT_THAT(errors_in("a: [1, 2\nb: 3\n"), ElementsAre(StartsWith("p.yaml:1:4: not valid YAML: this '['")));
  EXPECT_THAT(errors_in("hello"),
              ElementsAre("p.yaml:1:1: expected a mapping with the keys name, plugins, sources, join, tasks, "
                          "sinks, rate, latency, objective, scheduler, deployment, got a single value"));
  EXPECT_THAT(errors_in("name: a\n---\nname: b\n"),
              ElementsAre("p.yaml:2:1: a second document begins here: expected one"));
  EXPECT_THAT(errors_in(std::string("\xff\xfe\x00\x01 \x7f", 6)), ::testing::SizeIs(1));
}

TEST(PipelineErrors, stop_exponentially_growing_documents) {
  // Each anchor contains the previous one ten times: 10^9 values.
  std::string bomb = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (char level = '1'; level < '9'; ++level) {
    bomb += std::string(1, level) + ": &a" + level + " [";
    for (int k = 0; k < 10; ++k)
      bomb.append("*a").append(1, static_cast<char>(level - 1)).append(k < 9 ? ", " : "]\n");
  }
  EXPECT_THAT(errors_in(bomb), ElementsAre(StartsWith("p.yaml:5:9: more than 20000 values")));
  EXPECT_THAT(errors_in("a: &a [*a]\n"), ElementsAre("p.yaml:1:8: an alias within its own anchor: endless"));
  const std::string open(40, '['), close(40, ']');
  EXPECT_THAT(errors_in("a: " + open + close),
              ElementsAre("p.yaml:1:36: lists and mappings are nested more than 32 deep"));
  // Each level within one more list: an alias has the depth of its value.
  EXPECT_THAT(errors_in("a: &a " + open.substr(20) + close.substr(20) + "\nb: " + open.substr(25) + "*a" +
                        close.substr(25)),
              ElementsAre(HasSubstr("p.yaml:2:19: lists and mappings are nested more than 32 deep")));
}

TEST(PipelineErrors, name_missing_sections) {
  EXPECT_THAT(errors_in("name: x\n"),
              ElementsAre("p.yaml: the key 'sources' is missing: a pipeline needs a source",
                          "p.yaml: the key 'sinks' is missing: a pipeline needs a sink"));
  EXPECT_THAT(errors_in("sources: {}\nsinks:\ntasks: [a]\n"),
              ElementsAre("p.yaml:1:10: 'sources' must be a mapping from names to sources, not an empty one",
                          "p.yaml:2:1: 'sinks' must be a mapping from names to sinks, not nothing",
                          "p.yaml:3:8: 'tasks' must be a mapping from names to tasks, not a list"));
}

TEST(PipelineErrors, include_other_sections_when_sources_are_missing) {
  EXPECT_THAT(errors_in("sources:\ntasks:\n  p: {kernel: stokes, input: sky}\nsinks:\n  o: {type: raw, "
                        "input: p, path: a}\n"),
              ElementsAre("p.yaml:1:1: 'sources' must be a mapping from names to sources, not nothing",
                          StartsWith("p.yaml:3:30: task 'p': unknown input 'sky'")));
}

TEST(PipelineErrors, find_unknown_and_duplicate_keys) {
  EXPECT_THAT(
      errors_in(with("name: good", "nmae: good")),
      ElementsAre("p.yaml:1:1: unknown key 'nmae'; did you mean 'name'? (known: name plugins sources join "
                  "tasks sinks rate latency objective scheduler deployment)"));
  EXPECT_THAT(errors_in(good_pipeline + "name: again\n"),
              ElementsAre("p.yaml:9:1: the key 'name' is already at p.yaml:1:1"));
  EXPECT_THAT(errors_in(with("channels: 16", "channels: 16, channels: 32")),
              ElementsAre("p.yaml:5:56: the key 'channels' is already at p.yaml:5:42"));
  EXPECT_THAT(errors_in(with("name: good", "? [a, b]\n: c\nname: good")),
              ElementsAre("p.yaml:1:3: a key must be a single value, not a list"));
}

TEST(PipelineErrors, find_parameters_that_are_unknown_missing_or_wrong) {
  EXPECT_THAT(errors_in(with("channels: 16", "chanels: 16")),
              ElementsAre("p.yaml:5:3: task 'spectrum': parameter 'channels' is missing: channels of each "
                          "beamlet, an even number (integer)",
                          "p.yaml:5:42: task 'spectrum': unknown parameter 'chanels'; did you mean "
                          "'channels'? (known: channels window least)"));
  EXPECT_THAT(errors_in(with("channels: 16", "channels: many")),
              ElementsAre("p.yaml:5:52: task 'spectrum': parameter 'channels': 'many' is not an integer"));
  EXPECT_THAT(
      errors_in(with("channels: 16", "channels: 0")),
      ElementsAre(
          "p.yaml:5:52: task 'spectrum': parameter 'channels': 0 is out of range: expected 2 or more"));
  EXPECT_THAT(errors_in(with("channels: 16", "channels: {a: 1}")),
              ElementsAre("p.yaml:5:52: task 'spectrum': parameter 'channels' must be a value or a list of "
                          "values, not a mapping"));
  EXPECT_THAT(errors_in(with("channels: 16", "channels: 16, window: han")),
              ElementsAre("p.yaml:5:64: task 'spectrum': parameter 'window': unknown value 'han'; did you "
                          "mean 'hann'? (known: rectangular hann hamming blackman)"));
}

/// Returns `a b c`: the known names in an error, in the order of the table.
template <class Kinds>
std::string known(const Kinds& kinds) {
  std::string names;
  for (const auto& kind : kinds) names += (names.empty() ? "" : " ") + kind.name;
  return names;
}

TEST(PipelineErrors, find_unknown_kinds) {
  const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  EXPECT_THAT(errors_in(with("kernel: fft", "kernel: ftf")),
              ElementsAre("p.yaml:5:22: task 'spectrum': unknown kernel 'ftf'; did you mean 'fft'? (known: " +
                          known(registry.kinds()) + ")"));
  EXPECT_THAT(errors_in(with("type: synthetic", "type: lofar")),
              ElementsAre("p.yaml:3:18: source 'sensor': unknown source 'lofar' (known: " +
                          known(registry.sources()) + ")"));
  EXPECT_THAT(
      errors_in(with("type: raw", "type: sigprok")),
      ElementsAre("p.yaml:8:15: sink 'out': unknown sink 'sigprok'; did you mean 'sigproc'? (known: " +
                  known(registry.sinks()) + ")"));
  EXPECT_THAT(
      errors_in(good_pipeline + "scheduler: basicfo\n"),
      ElementsAre(StartsWith("p.yaml:9:12: unknown scheduler 'basicfo'; did you mean 'basic_fo'? (known: ")));
  EXPECT_THAT(errors_in(good_pipeline + "scheduler: {nam: greedy}\n"),
              ElementsAre("p.yaml:9:13: 'scheduler': unknown parameter 'nam'; did you mean 'name'? (known: "
                          "name seed effort)"));
}

TEST(PipelineErrors, find_stages_without_a_kind) {
  EXPECT_THAT(errors_in(with("type: synthetic, ", "")),
              ElementsAre("p.yaml:3:3: source 'sensor': the key 'type' is missing (known: " +
                          known(KernelRegistry::with_built_in_kernels().sources()) + ")"));
  EXPECT_THAT(errors_in(with("{kernel: fft, input: sensor, channels: 16}", "")),
              ElementsAre("p.yaml:5:3: task 'spectrum' must be a mapping, not nothing"));
  EXPECT_THAT(errors_in(with("kernel: fft", "kernel: [fft]")),
              ElementsAre(StartsWith(
                  "p.yaml:5:22: task 'spectrum': 'kernel' must be the name of a kernel, not a list")));
  EXPECT_THAT(
      errors_in(with("  spectrum:", "  a spectrum:")),
      ::testing::Contains("p.yaml:5:3: 'a spectrum' is not a valid name: expected letters, digits, _ and -"));
}

TEST(PipelineErrors, find_missing_and_unknown_inputs) {
  EXPECT_THAT(errors_in(with("kernel: stokes, input: spectrum", "kernel: stokes")),
              ElementsAre("p.yaml:6:3: task 'power': the key 'input' is missing"));
  EXPECT_THAT(errors_in(with("input: sensor", "input: senser")),
              ElementsAre("p.yaml:5:34: task 'spectrum': unknown input 'senser'; did you mean 'sensor'? "
                          "(known: sensor spectrum power)"));
  EXPECT_THAT(errors_in(with("input: sensor", "inputs: [sensor, out]")),
              ElementsAre("p.yaml:5:44: task 'spectrum': fft takes 1 input, got 2",
                          "p.yaml:5:44: task 'spectrum': 'out' is a sink: it has no output"));
  EXPECT_THAT(errors_in(with("input: power", "input: [power, spectrum]")),
              ElementsAre("p.yaml:8:35: sink 'out': raw takes 1 input, got 2"));
  EXPECT_THAT(errors_in(with("input: sensor", "input: sensor, inputs: [sensor]")),
              ::testing::Contains(
                  "p.yaml:5:50: task 'spectrum': 'input' and 'inputs' are given: expected one of them"));
  EXPECT_THAT(errors_in(with("input: power", "input: []")),
              ::testing::Contains("p.yaml:8:27: sink 'out': expected at least one input"));
}

TEST(PipelineErrors, find_keys_of_other_sections) {
  EXPECT_THAT(errors_in(with("type: synthetic", "type: synthetic, input: power")),
              ElementsAre(StartsWith("p.yaml:3:29: source 'sensor': unknown parameter 'input'")));
  EXPECT_THAT(errors_in(with("type: raw", "type: raw, inputs: [power]")),
              ElementsAre(StartsWith("p.yaml:8:20: sink 'out': unknown parameter 'inputs'")));
}

TEST(PipelineErrors, find_unused_outputs) {
  EXPECT_THAT(errors_in(with("input: power", "input: spectrum")),
              ElementsAre("p.yaml:6:3: task 'power': its output is unused; give a task or a sink `input: "
                          "power` (a sink of type null discards it)"));
}

TEST(PipelineErrors, name_the_tasks_of_every_cycle) {
  const std::string text = R"(sources:
  s: {type: synthetic, axes: [time=4]}
tasks:
  a: {kernel: pass, inputs: [s, c]}
  b: {kernel: pass, input: a}
  c: {kernel: pass, input: b}
  d: {kernel: pass, inputs: [d, c]}
sinks:
  out: {type: 'null', input: d}
)";
  EXPECT_THAT(errors_in(text), ElementsAre("p.yaml:4:3: the tasks form a cycle: a -> b -> c -> a",
                                           "p.yaml:7:3: the tasks form a cycle: d -> d"));
}

TEST(PipelineErrors, suggest_the_key_for_a_misspelt_one) {
  EXPECT_THAT(errors_in(with("kernel: stokes", "kernal: stokes")),
              ElementsAre("p.yaml:6:11: task 'power': unknown key 'kernal'; did you mean 'kernel'? (known: "
                          "kernel)"));
}

TEST(PipelineErrors, find_duplicate_names) {
  EXPECT_THAT(errors_in(with("  power:", "  sensor: {kernel: pass, input: spectrum}\n  power:")),
              ElementsAre("p.yaml:6:3: the name 'sensor' is taken by the source at p.yaml:3:3"));
  EXPECT_THAT(
      errors_in(with("  out:", "  two: {type: raw, input: spectrum, path: ./out.raw}\n  out:")),
      ElementsAre("p.yaml:9:40: sink 'out': cannot write the file 'out.raw': sink 'two' writes it already"));
}

/// Returns a pipeline with a recording and a sink of this path.
std::string replay_to(const std::filesystem::path& recording, const std::filesystem::path& path) {
  return "sources:\n  rec: {type: lofar_file, files: [" + recording.string() +
         "]}\nsinks:\n  o: {type: raw, input: rec, path: " + path.string() + "}\n";
}

TEST(PipelineErrors, prevent_a_sink_from_overwriting_inputs_of_the_run) {
  const takt::test::TemporaryFolder folder;
  const std::string recording = folder.file("rec.raw", "packets");
  std::filesystem::create_symlink(recording, folder / "symbolic");
  std::filesystem::create_hard_link(recording, folder / "hard");
  for (const char* name : {"rec.raw", "symbolic", "hard", "./sub/../rec.raw"}) {
    const std::string path = folder / name;
    EXPECT_THAT(
        errors_in(replay_to(recording, path)),
        ElementsAre("p.yaml:4:36: sink 'o': cannot write the file '" + path + "': source 'rec' reads it"));
  }
  EXPECT_THAT(errors_in(replay_to(recording, folder / "new")), IsEmpty());

  const std::string machine =
      folder.file("m.yaml", logp::to_yaml(logp::parse_machine("logp:P=1,L=1,o=1,g=1")));
  EXPECT_THAT(errors_in(replay_to(recording, machine) + "deployment: {machine: " + machine + "}\n"),
              ElementsAre(HasSubstr("it is the machine file")));

  const std::string pipeline = folder / "q.yaml";
  folder.file("q.yaml", replay_to(recording, pipeline));
  EXPECT_THAT([&] { (void)load_pipeline(pipeline); },
              ::testing::ThrowsMessage<ConfigError>(HasSubstr("it is the pipeline file")));
}

/// Returns the errors of `check_files` for this pipeline.
std::string file_errors(const takt::test::TemporaryFolder& folder, const std::string& text,
                        const std::vector<OptionFile>& options = {}) {
  const Pipeline pipeline = load_pipeline(folder.file("f.yaml", text));
  ErrorList errors;
  check_files(pipeline, options, errors);
  return fmt::format("{}", fmt::join(errors.messages(), "\n"));
}

TEST(PipelineErrors, find_unreadable_and_unwritable_files_before_a_run) {
  const takt::test::TemporaryFolder folder;
  const std::string here = folder / "";
  const std::string recording = folder.file("rec.raw", "packets");
  const std::string out = folder / "out";
  EXPECT_EQ(file_errors(folder, replay_to(recording, out)), "");
  EXPECT_EQ(file_errors(folder, replay_to(here + "none.raw", here + "no/out")),
            here + "f.yaml:2:34: source 'rec': cannot read the file '" + here +
                "none.raw': No such file or directory\n" + here +
                "f.yaml:4:36: sink 'o': cannot write the file '" + here + "no/out': no folder '" + here +
                "no'");
  EXPECT_THAT(file_errors(folder, replay_to(here, recording + "/out")),
              ::testing::AllOf(HasSubstr("source 'rec': cannot read the file '" + here + "': it is a folder"),
                               HasSubstr("no folder '" + recording + "'")));
  EXPECT_THAT(file_errors(folder, replay_to(recording, here)), HasSubstr("it is a folder: expected a file"));
  EXPECT_THAT(file_errors(folder, replay_to(recording, "/dev/stdout")),
              HasSubstr("ranks have no terminal: expected a file or a named pipe"));
  EXPECT_FALSE(std::filesystem::exists(out));
  // Writes follow links: to a new file, into a missing folder, to themselves.
  std::filesystem::create_symlink("made", here + "good");
  std::filesystem::create_symlink("nowhere/made", here + "dangling");
  std::filesystem::create_symlink("round", here + "round");
  EXPECT_EQ(file_errors(folder, replay_to(recording, here + "good")), "");
  EXPECT_THAT(file_errors(folder, replay_to(recording, here + "dangling")),
              HasSubstr("it is a link to 'nowhere/made': no folder '" + here + "nowhere'"));
  EXPECT_THAT(file_errors(folder, replay_to(recording, here + "round")),
              HasSubstr("Too many levels of symbolic links"));
}

TEST(PipelineErrors, find_existing_files_next_to_outputs) {
  const takt::test::TemporaryFolder folder;
  const std::string text =
      "sources:\n  s: {type: synthetic, axes: [time=4, \"channel=4:1e8:1e6\"], rate: 1 Hz}\nsinks:\n"
      "  o: {type: sigproc, input: s, flags: mask, path: " +
      (folder / "a.fil").string() + "}\n";
  EXPECT_EQ(file_errors(folder, text), "");
  folder.file("a.fil.mask", "of an earlier run");
  EXPECT_THAT(file_errors(folder, text), HasSubstr("a.fil.mask': the file exists (17 B)"));
}

TEST(PipelineErrors, prevent_reports_and_outputs_from_overwriting_each_other) {
  const takt::test::TemporaryFolder folder;
  const std::string recording = folder.file("rec.raw", "packets");
  const std::string text = replay_to(recording, folder / "out");
  const auto report = [](const std::filesystem::path& path) { return OptionFile{"--report", path, true}; };
  const OptionFile out{"--profile", folder / "out"}, costs{"--profile", folder / "costs"};
  EXPECT_THAT(file_errors(folder, text, {report(folder / "out")}), HasSubstr("sink 'o'"));
  EXPECT_THAT(file_errors(folder, text, {report(recording)}), HasSubstr("source 'rec'"));
  EXPECT_THAT(file_errors(folder, text, {out}), HasSubstr("--profile reads it"));
  EXPECT_THAT(file_errors(folder, text, {report(folder / "f.yaml")}),
              ::testing::AllOf(HasSubstr("--report "), HasSubstr("it is the pipeline file")));
  EXPECT_THAT(file_errors(folder, text, {costs, report(folder / "costs")}),
              ::testing::AllOf(HasSubstr("--report "), HasSubstr("--profile reads it")));
}

TEST(PipelineErrors, find_mismatched_types_and_sizes) {
  EXPECT_THAT(errors_in(with("element: complex_float32", "element: complex_int8")),
              ElementsAre("p.yaml:5:34: task 'spectrum': fft cannot take 'sensor': expected "
                          "complex_float32[beamlet][time][polarisation], got "
                          "complex_int8[beamlet=4][time=128][polarisation=2]: put {kernel: unpack} in front "
                          "of it"));
  EXPECT_THAT(
      errors_in(with("polarisation=2", "polarisation=1")),
      ElementsAre(
          "p.yaml:6:34: task 'power': stokes cannot take 'spectrum': expected "
          "complex_float32[...][polarisation=2], got complex_float32[time=8][channel=64][polarisation=1]"));
  EXPECT_THAT(errors_in(with("channels: 16", "channels: 20")),
              ElementsAre("p.yaml:5:52: task 'spectrum': parameter 'channels': 20 does not divide the 128 "
                          "time samples of a frame (complex_float32[beamlet=4][time=128][polarisation=2])"));
  // The filterbank needs frequencies, which this source does not have.
  EXPECT_THAT(errors_in(with("type: raw", "type: sigproc")),
              ElementsAre(StartsWith("p.yaml:8:31: sink 'out': sigproc cannot take 'power': ")));
  EXPECT_THAT(errors_in(with("time=128", "time=100000000000")), ElementsAre(StartsWith("p.yaml:3:")));
  EXPECT_THAT(errors_in(with("beamlet=4, time=128", "beamlet=40000, time=40000")),
              ElementsAre("p.yaml:3:3: source 'sensor': its frames exceed 2 GiB: "
                          "complex_float32[beamlet=40000][time=40000][polarisation=2]"));
}

TEST(PipelineErrors, find_wrong_settings) {
  EXPECT_THAT(
      errors_in(good_pipeline +
                "rate: fast\ndeployment: {ranks: 0, rnks: 3, depth: [1, 2]}\nscheduler: [a]\n"),
      ElementsAre(
          "p.yaml:9:7: 'rate': 'fast' is not a frequency: expected a number that is not negative, "
          "then one of Hz kHz MHz GHz",
          "p.yaml:10:21: 'deployment': parameter 'ranks': 0 is out of range: expected 1 or more",
          "p.yaml:10:24: 'deployment': unknown parameter 'rnks'; did you mean 'ranks'? (known: ranks "
          "machine depth transport tiles pin cores_per_rank realtime lock_memory share serve deadline "
          "setup_deadline end_deadline hosts slots "
          "launcher network)",
          "p.yaml:10:40: 'deployment': parameter 'depth': expected one value (integer), not a list",
          "p.yaml:11:12: 'scheduler' must be a mapping, not a list"));
  EXPECT_THAT(errors_in(good_pipeline + "deployment: {ranks: 100000}\n"),
              ElementsAre(HasSubstr("'deployment': parameter 'ranks': 100000 is out of range: expected")));
  const auto pin = [](const std::string& text) {
    return errors_in(good_pipeline + "deployment: {ranks: 2, pin: " + text + "}\n");
  };
  EXPECT_THAT(pin("atuo"), ElementsAre("p.yaml:9:29: 'deployment': parameter 'pin': 'atuo' is not the number "
                                       "of a processor: expected none, auto or a list such as [0, 2]"));
  EXPECT_THAT(pin("[1, -1]"), ElementsAre(HasSubstr("'-1' is not the number of a processor")));
  EXPECT_THAT(pin("[1, 1]"), ElementsAre(HasSubstr("processor 1 is given twice")));
  EXPECT_THAT(pin("[1]"), ElementsAre(HasSubstr("'pin': 1 processor for 2 ranks")));
  EXPECT_THAT(pin("auto"), IsEmpty());
  EXPECT_THAT(pin("[3, 1]"), IsEmpty());
  EXPECT_THAT(errors_in(good_pipeline + "rate: 0 Hz\n"),
              ElementsAre("p.yaml:9:7: 'rate': expected more than 0 Hz"));
  EXPECT_THAT(errors_in(good_pipeline + "rate: [1]\n"),
              ElementsAre("p.yaml:9:7: 'rate' must be a single value, not a list"));
  EXPECT_THAT(
      errors_in(good_pipeline + "deployment: {machine: /nowhere/m.yaml}\n"),
      ElementsAre(StartsWith("p.yaml:9:23: 'deployment': machine '/nowhere/m.yaml': there is no such file")));
  EXPECT_THAT(errors_in(good_pipeline + "deployment: {machine: 'logp:Q=3'}\n"),
              ElementsAre(StartsWith("p.yaml:9:23: 'deployment': ")));
  EXPECT_THAT(errors_in(good_pipeline + "plugins: [/nowhere/a.so, {b: c}]\n"),
              ElementsAre(StartsWith("p.yaml:9:11: cannot load the plug-in '/nowhere/a.so': "),
                          "p.yaml:9:26: a plug-in is the name of a file, not a mapping"));
}

TEST(PipelineErrors, blame_a_missing_plugin_and_not_the_kernels_in_it) {
  EXPECT_THAT(errors_in("plugins: [/nowhere/a.so]\n" + with("kernel: stokes", "kernel: mine")),
              ElementsAre(StartsWith("p.yaml:1:11: cannot load the plug-in '/nowhere/a.so': ")));
}

TEST(PipelineErrors, are_all_reported_together_in_the_order_of_the_file) {
  const std::string text = R"(nme: x
sources:
  s: {type: synthetic, axes: [time=4], rate: x}
tasks:
  a: {kernel: pas, input: s}
  b: {kernel: pass, input: q}
sinks:
  out: {type: raw, input: b}
rate: -1
)";
  EXPECT_THAT(errors_in(text),
              ElementsAre(StartsWith("p.yaml:1:1: unknown key 'nme'"),
                          StartsWith("p.yaml:3:46: source 's': parameter 'rate': 'x' is not"),
                          StartsWith("p.yaml:5:15: task 'a': unknown kernel 'pas'"),
                          StartsWith("p.yaml:6:28: task 'b': unknown input 'q'"),
                          StartsWith("p.yaml:8:3: sink 'out': parameter 'path' is missing"),
                          StartsWith("p.yaml:9:7: 'rate': '-1' is not a frequency")));
}

}  // namespace
}  // namespace takt::pipeline::test
