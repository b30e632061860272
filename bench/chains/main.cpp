/// What do chains of kernels on one rank take, compared with bare loops that keep data in the caches?
///
/// Runs both alternately on the same frames and prints the ratio of the fastest rounds, the numbers of tiles,
/// and the bytes that kernels read and write per byte of the source: all, and those of whole frames. Before,
/// it compares the results of both. Arguments: names of chains (default: all), `--rounds N`, `--tiles
/// N|none`.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include "bench/chains/chains.hpp"
#include "pipeline/costs/tile_trials.hpp"
#include "tests/pipeline/tiles/rank_loop.hpp"

namespace takt::bench {
namespace {

using pipeline::Pipeline;

struct Options {
  std::vector<std::string> names;
  std::size_t rounds = 60;
  std::vector<pipeline::Override> overrides;
};

Pipeline load(const ChainCase& chain, const Options& options) {
  if (!chain.file.empty())
    return pipeline::load_pipeline(std::filesystem::path(TAKT_SOURCE_DIR) / "configs" / chain.file,
                                   options.overrides);
  const auto file = std::filesystem::temp_directory_path() / ("takt-" + chain.name + ".yaml");
  std::ofstream(file) << chain.text;
  Pipeline pipeline = pipeline::load_pipeline(file, options.overrides);
  std::filesystem::remove(file);
  return pipeline;
}

/// Frames of a source, one after the other as those of a queue.
class Source {
 public:
  explicit Source(const pipeline::FrameType& type) : frames_(count, type.size()) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<std::byte> bytes = frames_.frame(i);
      switch (type.element) {
        case sensors::ElementType::complex_int8:
          fill<std::int8_t>(bytes, 64);
          break;
        case sensors::ElementType::complex_int16:
          fill<std::int16_t>(bytes, 1000);
          break;
        default:
          fill<float>(bytes, 1);
      }
    }
  }
  const std::byte* next() { return frames_.frame(at_++ % count).data(); }

 private:
  /// Fills in noise between -most and most.
  template <class Number>
  void fill(std::span<std::byte> bytes, float most) {
    const std::span values(reinterpret_cast<Number*>(bytes.data()), bytes.size() / sizeof(Number));
    for (Number& value : values) {
      state_ = state_ * 1664525U + 1013904223U;
      value = static_cast<Number>((static_cast<float>(state_ >> 8) / (1 << 23) - 1) * most);
    }
  }

  static constexpr std::size_t count = 4;
  std::uint32_t state_ = 1;
  sensors::FrameMemory frames_;
  std::size_t at_ = 0;
};

/// Returns the largest difference of the results, relative to the largest value.
double difference(std::span<const float> a, std::span<const float> b) {
  double apart = 0, largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    apart = std::max(apart, std::isnan(a[i]) && std::isnan(b[i]) ? 0.0 : std::abs(double{a[i]} - b[i]));
    if (!std::isnan(b[i])) largest = std::max(largest, std::abs(double{b[i]}));
  }
  return apart / largest;
}

/// Returns the processor time of this thread.
double microseconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
  };
  const double start = now();
  work();
  return now() - start;
}

/// Returns false if the results differ.
bool measure(const ChainCase& chain, const Options& options) {
  Pipeline pipeline = load(chain, options);
  pipeline.deployment.ranks = 1;
  const pipeline::SampleFrames samples(pipeline, Time{0});
  const pipeline::Tiling tiling =
      pipeline::tiles_that_pay(pipeline, pipeline::cache_of_a_core(), samples, std::chrono::milliseconds{200})
          .tiling;
  pipeline::test::RankLoop rank(pipeline, tiling);
  const std::unique_ptr<Loop> loop = chain.make_loop();
  const pipeline::FrameType& type = pipeline.stages[pipeline.sources().front()].output;
  Source source(type);
  const auto stage = static_cast<std::size_t>(
      std::ranges::find(pipeline.stages, chain.result, &pipeline::Stage::name) - pipeline.stages.begin());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(2 * chain.frames, 6); ++i) {
    const std::byte* const frame = source.next();
    const std::vector<std::byte> output = rank.run(frame, stage);
    const std::span result(reinterpret_cast<const float*>(output.data()), output.size() / sizeof(float));
    loop->run(frame);
    // The first results lack samples before the stream.
    if (result.empty() || i < chain.frames || i < 3) continue;
    ++compared;
    constexpr double most = 1e-3;
    if (const double apart = difference(result.first(loop->result().size()), loop->result());
        !(apart < most)) {
      std::cerr << fmt::format("{}: frame {}: the results differ by {:.2g}\n", chain.name, i, apart);
      return false;
    }
  }
  if (compared == 0) {
    std::cerr << chain.name << ": there is no result to compare\n";
    return false;
  }
  double of_rank = 1e30, of_loop = 1e30;
  const std::size_t frames = std::max<std::size_t>(chain.frames, 4);
  for (std::size_t round = 0; round < options.rounds; ++round) {
    double rank_us = 0, loop_us = 0;
    for (std::size_t i = 0; i < frames; ++i) {
      const std::byte* const frame = source.next();
      rank_us += microseconds([&] { rank.run(frame); });
    }
    for (std::size_t i = 0; i < frames; ++i) {
      const std::byte* const frame = source.next();
      loop_us += microseconds([&] { loop->run(frame); });
    }
    of_rank = std::min(of_rank, rank_us / static_cast<double>(frames));
    of_loop = std::min(of_loop, loop_us / static_cast<double>(frames));
  }
  const pipeline::test::RankLoop::Traffic traffic = rank.traffic();
  const auto bytes = static_cast<double>(type.size().count);
  std::cout << fmt::format(
      "| {} | {:.2f} | {:.0f} | {:.0f} | {} | {:.1f} | {:.1f} |\n", chain.name, of_rank / of_loop, of_rank,
      of_loop, rank.tiles().empty() ? "none" : fmt::format("{}", fmt::join(rank.tiles(), ", ")),
      static_cast<double>(traffic.all) / bytes, static_cast<double>(traffic.whole) / bytes);
  return true;
}

int run(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string word = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (word == "--rounds" && has_value)
      options.rounds = std::stoul(arguments[++i]);
    else if (word == "--tiles" && has_value)
      options.overrides.push_back({"deployment.tiles", arguments[++i]});
    else
      options.names.push_back(word);
  }
  std::cout << "| chain | ratio | kernels, us | loop, us | tiles | bytes per byte | of whole frames |\n"
               "|---|---|---|---|---|---|---|\n";
  bool is_right = true;
  for (const ChainCase& chain : chain_cases())
    if (options.names.empty() || std::ranges::find(options.names, chain.name) != options.names.end())
      is_right = measure(chain, options) && is_right;
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace takt::bench

int main(int count, char** arguments) {
  return takt::bench::run({arguments, static_cast<std::size_t>(count)});
}
