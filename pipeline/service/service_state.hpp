#pragma once
/// Internal state of a service, used by service.hpp only.

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

/// HTTP status codes.
inline constexpr unsigned created = 201, bad_request = 400, not_found = 404, conflict = 409;

/// An admitted stream with its places.
struct Served {
  StoredStream row;
  Pipeline pipeline;
  schedulers::Stream stream;
  PlacedStream placed = {};
  std::unique_ptr<StreamJob> job = nullptr;
  /// File of its costs in the run cache; empty if the user provided the costs.
  std::string kept_costs = {};
  /// Clients that wait for its ranks to start, and for its end.
  std::vector<Reply> on_start = {}, on_end = {};
  bool is_dropped = false;
};

/// A failed stream that is readmitted automatically if one of its hosts was lost.
struct Waiting {
  StoredStream row;
  Pipeline pipeline;
  schedulers::Stream stream;
  /// Hosts that it ran on; later only the lost ones.
  std::set<std::string> hosts = {};
  /// Reason for its last rejection.
  std::string refusal = {};
};

/// Loads a pipeline with relative outputs in the directory from which the stream was added.
[[nodiscard]] Pipeline load_in(const std::filesystem::path& folder, const std::filesystem::path& file);

/// Returns true if all ranks process frames, or have done so.
[[nodiscard]] bool is_at_work(const RunRecord& record);

/// A stream whose tasks are being measured.
struct Candidate {
  StoredStream row;
  Pipeline pipeline;
  std::unique_ptr<ChildProcess> measuring;
  std::filesystem::path costs;
  /// Key of its costs in the run cache; empty if the user provided the costs.
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
  /// Assigns an admitted stream to its places and starts it.
  void seat(Served served, schedulers::Admission& admission, bool is_again);
  void start(Served& served, bool is_again);
  /// Restarts a stream of the last service in its old places, or lets it wait for places, as before or
  /// because a host was lost.
  void restart(const StoredStream& row);
  [[nodiscard]] Waiting waiting_from(const StoredStream& row) const;
  /// Marks a failed stream as waiting once it is known that one of its hosts was lost.
  void suspect_hosts(Served& served);
  /// Inserts a stream among those that wait for lost hosts, in the order of addition.
  void keep_waiting(Waiting stream);
  [[nodiscard]] std::set<std::string> lost_hosts_of(const std::vector<std::size_t>& processors) const;
  void forget_waiting(const std::string& name);
  /// Retries the waiting streams after a change, once it is known which hosts are lost.
  void admit_again();
  /// Returns true if it no longer waits.
  [[nodiscard]] bool is_settled(Waiting& waiting);
  void give_up(const StoredStream& row, const std::string& why);
  void finish(Served& served);
  /// Answers clients that wait for streams to start.
  void report_starts();
  void end_measuring(Candidate& candidate, int status);
  /// Returns the processors of hosts that do not answer.
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
  /// Streams whose hosts are being polled, and those with a lost host, in the order of addition.
  std::list<Waiting> suspected_, waiting_;
  /// True if something has changed since the last retry of waiting streams.
  bool may_fit_ = false;
  bool is_stopping_ = false;
};

}  // namespace takt::pipeline
