#include "pipeline/runtime/launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.hpp>

#include "core/error.hpp"
#include "pipeline/runtime/child_process.hpp"
#include "pipeline/runtime/mpirun.hpp"
#include "pipeline/runtime/stop_requests.hpp"
#include "pipeline/runtime/tally.hpp"

namespace takt::pipeline {

namespace {

/// The launcher's end of the ranks' links.
class Links {
 public:
  Links() : pull_(context_, zmq::socket_type::pull), publish_(context_, zmq::socket_type::pub) {
    for (zmq::socket_t* socket : {&pull_, &publish_}) {
      socket->set(zmq::sockopt::linger, 0);
      socket->bind("tcp://127.0.0.1:*");
    }
  }

  /// What Monitor takes for its endpoint.
  [[nodiscard]] std::string endpoints() const {
    return pull_.get(zmq::sockopt::last_endpoint) + " " + publish_.get(zmq::sockopt::last_endpoint);
  }

  /// Waits for a message, for output of the child, or a moment.
  void wait(int child_output) {
    std::array<zmq::pollitem_t, 2> items{
        {{pull_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, child_output, ZMQ_POLLIN, 0}}};
    try {
      zmq::poll(items, std::chrono::milliseconds{100});
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }

  /// The next message as (kind, text), when there is one.
  std::optional<std::pair<std::string, std::string>> receive() {
    zmq::message_t kind, text;
    if (!pull_.recv(kind, zmq::recv_flags::dontwait)) return std::nullopt;
    if (!kind.more() || !pull_.recv(text, zmq::recv_flags::dontwait)) return std::nullopt;
    return std::pair{kind.to_string(), text.to_string()};
  }

  void ask_to_drain() { publish_.send(zmq::str_buffer("drain"), zmq::send_flags::dontwait); }

 private:
  zmq::context_t context_;
  zmq::socket_t pull_;
  zmq::socket_t publish_;
};

Variables environment_of_ranks(const RunFolder& folder, const std::string& endpoints) {
  Variables environment = mpirun_environment(folder);
  environment.emplace_back(link_variable, endpoints);
  // Ranks may share cores; without yielding a hop costs milliseconds then.
  environment.emplace_back("OMPI_MCA_mpi_yield_when_idle", "1");
  return environment;
}

/// A line such as `[host:123] ...`.
bool is_mpirun_line(const std::string& line) {
  const std::size_t colon = line.find(':'), end = line.find(']');
  return line.starts_with('[') && colon < end && end != std::string::npos &&
         line.find_first_not_of("0123456789", colon + 1) == end;
}

/// Ranks print what the user's kernels print; the boxes that mpirun draws around its own notices, and its
/// lines that begin with [host:pid], are kept for the case that nobody else explains a failure.
class OutputFilter {
 public:
  void take(const std::string& line) {
    const bool is_border = line.size() > 20 && line.find_first_not_of('-') == std::string::npos;
    if (is_border) inside_box_ = !inside_box_;
    if (inside_box_ || is_border || is_mpirun_line(line)) {
      if (!is_border) notices_ += line + '\n';
      return;
    }
    fmt::print(stderr, "{}\n", line);
  }
  [[nodiscard]] const std::string& notices() const { return notices_; }

 private:
  bool inside_box_ = false;
  std::string notices_;
};

/// A rank's death as mpirun tells it.
struct Death {
  std::size_t rank = 0;
  /// `signal 9 (Killed)`.
  std::string cause;
};

/// Looks for `process rank R with PID ... exited on signal N (NAME)`, however its lines are broken.
std::optional<Death> find_death(std::string notices) {
  std::replace(notices.begin(), notices.end(), '\n', ' ');
  const std::string before_rank = "process rank ", before_cause = " exited on ";
  const std::size_t rank = notices.find(before_rank);
  const std::size_t cause = notices.find(before_cause, rank);
  const std::size_t end = notices.find(')', cause);
  if (end == std::string::npos) return std::nullopt;
  const std::size_t cause_start = cause + before_cause.size();
  return Death{std::strtoul(notices.c_str() + rank + before_rank.size(), nullptr, 10),
               notices.substr(cause_start, end + 1 - cause_start)};
}

/// Why the run did not end well, in one sentence.
std::string explain(const RunRecord& record, const std::string& notices) {
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank)
    if (record.ranks[rank] && !record.ranks[rank]->failure.empty()) {
      const RankStatus& status = *record.ranks[rank];
      std::string where = describe_rank(record, rank);
      if (status.failed_stage && record.plan)
        where = fmt::format("task '{}' on {}", record.plan->stages[*status.failed_stage].name, where);
      return fmt::format("{}: {}", where, status.failure);
    }
  if (const auto death = find_death(notices))
    return fmt::format("{} died of {}", describe_rank(record, death->rank), death->cause);
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank)
    if (record.ranks[rank] && !record.ranks[rank]->final)
      return fmt::format("{} died without a word", describe_rank(record, rank));
  return "the ranks did not run to the end; mpirun says:\n" + notices;
}

}  // namespace

std::string describe_rank(const RunRecord& record, std::size_t rank) {
  std::string text = fmt::format("rank {}", rank);
  std::vector<std::string> details;
  if (rank < record.ranks.size() && record.ranks[rank])
    details.push_back(fmt::format("host {}, pid {}", record.ranks[rank]->host, record.ranks[rank]->pid));
  if (record.plan) {
    std::vector<std::string> tasks;
    for (const PlannedStage& stage : record.plan->stages)
      if (std::find(stage.ranks.begin(), stage.ranks.end(), rank) != stage.ranks.end())
        tasks.push_back(stage.name);
    details.push_back(fmt::format("{} {}", tasks.size() == 1 ? "task" : "tasks", fmt::join(tasks, " ")));
  }
  if (!details.empty()) text += fmt::format(" ({})", fmt::join(details, "; "));
  return text;
}

RunRecord launch(const LaunchOptions& options) {
  RunRecord record;
  record.ranks.resize(options.ranks);
  const StopRequests stop_requested;
  const RunFolder folder;
  Links links;
  ChildProcess mpirun(mpirun_command(options.ranks, {"--oversubscribe"}, options.command),
                      environment_of_ranks(folder, links.endpoints()));
  OutputFilter output;

  std::vector<std::int64_t> last_word(options.ranks, 0);
  std::int64_t last_progress = 0;
  std::optional<std::int64_t> told_to_end;
  std::string own_verdict;
  bool more = true;
  while (more) {
    const bool ended = mpirun.ended().has_value();
    links.wait(mpirun.output());
    for (const std::string& line : mpirun.read_lines()) output.take(line);
    const std::int64_t now = monotonic_ns();
    more = !ended;
    while (auto message = links.receive()) {
      more = true;
      if (message->first == "plan") record.plan = plan_from_text(message->second);
      if (message->first != "status") continue;
      RankStatus status = status_from_text(message->second);
      const auto rank = static_cast<std::size_t>(status.rank);
      record.is_config_error = record.is_config_error || status.is_config_error;
      last_word[rank] = now;
      record.ranks[rank] = std::move(status);
    }
    if (ended) continue;

    if (stop_requested.count() > 0) links.ask_to_drain();
    if (stop_requested.count() > 1 && !told_to_end) own_verdict = "ended at once, as asked";
    for (std::size_t rank = 0; rank < options.ranks; ++rank)
      if (last_word[rank] > 0 && !record.ranks[rank]->final &&
          now - last_word[rank] > options.silence.count() && own_verdict.empty())
        own_verdict = fmt::format("{} has given no sign of life for {}", describe_rank(record, rank),
                                  to_string(options.silence));
    if (!own_verdict.empty() && !told_to_end) {
      told_to_end = now;
      mpirun.signal(SIGTERM);
    }
    if (told_to_end && now - *told_to_end > std::chrono::nanoseconds(std::chrono::seconds{3}).count()) {
      for (const auto& rank : record.ranks)
        if (rank) ::kill(static_cast<pid_t>(rank->pid), SIGKILL);
      mpirun.signal(SIGKILL);
    }
    if (options.on_progress && now - last_progress > 200'000'000) {
      last_progress = now;
      options.on_progress(record);
    }
  }

  const int status = *mpirun.ended();
  const bool all_well = std::all_of(record.ranks.begin(), record.ranks.end(), [](const auto& rank) {
    return rank && rank->final && rank->failure.empty();
  });
  if (!own_verdict.empty())
    record.failure = own_verdict;
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !all_well)
    record.failure = explain(record, output.notices());
  return record;
}

}  // namespace takt::pipeline
