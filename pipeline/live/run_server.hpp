#pragma once
/// Serves the live page and metrics of an active run.

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
  /// Sets the parameters that may change during the run, as `task.key` (served at `/parameters`), and the
  /// sinks with transient buffers (served at `/transients`).
  void offer(std::vector<std::string> parameters, std::vector<std::string> transients);
  /// Token that permits steering the run.
  [[nodiscard]] const std::string& token() const { return server_.token(); }
  /// Publishes the current state of the run.
  void show(const RunRecord& record);
  /// Returns the commands since the last call.
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
  /// Activity in the last update; used by the caller's thread only.
  std::string state_;
  /// Last, so that its thread ends before what it reads.
  HttpServer server_;
};

}  // namespace takt::pipeline
