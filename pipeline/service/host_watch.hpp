#pragma once
/// Monitors in the background which of a service's hosts answer.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/streams/processor_places.hpp"

namespace takt::pipeline {

/// Polls each remote host in the way in which mpirun reaches it. A host that does not answer, or no longer
/// has its processors, is lost until it recovers: it is polled every ten seconds, and no caller waits for it.
class HostWatch {
 public:
  /// `lost`: hosts known not to answer, with reasons.
  HostWatch(const ProcessorPlaces& places, const std::map<std::string, std::string>& lost);

  /// Polls all hosts that are not being polled already.
  void ask();
  /// Returns true while the result of a host that answered last time is outstanding.
  [[nodiscard]] bool is_asking() const;
  /// Call several times a second. Returns the changes, one sentence each.
  [[nodiscard]] std::vector<std::string> step();
  [[nodiscard]] const std::set<std::string>& lost() const { return lost_; }
  /// Returns the polling processes.
  [[nodiscard]] std::vector<pid_t> pids() const;

 private:
  struct Question {
    std::string host;
    std::int64_t asked_ns = 0;
    std::unique_ptr<ChildProcess> shell;
    std::vector<std::string> said = {};
  };
  void ask(const std::string& host);
  void answer(const std::string& host, const std::string& fault);
  [[nodiscard]] std::string fault_of(const Question& question, int status) const;

  std::vector<std::string> hosts_;
  ProcessorPlaces places_;
  std::set<std::string> lost_;
  std::list<Question> questions_;
  std::vector<std::string> news_;
  std::int64_t last_answer_ns_ = 0;
};

}  // namespace takt::pipeline
