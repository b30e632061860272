/// Tests that the whole spectrometer agrees with an
/// independent computation on real packets.
///
/// The reference reads the recorded bytes itself, by the public layout of the
/// packets (16-byte header; payload [beamlet][time 16][Xr Xi Yr Yi] of int8).
/// It computes the textbook Fourier sums in double precision.

#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include <gmock/gmock.h>

#include "pipeline/config/pipeline.hpp"
#include "tests/pipeline/kernels/kernel_bench.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

constexpr std::size_t lanes = 4, lane_beamlets = 122, channels = 64, frame_packets = 32,
                      frame_samples = 16 * frame_packets;
constexpr std::size_t packet_bytes = 16 + lane_beamlets * 16 * 4;

std::uint32_t little_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Returns a lane's payloads by the number of their first block since 1970 (1024 clocks of 200 MHz each).
std::map<std::uint64_t, std::string> packets_of(const std::filesystem::path& file) {
  const std::string bytes = takt::test::read_file(file);
  std::map<std::uint64_t, std::string> packets;
  for (std::size_t at = 0; at + packet_bytes <= bytes.size(); at += packet_bytes) {
    const std::uint64_t second = little_endian(bytes, at + 8);
    const std::uint64_t block = (second * 200'000'000 + 512) / 1024 + little_endian(bytes, at + 12);
    packets[block] = bytes.substr(at + 16, packet_bytes - 16);
  }
  return packets;
}

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Returns the mean power |X|^2 + |Y|^2 of each channel of a beamlet over the
/// complete spectra, lowest frequency first.
std::vector<double> spectrum_of(const std::vector<std::array<std::complex<double>, 2>>& samples) {
  std::vector<double> power(channels);
  const auto n = static_cast<double>(channels);
  double spectra = 0;
  for (std::size_t first = 0; first < samples.size(); first += channels) {
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(begin, begin + channels, [](const auto& pair) { return std::isnan(pair[0].real()); }))
      continue;
    ++spectra;
    for (std::size_t k = 0; k < channels; ++k)
      for (std::size_t feed = 0; feed < 2; ++feed) {
        const double turns = (static_cast<double>(k) - n / 2) / n;
        const std::complex<double> step = std::polar(1.0, -2 * std::numbers::pi * turns);
        std::complex<double> turn = 1, sum = 0;
        for (std::size_t i = 0; i < channels; ++i, turn *= step) sum += samples[first + i][feed] * turn;
        // A rectangular window whose squares add up to 1 divides powers by n.
        power[k] += std::norm(sum) / n;
      }
  }
  for (double& value : power) value /= spectra;
  return power;
}

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> files;
  if (takt::test::test_data().empty()) return files;
  for (int port = 16130; port < 16134; ++port)
    files.push_back(takt::test::test_data() / "lofar_udp" /
                    ("udp_" + std::to_string(port) + ".ucc1.2022-06-29T01_30_00.000"));
  return files;
}

/// Runs a frame through all kernels, one after another.
class SerialRun {
 public:
  explicit SerialRun(const Pipeline& pipeline) : pipeline_(pipeline) {
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
      outputs_.emplace_back(pipeline.stages[i].output);
      kernels_.push_back(pipeline.stages[i].kind == StageKind::kernel ? pipeline.make_kernel(i) : nullptr);
    }
  }

  /// Returns the frame that arrives at the last stage, the sink.
  FrameView process(const FrameView& frame) {
    views_.assign(pipeline_.stages.size(), frame);
    for (std::size_t i = 0; i < pipeline_.stages.size(); ++i) {
      if (pipeline_.stages[i].kind != StageKind::kernel) continue;
      const FrameView input = views_[pipeline_.stages[i].inputs.front()];
      outputs_[i].header() = *input.header;
      EXPECT_EQ(kernels_[i]->process(std::span(&input, 1), outputs_[i].buffer()), Outcome::produced);
      views_[i] = outputs_[i].view();
    }
    return views_[pipeline_.stages.back().inputs.front()];
  }

 private:
  const Pipeline& pipeline_;
  std::vector<FrameMemory> outputs_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<FrameView> views_;
};

TEST(Spectrometer, agrees_with_fourier_sums_over_the_recorded_bytes) {
  const std::vector<std::filesystem::path> files = recordings();
  if (files.empty() || !std::filesystem::exists(files.front()))
    GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to the folder that holds lofar_udp";

  std::vector<std::map<std::uint64_t, std::string>> packets;
  std::uint64_t start = 0;
  std::string list;
  for (const auto& file : files) {
    packets.push_back(packets_of(file));
    start = std::max(start, packets.back().begin()->first);
    list += (list.empty() ? "[" : ", ") + file.string();
  }

  const Pipeline pipeline =
      load_pipeline(TAKT_SOURCE_DIR "/configs/lofar-replay.yaml", {{"sources.station.files", list + "]"}});
  SerialRun run(pipeline);
  const auto source = pipeline.make_source(0);
  source->start();
  std::size_t frames = 0;
  FrameView frame;
  for (sensors::SourceState state; (state = source->poll(frame)) != sensors::SourceState::ended;
       source->release()) {
    ASSERT_EQ(state, sensors::SourceState::frame);
    const FrameView result = run.process(frame);
    const std::uint64_t first = start + frame.header->sequence * frame_samples;
    EXPECT_EQ(frame.header->first_sample, first);
    ++frames;
    // One beamlet in seven, so that all lanes are covered and the sums take no longer than the rest.
    for (std::size_t beamlet = frames % 7; beamlet < lanes * lane_beamlets; beamlet += 7) {
      std::vector<std::array<std::complex<double>, 2>> samples(frame_samples, {missing, missing});
      for (std::size_t p = 0; p < frame_packets; ++p) {
        const auto packet = packets[beamlet / lane_beamlets].find(first + 16 * p);
        if (packet == packets[beamlet / lane_beamlets].end()) continue;
        const char* const bytes = packet->second.data() + beamlet % lane_beamlets * 64;
        for (std::size_t t = 0; t < 16; ++t)
          for (std::size_t feed = 0; feed < 2; ++feed)
            samples[16 * p + t][feed] = {
                static_cast<double>(static_cast<std::int8_t>(bytes[4 * t + 2 * feed])),
                static_cast<double>(static_cast<std::int8_t>(bytes[4 * t + 2 * feed + 1]))};
      }
      const std::vector<double> expected = spectrum_of(samples);
      const double strongest = *std::ranges::max_element(expected);
      for (std::size_t k = 0; k < channels; ++k)
        ASSERT_NEAR(result.as<float>()[beamlet * channels + k], expected[k],
                    1e-5 * expected[k] + 1e-6 * strongest)
            << "frame " << frame.header->sequence << ", beamlet " << beamlet << ", channel " << k;
    }
  }
  // 255 packets per lane from the common start on: 7 frames of 32, and one without its last packet.
  EXPECT_EQ(frames, 8U);
}

}  // namespace
}  // namespace takt::pipeline::test
