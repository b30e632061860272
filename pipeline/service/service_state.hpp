#pragma once
/// What a service knows while it lives: the inside of service.hpp, and of nobody else.

#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/launch/run_registry.hpp"
#include "pipeline/service/host_watch.hpp"
#include "pipeline/service/service.hpp"
#include "pipeline/service/store.hpp"
#include "pipeline/streams/stream_job.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::pipeline {

inline ServiceAnswer service_answer(unsigned status, const nlohmann::json& body) {
  return {status, json_text(body)};
}
inline ServiceAnswer service_error(unsigned status, const std::string& message) {
  return service_answer(status, {{"error", message}});
}

/// HTTP's own.
inline constexpr unsigned created = 201, bad_request = 400, not_found = 404, conflict = 409;

/// A stream that has its places.
struct Served {
  StoredStream row;
  Pipeline pipeline;
  schedulers::Stream stream;
  PlacedStream placed = {};
  std::unique_ptr<StreamJob> job = nullptr;
  /// The file of its costs in the cache of runs; empty where the user gave the costs.
  std::string kept_costs = {};
  /// Who waits for its ranks to be at work, and for its end.
  std::vector<Reply> on_start = {}, on_end = {};
  bool is_dropped = false;
};

/// A stream that has failed, and that is admitted again by itself if one of its hosts was lost.
struct Waiting {
  StoredStream row;
  Pipeline pipeline;
  schedulers::Stream stream;
  /// Those that it ran on; then those of them that are lost.
  std::set<std::string> hosts = {};
  /// Why it was refused when it was tried last.
  std::string refusal = {};
};

/// Relative outputs are in the folder from which a stream was added.
[[nodiscard]] Pipeline load_in(const std::filesystem::path& folder, const std::filesystem::path& file);

/// Whether all its ranks work at frames, or have done so.
[[nodiscard]] bool is_at_work(const RunRecord& record);

/// A stream whose tasks are being measured.
struct Candidate {
  StoredStream row;
  Pipeline pipeline;
  std::unique_ptr<ChildProcess> measuring;
  std::filesystem::path costs;
  /// Of its costs in the cache of runs; empty where the user gave the costs.
  std::string cache_key = {};
  std::string said;
  Reply reply;
  bool is_measured = false;
};

class Service::State {
 public:
  explicit State(ServiceOptions options);
  ~State();

  void add(const std::string& request, Reply reply);
  void drop(const std::string& name, Reply reply);
  [[nodiscard]] nlohmann::json list() const;
  [[nodiscard]] ServiceAnswer log(const std::string& name) const;
  [[nodiscard]] nlohmann::json status() const;
  void step();
  void stop();
  [[nodiscard]] bool is_idle() const;

 private:
  [[nodiscard]] std::string timetable_text() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::filesystem::path log_file(const std::string& name) const {
    return folder_ / "logs" / (name + ".log");
  }
  void write_log(const std::string& name, const std::string& line) const;
  void admit(Candidate candidate);
  /// Gives an admitted stream its places, and starts it.
  void seat(Served served, schedulers::Admission& admission, bool is_again);
  void start(Served& served, bool is_again);
  /// One of the last service's: on its old places, or to wait for some, as it did then or since a host of its
  /// is lost.
  void restart(const StoredStream& row);
  [[nodiscard]] Waiting waiting_from(const StoredStream& row) const;
  /// It has failed, and waits once it is known that a host of its was lost.
  void suspect_hosts(Served& served);
  /// Puts it among those that wait for lost hosts of its: in the order in which they were added.
  void let_wait(Waiting stream);
  [[nodiscard]] std::set<std::string> lost_hosts_of(const std::vector<std::size_t>& processors) const;
  void forget_waiting(const std::string& name);
  /// Once it is known which hosts are lost: those that wait, where something has changed for them.
  void admit_again();
  /// Whether it waits no longer.
  [[nodiscard]] bool is_settled(Waiting& waiting);
  void give_up(const StoredStream& row, const std::string& why);
  void finish(Served& served);
  /// Answers those who wait for streams to be at work.
  void tell_of_starts();
  void end_measuring(Candidate& candidate, int status);
  /// Those of hosts that do not answer.
  [[nodiscard]] std::vector<ProcessorId> closed_processors() const;

  logp::Machine machine_;
  std::filesystem::path folder_;
  ProcessorPlaces places_;
  HostWatch hosts_;
  int lock_ = -1;
  std::unique_ptr<ServiceStore> store_;
  std::optional<schedulers::CyclicTimetable> timetable_;
  std::list<Served> served_;
  std::list<Candidate> candidates_;
  /// Those whose hosts are being asked, and those of which one did not answer, as they were added.
  std::list<Waiting> suspected_, waiting_;
  /// Whether something has changed since those that wait were tried.
  bool may_fit_ = false;
  bool is_stopping_ = false;
};

}  // namespace takt::pipeline
