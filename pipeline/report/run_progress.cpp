#include "pipeline/report/run_progress.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/launch/rank_texts.hpp"
#include "pipeline/report/optional_text.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

constexpr std::string_view starting = "starting the ranks, measuring kernels and links";

std::string counts_of(const Report& report) {
  const FigureValues<Scope::run>& figures = report.figures;
  return fmt::format("{} in, {} out, {} lost, {} dropped", figures.count("ingested"),
                     figures.count("delivered"), figures.count("lost"), figures.count("dropped"));
}

std::string with_silent_ranks(std::string text, const RunRecord& record) {
  for (const std::string& silent : silent_ranks(record)) text += "; " + silent;
  return text;
}

/// Returns figures in lines of at most this many letters, each figure in one line.
std::string figures_in_lines(const std::vector<std::string>& figures, std::size_t width) {
  std::string text;
  for (const std::string& figure : figures) {
    if (!text.empty()) text += ", ";
    for (const char letter : figure)
      if (letter == ' ')
        text += no_break;
      else
        text += letter;
  }
  return plain_blanks(fill(text, width, 2)) + '\n';
}

/// Returns a table of at most this many letters a line: omits columns in the order of `to_go` until a few
/// letters of the names fit, and cuts names.
class NarrowTable {
 public:
  NarrowTable(std::vector<TextTable::Column> columns, std::size_t names, std::vector<std::size_t> to_go)
      : columns_(std::move(columns)), names_(names), to_go_(std::move(to_go)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string to_text(std::size_t width) const {
    constexpr std::size_t least_name = 14;
    std::vector<bool> is_shown(columns_.size(), true);
    const std::size_t name = width_of(names_);
    const auto room = [&] {
      std::size_t others = 0;
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (is_shown[i] && i != names_) others += width_of(i) + gap;
      return width > others ? width - others : 0;
    };
    for (const std::size_t column : to_go_)
      if (room() < std::min(name, least_name)) is_shown[column] = false;
    std::vector<TextTable::Column> columns;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (is_shown[i]) columns.push_back(columns_[i]);
    TextTable table(std::move(columns));
    for (const std::vector<std::string>& row : rows_) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i)
        if (is_shown[i]) cells.push_back(i == names_ ? cut_in_the_middle(row[i], room()) : row[i]);
      table.add(std::move(cells));
    }
    return table.to_text();
  }

 private:
  static constexpr std::size_t gap = 2;
  [[nodiscard]] std::size_t width_of(std::size_t column) const {
    std::size_t width = letters_of(columns_[column].name);
    for (const std::vector<std::string>& row : rows_) width = std::max(width, letters_of(row[column]));
    return width;
  }

  std::vector<TextTable::Column> columns_;
  std::size_t names_;
  std::vector<std::size_t> to_go_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::string progress_line(const RunRecord& record) {
  if (!record.plan) return std::string(starting);
  const Report report = make_report(record);
  std::string text =
      fmt::format("{}; {} (predicted {}", counts_of(report), optional_hertz(report.figures["sustained"]),
                  to_string(Frequency{report.figures.value("predicted")}));
  if (report.figures["required"])
    text += fmt::format(", required {}", optional_hertz(report.figures["required"]));
  text += fmt::format("); latency p50 {}", optional_time(report.latency.p50));
  const auto busiest = std::ranges::max_element(report.ranks, {}, &Report::Rank::busy);
  if (report.ranks.size() > 1)
    text += fmt::format("; busiest rank {}, {:.0f} %", busiest - report.ranks.begin(), 100 * busiest->busy());
  return with_silent_ranks(std::move(text), record);
}

std::string progress_counts(const RunRecord& record) {
  return record.plan ? with_silent_ranks(counts_of(make_report(record)), record) : std::string(starting);
}

std::string progress_table(const RunRecord& record, std::size_t width) {
  if (!record.plan) return "";
  const Report report = make_report(record);
  std::vector<std::string> rates{"rate " + optional_hertz(report.figures["sustained"]),
                                 "predicted " + to_string(Frequency{report.figures.value("predicted")})};
  if (report.figures["required"]) rates.push_back("required " + optional_hertz(report.figures["required"]));
  const std::vector<std::string> latencies{"latency p50 " + optional_time(report.latency.p50),
                                           "p90 " + optional_time(report.latency.p90),
                                           "p99 " + optional_time(report.latency.p99)};
  NarrowTable ranks({{"rank", true},
                     {"busy", true},
                     {"compute", true},
                     {"message", true},
                     {"starved", true},
                     {"blocked", true},
                     {"doing"}},
                    6, {3, 5, 4, 2});
  constexpr std::size_t most_rows = 16;
  for (std::size_t rank = 0; rank < report.ranks.size() && rank < most_rows; ++rank) {
    const Report::Rank& each = report.ranks[rank];
    const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
    ranks.add({fmt::format("{}", rank), percent(each.busy()), percent(each.figures.value("compute")),
               percent(each.figures.value("message")), percent(each.figures.value("starved")),
               percent(each.figures.value("blocked")),
               record.ranks[rank] ? record.ranks[rank]->activity() : "no report"});
  }
  std::string text =
      figures_in_lines(rates, width) + figures_in_lines(latencies, width) + ranks.to_text(width);
  if (report.ranks.size() > most_rows)
    text += fmt::format("and {} more ranks\n", report.ranks.size() - most_rows);
  NarrowTable tasks({{"task"}, {"frames", true}, {"planned", true}, {"mean", true}, {"p99", true}}, 0,
                    {2, 4});
  for (std::size_t task = 0; task < report.tasks.size() && task < most_rows; ++task) {
    const Report::Task& each = report.tasks[task];
    tasks.add({each.name, fmt::format("{}", each.figures.count("runs")),
               takt::to_string(each.figures.time("planned")), takt::to_string(each.figures.time("work")),
               takt::to_string(each.figures.time("p99"))});
  }
  return text + '\n' + tasks.to_text(width);
}

std::optional<double> share_done(const RunRecord& record, const StreamLimits& limits) {
  if (!limits.frames || *limits.frames == 0 || !record.plan) return std::nullopt;
  // By stage: several ranks may run one source.
  std::map<std::size_t, std::uint64_t> given;
  for (const auto& rank : record.ranks)
    if (rank)
      for (const SourceStatus& source : rank->sources) given[source.stage] += source.counts["ingested"];
  std::uint64_t ingested = 0;
  for (const auto& [stage, frames] : given) ingested = std::max(ingested, frames);
  return std::min(1.0, static_cast<double>(ingested) / static_cast<double>(*limits.frames));
}

}  // namespace takt::pipeline
