/// How near do the schedulers come to the highest frequency? The thesis' grid of graphs and machines, with
/// random computation times, over all frequency schedulers and the makespan schedulers that fare best.
///
///     bench/frequency DIRECTORY [unequal]
///
/// writes DIRECTORY/frequency.md and its pictures; with `unequal` frequency-sizes.md and its ones, where the
/// data have unequal sizes. Deterministic but for the times that schedulers take.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "bench/progress.hpp"
#include "core/allowed_processors.hpp"
#include "core/error.hpp"
#include "core/generators.hpp"
#include "core/pictures/box_chart.hpp"
#include "core/pictures/palette.hpp"
#include "core/processor_clock.hpp"
#include "core/progress_line.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"
#include "schedulers/frequency/chains.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"

namespace {

using namespace takt;

/// So many that the whole takes half an hour on one core; what the means are good for is told beside them.
constexpr std::size_t instances_of_cell = 25;
/// A fifteenth of the default of optfo.
constexpr std::uint64_t effort = 50'000;
/// exact_fo runs on graphs of at most this many tasks, with this effort.
constexpr std::size_t most_exact_tasks = 32;
constexpr std::uint64_t exact_effort = 2 * effort;

/// The thesis has equal data on all edges and names unequal ones as future work.
enum class Sizes { equal, uniform, heavy_tailed };

struct Setting {
  std::string_view title, file, machine;
  Sizes sizes = Sizes::equal;
};
constexpr std::array equal_settings{
    Setting{"Free communication, P = 3", "free-3", "logp:P=3"},
    Setting{"LogPConst, L = 1, o = 1, g = 2, P = 3", "const-3", "logp:P=3,L=1,o=1,g=2"},
    Setting{"LogPLinear, L = o = 1 + s, g = 2 + 2 s, data of s = 10, P = 3", "linear-3",
            "loglinear:P=3,L=1+1,o=1+1,g=2+2"},
    Setting{"Free communication, P = 8", "free-8", "logp:P=8"},
};
constexpr std::array unequal_settings{
    Setting{"Data uniform in 1..19", "uniform-3", "loglinear:P=3,L=1+1,o=1+1,g=2+2", Sizes::uniform},
    Setting{"Heavy-tailed data (Pareto, exponent 1.5, mean 10)", "tail-3", "loglinear:P=3,L=1+1,o=1+1,g=2+2",
            Sizes::heavy_tailed},
};

struct Shape {
  std::string_view name, graph;
};
constexpr std::array shapes{
    Shape{"send tree 3", "send_tree:depth=3"},
    Shape{"send tree 4", "send_tree:depth=4"},
    Shape{"send tree 5", "send_tree:depth=5"},
    Shape{"send tree 6", "send_tree:depth=6"},
    Shape{"FFT 2", "fft:depth=2"},
    Shape{"FFT 3", "fft:depth=3"},
    Shape{"FFT 4", "fft:depth=4"},
    Shape{"FFT 5", "fft:depth=5"},
    Shape{"diamond 4", "diamond:depth=4"},
    Shape{"diamond 10", "diamond:depth=10"},
    Shape{"diamond 40", "diamond:depth=40"},
    Shape{"wave 6 x 3", "wave:width=6,depth=2"},
    Shape{"wave 6 x 5", "wave:width=6,depth=4"},
    Shape{"wave 6 x 10", "wave:width=6,depth=9"},
    Shape{"wave 6 x 20", "wave:width=6,depth=19"},
};

struct Column {
  std::string_view scheduler;
  bool is_drawn = false;
};
constexpr std::array columns{
    Column{"single"},       Column{"brent"},       Column{"greedy", true}, Column{"basic_fo", true},
    Column{"chains", true}, Column{"optfo", true}, Column{"exact_fo"},     Column{"etf"},
    Column{"dls"},          Column{"mcp", true},   Column{"heft"},
};
constexpr std::size_t optfo_column = 5, exact_column = 6;

/// What came out for one instance.
struct Outcome {
  std::array<schedulers::Figures, columns.size()> figures;
  bool is_exact_run = false;
};
using Cell = std::vector<Outcome>;

/// The `data=` of a generator.
std::string sizes_of(const Shape& shape, Sizes sizes, std::size_t seed) {
  if (sizes == Sizes::equal) return "10";
  if (sizes == Sizes::uniform) return "1..19";
  constexpr double exponent = 1.5, least = 10 * (exponent - 1) / exponent, most = 1000;
  Random draw(seed, 3);
  std::string text;
  for (std::size_t edge = 0; edge < generate(shape.graph).edge_count(); ++edge)
    text += fmt::format("{}{:.0f}", edge > 0 ? "/" : "",
                        std::min(most, least * std::pow(1 - draw.unit(), -1 / exponent)));
  return text;
}

Outcome run(const Shape& shape, const Setting& setting, std::size_t seed) {
  const TaskGraph graph = generate(
      fmt::format("{},cost=1..100,data={},seed={}", shape.graph, sizes_of(shape, setting.sizes, seed), seed));
  const logp::Machine machine = logp::parse_machine(setting.machine);
  Outcome outcome;
  outcome.is_exact_run = graph.task_count() <= most_exact_tasks;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    schedulers::Options options{.effort = effort};
    if (c == exact_column) {
      if (!outcome.is_exact_run) continue;
      options.effort = exact_effort;
    }
    // Processor time: others may have the core, too.
    const ProcessorClock clock;
    const ProcessorTimes before = clock.now().value_or(ProcessorTimes{});
    Schedule schedule = schedulers::find_scheduler(columns[c].scheduler).schedule(graph, machine, options);
    const std::uint64_t used = clock.now().value_or(before).used_ns - before.used_ns;
    schedulers::Evaluation evaluation = schedulers::judge(graph, machine, std::move(schedule));
    evaluation.figures.seconds = 1e-9 * static_cast<double>(used);
    if (!evaluation.figures.valid)
      throw WorkError(
          fmt::format("{} gives no valid schedule for {}, seed {}", columns[c].scheduler, shape.graph, seed));
    outcome.figures[c] = evaluation.figures;
  }
  // The best bound that any of them has proven serves them all.
  Period bound = outcome.figures.front().bound;
  for (const schedulers::Figures& figures : outcome.figures) bound = std::max(bound, figures.bound);
  for (schedulers::Figures& figures : outcome.figures) figures.bound = bound;
  return outcome;
}

/// All instances of all cells, on all cores; by setting, then shape.
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

/// Share of the bound's frequency that each instance reaches, in ascending order.
std::vector<double> shares(const Cell& cell, std::size_t column) {
  std::vector<double> result;
  for (const Outcome& outcome : cell) result.push_back(1 / outcome.figures[column].ratio());
  std::sort(result.begin(), result.end());
  return result;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of the mean, by how the values differ.
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

std::size_t task_count(const Shape& shape) {
  return generate(shape.graph).task_count();
}

// ---- pictures ----

/// A box for each shape and drawn scheduler.
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
  fmt::print(out, "Mean share of the bound's frequency:\n\n| graph | tasks |");
  for (const Column& column : columns) fmt::print(out, " {} |", column.scheduler);
  fmt::print(out, "\n|---|---|");
  for (std::size_t c = 0; c < columns.size(); ++c) fmt::print(out, "---|");
  fmt::print(out, "\n");
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    fmt::print(out, "| {} | {} |", shapes[s].name, task_count(shapes[s]));
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (c == exact_column && !cells[s].front().is_exact_run)
        fmt::print(out, " |");
      else
        fmt::print(out, " {:.4f} |", mean(shares(cells[s], c)));
    fmt::print(out, "\n");
  }
  double sum = 0, largest = 0, largest_of_optfo = 0;
  for (std::size_t s = 0; s < shapes.size(); ++s)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c == exact_column) continue;
      const double error = standard_error(shares(cells[s], c));
      sum += error / static_cast<double>(shapes.size() * (columns.size() - 1));
      largest = std::max(largest, error);
      if (c == optfo_column) largest_of_optfo = std::max(largest_of_optfo, error);
    }
  fmt::print(
      out,
      "\nThe standard error of these means is {:.4f} on average and {:.4f} at most, for `optfo` {:.4f} at "
      "most.\n",
      sum, largest, largest_of_optfo);
}

void print_distribution(std::ostream& out, const Cell* cells) {
  fmt::print(out,
             "\n`optfo` over the {} instances; \"at the bound\" are proven optimal by the bound alone:\n\n"
             "| graph | least | 5 % | 25 % | median | mean | at the bound | seconds, mean |\n"
             "|---|---|---|---|---|---|---|---|\n",
             cells->size());
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const std::vector<double> values = shares(cells[s], optfo_column);
    double seconds = 0;
    for (const Outcome& outcome : cells[s]) seconds += outcome.figures[optfo_column].seconds;
    fmt::print(out, "| {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {} % | {:.2g} |\n", shapes[s].name,
               values.front(), quantile(values, 0.05), quantile(values, 0.25), quantile(values, 0.5),
               mean(values),
               100 * std::count(values.begin(), values.end(), 1.0) / static_cast<long>(values.size()),
               seconds / static_cast<double>(values.size()));
  }
}

void print_exact(std::ostream& out, const Cell* cells) {
  fmt::print(
      out,
      "\n`optfo` beside `exact_fo`, where that has proven its schedule optimal among all schedules; of "
      "{} instances:\n\n"
      "| graph | proven | optfo equal | mean of exact / optfo | least | proven among relay chains only |\n"
      "|---|---|---|---|---|---|\n",
      cells->size());
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (!cells[s].front().is_exact_run) continue;
    std::size_t proven = 0, equal = 0, relay = 0;
    double sum = 0, least = 1;
    for (const Outcome& outcome : cells[s]) {
      const schedulers::Figures& exact = outcome.figures[exact_column];
      relay += exact.optimal || exact.optimal_among.empty() ? 0 : 1;
      if (!exact.optimal) continue;
      const double share = exact.period() / outcome.figures[optfo_column].period();
      ++proven;
      equal += share >= 1 ? 1 : 0;
      sum += share;
      least = std::min(least, share);
    }
    if (proven == 0)
      fmt::print(out, "| {} | 0 | | | | {} |\n", shapes[s].name, relay);
    else
      fmt::print(out, "| {} | {} | {} | {:.5f} | {:.5f} | {} |\n", shapes[s].name, proven, equal,
                 sum / static_cast<double>(proven), least, relay);
  }
}

/// How long `chains` takes for large graphs; the only figures that depend on the machine that runs this.
void print_scale(std::ostream& out) {
  fmt::print(
      out,
      "\n## A million tasks\n\nSeconds that `chains` takes, best of three, with the schedule and its bound:"
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
    print_distribution(out, of_setting);
    print_exact(out, of_setting);
  }
}

void report_unequal(const std::string& directory, const std::vector<Cell>& cells) {
  std::ofstream out(directory + "/frequency-sizes.md");
  fmt::print(
      out,
      "# Unequal data sizes\n\n"
      "The thesis on frequency-oriented scheduling for LOIS has equal data on all edges and leaves unequal "
      "ones to future work.\nThe graphs of [frequency.md](frequency.md) under LogPLinear (L = o = 1 + s, "
      "g = 2 + 2 s, P = 3) with data of mean 10,\n{} seeded instances of each; shares of the bound's "
      "frequency as there. The output of\n`bench/frequency docs/reproduction unequal`.\n\n"
      "What to see in it: BasicFO cuts where the work says so, whatever is cut; `chains` cuts the same "
      "order where messages and work\nweigh least together, and `optfo` also moves the heavy data off "
      "the boundaries.\n",
      cells.front().size());
  print_settings(out, directory, unequal_settings, cells);
  if (!out.flush()) throw WorkError(fmt::format("{}/frequency-sizes.md: cannot be written", directory));
}

void report(const std::string& directory, const std::vector<Cell>& cells) {
  std::ofstream out(directory + "/frequency.md");
  fmt::print(
      out,
      "# How near the schedulers come to the highest frequency\n\n"
      "The graphs of the thesis on frequency-oriented scheduling for LOIS with computation times uniform in "
      "1..100,\n{} seeded instances of each, data of 10 units, one copy of the graph. Shares are the lower "
      "bound of the period\nover the period: 1 is the highest frequency that there can be. The bound is the "
      "best that is proven for the instance,\nby `exact_fo` too where that ran (up to {} tasks). All "
      "schedules passed the checker.\n\nThis document is the output of `bench/frequency docs/reproduction` "
      "(configure with `-DTAKT_BUILD_BENCH=ON`); one row of\nit by hand: `takt compare "
      "send_tree:depth=5,cost=1..100,seed=1 --machine logp:P=3 --schedulers frequency`.\n\n"
      "What to see in it: `optfo` takes up what the baseline leaves, on three processors all of it but some "
      "thousandths;\na long chain of diamonds cannot be shared out evenly over many processors by any "
      "schedule of the relay kind,\nand the schedulers for short makespans, which let processors wait, stay "
      "far below the bound where messages cost.\n",
      instances_of_cell, most_exact_tasks);
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
