#include "pipeline/launch/jobs/slurm.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "core/text/shell_words.hpp"
#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t most_listed_hosts = 65'536;

ChildProcess start_sbatch(const std::filesystem::path& script) {
  try {
    return ChildProcess({"sbatch", "--parsable", script.string()}, {});
  } catch (const WorkError& error) {
    throw ConfigError(fmt::format(
        "{}: run takt submit on a computer with Slurm's commands; takt run needs none", error.what()));
  }
}

[[noreturn]] void refuse_host_list(std::string_view text) {
  throw ConfigError(
      fmt::format("'{}' is not a list of hosts: expected for example n[1-3,07],gpu2", excerpt(text)));
}

/// Expands `1-3,07` to texts; numbers keep their leading zeros.
std::vector<std::string> expand_numbers(std::string_view text, std::string_view whole) {
  std::vector<std::string> numbers;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, comma);
    const std::size_t dash = entry.find('-');
    const std::string_view from = entry.substr(0, dash),
                           to = dash == std::string_view::npos ? from : entry.substr(dash + 1);
    const auto value = [&](std::string_view digits) {
      std::size_t number = 0;
      const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (digits.empty() || error != std::errc{} || rest != digits.data() + digits.size())
        refuse_host_list(whole);
      return number;
    };
    const std::size_t first = value(from), last = value(to);
    if (last < first || last - first >= most_listed_hosts - numbers.size()) refuse_host_list(whole);
    // Counts by distance: the last number may be the largest integer.
    for (std::size_t i = 0; i <= last - first; ++i)
      numbers.push_back(fmt::format("{:0{}}", first + i, from.size()));
    if (comma == text.size()) return numbers;
    text.remove_prefix(comma + 1);
  }
}

/// Expands one entry of the list, with any number of brackets.
std::vector<std::string> expand_entry(std::string_view entry, std::string_view whole) {
  std::vector<std::string> names{""};
  const auto append = [&](const std::vector<std::string>& ends) {
    if (names.size() * ends.size() > most_listed_hosts) refuse_host_list(whole);
    std::vector<std::string> longer;
    for (const std::string& name : names)
      for (const std::string& end : ends) longer.push_back(name + end);
    names = std::move(longer);
  };
  while (!entry.empty()) {
    const std::size_t open = std::min(entry.find('['), entry.size());
    const std::string_view plain = entry.substr(0, open);
    if (plain.find(']') != std::string_view::npos) refuse_host_list(whole);
    append({std::string(plain)});
    entry.remove_prefix(open);
    if (entry.empty()) break;
    const std::size_t close = entry.find(']');
    if (close == std::string_view::npos) refuse_host_list(whole);
    append(expand_numbers(entry.substr(1, close - 1), whole));
    entry.remove_prefix(close + 1);
  }
  if (names.front().empty()) refuse_host_list(whole);
  return names;
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view text) {
  std::vector<std::string> hosts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    for (std::string& name : expand_entry(text.substr(begin, i - begin), text))
      hosts.push_back(std::move(name));
    if (hosts.size() > most_listed_hosts) refuse_host_list(text);
    begin = i + 1;
  }
  return hosts;
}

std::vector<std::string> slurm_hosts() {
  const char* list = std::getenv("SLURM_JOB_NODELIST");
  return list == nullptr || *list == 0 ? std::vector<std::string>{} : expand_host_list(list);
}

bool is_one_of_many_copies() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr && std::atoi(tasks) > 1 && !own_rank();
}

std::string slurm_time(Time time) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(time).count();
  return fmt::format("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

std::string batch_script(const BatchJob& job) {
  std::string script = "#!/bin/bash\n";
  const auto option = [&](std::string_view name, const std::string& value) {
    script += fmt::format("#SBATCH --{}={}\n", name, shell_word(value));
  };
  option("job-name", job.name);
  if (!job.request.partition.empty()) option("partition", job.request.partition);
  option("nodes", std::to_string(job.request.nodes));
  option("ntasks", std::to_string(job.ranks));
  option("ntasks-per-node", std::to_string((job.ranks + job.request.nodes - 1) / job.request.nodes));
  if (job.request.time > Time{0}) option("time", slurm_time(job.request.time));
  option("chdir", job.folder);
  if (job.outlives_nodes) script += "#SBATCH --no-kill\n";
  // The signal goes to the script's shell only, which exec replaces by takt.
  option("signal", "B:TERM@30");
  script += fmt::format("exec {}\n", shell_line(job.command));
  return script;
}

std::string submit(const std::string& script) {
  const RunFolder folder;
  const std::filesystem::path file = folder.path() / "job.sh";
  write_text_file(file, script);
  ChildProcess sbatch = start_sbatch(file);
  std::string said;
  for (bool has_ended = false; !has_ended;) {
    has_ended = sbatch.ended().has_value();
    for (const std::string& line : sbatch.read_lines()) said += line + '\n';
    if (!has_ended) std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  while (said.ends_with('\n')) said.pop_back();
  const int status = *sbatch.ended();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw WorkError("Slurm refused the job: " + (said.empty() ? "sbatch failed" : said));
  // `17` or `17;cluster`, after warnings.
  const std::size_t line = said.rfind('\n');
  said = line == std::string::npos ? said : said.substr(line + 1);
  return said.substr(0, said.find(';'));
}

}  // namespace takt::pipeline
