#include "pipeline/launch/hosts/host_survey.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/host_name.hpp"
#include "pipeline/config/files.hpp"
#include "pipeline/launch/hosts/host_answer.hpp"
#include "pipeline/launch/jobs/job.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/slurm.hpp"

namespace takt::pipeline {

namespace {

std::vector<SurveyedHost> expected_hosts(const Site& site) {
  std::vector<SurveyedHost> hosts;
  for (const HostSlots& host : site.hosts) hosts.push_back({.name = host.name});
  if (hosts.empty())
    for (const std::string& name : slurm_hosts()) hosts.push_back({.name = name});
  if (hosts.empty()) hosts.push_back({.name = host_name()});
  return hosts;
}

/// A separate attempt to reach one host.
struct Attempt {
  SurveyedHost* host;
  std::unique_ptr<ChildProcess> shell;
  std::string said = {};
  std::optional<int> status = {};
};

void finish(Attempt& attempt) {
  if (!attempt.status) {
    attempt.host->silence = fmt::format("does not answer within {}", takt::to_string(patience_to_reach()));
  } else if (!WIFEXITED(*attempt.status) || WEXITSTATUS(*attempt.status) != 0) {
    attempt.host->silence = fmt::format("cannot be reached by '{}'{}{}", words_to_reach().front(),
                                        attempt.said.empty() ? "" : ": ", attempt.said);
  }
}

/// Tries silent hosts one by one and records the reasons.
void find_reasons(std::vector<SurveyedHost>& hosts) {
  const std::vector<std::string> shell = words_to_reach();
  std::vector<Attempt> attempts;
  for (SurveyedHost& host : hosts) {
    if (host.facts || names_this_host(host.name)) continue;
    std::vector<std::string> words = shell;
    words.insert(words.end(), {host.name, "true"});
    try {
      attempts.push_back({&host, std::make_unique<ChildProcess>(words, Variables{})});
    } catch (const WorkError& error) {
      host.silence = error.what();
    }
  }
  const std::int64_t latest = now_ns() + patience_to_reach().count();
  const auto is_open = [](const Attempt& attempt) { return !attempt.status; };
  while (std::ranges::any_of(attempts, is_open) && now_ns() < latest) {
    for (Attempt& attempt : attempts) {
      if (attempt.status) continue;
      attempt.status = attempt.shell->ended();
      for (const std::string& line : attempt.shell->read_lines())
        attempt.said += (attempt.said.empty() ? "" : "; ") + line;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  while (!attempts.empty()) {
    finish(attempts.back());
    attempts.pop_back();
  }
}

/// Runs one survey to its end.
class Survey {
 public:
  explicit Survey(const SurveyOptions& options)
      : options_(options), hosts_(expected_hosts(options.site)), job_(job_options(options)) {}

  std::vector<SurveyedHost> follow() {
    const std::int64_t latest = now_ns() + std::chrono::nanoseconds(options_.patience).count();
    for (bool has_ended = false; !has_ended;) {
      has_ended = job_.ended().has_value();
      for (const RankMessage& message : job_.wait(std::chrono::milliseconds{20})) take(message);
      if (job_.stop_requests() > 0) throw WorkError("interrupted");
      // Ranks that cannot communicate wait for each other forever.
      if (now_ns() > latest) job_.end();
    }
    explain_silence();
    return std::move(hosts_);
  }

 private:
  static JobOptions job_options(const SurveyOptions& options) {
    JobOptions job{.site = options.site,
                   .arguments = {"doctor"},
                   .environment = {{question_variable, to_text(options.question)}},
                   .is_quiet = true};
    if (!is_on_this_host(options.site)) job.ranks.reset();
    // Waiting ranks must yield their cores to other processes.
    job.environment.emplace_back("OMPI_MCA_mpi_yield_when_idle", "1");
    return job;
  }

  void take(const RankMessage& message) {
    const std::int64_t now = day_ns();
    HostAnswer answer;
    try {
      answer = host_answer_from_text(message.text);
    } catch (const ConfigError&) {
      return;  // Not from one of this run's ranks.
    }
    if (answer.rank >= most_hosts) return;
    SurveyedHost& host = host_of(answer);
    if (message.kind == RankMessageKind::facts) host.facts = std::move(answer.facts);
    if (message.kind == RankMessageKind::facts && options_.question.tries_mpi) host.has_met_others = false;
    if (message.kind == RankMessageKind::clock) {
      // The offset with the least delay is the most accurate one.
      const Time offset(answer.clock_ns - now);
      host.clock_offset = std::max(host.clock_offset.value_or(offset), offset);
    }
    if (message.kind == RankMessageKind::met) host.has_met_others = true;
  }

  /// Finds the host of an answer. mpirun fills this computer first, wherever it stands in the list, so the
  /// host's own name identifies it, or its rank if that name is not in the list.
  SurveyedHost& host_of(const HostAnswer& answer) {
    const auto known = index_of_rank_.find(answer.rank);
    if (known != index_of_rank_.end()) return hosts_[known->second];
    std::size_t index = answer.rank;
    const std::string own = answer.facts ? answer.facts->host : "";
    const auto short_name = [](const std::string& name) { return name.substr(0, name.find('.')); };
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i].name == own || short_name(hosts_[i].name) == own || hosts_[i].name == short_name(own))
        index = i;
    // The batch system does not provide host names.
    while (hosts_.size() <= index) hosts_.push_back({.name = own});
    index_of_rank_[answer.rank] = index;
    return hosts_[index];
  }

  void explain_silence() {
    const auto is_silent = [](const SurveyedHost& host) { return !host.facts; };
    if (std::ranges::none_of(hosts_, is_silent)) return;
    if (!has_allocation() || !slurm_hosts().empty()) find_reasons(hosts_);
    std::string notice = job_.output().notice();
    if (notice.empty()) notice = "it sent no answer";
    // If one host fails to start, mpirun also ends the others, which are not the cause.
    const auto has_reason = [](const SurveyedHost& host) { return !host.facts && !host.silence.empty(); };
    if (std::ranges::any_of(hosts_, has_reason))
      std::erase_if(hosts_, [](const SurveyedHost& host) { return !host.facts && host.silence.empty(); });
    else
      for (SurveyedHost& host : hosts_)
        if (!host.facts) host.silence = "takt does not start there: " + notice;
  }

  static constexpr std::size_t most_hosts = 4096;

  const SurveyOptions& options_;
  std::vector<SurveyedHost> hosts_;
  std::map<std::size_t, std::size_t> index_of_rank_;
  Job job_;
};

/// Removes the hosts that are known to be silent from a site with names.
SurveyOptions of_those_that_answer(SurveyOptions options, const std::vector<SurveyedHost>& hosts) {
  std::vector<HostSlots>& slots = options.site.hosts;
  std::erase_if(slots, [&](const HostSlots& each) {
    return !std::ranges::find(hosts, each.name, &SurveyedHost::name)->silence.empty();
  });
  return options;
}

/// Surveys each host separately when mpirun starts nothing because it waits for one of them.
std::vector<SurveyedHost> survey_one_by_one(const SurveyOptions& options) {
  std::vector<SurveyedHost> hosts;
  for (const HostSlots& each : options.site.hosts) {
    SurveyOptions one = options;
    one.site.hosts = {each};
    one.patience = std::chrono::seconds{10};
    hosts.push_back(survey(one).front());
  }
  return hosts;
}

}  // namespace

std::vector<std::string> words_to_reach() {
  if (slurm_hosts().empty()) return remote_shell();
  return {"srun", "--overlap", "--mpi=none", "--nodes=1", "--ntasks=1", "--immediate=5", "--nodelist"};
}

Time patience_to_reach() {
  return std::chrono::seconds{slurm_hosts().empty() ? 12 : 5};
}

std::vector<SurveyedHost> survey(const SurveyOptions& options) {
  return Survey(options).follow();
}

std::vector<SurveyedHost> survey_what_answers(const SurveyOptions& options) {
  std::vector<SurveyedHost> hosts = expected_hosts(options.site);
  find_reasons(hosts);
  // Each iteration removes at least one host.
  while (true) {
    const SurveyOptions rest = of_those_that_answer(options, hosts);
    if (rest.site.hosts.empty()) return hosts;
    const std::vector<SurveyedHost> found = survey(rest);
    const auto is_silent = [](const SurveyedHost& host) { return !host.facts; };
    const bool is_culprit_known =
        std::ranges::none_of(found, is_silent) || found.size() < rest.site.hosts.size();
    for (const SurveyedHost& host : is_culprit_known ? found : survey_one_by_one(rest))
      *std::ranges::find(hosts, host.name, &SurveyedHost::name) = host;
    if (std::ranges::none_of(found, is_silent)) return hosts;
    if (of_those_that_answer(options, hosts).site.hosts.size() == rest.site.hosts.size())
      throw WorkError("takt starts on each host alone, but not on all together: " + found.front().silence);
  }
}

std::vector<std::string> silent_hosts(const Site& site) {
  std::vector<SurveyedHost> hosts;
  if (slurm_hosts().empty()) {
    hosts = survey({.site = site, .question = {}});
  } else {
    // In an allocation with a failed node, mpirun starts nothing for a long time.
    hosts = expected_hosts(site);
    find_reasons(hosts);
    for (SurveyedHost& host : hosts)
      if (host.silence.empty()) host.facts.emplace();
  }
  std::vector<std::string> silent;
  for (const SurveyedHost& host : hosts)
    if (!host.facts) silent.push_back(host.name);
  return silent;
}

std::vector<WantedFile> files_used_by(const Pipeline& pipeline) {
  std::vector<WantedFile> files;
  for (const ReadFile& file : files_read_by(pipeline)) files.push_back({file.path.string(), file.is_own});
  return files;
}

std::vector<std::string> check_hosts(const Pipeline& pipeline, std::vector<WantedFile> more_files) {
  const Deployment& deployment = pipeline.deployment;
  if (is_on_this_host(deployment.site)) return {};
  std::vector<WantedFile> files = files_used_by(pipeline);
  files.insert(files.end(), more_files.begin(), more_files.end());
  const std::vector<SurveyedHost> hosts =
      survey({.site = deployment.site, .question = {std::filesystem::current_path(), files}});
  const std::vector<Finding> findings = judge(hosts, deployment.ranks);
  if (const std::string faults = faults_of(findings); !faults.empty()) {
    if (deployment.site.hosts.empty()) throw ConfigError(faults);
    throw ConfigError(deployment.site.hosts_where, faults);
  }
  std::vector<std::string> warnings;
  for (const Finding& finding : findings)
    if (finding.grade == Grade::warning && finding.subject == "clock")
      warnings.push_back(fmt::format("host '{}': {}: {}", finding.host, finding.says, finding.advice));
  return warnings;
}

}  // namespace takt::pipeline
