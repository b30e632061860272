#pragma once
/// What a service knows while it lives: the inside of service.hpp, and of nobody else.

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "pipeline/launch/child_process.hpp"
#include "pipeline/launch/run_board.hpp"
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
  PlacedStream placed;
  std::unique_ptr<StreamJob> job;
  /// Who waits for its ranks to be at work, and for its end.
  std::vector<Reply> on_start, on_end;
  bool is_dropped = false;
};

/// Whether all its ranks work at frames, or have done so.
[[nodiscard]] bool is_at_work(const RunRecord& record);

/// A stream whose tasks are being measured.
struct Candidate {
  StoredStream row;
  Pipeline pipeline;
  std::unique_ptr<ChildProcess> measuring;
  std::filesystem::path costs;
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
  void start(Served& served, bool is_again);
  void restart(const StoredStream& row);
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
  bool is_stopping_ = false;
};

}  // namespace takt::pipeline
