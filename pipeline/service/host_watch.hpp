#pragma once
/// Which of a service's hosts answer, found out beside everything else that it does.

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

/// Asks each host but this one the way mpirun reaches it. One that does not answer, or no longer has its
/// processors, is lost until it does: it is asked again every ten seconds, and nobody waits for it meanwhile.
class HostWatch {
 public:
  /// `lost`: those that are known not to answer, and why.
  HostWatch(const ProcessorPlaces& places, const std::map<std::string, std::string>& lost);

  /// All hosts, from now on, where they are not being asked already.
  void ask();
  /// Whether it is not known yet of some host that answered last time.
  [[nodiscard]] bool is_asking() const;
  /// To be called several times a second. What has changed, a sentence each.
  [[nodiscard]] std::vector<std::string> step();
  [[nodiscard]] const std::set<std::string>& lost() const { return lost_; }
  /// The processes that ask.
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
