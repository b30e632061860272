#pragma once
/// Shows a run to browsers and to Prometheus while it goes on.

#include <cstdint>
#include <mutex>
#include <optional>

#include "pipeline/launch/control_command.hpp"
#include "pipeline/live/http_server.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// The address of a run without a setting: this one, or if it is taken, any free port on
/// loopback.
inline constexpr std::uint16_t usual_live_port = 9464;

/// Serves `/` (a page that follows the run), `/metrics` (Prometheus), `/status` (the report as JSON),
/// `/healthz` (200 while all ranks are heard of and none has failed, 503 otherwise), `/graph` and `/events`.
/// Takes commands by POST, with its token: `/end`, `/hold`, `/write`, `/new-files`, `/trigger`, `/set`
/// (`task.key=value`); and without,
/// `/probe` (the name of a task, or nothing), which ends with the last listener to events.
class RunServer {
 public:
  /// Throws WorkError when it cannot listen there.
  explicit RunServer(const HttpAddress& address);
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  /// What a user can ask for: parameters that may change while the run goes on, as `task.key` (served at
  /// `/parameters`), and sinks with transient buffers (served at `/transients`).
  void offer(std::vector<std::string> parameters, std::vector<std::string> transients);
  /// What one needs to steer the run.
  [[nodiscard]] const std::string& token() const { return server_.token(); }
  /// The run as it is now.
  void show(const RunRecord& record);
  /// What was asked for since the last call.
  [[nodiscard]] std::vector<ControlCommand> take_commands();

 private:
  [[nodiscard]] HttpAnswer command(ControlCommandKind kind);
  [[nodiscard]] HttpAnswer set(const std::string& change);
  [[nodiscard]] HttpAnswer probe(const std::string& task);
  [[nodiscard]] RunRecord now() const;
  [[nodiscard]] double seconds() const;

  std::int64_t start_ns_;
  mutable std::mutex mutex_;
  RunRecord record_;
  std::vector<ControlCommand> commands_;
  std::vector<std::string> parameters_, transients_;
  bool is_probing_ = false;
  std::optional<std::size_t> probed_;
  /// What the run did when it was shown last; the caller's thread's.
  std::string state_;
  /// Last, so that its thread ends before what it reads.
  HttpServer server_;
};

}  // namespace takt::pipeline
