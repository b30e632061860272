/// Google Benchmark's main program with progress: `--progress auto|plain|none` and its own options.

#include <memory>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/progress.hpp"

namespace {

/// Makes RunSpecifiedBenchmarks count the benchmarks.
class Counter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return false; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// The reporter of the options (console, JSON, CSV), with progress.
class WithProgress final : public benchmark::BenchmarkReporter {
 public:
  WithProgress(takt::ProgressStyle style, std::size_t total)
      : own_(benchmark::CreateDefaultDisplayReporter()), steps_(style, total) {}
  bool ReportContext(const Context& context) override {
    const bool goes_on = own_->ReportContext(context);
    steps_.begin("the first benchmark");
    return goes_on;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    steps_.clear();
    own_->ReportRuns(runs);
    if (!runs.empty()) steps_.begin("behind " + runs.front().run_name.str());
  }
  void Finalize() override {
    steps_.clear();
    own_->Finalize();
  }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> own_;
  takt::bench::Steps steps_;
};

}  // namespace

int main(int count, char** arguments) {
  const takt::ProgressStyle style = takt::bench::take_progress_style(count, arguments);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  // A reporter whose context returns false makes it count the selected benchmarks without running them.
  Counter counter;
  const std::size_t total = benchmark::RunSpecifiedBenchmarks(&counter);
  WithProgress reporter(style, total);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return 0;
}
