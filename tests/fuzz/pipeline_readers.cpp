/// Fuzzed readers of pipelines, and of their files and options.

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "pipeline/config/change.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/kernels/polyco.hpp"
#include "pipeline/launch/jobs/slurm.hpp"
#include "pipeline/pages/events_page.hpp"
#include "pipeline/pages/figures_page.hpp"
#include "pipeline/pages/pareto_page.hpp"
#include "pipeline/pages/recording_page.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/stages/recordings.hpp"
#include "schedulers/plan/pareto.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::test {

using namespace pipeline;

namespace {

std::string config(const std::string& name) {
  return read_file(TAKT_SOURCE_DIR "/configs/" + name);
}

std::vector<std::string> pipelines() {
  std::vector<std::string> texts;
  for (const char* name : {"first.yaml", "spin.yaml", "lofar-spectrometer.yaml"})
    texts.push_back(config(name));
  texts.push_back(pipeline::test::good_pipeline);
  return texts;
}

void read_pipeline(Reading& reading, const std::string& text) {
  const Pipeline pipeline = load_pipeline(reading.file("p.yaml", text));
  for (const Stage& stage : pipeline.stages) reading.note(stage.name);
}

const Pipeline& good_pipeline() {
  static const Pipeline pipeline = pipeline::test::load(pipeline::test::good_pipeline);
  return pipeline;
}

/// Returns one override per line: path, `=`, value.
std::vector<std::string> overrides() {
  return {"sources.sensor.rate=16 Hz", "tasks.spectrum.channels=32", "deployment.ranks=2",
          "sinks.out.path=b.raw"};
}

void read_override(Reading& reading, const std::string& text) {
  const std::size_t end = std::min(text.find('='), text.size());
  const Override given{text.substr(0, end), end < text.size() ? text.substr(end + 1) : ""};
  reading.note(load_pipeline(reading.file("p.yaml", pipeline::test::good_pipeline), {given}).stages.size());
}

/// Returns the pipeline whose parameters `takt set` changes.
const Pipeline& changeable_pipeline() {
  static const Pipeline pipeline = pipeline::test::load(R"(name: changeable
sources:
  sensor: {type: synthetic, element: complex_float32, axes: [beamlet=4, time=128, polarisation=2], rate: 50 Hz}
tasks:
  spectrum: {kernel: fft, input: sensor, channels: 16}
  power: {kernel: stokes, input: spectrum}
  clean: {kernel: rfi_mask, input: power}
sinks:
  out: {type: raw, input: clean, path: out.raw}
)");
  return pipeline;
}

std::vector<std::string> changes() {
  return {"clean.sigma=5", "clean.sigma = 6.5", "spectrum.least=0.5"};
}

void read_change(Reading& reading, const std::string& text) {
  Changes changes(changeable_pipeline());
  reading.note(changes.check(text).value);
}

std::vector<std::string> profiles() {
  std::vector<StageCost> costs;
  for (const Stage& stage : good_pipeline().stages)
    costs.push_back(
        {.stage = stage.name, .cost = Time{5}, .copy = Time{1}, .low = Time{4}, .high = Time{6}, .runs = 7});
  return {profile_to_yaml(costs, good_pipeline())};
}

void read_costs(Reading& reading, const std::string& text) {
  const std::filesystem::path path = reading.file("profile.yaml", text);
  for (const StageCost& cost : read_profile(path, good_pipeline()))
    reading.note(static_cast<std::uint64_t>(cost.cost.count()));
  for (const std::string& doubt : doubts_of_profile(path, good_pipeline())) reading.note(doubt);
}

std::vector<std::string> polycos() {
  return {R"(B0329+54   12-Apr-09  120000.00   54933.500000000000   26.764 -0.123 -6.789
 1234567.123456  1.399541538720 1 60 12 1400.000
 -1.23456789012345678D-08  2.3456789012345678D-02  1.23D-05
  4.5D-09 -5.5D-11  1D-13
  0 0 0
  1e-15 1e-16 -1e-17
B0329+54   12-Apr-09  130000.00   54933.541666666667   26.764 -0.123 -6.789
 1239605.473091  1.399541538720 1 60 3 1400.000
 -1.23456789012345678D-08  2.3456789012345678D-02  1.23D-05
)"};
}

void read_polyco(Reading& reading, const std::string& text) {
  const Polyco polyco(reading.file("polyco.dat", text));
  try {
    // MJD 54933.5.
    reading.note(static_cast<std::uint64_t>(static_cast<double>(polyco.turns(1'239'537'600e9L)) * 1e3 > 0));
  } catch (const WorkError& error) {
    // No block covers that moment.
    require(*error.what() != '\0', "an error without a message");
  }
  reading.note("polyco");
}

/// Returns files whose format can be detected.
std::vector<std::string> recordings() {
  std::vector<std::string> files;
  for (const FuzzedReader& reader : sample_file_readers())
    if (!reader.name.starts_with("sigmf")) std::ranges::move(reader.valid(), std::back_inserter(files));
  return files;
}

/// Reads a file of any name as `takt view` and `takt run` do.
void read_recording(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("recording", bytes);
  const auto recording = open_recording(path);
  if (!recording) {
    reading.note("no recording");
    return;
  }
  reading.note(recording->format->name);
  reading.note(recording_to_text("a", std::string(recording->format->name), summarise(*recording->source)));
}

std::vector<std::string> trace_events() {
  return {R"({"traceEvents": [
  {"name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "args": {"name": "rank 0"}},
  {"name": "fft", "cat": "task", "ph": "X", "ts": 12.5, "dur": 30, "pid": 1, "tid": 2, "args": {"frame": 3}},
  {"name": "inner", "ph": "X", "ts": 14, "dur": 5, "pid": 1, "tid": 2},
  {"name": "m", "cat": "message", "ph": "s", "id": 7, "ts": 20, "pid": 1, "tid": 2},
  {"name": "m", "cat": "message", "ph": "f", "bp": "e", "id": 7, "ts": 60, "pid": 1, "tid": 3},
  {"name": "sink", "ph": "X", "ts": 55, "dur": 10, "pid": 1, "tid": 3}]})"};
}

void read_trace_events(Reading& reading, const std::string& text) {
  const nlohmann::ordered_json document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (document.is_discarded() || !is_trace_events(document)) throw ConfigError("no trace events");
  reading.note(events_page("a", document).views.size());
}

std::vector<std::string> figures() {
  return {
      R"([{"scheduler": "a", "tasks": 3, "seconds": 1e-3, "note": null}, {"scheduler": "b", "tasks": 5}])",
      R"({"bench": "x", "machine": {"cores": 2}, "rows": [[1, 2.5], [3, 4]], "verdict": true})"};
}

void read_figures(Reading& reading, const std::string& text) {
  const nlohmann::ordered_json document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (document.is_discarded()) throw ConfigError("no JSON");
  reading.note(figures_page("a", document).views.size() + 1);
}

}  // namespace

std::vector<FuzzedReader> pipeline_readers() {
  return {
      {.name = "pipelines", .valid = pipelines, .read = read_pipeline},
      {.name = "overrides", .valid = overrides, .read = read_override},
      {.name = "changes", .valid = changes, .read = read_change},
      {.name = "profiles", .valid = profiles, .read = read_costs},
      {.name = "polycos", .valid = polycos, .read = read_polyco},
      {.name = "recordings", .valid = recordings, .head = 300, .read = read_recording, .share = 4},
      {.name = "trace_events", .valid = trace_events, .read = read_trace_events},
      {.name = "figures", .valid = figures, .read = read_figures},
      {.name = "pareto_fronts",
       .valid =
           [] {
             return std::vector<std::string>{
                 R"([{"processors": 2, "period": 5, "frequency": 0.2, "latency": 9, "replicas": 1,
                      "scheduler": "a"}, {"processors": 1, "period": 9, "frequency": 0.1, "latency": 9,
                      "replicas": 2, "scheduler": "b"}])"};
           },
       .read = [](Reading& reading,
                  const std::string& text) { reading.note(pareto_page("a", text).views.size()); }},
      {.name = "host_lists",
       .valid =
           [] {
             return std::vector<std::string>{"n[1-3,07],gpu2", "a[0-15]b[001-010]"};
           },
       .read =
           [](Reading& reading, const std::string& text) {
             for (const std::string& host : expand_host_list(text)) reading.note(host);
           }},
  };
}

}  // namespace takt::test
