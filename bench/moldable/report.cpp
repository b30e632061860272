#include "bench/moldable/report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/error.hpp"
#include "core/pictures/bar_chart.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/scatter_chart.hpp"

namespace takt::bench {

namespace {

const std::vector<std::size_t> grid5000{53, 56, 47, 216, 99, 74};

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  if (!(file << text)) throw WorkError(fmt::format("{}: cannot be written", path));
}

using Ratio = std::function<double(const StudyResult&)>;
using Choice = std::function<bool(const StudyGraph&)>;

std::vector<double> values(const Study& study, const Ratio& ratio, const Choice& choice) {
  std::vector<double> list;
  for (std::size_t i = 0; i < study.results.size(); ++i)
    if (choice(study.synthetic[i])) list.push_back(ratio(study.results[i]));
  std::ranges::sort(list);
  return list;
}

double mean(const std::vector<double>& list) {
  double sum = 0;
  for (double value : list) sum += value;
  return list.empty() ? 0 : sum / static_cast<double>(list.size());
}

Choice of_tasks(std::size_t tasks) {
  return [=](const StudyGraph& graph) { return graph.tasks == tasks; };
}
Choice of_width(double width) {
  return [=](const StudyGraph& graph) { return graph.width == width; };
}
bool all(const StudyGraph&) {
  return true;
}

Ratio simulated(std::size_t one, std::size_t other) {
  return [=](const StudyResult& result) { return result.simulated[one] / result.simulated[other]; };
}
Ratio planned(std::size_t one, std::size_t other) {
  return [=](const StudyResult& result) { return result.planned[one] / result.planned[other]; };
}

/// Returns `12.3 % less` or `4.5 % more`.
std::string change(double ratio) {
  return fmt::format("{:.1f} % {}", 100 * std::abs(ratio - 1), ratio < 1 ? "less" : "more");
}

// ---- pictures ----

/// Draws ratios in ascending order, one series per number of tasks.
std::string sorted_curves(const Study& study, std::string title, const Ratio& ratio) {
  ScatterChart chart{.x = {.title = "graphs, sorted by the ratio"}, .y = {.title = std::move(title)}};
  constexpr std::size_t drawn = 60;
  for (const std::size_t tasks : {10U, 20U, 30U}) {
    const std::vector<double> list = values(study, ratio, of_tasks(tasks));
    for (std::size_t i = 0; i < drawn; ++i) {
      const std::size_t at = i * (list.size() - 1) / (drawn - 1);
      chart.points.push_back(
          {"", static_cast<double>(at), list[at], chart.legend.size(), fmt::format("{} tasks", tasks)});
    }
    chart.legend.emplace_back(fmt::format("{} tasks", tasks));
  }
  return picture_file(to_svg(chart));
}

std::string guarantee_by_mu() {
  ScatterChart chart{.x = {.title = "mu"}, .y = {.title = "guaranteed ratio, best b"}};
  chart.legend.emplace_back("1 / beta");
  for (double mu = 0.45; mu <= 0.86; mu += 0.01) {
    double least = 1e9;
    for (std::size_t b = 1; b <= 216; ++b)
      least = std::min(least, schedulers::guarantee_ratio(grid5000, {mu, b}));
    if (least <= 10) chart.points.push_back({"", mu, least, 0, fmt::format("mu = {:.2f}", mu)});
  }
  return picture_file(to_svg(chart));
}

std::string guarantee_by_bound() {
  ScatterChart chart{.x = {.title = "b"}, .y = {.title = "guaranteed ratio, best mu"}};
  chart.legend.emplace_back("1 / beta");
  for (std::size_t b = 40; b <= 140; ++b) {
    const double ratio = schedulers::guarantee_ratio(grid5000, {schedulers::best_mu(grid5000, b), b});
    if (ratio <= 10) chart.points.push_back({"", static_cast<double>(b), ratio, 0, fmt::format("b = {}", b)});
  }
  return picture_file(to_svg(chart));
}

/// Draws the least and the largest mu that guarantee a ratio of 10, by b.
std::string guarantee_domain() {
  ScatterChart chart{.x = {.title = "b"}, .y = {.title = "mu"}};
  for (const char* name : {"largest mu below 10", "smallest mu below 10"}) chart.legend.emplace_back(name);
  for (std::size_t b = 40; b <= 140; ++b) {
    const auto largest = schedulers::largest_mu(grid5000, b, 10);
    if (!largest) continue;
    double low = 0, high = schedulers::best_mu(grid5000, b);
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (schedulers::guarantee_ratio(grid5000, {middle, b}) <= 10 ? high : low) = middle;
    }
    chart.points.push_back({"", static_cast<double>(b), *largest, 0, fmt::format("b = {}", b)});
    chart.points.push_back({"", static_cast<double>(b), high, 1, fmt::format("b = {}", b)});
  }
  return picture_file(to_svg(chart));
}

std::string sweep_curves(const Study& study) {
  ScatterChart chart{.x = {.title = "b"}, .y = {.title = "mean makespan in s", .scale = Scale::logarithmic}};
  for (std::size_t i = 0; i < study.mus.size(); ++i) {
    chart.legend.emplace_back(fmt::format("mu = {}", study.mus[i]));
    for (std::size_t j = 0; j < study.bounds.size(); ++j)
      chart.points.push_back({"", static_cast<double>(study.bounds[j]), study.sweep[i][j], i,
                              fmt::format("mu = {}, b = {}", study.mus[i], study.bounds[j])});
  }
  return picture_file(to_svg(chart));
}

std::string makespan_bars(const Study& study) {
  BarChart chart{.axis = {.title = "makespan over that of HCPA"}};
  const std::array drawn{std::size_t{text_eft}, std::size_t{turned_large_eft}, std::size_t{takt_ahead},
                         std::size_t{m_heft_}, std::size_t{cpa_eft}};
  for (std::size_t c : drawn) chart.legend.emplace_back(contenders[c].name);
  const auto add = [&](std::string label, const Choice& choice) {
    BarChart::Group& group = chart.groups.emplace_back(BarChart::Group{std::move(label), {}});
    for (std::size_t c : drawn) group.values.push_back(mean(values(study, simulated(c, hcpa_eft), choice)));
  };
  for (const double width : {0.2, 0.5, 0.8}) add(fmt::format("width {}", width), of_width(width));
  add("all", all);
  return picture_file(to_svg(chart));
}

// ---- tables ----

void print_guarantee(std::ostream& out) {
  const schedulers::MuAndBound best = schedulers::best_guarantee(grid5000);
  fmt::print(out,
             "## The guarantee\n\n"
             "| | ours | paper |\n|---|---|---|\n"
             "| best b | {} | 87 |\n| its mu | {:.3f} | 0.662 |\n| its ratio | {:.3f} | 8.695 |\n"
             "| ratio with b = 87, mu = 0.81 | {:.2f} | below 10 |\n| largest mu below 10 with b = 87 | "
             "{:.3f} | 0.81 |\n\n"
             "![least ratio by mu](moldable-guarantee-mu.svg) ![least ratio by b](moldable-guarantee-b.svg)\n"
             "![where the ratio is below 10](moldable-guarantee-domain.svg)\n\n"
             "The pictures are figures 2 and 3 of the paper. The ratio is the largest over all alpha. With "
             "Lemma 1's alpha = 1 - mu, which holds\n"
             "at the best mu only, the largest mu below 10 would be 0.685. The clusters' speeds of 3.254 "
             "to 3.388 Gflop/s, which the paper leaves\n"
             "out, weaken the guarantee by a factor of {:.3f}.\n\n",
             best.bound, best.mu, schedulers::guarantee_ratio(grid5000, best),
             schedulers::guarantee_ratio(grid5000, {0.81, 87}),
             schedulers::largest_mu(grid5000, 87, 10).value(), 3.388 / 3.254);
}

using OfAllotment = StudyResult::OfAllotment;

Ratio allotments(OfAllotment StudyResult::*one, double OfAllotment::*figure) {
  return [=](const StudyResult& result) { return (result.*one).*figure / (result.hcpa.*figure); };
}

void print_allotments(std::ostream& out, const Study& study) {
  fmt::print(out,
             "## Allotments (figures 4 and 5): over HCPA's, b = 87\n\n"
             "| tasks | path, paper | mu = 0.66 | 0.34 | mcgas 0.66 | work, paper | mu = 0.66 | 0.34 | mcgas "
             "0.66 |\n"
             "|---|---|---|---|---|---|---|---|---|\n");
  constexpr std::array paper_paths{"12 % less", "9 % less", "8 % less"};
  constexpr std::array paper_works{"110 % more", "57 % more", "35 % more"};
  constexpr std::array ours{&StudyResult::text, &StudyResult::turned, &StudyResult::takt};
  for (std::size_t i = 0; i < 3; ++i) {
    const Choice choice = of_tasks(10 * (i + 1));
    fmt::print(out, "| {} | {} |", 10 * (i + 1), paper_paths[i]);
    for (auto each : ours)
      fmt::print(out, " {} |", change(mean(values(study, allotments(each, &OfAllotment::path), choice))));
    fmt::print(out, " {} |", paper_works[i]);
    for (auto each : ours)
      fmt::print(out, " {} |", change(mean(values(study, allotments(each, &OfAllotment::work), choice))));
    fmt::print(out, "\n");
  }
  fmt::print(out,
             "\n"
             "![critical paths](moldable-paths.svg) ![work](moldable-work.svg)\n\n"
             "Lower bound of the mapped makespan (the larger of critical path and work per processor) over "
             "HCPA's:\n\n"
             "| graphs | paper | mu = 0.66 | 0.34 | mcgas 0.66 |\n|---|---|---|---|---|\n");
  const auto row = [&](const char* name, const char* paper, const std::vector<StudyResult>& results) {
    fmt::print(out, "| {} | {} |", name, paper);
    for (auto each : ours) {
      double sum = 0;
      for (const StudyResult& result : results)
        sum += allotments(each, &OfAllotment::bound)(result) / static_cast<double>(results.size());
      fmt::print(out, " {} |", change(sum));
    }
    fmt::print(out, "\n");
  };
  row("synthetic", "9.63 % less", study.results);
  row("Strassen", "39 % less", study.strassen);
  row("FFT", "21 % less", study.fft);
  fmt::print(out, "\n");
}

void print_makespans(std::ostream& out, const Study& study) {
  fmt::print(out,
             "## Mapping (section 5.2): earliest finish time over first fit, MCGAS at 0.34, b = 87\n\n"
             "| width | simulated | planned | paper |\n|---|---|---|---|\n");
  constexpr std::array widths{0.2, 0.5, 0.8};
  constexpr std::array paper_fits{"3.7 % less", "20.5 % less", "34.2 % less"};
  for (std::size_t i = 0; i < widths.size(); ++i)
    fmt::print(out, "| {} | {} | {} | {} |\n", widths[i],
               change(mean(values(study, simulated(turned_eft, turned_ff), of_width(widths[i])))),
               change(mean(values(study, planned(turned_eft, turned_ff), of_width(widths[i])))),
               paper_fits[i]);
  fmt::print(
      out,
      "\n## Makespans (figure 7) over those of HCPA with EFT, simulated\n\n| | width 0.2 | 0.5 | 0.8 | all | "
      "Strassen | FFT |\n|---|---|---|---|---|---|---|\n"
      "| paper, MCGAS \"0.81\" (applications: \"0.66\"), EFT | | | 0.83 at best | 0.87 | 0.78 | 1.13 |\n");
  const auto of_application = [&](const std::vector<StudyResult>& results, std::size_t c) {
    double sum = 0;
    for (const StudyResult& each : results)
      sum += simulated(c, hcpa_eft)(each) / static_cast<double>(results.size());
    return sum;
  };
  for (std::size_t c = 1; c < contenders.size(); ++c) {
    fmt::print(out, "| {} |", contenders[c].name);
    for (const double width : widths)
      fmt::print(out, " {:.3f} |", mean(values(study, simulated(c, hcpa_eft), of_width(width))));
    fmt::print(out, " {:.3f} | {:.3f} | {:.3f} |\n", mean(values(study, simulated(c, hcpa_eft), all)),
               of_application(study.strassen, c), of_application(study.fft, c));
  }
  double off = 0, most = 0;
  std::size_t count = 0;
  for (const StudyResult& each : study.results)
    for (std::size_t c = 0; c < contenders.size(); ++c, ++count) {
      const double ratio = each.simulated[c] / each.planned[c];
      off += ratio;
      most = std::max(most, ratio);
    }
  fmt::print(out,
             "\n"
             "![makespans](moldable-makespans.svg)\n\n"
             "Simulated over planned makespan of all schedules: {:.3f} on average, {:.2f} at most. Plans "
             "omit contention among simultaneous\n"
             "redistributions.\n\n",
             off / static_cast<double>(count), most);
}

void print_sweep(std::ostream& out) {
  fmt::print(out,
             "## mu and b (figure 6): mean planned makespan of MCGAS in s, EFT, one sample of each kind\n\n"
             "![makespan by b](moldable-sweep.svg)\n\n");
}

void print_times(std::ostream& out, const Study& study) {
  fmt::print(out,
             "## Scheduling times (tables 3 and 4)\n\n"
             "Processor time and planned makespans in s: means of twelve graphs, three of each complexity "
             "(last two rows: one graph). Paper: GLPK\n"
             "on a Xeon of 1.86 GHz.\n\n"
             "| tasks | machine | sequential | MCGAS | paper | makespan | HCPA | paper | makespan | 20 "
             "allocations | paper "
             "| makespan |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  constexpr std::array paper_mcgas{"24.87", "99.91", "237.05", "829.53", "4758.68"};
  constexpr std::array paper_hcpa{"0.02", "0.07", "0.15", "", ""};
  constexpr std::array paper_few{"", "", "", "7.06", "90.64"};
  for (std::size_t i = 0; i < study.times.size(); ++i) {
    const TimedRow& row = study.times[i];
    const auto paper = [&](const auto& list) { return i < list.size() ? list[i] : ""; };
    fmt::print(out,
               "| {} | {} | {:.0f} | {:.4f} | {} | {:.2f} | {:.4f} | {} | {:.2f} | {:.4f} | {} | {:.2f} |\n",
               row.tasks, row.machine, row.sequential, row.mcgas_seconds, paper(paper_mcgas),
               row.mcgas_makespan, row.hcpa_seconds, paper(paper_hcpa), row.hcpa_makespan, row.few_seconds,
               paper(paper_few), row.few_makespan);
  }
}

}  // namespace

void report(const Study& study, const std::string& directory) {
  write(directory + "/moldable-guarantee-mu.svg", guarantee_by_mu());
  write(directory + "/moldable-guarantee-b.svg", guarantee_by_bound());
  write(directory + "/moldable-guarantee-domain.svg", guarantee_domain());
  write(directory + "/moldable-paths.svg",
        sorted_curves(study, "critical path, MCGAS 0.34 over HCPA",
                      allotments(&StudyResult::turned, &OfAllotment::path)));
  write(directory + "/moldable-work.svg",
        sorted_curves(study, "work, MCGAS 0.34 over HCPA",
                      allotments(&StudyResult::turned, &OfAllotment::work)));
  write(directory + "/moldable-makespans.svg", makespan_bars(study));
  write(directory + "/moldable-sweep.svg", sweep_curves(study));
  std::ofstream out(directory + "/moldable.md");
  fmt::print(
      out,
      "# Moldable task graphs on clusters: the study of MCGAS\n\n"
      "Dutot, N'Takpe, Suter, Casanova, \"Scheduling parallel task graphs on (almost) homogeneous "
      "multi-cluster platforms\", IEEE TPDS 20\n"
      "(7), 2009: their {} synthetic graphs{} on their part of Grid'5000 "
      "(`configs/machines/grid5000-2008.yaml`), and ten each of\n"
      "Strassen's multiplication and of the FFT. As in the paper, SimGrid's parallel tasks (`ptask_L07`) "
      "simulate makespans where stated.\n"
      "The checker accepted all schedules. Means are means of ratios.\n\n"
      "`bench/moldable docs/reproduction` writes this document (configure with `-DTAKT_BUILD_BENCH=ON`; "
      "run it from the top). One graph by\n"
      "hand:\n"
      "`takt compare layered:tasks=10,width=0.2,regularity=0.2,density=0.2,complexity=mixed,alpha=0..0.25 "
      "--machine configs/machines/grid5000-2008.yaml --schedulers moldable`.\n"
      "[Deviations from the paper](moldable-differences.md) also explains how `mcgas` differs from MCGAS."
      "\n\n",
      1296, study.synthetic.size() == 1296 ? "" : fmt::format(" ({} here)", study.synthetic.size()));
  print_guarantee(out);
  print_allotments(out, study);
  print_makespans(out, study);
  print_sweep(out);
  print_times(out, study);
  if (!out.flush()) throw WorkError(fmt::format("{}/moldable.md: cannot be written", directory));
}

}  // namespace takt::bench
