/// How close does each scheduler come to the highest frequency? Uses the thesis' grid of graphs and machines
/// with random computation times, all frequency schedulers and the best makespan schedulers.
///
///     bench/frequency DIRECTORY [unequal]
///
/// Writes DIRECTORY/frequency.md and its pictures; with `unequal`, frequency-sizes.md and its pictures for
/// data of unequal sizes. Deterministic except for the run times of the schedulers.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "bench/progress.hpp"
#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "core/pictures/box_chart.hpp"
#include "core/pictures/palette.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/progress_line.hpp"
#include "logp/machine.hpp"
#include "schedulers/frequency/chains.hpp"
#include "tests/schedulers/frequency/frequency_study.hpp"

namespace {

using namespace takt;
using namespace takt::schedulers::frequency_study;

/// Runs all instances of all cells on all cores; results are ordered by setting, then by shape.
std::vector<Cell> run_all(std::span<const Setting> settings, ProgressStyle style) {
  constexpr std::size_t instances = instances_of_cell;
  std::vector<Cell> cells(settings.size() * shapes.size(), Cell(instances));
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  ProgressLine progress(style);
  auto work = [&] {
    for (std::size_t job; (job = next++) < cells.size() * instances;) {
      const std::size_t cell = job / instances, instance = job % instances;
      cells[cell][instance] = run(shapes[cell % shapes.size()], settings[cell / shapes.size()], instance + 1);
      const std::lock_guard lock(mutex);
      ++done;
      progress.show(fmt::format("{} of {} instances", done, cells.size() * instances),
                    static_cast<double>(done) / static_cast<double>(cells.size() * instances));
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, allowed_processors().size()); ++i)
    threads.emplace_back(work);
  threads.clear();
  return cells;
}

/// Returns the standard error of the mean.
double standard_error(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (double value : values) sum += (value - middle) * (value - middle);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(sum / (count - 1) / count);
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

// ---- pictures ----

/// Draws one box per shape and drawn scheduler.
std::string boxes(const Setting& setting, const Cell* cells) {
  BoxChart chart{.title = fmt::format("{}: share of the bound's frequency", setting.title),
                 .axis = {.origin = 1}};
  for (const Column& column : columns)
    if (column.is_drawn) chart.legend.emplace_back(column.scheduler);
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    BoxChart::Group& group = chart.groups.emplace_back(BoxChart::Group{std::string(shapes[s].name)});
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!columns[c].is_drawn) continue;
      const std::vector<double> values = shares(cells[s], c);
      group.boxes.push_back({values.front(), quantile(values, 0.25), quantile(values, 0.5),
                             quantile(values, 0.75), values.back()});
    }
  }
  return picture_file(to_svg(chart));
}

// ---- tables ----

void print_means(std::ostream& out, const Cell* cells) {
  double sum = 0, largest = 0, largest_of_optfo = 0;
  for (std::size_t s = 0; s < shapes.size(); ++s)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c == exact_column) continue;
      const double error = standard_error(shares(cells[s], c));
      sum += error / static_cast<double>(shapes.size() * (columns.size() - 1));
      largest = std::max(largest, error);
      if (c == optfo_column) largest_of_optfo = std::max(largest_of_optfo, error);
    }
  fmt::print(out,
             "Mean shares (standard error {:.4f} on average, {:.4f} at most, of `optfo` {:.4f} at most):\n\n"
             "| graph | tasks |",
             sum, largest, largest_of_optfo);
  for (const Column& column : columns) fmt::print(out, " {} |", column.scheduler);
  fmt::print(out, "\n|---|---|");
  for (std::size_t c = 0; c < columns.size(); ++c) fmt::print(out, "---|");
  fmt::print(out, "\n");
  for (std::size_t s = 0; s < shapes.size(); ++s) fmt::print(out, "{}\n", mean_row(shapes[s], cells[s]));
}

void print_exact(std::ostream& out, const Cell* cells) {
  fmt::print(
      out,
      "\n`optfo` and `exact_fo`:\n\n"
      "| graph | proven | optfo equal | mean of exact / optfo | least | proven among relay chains only |\n"
      "|---|---|---|---|---|---|\n");
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (cells[s].front().is_exact_run) fmt::print(out, "{}\n", exact_row(shapes[s], cells[s]));
  }
}

/// Prints the run time of `chains` on large graphs, the only figures that depend on this machine.
void print_scale(std::ostream& out) {
  fmt::print(out,
             "\n## A million tasks\n\nSeconds of `chains` for schedule and bound, best of three:"
             "\n\n| graph | tasks | machine | seconds |\n|---|---|---|---|\n");
  for (std::string_view shape : {"send_tree:depth=19", "fft:depth=15", "wave:width=1000,depth=999"})
    for (std::string_view text : {"logp:P=8", "logp:P=8,L=1,o=1,g=2", "loglinear:P=64,L=1+1,o=1+1,g=2+2"}) {
      const TaskGraph graph = generate(fmt::format("{},cost=1..100,data=10,seed=1", shape));
      const logp::Machine machine = logp::parse_machine(text);
      double best = 1e9;
      for (int repeat = 0; repeat < 3; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        const Schedule schedule = schedulers::chains(graph, machine, {});
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      }
      fmt::print(out, "| `{}` | {} | `{}` | {:.2f} |\n", shape, graph.task_count(), text, best);
    }
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  if (!(file << text)) throw WorkError(fmt::format("{}: cannot be written", path));
}

void print_settings(std::ostream& out, const std::string& directory, std::span<const Setting> settings,
                    const std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Cell* of_setting = cells.data() + i * shapes.size();
    const std::string picture = fmt::format("frequency-{}.svg", settings[i].file);
    write(directory + "/" + picture, boxes(settings[i], of_setting));
    fmt::print(out, "\n## {}\n\n`--machine {}`\n\n![boxes]({})\n\n", settings[i].title, settings[i].machine,
               picture);
    print_means(out, of_setting);
    print_exact(out, of_setting);
  }
}

void report_unequal(const std::string& directory, const std::vector<Cell>& cells) {
  std::ofstream out(directory + "/frequency-sizes.md");
  fmt::print(
      out,
      "# Unequal data sizes\n\n"
      "The thesis on frequency-oriented scheduling for LOIS has equal data on all edges and leaves unequal "
      "ones to future work. The graphs\n"
      "and tables are those of [frequency.md](frequency.md), under LogPLinear (L = o = 1 + s, g = 2 + 2 s, "
      "P = 3) with data of mean 10.\n"
      "`bench/frequency docs/reproduction unequal` writes this document.\n\n"
      "BasicFO cuts by work alone. `chains` cuts the same order where messages and work together are "
      "least. `optfo` also moves heavy data\n"
      "away from the cuts.\n");
  print_settings(out, directory, unequal_settings, cells);
  if (!out.flush()) throw WorkError(fmt::format("{}/frequency-sizes.md: cannot be written", directory));
}

void report(const std::string& directory, const std::vector<Cell>& cells) {
  std::ofstream out(directory + "/frequency.md");
  fmt::print(
      out,
      "# Distance of the schedulers from the highest frequency\n\n"
      "Graphs of the thesis on frequency-oriented scheduling for LOIS, with computation times uniform in "
      "1..100, data of 10 units and one\n"
      "copy of the graph; {} seeded instances each; schedules of one frame at a time, as in the thesis. A "
      "share is the lower bound of the period over the "
      "period: 1 is the highest possible\n"
      "frequency. The bound is the best proven one, also by `exact_fo` on graphs of up to {} tasks. The "
      "checker accepted all schedules.\n\n"
      "`bench/frequency docs/reproduction` writes this document (configure with `-DTAKT_BUILD_BENCH=ON`); "
      "one row by hand:\n"
      "`takt compare send_tree:depth=5,cost=1..100,seed=1 --machine logp:P=3 --schedulers frequency --class "
      "one_at_a_time`. "
      "`optfo` has {} steps, a fifteenth\n"
      "of its default, and `exact_fo` twice as many. A test checks the findings, and computes some lines "
      "anew:\n\n"
      "* Only `exact_fo` exceeds `optfo`, which reaches at least 0.99 with free messages on three "
      "processors. Elsewhere the bound accounts\n"
      "  for part of the gap: `exact_fo` proves some of these schedules optimal among all, or among relay "
      "chains.\n"
      "* No relay schedule balances a chain of ten diamonds on eight processors.\n"
      "* Makespan schedulers let processors wait. They stay below 0.8 of the bound under LogPLinear, and "
      "below 0.5 on all chains of\n"
      "  diamonds.\n\n"
      "Each machine has two tables: mean shares, and `optfo` compared with `exact_fo` where that proved its "
      "schedule optimal.\n"
      "The pictures show distributions: least, quartiles and most.\n",
      instances_of_cell, most_exact_tasks, effort);
  print_settings(out, directory, equal_settings, cells);
  print_scale(out);
  if (!out.flush()) throw WorkError(fmt::format("{}/frequency.md: cannot be written", directory));
}

}  // namespace

int main(int argc, char** argv) {
  const takt::ProgressStyle style = takt::bench::take_progress_style(argc, argv);
  const bool is_unequal = argc == 3 && std::string_view(argv[2]) == "unequal";
  if (argc != 2 && !is_unequal) {
    std::cerr << "usage: frequency DIRECTORY [unequal] [--progress auto|plain|none]\n";
    return 2;
  }
  try {
    if (is_unequal)
      report_unequal(argv[1], run_all(unequal_settings, style));
    else
      report(argv[1], run_all(equal_settings, style));
  } catch (const std::exception& error) {
    std::cerr << "frequency: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
