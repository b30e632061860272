/// Tests that the example of a pulsar search finds synthetic pulses at their dispersion measure and time.
/// Runs the kernels of configs/pulsar-search.yaml one after another.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "sensors/vdif/format.hpp"
#include "sensors/vdif/samples.hpp"
#include "sensors/vdif/synthesis.hpp"
#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace kernels_pulsar_search_test {

using namespace std::chrono_literals;

constexpr std::int64_t second = 1'700'000'000;

/// The tasks from the source to the events, in their order.
class Search {
 public:
  explicit Search(const FrameType& frames) {
    FrameType type = frames;
    const YAML::Node tasks = YAML::LoadFile(TAKT_SOURCE_DIR "/configs/pulsar-search.yaml")["tasks"];
    std::string last = "telescope";
    for (const auto& task : tasks) {
      if (task.second["input"].as<std::string>() != last) continue;
      Written written;
      for (const auto& each : task.second) {
        const auto key = each.first.as<std::string>();
        if (key != "kernel" && key != "input") written.emplace_back(key, YAML::Dump(each.second));
      }
      last = task.first.as<std::string>();
      tasks_.push_back(std::make_unique<KernelBench>(task.second["kernel"].as<std::string>(), written,
                                                     std::vector<FrameType>{type}));
      type = tasks_.back()->output_type();
      if (last == "events") break;
    }
  }

  [[nodiscard]] FrameMemory& input() { return tasks_.front()->input(); }
  [[nodiscard]] std::size_t fields() const { return tasks_.back()->output_type().axes.back().size; }
  /// Rows of events.
  using Rows = std::vector<std::vector<double>>;
  /// Processes the frame in `input`; returns its events.
  [[nodiscard]] Rows events() {
    Rows rows;
    process(0, rows);
    return rows;
  }
  /// Returns the events of the flushed output at the end of the stream, task by task.
  [[nodiscard]] Rows rest() {
    Rows rows;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      for (Outcome outcome = Outcome::more; outcome == Outcome::more;) {
        outcome = tasks_[i]->finish();
        if (outcome != Outcome::absorbed) pass(i, rows);
      }
    return rows;
  }

 private:
  void process(std::size_t i, Rows& rows) {
    if (tasks_[i]->process() == Outcome::produced) pass(i, rows);
  }
  /// Passes the output of a task to the next one.
  void pass(std::size_t i, Rows& rows) {
    FrameMemory& from = tasks_[i]->output();
    if (i + 1 < tasks_.size()) {
      FrameMemory& to = tasks_[i + 1]->input();
      to.header() = from.header();
      std::ranges::copy(from.view().bytes, to.buffer().bytes.begin());
      return process(i + 1, rows);
    }
    const std::span<double> values = from.as<double>();
    for (std::size_t at = 0; at < values.size(); at += fields())
      if (!std::isnan(values[at])) rows.emplace_back(values.begin() + at, values.begin() + at + fields());
  }

  std::vector<std::unique_ptr<KernelBench>> tasks_;
};

struct Pulse {
  double utc, width, measure, value;
};

/// Returns the largest event of each quarter of a second, ordered by time.
std::vector<Pulse> found_in(const sensors::MadeSignal& signal, std::size_t frames) {
  sensors::VdifSynthesisOptions options;
  options.format.threads = {0, 1};
  options.format.bits = 2;
  options.format.payload_bytes = 8000;
  options.format.sample_hz = 6.4e6;
  options.signal = signal;
  options.second = second;
  sensors::VdifSynthesis stream(options);
  sensors::VdifFormat format = options.format;
  format.packets = 4;
  format.polarisations = 2;
  format.frequency_hz = 400e6;
  const FrameType type = sensors::vdif_frame_type(format);
  const std::size_t samples = format.samples();
  const sensors::VdifSamples decoder(2, 1);
  Search search(type);
  EXPECT_EQ(search.fields(), 7U);
  std::vector<float> numbers(samples);
  std::vector<Pulse> events;
  // utc, sample, width_index, width, dm_index, dm, value.
  const auto take = [&](const Search::Rows& rows) {
    for (const std::vector<double>& row : rows) {
      EXPECT_EQ(row[5], 10 * row[4]);
      events.push_back({row[0], row[3], row[5], row[6]});
    }
  };
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const std::span<float> to = search.input().as<float>();
    for (std::size_t packet = 0; packet < 2 * format.packets; ++packet) {
      const auto next = stream.next();
      decoder.decode(next->bytes.subspan(next->bytes.size() - format.payload_bytes), numbers);
      for (std::size_t i = 0; i < samples; ++i) to[(packet / 2 * samples + i) * 2 + next->lane] = numbers[i];
    }
    search.input().header() = {
        .sequence = frame,
        .utc_ns = second * 1'000'000'000 + static_cast<std::int64_t>(frame) * 20'000'000,
        .first_sample = frame * format.packets * samples,
        .parts = static_cast<std::uint32_t>(2 * format.packets)};
    take(search.events());
  }
  take(search.rest());
  std::ranges::sort(events, std::ranges::greater{}, &Pulse::value);
  std::vector<Pulse> pulses;
  for (const Pulse& event : events)
    if (std::ranges::all_of(pulses,
                            [&](const Pulse& other) { return std::abs(event.utc - other.utc) > 0.25; }))
      pulses.push_back(event);
  std::ranges::sort(pulses, {}, &Pulse::utc);
  return pulses;
}

sensors::MadeSignal pulses_of(double measure) {
  return {.noise = 2.2,
          .pulse_amplitude = 5,
          .pulse_period = 500ms,
          .pulse_width = 2ms,
          .dispersion_measure = measure,
          .channel_hz = {400e6}};
}

TEST(PulsarSearch, finds_pulses_at_their_dispersion_measure_and_time) {
  for (const double measure : {0.0, 50.0}) {
    SCOPED_TRACE(measure);
    const std::vector<Pulse> pulses = found_in(pulses_of(measure), 90);
    // 1.8 s: starts at 0, 0.5, 1 and 1.5 s; with the delay of DM 50 at 0.276, 0.776, 1.276 and 1.776 s.
    EXPECT_EQ(pulses.size(), 4U);
    for (const Pulse& pulse : pulses) {
      EXPECT_EQ(pulse.measure, measure) << pulse.utc;
      EXPECT_GT(pulse.value, 2);
      // The event is at the boxcar's last sample of 0.2 ms; the highest channel lies at 403.15 MHz.
      const double middle = pulse.utc - (pulse.width - 1) / 2 * 0.2e-3;
      const double delay = 4.148808e3 * measure / (403.15 * 403.15);
      const double off = std::remainder(middle - static_cast<double>(second) - delay - 1e-3, 0.5);
      EXPECT_NEAR(off, 0, 1e-3) << pulse.utc;
    }
  }
}

TEST(PulsarSearch, finds_nothing_in_noise_from_the_first_to_the_last_sample) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    for (const Pulse& event : found_in({.noise = 2.2, .seed = seed}, 40))
      ADD_FAILURE() << event.utc << " DM " << event.measure << " value " << event.value;
  }
}

}  // namespace kernels_pulsar_search_test
}  // namespace takt::pipeline::test
