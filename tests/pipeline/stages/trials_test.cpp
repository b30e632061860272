/// Tests that planning can try every sink and the pipelines
/// in configs/ before a run, without leaving files.

#include <gmock/gmock.h>

#include "pipeline/costs/profile.hpp"
#include "pipeline/stages/sinks.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace stages_trials_test {

/// Input type and required parameters of a sink.
struct Trial {
  const char* axes;
  const char* element;
  const char* parameters;
};

const std::map<std::string, Trial> trials{
    {"sigproc", {"[time=8, \"channel=4:1e8:1e6\"]", "float32", "flags: [hold, mask]"}},
    {"dada", {"[time=8, channel=4]", "float32", "flags: [mask, nan]"}},
    {"guppi", {"[beamlet=2, time=64, polarisation=2]", "complex_float32", "flags: [hold, mask]"}},
    {"psrfits", {"[time=8, \"channel=4:1e8:1e6\"]", "float32", "bits: 8, flags: mask"}},
    {"wav", {"[beamlet=2, time=64, polarisation=1]", "complex_float32", "encoding: int16, flags: mask"}},
    {"vdif", {"[beamlet=2, time=64, polarisation=2]", "complex_float32", ""}},
    {"vdif_udp", {"[beamlet=2, time=64, polarisation=2]", "complex_float32", "to: \"127.0.0.1:9\""}},
    {"mseed", {"[time=100, channel=2]", "float32", "channels: [NL.HGN.00.BHZ, NL.HGN.00.BHN]"}},
    {"hdf5", {"[time=8, channel=4]", "complex_int16", "deflate: 1, flags: mask"}},
    {"raw", {"[time=8]", "int8", "headers: true, flags: mask"}},
    {"table", {"[time=8, channel=4]", "float32", "format: json"}},
    {"tcp", {"[time=8]", "int8", "port: 1, receivers: 1"}},
    {"zmq", {"[time=8]", "int8", "endpoint: \"tcp://127.0.0.1:1\", socket: push, when_full: block"}},
    {"udp", {"[time=8]", "int8", "to: \"127.0.0.1:9\""}},
    {"null", {"[time=8]", "int8", ""}},
};

TEST(Trials, of_every_sink_end_and_leave_no_files) {
  for (const SinkKind& kind : all_sinks()) {
    ASSERT_TRUE(trials.contains(kind.name)) << kind.name;
    const Trial& trial = trials.at(kind.name);
    const takt::test::TemporaryFolder folder;
    std::string sink = "type: " + kind.name + ", input: s";
    for (const ParameterSpec& spec : kind.parameters)
      if (spec.type == ParameterType::output_file) sink += ", path: " + (folder / "out").string();
    if (*trial.parameters != 0) sink += std::string(", ") + trial.parameters;
    const std::string text = std::string("sources:\n  s: {type: synthetic, rate: 100 Hz, element: ") +
                             trial.element + ", axes: " + trial.axes + "}\nsinks:\n  o: {" + sink + "}\n";
    const std::vector<StageCost> costs =
        profile(load(text), {.budget = std::chrono::milliseconds(1), .most_written = Bytes{1 << 16}});
    EXPECT_EQ(costs.size(), 2U) << kind.name;
    EXPECT_GE(costs.back().runs, 1U) << kind.name;
    EXPECT_TRUE(std::filesystem::is_empty(folder / "")) << kind.name;
  }
}

TEST(Trials, of_the_examples_end) {
  for (const char* name : {"vlbi-correlator", "beamformer", "pulsar-search", "seismic-trigger"}) {
    const Pipeline pipeline = load_pipeline(std::string(TAKT_SOURCE_DIR "/configs/") + name + ".yaml");
    EXPECT_EQ(
        profile(pipeline, {.budget = std::chrono::milliseconds(1), .most_written = Bytes{1 << 16}}).size(),
        pipeline.stages.size())
        << name;
  }
}

}  // namespace stages_trials_test
}  // namespace takt::pipeline::test
