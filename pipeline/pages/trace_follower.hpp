#pragma once
/// Serves the page of a SCHEDULE program's trace while the program writes it.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "pipeline/live/http_server.hpp"

namespace takt::pipeline {

/// Answers `/trace` with the page (core/pictures/web/src/follow.ts), `/data` with the trace as it is, and
/// publishes an event when it has grown. A POST to `/quit` ends it.
class TraceFollower {
 public:
  static constexpr const char* path = "/trace";

  /// The file may not exist yet. Throws WorkError when it cannot listen there, or without pages.
  TraceFollower(std::string file, const HttpAddress& address);

  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  /// Reads the file again where it has changed, five times per second or, where reading takes long, for a
  /// tenth of the time. Returns after a POST to `/quit`; otherwise a signal ends the process.
  void follow();

 private:
  /// Returns whether the file had changed.
  bool read();

  std::string file_;
  std::mutex mutex_;
  std::string data_;
  /// Size and time of what was read.
  std::string version_;
  std::atomic<bool> has_to_quit_ = false;
  /// The last member: its thread ends before the data that it reads are destroyed.
  HttpServer server_;
};

}  // namespace takt::pipeline
