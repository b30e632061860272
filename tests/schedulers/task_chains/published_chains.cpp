#include "tests/schedulers/task_chains/published_chains.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace takt::schedulers {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// Returns the lines after the first one; of a .gz file through gzip.
std::vector<std::string> rows_of(const std::filesystem::path& file) {
  std::string text;
  if (file.extension() == ".gz") {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("gzip -dc '" + file.string() + "'").c_str(), "r"),
                                                     pclose);
    if (!pipe) throw std::runtime_error("gzip does not start");
    char buffer[1 << 16];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;)
      text.append(buffer, n);
  } else {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    text = all.str();
  }
  std::vector<std::string> rows = split(text, '\n');
  if (rows.size() < 2) throw std::runtime_error(file.string() + " has no rows");
  rows.erase(rows.begin());
  return rows;
}

std::vector<Time> times_of(const std::string& text) {
  std::vector<Time> times;
  for (const std::string& each : split(text, '|')) times.emplace_back(std::stol(each));
  return times;
}

}  // namespace

std::map<std::string, CoreChain> published_chains(const std::filesystem::path& folder) {
  std::map<std::string, CoreChain> chains;
  for (const std::string& row : rows_of(folder / "scenarios.csv.gz")) {
    const std::vector<std::string> fields = split(row, ',');
    std::vector<bool> stateless;
    for (const std::string& state : split(fields.at(9), '|')) stateless.push_back(state.starts_with("SL"));
    chains.emplace(fields.at(0) + "/" + fields.at(2),
                   CoreChain({times_of(fields.at(7)), times_of(fields.at(8))}, std::move(stateless)));
  }
  return chains;
}

std::vector<PublishedResult> published_results(const std::filesystem::path& file) {
  std::vector<PublishedResult> results;
  for (const std::string& row : rows_of(file)) {
    const std::vector<std::string> fields = split(row, ',');
    PublishedResult result{.chain = fields.at(0) + "/" + fields.at(6),
                           .algorithm = fields.at(1),
                           .cores = {std::stoul(fields.at(3)), std::stoul(fields.at(4))},
                           .period = fields.at(7),
                           .used = {std::stoul(fields.at(8)), std::stoul(fields.at(9))},
                           .tasks = std::stoul(fields.at(2)),
                           .tasks_of_stages = fields.at(11),
                           .cores_of_stages = fields.at(12),
                           .classes_of_stages = fields.at(13),
                           .loads_of_stages = fields.at(14)};
    results.push_back(std::move(result));
  }
  return results;
}

CoreChain measured_chain(const std::filesystem::path& file) {
  std::array<std::vector<Time>, 2> times;
  std::vector<bool> stateless;
  for (const std::string& row : rows_of(file)) {
    const std::vector<std::string> fields = split(row, ',');
    times[big_core].emplace_back(std::stol(fields.at(2)));
    times[little_core].emplace_back(std::stol(fields.at(3)));
    stateless.push_back(fields.at(4).starts_with("stateless"));
  }
  return {std::move(times), std::move(stateless)};
}

TaskGraph graph_of(const CoreChain& chain, const CoreCounts& cores) {
  TaskGraphBuilder builder;
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    tasks.push_back(
        builder.add_task({.name = fmt::format("t{}", i), .stateless = chain.is_stateless(i, i + 1)}));
    std::vector<Time> times(cores[big_core], chain.work(i, i + 1, big_core));
    times.insert(times.end(), cores[little_core], chain.work(i, i + 1, little_core));
    builder.set_work_table(tasks.back(), std::move(times));
    if (i > 0) builder.add_edge(tasks[i - 1], tasks[i], Bytes{1});
  }
  return std::move(builder).build();
}

}  // namespace takt::schedulers
