#pragma once
/// Shows a run to browsers and to Prometheus while it goes on.

#include <cstdint>
#include <mutex>

#include "pipeline/launch/run_record.hpp"
#include "pipeline/live/http_server.hpp"

namespace takt::pipeline {

/// Serves `/` (a page that follows the run), `/metrics` (Prometheus), `/status` (the report as JSON),
/// `/healthz` (200 while all ranks are heard of and none has failed, 503 otherwise), `/graph` and `/events`.
class RunServer {
 public:
  /// Throws WorkError when it cannot listen there.
  explicit RunServer(const HttpAddress& address);
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  /// The run as it is now.
  void show(const RunRecord& record);

 private:
  [[nodiscard]] RunRecord now() const;
  [[nodiscard]] double seconds() const;

  std::int64_t start_ns_;
  mutable std::mutex mutex_;
  RunRecord record_;
  /// Last, so that its thread ends before what it reads.
  HttpServer server_;
};

}  // namespace takt::pipeline
