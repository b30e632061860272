/// Does each built-in kernel take at most 1.1 times as long as its bare loop?
///
/// Measures both alternately in one run; the ratio of the fastest rounds comes first. Google Benchmark times
/// each round (`--benchmark_filter=fft` selects some, `--benchmark_repetitions=9`). `--markdown` prints the
/// table of docs/explanation/kernel-speed.md, `--progress auto|plain|none` shows the progress. Exits with 1
/// when a built-in kernel has no case.

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/kernels/cases.hpp"
#include "bench/progress.hpp"

namespace takt::bench {
namespace {

using pipeline::KernelRegistry;
using pipeline::test::KernelBench;

/// Fills a frame with the same noise around 0 each time, without zeros, which are faster in places.
void fill(pipeline::test::FrameMemory& frame, const FrameType& type) {
  std::uint32_t state = 1;
  const auto next = [&] { return state = state * 1664525U + 1013904223U; };
  if (type.element == sensors::ElementType::complex_int8) {
    for (std::int8_t& value : frame.as<std::int8_t>()) value = static_cast<std::int8_t>(next() >> 25 | 1U);
    return;
  }
  const std::span<float> values = frame.as<float>();
  for (float& value : values) value = static_cast<float>(next() >> 8) / (1 << 23) - 1.0F + 1e-8F;
}

/// A kernel with its frames, and its loop.
class Pair {
 public:
  explicit Pair(const Case& of) : bench_(of.kernel, of.parameters, of.inputs) {
    Frames frames;
    for (std::size_t i = 0; i < of.inputs.size(); ++i) {
      fill(bench_.input(i), of.inputs[i]);
      frames.inputs.push_back(bench_.input(i).as<float>().data());
    }
    frames.output = bench_.output().as<float>().data();
    inputs_ = of.inputs.size();
    loop_ = of.make_loop(frames);
  }
  void run_kernel() {
    // Numbers increase, so that kernels with state continue.
    for (std::size_t i = 0; i < inputs_; ++i) ++bench_.input(i).header().sequence;
    benchmark::DoNotOptimize(bench_.process());
    benchmark::ClobberMemory();
  }
  void run_loop() {
    loop_();
    benchmark::ClobberMemory();
  }

 private:
  KernelBench bench_;
  std::size_t inputs_ = 0;
  std::function<void()> loop_;
};

/// Keeps the fastest round of each benchmark.
class Table final : public benchmark::ConsoleReporter {
 public:
  explicit Table(bool is_markdown) : ConsoleReporter(OO_None), is_markdown_(is_markdown) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.run_name.function_name;
      const double us = run.GetAdjustedRealTime();
      const auto [found, is_new] = fastest_.try_emplace(name, us);
      if (!is_new) found->second = std::min(found->second, us);
    }
  }
  void Finalize() override {
    std::cout << (is_markdown_ ? "| kernel | ratio | kernel, us | loop, us |\n|---|---|---|---|\n"
                               : "ratio  kernel            kernel us    loop us\n");
    std::vector<std::pair<double, std::string>> rows;
    for (const auto& [name, us] : fastest_)
      if (!name.ends_with("/loop")) rows.emplace_back(us / fastest_[name + "/loop"], name);
    std::ranges::sort(rows, std::greater{});
    for (const auto& [ratio, name] : rows)
      std::cout << fmt::format(fmt::runtime(is_markdown_ ? "| {1} | {0:.2f} | {2:.0f} | {3:.0f} |\n"
                                                         : "{:5.2f}  {:16} {:10.0f} {:10.0f}\n"),
                               ratio, name, fastest_[name], fastest_[name + "/loop"]);
  }

 private:
  bool is_markdown_;
  std::map<std::string, double> fastest_;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (auto* part : {spectral_cases, filter_cases, array_cases, power_cases, search_cases})
    for (Case& each : part()) cases.push_back(std::move(each));
  return cases;
}

/// Returns whether all built-in kernels have cases. Exceptions: spin, whose time is a parameter, hold, which
/// copies frames, and python, which may have no numpy.
bool all_have_cases(const std::vector<Case>& cases) {
  std::set<std::string> missing;
  const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  for (const auto& kind : registry.kinds()) missing.insert(kind.name);
  for (const Case& each : cases) missing.erase(each.kernel);
  missing.erase("spin");
  missing.erase("hold");
  missing.erase("python");
  for (const std::string& name : missing) std::cerr << name << " has no bare loop\n";
  return missing.empty();
}

/// Counts the rounds of full length. Earlier, shorter rounds find the number of iterations of a round.
class Rounds {
 public:
  Rounds(ProgressStyle style, std::size_t total) : steps_(style, total) {}
  void add(const std::string& name, benchmark::IterationCount turns) {
    benchmark::IterationCount& before = turns_[name];
    if (before == turns) steps_.begin(name);
    before = turns;
  }
  void clear() { steps_.clear(); }

 private:
  Steps steps_;
  std::map<std::string, benchmark::IterationCount> turns_;
};

/// Returns the last `--benchmark_repetitions=`, the one that Google Benchmark uses.
std::size_t repetitions_of(const std::vector<char*>& arguments) {
  constexpr std::string_view option = "--benchmark_repetitions=";
  std::size_t repetitions = 1;
  for (const std::string_view word : arguments)
    if (word.starts_with(option)) repetitions = std::strtoul(word.data() + option.size(), nullptr, 10);
  return repetitions;
}

int run(int count, char** arguments) {
  const ProgressStyle style = take_progress_style(count, arguments);
  bool is_markdown = false;
  std::vector<char*> rest;
  for (int i = 0; i < count; ++i)
    (std::strcmp(arguments[i], "--markdown") == 0 ? (is_markdown = true, void())
                                                  : rest.push_back(arguments[i]));
  // Interleaved, so that a slow moment of the machine affects both.
  std::string repetitions = "--benchmark_repetitions=7",
              turns = "--benchmark_enable_random_interleaving=true", least = "--benchmark_min_time=0.02";
  for (std::string* option : {&repetitions, &turns, &least}) rest.insert(rest.begin() + 1, option->data());
  int left = static_cast<int>(rest.size());
  const std::size_t repetitions_of_each = repetitions_of(rest);
  benchmark::Initialize(&left, rest.data());
  const std::vector<Case> cases = all_cases();
  if (!all_have_cases(cases)) return 1;
  Rounds rounds(style,
                2 * cases.size() * (repetitions_of_each - std::min<std::size_t>(repetitions_of_each, 1)));
  for (const Case& each : cases) {
    const auto pair = std::make_shared<std::unique_ptr<Pair>>();
    const auto made = [pair, each]() -> Pair& {
      if (!*pair) *pair = std::make_unique<Pair>(each);
      return **pair;
    };
    benchmark::RegisterBenchmark(each.name().c_str(),
                                 [made, &rounds, name = each.name()](benchmark::State& state) {
                                   Pair& both = made();
                                   for (auto _ : state) both.run_kernel();
                                   rounds.add(name, state.iterations());
                                 })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark((each.name() + "/loop").c_str(),
                                 [made, &rounds, name = each.name() + "/loop"](benchmark::State& state) {
                                   Pair& both = made();
                                   for (auto _ : state) both.run_loop();
                                   rounds.add(name, state.iterations());
                                 })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
  Table table(is_markdown);
  benchmark::RunSpecifiedBenchmarks(&table);
  rounds.clear();
  return 0;
}

}  // namespace

FrameType powers(std::size_t times, std::size_t channels) {
  FrameType type = pipeline::test::spectra(times, channels);
  for (std::size_t c = 0; c < channels; ++c)
    type.axes[1].coordinates.push_back(1.5e8 + 1e4 * static_cast<double>(c));
  for (std::size_t t = 0; t < times; ++t) type.axes[0].coordinates.push_back(1e-3 * static_cast<double>(t));
  type.rate_hz = 1e3 / static_cast<double>(times);
  return type;
}

FrameType voltages(std::size_t beamlets, std::size_t samples) {
  FrameType type = pipeline::test::frame_type(
      sensors::ElementType::complex_float32, {{"beamlet", beamlets}, {"time", samples}, {"polarisation", 2}});
  for (std::size_t b = 0; b < beamlets; ++b)
    type.axes[0].coordinates.push_back(1.5e8 + 1e5 * static_cast<double>(b));
  for (std::size_t t = 0; t < samples; ++t) type.axes[1].coordinates.push_back(1e-5 * static_cast<double>(t));
  type.rate_hz = 1e5 / static_cast<double>(samples);
  return type;
}

}  // namespace takt::bench

int main(int count, char** arguments) {
  return takt::bench::run(count, arguments);
}
