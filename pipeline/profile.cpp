#include "pipeline/profile.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "core/error.hpp"
#include "core/text_file.hpp"
#include "pipeline/activity.hpp"
#include "sensors/frame_memory.hpp"

namespace takt::pipeline {

namespace {

using Clock = std::chrono::steady_clock;

class OwnFrame {
 public:
  explicit OwnFrame(Bytes size) : memory_(1, size) {}
  [[nodiscard]] FrameBuffer buffer() { return {&header_, memory_.frame(0)}; }
  [[nodiscard]] FrameView view() const { return {&header_, memory_.frame(0)}; }

 private:
  sensors::FrameMemory memory_;
  FrameHeader header_;
};

/// Noise that is a valid number for any element type.
void fill_with_noise(const FrameBuffer& frame, ElementType element) {
  std::mt19937 random(1);
  switch (element) {
    case ElementType::float32:
    case ElementType::complex_float32:
      for (float& value : frame.as<float>()) value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
      break;
    case ElementType::float64:
      for (double& value : frame.as<double>()) value = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
      break;
    case ElementType::int32:
      // Small enough that a kernel which sums thousands of them does not overflow.
      for (auto& value : frame.as<std::int32_t>()) value = static_cast<std::int32_t>(random() % 2001) - 1000;
      break;
    default:
      for (std::byte& value : frame.bytes) value = static_cast<std::byte>(random() % 32);
  }
}

template <class Work>
StageCost measure(const Stage& stage, const ProfileOptions& options, Work work) {
  std::vector<Time> times;
  work();
  const auto end = Clock::now() + options.budget;
  while (times.size() < options.least_runs || (Clock::now() < end && times.size() < 100'000)) {
    const auto start = Clock::now();
    work();
    times.push_back(std::chrono::duration_cast<Time>(Clock::now() - start));
  }
  const Time mean = std::accumulate(times.begin(), times.end(), Time{0}) / times.size();
  std::sort(times.begin(), times.end());
  auto quantile = [&](double q) {
    return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
  };
  return {stage.name, stage.stateless ? quantile(0.5) : mean, quantile(0.1), quantile(0.9), times.size()};
}

StageCost profile_source(const Stage& stage, const ProfileOptions& options) {
  OwnFrame from(stage.output.size()), to(stage.output.size());
  return measure(stage, options, [&] {
    std::memcpy(to.buffer().bytes.data(), from.view().bytes.data(), from.view().bytes.size());
  });
}

StageCost profile_kernel(const Pipeline& pipeline, std::size_t index, const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  const std::unique_ptr<Kernel> kernel = pipeline.make_kernel(index);
  std::vector<OwnFrame> frames;
  std::vector<FrameView> inputs;
  for (std::size_t input : stage.inputs) {
    const FrameType& type = pipeline.stages[input].output;
    frames.emplace_back(type.size());
    fill_with_noise(frames.back().buffer(), type.element);
  }
  for (const OwnFrame& frame : frames) inputs.push_back(frame.view());
  OwnFrame output(stage.output.size());
  std::uint64_t sequence = 0;
  return measure(stage, options, [&] {
    for (OwnFrame& frame : frames) frame.buffer().header->sequence = sequence;
    ++sequence;
    (void)kernel->process(inputs, output.buffer());
  });
}

StageCost profile_sink(const Pipeline& pipeline, std::size_t index, const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  const std::unique_ptr<sensors::Sink> sink = pipeline.make_sink(index, ".profile");
  OwnFrame frame(stage.output.size());
  fill_with_noise(frame.buffer(), stage.output.element);
  sink->open();
  StageCost cost = measure(stage, options, [&] {
    sink->write(frame.view());
    ++frame.buffer().header->sequence;
  });
  sink->close();
  if (!sink->location().empty()) {
    std::error_code ignored;
    std::filesystem::remove(sink->location(), ignored);
  }
  return cost;
}

StageCost profile_stage(const Pipeline& pipeline, std::size_t index, const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  const AtWork at_work(stage.name);
  try {
    if (stage.kind == StageKind::source) return profile_source(stage, options);
    if (stage.kind == StageKind::kernel) return profile_kernel(pipeline, index, options);
    return profile_sink(pipeline, index, options);
  } catch (const std::exception& error) {
    throw WorkError(
        fmt::format("task '{}' failed while its cost was measured: {}", stage.name, error.what()));
  } catch (...) {
    throw WorkError(
        fmt::format("task '{}' threw an exception of unknown type while its cost was measured", stage.name));
  }
}

}  // namespace

std::vector<StageCost> profile(const Pipeline& pipeline, const ProfileOptions& options) {
  set_phase("measuring");
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (options.on_stage) options.on_stage(stage);
    costs.push_back(profile_stage(pipeline, i, options));
  }
  return costs;
}

std::string to_yaml(const std::vector<StageCost>& costs) {
  std::string text = "# Time of each stage for one frame, measured by `takt profile`.\ncosts:\n";
  for (const StageCost& cost : costs)
    text += fmt::format("  {}: {{cost: {} ns, low: {} ns, high: {} ns, runs: {}}}\n", cost.stage,
                        cost.cost.count(), cost.low.count(), cost.high.count(), cost.runs);
  return text;
}

std::vector<StageCost> read_profile(const std::filesystem::path& file, const Pipeline& pipeline) {
  const std::string text = read_text_file(file);
  std::vector<StageCost> costs;
  try {
    const YAML::Node root = YAML::Load(text);
    for (const Stage& stage : pipeline.stages) {
      const YAML::Node cost = root["costs"][stage.name];
      if (!cost)
        throw ConfigError({file.string()},
                          fmt::format("no cost for '{}': measure again with `takt profile {} "
                                      "--output {}`",
                                      stage.name, pipeline.file.string(), file.string()));
      costs.push_back({stage.name, parse_time(cost["cost"].as<std::string>()),
                       parse_time(cost["low"].as<std::string>()), parse_time(cost["high"].as<std::string>()),
                       cost["runs"].as<std::size_t>()});
    }
  } catch (const YAML::Exception& error) {
    throw ConfigError({file.string(), error.mark.line + 1, error.mark.column + 1},
                      fmt::format("not a profile as `takt profile --output` writes it: {}", error.msg));
  }
  return costs;
}

}  // namespace takt::pipeline
