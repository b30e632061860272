#include "pipeline/launch/hosts/host_verdict.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/json.hpp"
#include "core/pictures/text_fill.hpp"

namespace takt::pipeline {

namespace {

constexpr std::array<std::string_view, 3> grade_names{"ok", "warning", "bad"};
/// Below these limits a rank of a live pipeline loses packets or cannot share memory with its neighbours.
constexpr std::uint64_t least_socket_buffer = 8 << 20, least_shared_memory = 64 << 20,
                        least_locked_memory = 64 << 20, least_open_files = 1024;

std::string size_text(std::uint64_t bytes) {
  return bytes == std::numeric_limits<std::uint64_t>::max() ? "unlimited" : to_string(Bytes{bytes});
}

/// Collects the findings about one host.
class HostJudge {
 public:
  HostJudge(const SurveyedHost& host, const HostFacts& reference, const std::string& reference_name,
            std::vector<Finding>& findings)
      : host_(host),
        facts_(*host.facts),
        reference_(reference),
        reference_name_(reference_name),
        findings_(findings) {}

  void judge(bool is_alone) {
    judge_version();
    judge_files();
    if (!is_alone) judge_clock();
    judge_mpi();
    judge_network(is_alone);
    judge_limits();
  }

 private:
  void add(Grade grade, std::string subject, std::string says, std::string advice = {}) {
    findings_.push_back({grade, host_.name, std::move(subject), std::move(says), std::move(advice)});
  }
  void good(std::string subject, std::string says) { add(Grade::good, std::move(subject), std::move(says)); }

  void judge_version() {
    const std::string says = fmt::format("takt {}, {}", facts_.version, facts_.mpi);
    if (facts_.version != reference_.version)
      add(Grade::bad, "version",
          fmt::format("takt {}, but '{}' has {}", facts_.version, reference_name_, reference_.version),
          "install the same takt on all hosts");
    else if (facts_.mpi != reference_.mpi)
      add(Grade::bad, "version",
          fmt::format("{}, but '{}' has {}", facts_.mpi, reference_name_, reference_.mpi),
          "install the same Open MPI on all hosts");
    else if (facts_.program != reference_.program)
      add(Grade::warning, "version", fmt::format("{}, but another build than on '{}'", says, reference_name_),
          "install the same build on all hosts");
    else
      good("version", says);
  }

  void judge_files() {
    if (!facts_.folder_fault.empty())
      add(Grade::bad, "files", fmt::format("it cannot use the working folder: {}", facts_.folder_fault),
          "start takt in a folder that all hosts share");
    std::size_t faults = 0;
    for (std::size_t i = 0; i < facts_.files.size(); ++i) {
      const HostFile& file = facts_.files[i];
      const bool is_known = i < reference_.files.size();
      if (!file.fault.empty())
        add(Grade::bad, "files", fmt::format("cannot read '{}': {}", file.path, file.fault),
            "copy it there under the same name, or use a folder that all hosts share");
      else if (is_known && reference_.files[i].fault.empty() && file.digest != reference_.files[i].digest)
        add(Grade::bad, "files", fmt::format("'{}' is another file than on '{}'", file.path, reference_name_),
            "copy the same file to all hosts");
      else
        continue;
      ++faults;
    }
    if (faults == 0 && facts_.folder_fault.empty() && !facts_.files.empty())
      good("files", fmt::format("{} of {} can be read", facts_.files.size(), facts_.files.size()));
  }

  void judge_clock() {
    if (!host_.clock_offset) return;
    const Time offset = *host_.clock_offset, size = std::chrono::abs(offset);
    const std::string says = size < reported_clock_offset
                                 ? std::string("within 0.1 s of this computer's")
                                 : fmt::format("{} {} this computer's", takt::to_string(size),
                                               offset > Time{0} ? "ahead of" : "behind");
    const Grade grade = size > largest_clock_offset     ? Grade::bad
                        : size >= reported_clock_offset ? Grade::warning
                                                        : Grade::good;
    add(grade, "clock", says,
        grade == Grade::good ? "" : "synchronise all clocks with one server, by chrony or systemd-timesyncd");
  }

  void judge_mpi() {
    if (!host_.has_met_others) return;
    if (*host_.has_met_others)
      good("mpi", "messages reach all hosts");
    else
      add(Grade::bad, "mpi", "its rank started, but does not reach the others over MPI",
          "open all TCP ports between the hosts, or name the network they share: deployment: {network: "
          "10.0.0.0/24}");
  }

  void judge_network(bool is_alone) {
    std::vector<std::string> texts;
    for (const Interface& interface : facts_.interfaces)
      if (!interface.address.starts_with("127."))
        texts.push_back(fmt::format("{} {}/{}", interface.name, interface.address, interface.prefix));
    if (!texts.empty())
      good("network", fmt::format("{}", fmt::join(texts, ", ")));
    else if (!is_alone)
      add(Grade::warning, "network", "no interface but loopback",
          "bring up the interface that leads to the other hosts");
  }

  void judge_limit(std::string subject, std::string what, std::optional<std::uint64_t> value,
                   std::uint64_t least, std::string advice) {
    if (!value) return;
    const bool is_enough = *value >= least;
    add(is_enough ? Grade::good : Grade::warning, std::move(subject),
        fmt::format("{} {}{}", what, size_text(*value),
                    is_enough ? "" : fmt::format(", less than {}", size_text(least))),
        is_enough ? "" : std::move(advice));
  }

  void judge_limits() {
    const HostLimits& limits = facts_.limits;
    good("cores", fmt::format("{} ({}), {}", facts_.processors.size(), facts_.processor, facts_.system));
    judge_limit("sockets", "receive buffers (rmem_max) up to", limits.socket_buffer, least_socket_buffer,
                fmt::format("for UDP sources: sysctl -w net.core.rmem_max={}", least_socket_buffer));
    if (limits.has_verbs)
      judge_limit(
          "memlock", "memory that may be locked:", limits.locked_memory, least_locked_memory,
          "for InfiniBand: 'memlock unlimited' in /etc/security/limits.conf, LimitMEMLOCK=infinity for "
          "slurmd");
    judge_limit("shm", "room in /dev/shm:", limits.shared_memory, least_shared_memory,
                "enlarge it: mount -o remount,size=50% /dev/shm");
    if (limits.open_files && *limits.open_files < least_open_files)
      add(Grade::warning, "files", fmt::format("a process may open {} files", *limits.open_files),
          fmt::format("ulimit -n {}", least_open_files));
    if (limits.huge_pages == "never")
      add(Grade::warning, "hugepages", "the kernel provides none",
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
    else if (!limits.huge_pages.empty())
      good("hugepages", limits.huge_pages);
  }

  const SurveyedHost& host_;
  const HostFacts& facts_;
  const HostFacts& reference_;
  const std::string& reference_name_;
  std::vector<Finding>& findings_;
};

}  // namespace

std::vector<Finding> judge(const std::vector<SurveyedHost>& hosts, std::optional<std::size_t> ranks) {
  std::vector<Finding> findings;
  const auto reference =
      std::ranges::find_if(hosts, [](const SurveyedHost& host) { return host.facts.has_value(); });
  std::uint64_t cores = 0;
  for (const SurveyedHost& host : hosts) {
    if (host.facts) {
      cores += host.facts->processors.size();
      HostJudge(host, *reference->facts, reference->name, findings).judge(hosts.size() == 1);
    } else {
      findings.push_back({Grade::bad, host.name, "reach",
                          host.silence.empty() ? "has not answered" : host.silence,
                          fmt::format("check that the host is up, `ssh {} true` (or Slurm) works without a "
                                      "password, and takt is installed there under the same path",
                                      host.name)});
    }
  }
  if (ranks && cores > 0 && *ranks > cores)
    findings.push_back({Grade::warning, "", "cores", fmt::format("{} ranks share {} cores", *ranks, cores),
                        "fewer ranks, or more hosts"});
  return findings;
}

std::string faults_of(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings)
    if (finding.grade == Grade::bad)
      lines.push_back(fmt::format("host '{}': {}: {}", finding.host, finding.says, finding.advice));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

namespace {

/// Formats `beginning` and the wrapped text after it; further lines are indented by the same width.
std::string hanging(const std::string& beginning, const std::string& text) {
  std::string lines = beginning;
  for (const char c : fill(text, text_columns - beginning.size())) {
    lines += c;
    if (c == '\n') lines.append(beginning.size(), ' ');
  }
  return lines + '\n';
}

}  // namespace

std::string to_text(const std::vector<SurveyedHost>& hosts, const std::vector<Finding>& findings) {
  std::string text;
  const auto add_all_of = [&](const std::string& host) {
    for (const Finding& finding : findings) {
      if (finding.host != host) continue;
      text += hanging(fmt::format("  {:<7}  {:<10}", grade_names[static_cast<std::size_t>(finding.grade)],
                                  finding.subject),
                      finding.says);
      if (!finding.advice.empty()) text += hanging(fmt::format("{:>24}", "-> "), finding.advice);
    }
  };
  for (const SurveyedHost& host : hosts) {
    text += host.name + '\n';
    add_all_of(host.name);
  }
  add_all_of("");
  const auto count = [&](Grade grade) { return std::ranges::count(findings, grade, &Finding::grade); };
  const auto bad = count(Grade::bad), warnings = count(Grade::warning);
  text +=
      fmt::format("{} host{}: {}\n", hosts.size(), hosts.size() == 1 ? "" : "s",
                  bad > 0        ? fmt::format("not fit, {} fault{}", bad, bad == 1 ? "" : "s")
                  : warnings > 0 ? fmt::format("fit, with {} warning{}", warnings, warnings == 1 ? "" : "s")
                                 : "fit");
  return text;
}

std::string to_json(const std::vector<SurveyedHost>& hosts, const std::vector<Finding>& findings) {
  nlohmann::ordered_json json{{"hosts", nlohmann::ordered_json::array()},
                              {"findings", nlohmann::ordered_json::array()}};
  for (const SurveyedHost& host : hosts) {
    nlohmann::ordered_json entry{{"name", host.name}};
    entry["facts"] = host.facts ? nlohmann::ordered_json::parse(to_text(*host.facts)) : nullptr;
    entry["clock_offset_ns"] = host.clock_offset ? nlohmann::ordered_json(host.clock_offset->count())
                                                 : nlohmann::ordered_json(nullptr);
    json["hosts"].push_back(std::move(entry));
  }
  for (const Finding& finding : findings)
    json["findings"].push_back({{"grade", grade_names[static_cast<std::size_t>(finding.grade)]},
                                {"host", finding.host},
                                {"subject", finding.subject},
                                {"says", finding.says},
                                {"advice", finding.advice}});
  json["fit"] = std::ranges::none_of(findings, [](const Finding& each) { return each.grade == Grade::bad; });
  return json_text(json);
}

}  // namespace takt::pipeline
