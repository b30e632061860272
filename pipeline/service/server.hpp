#pragma once
/// Serves a service over HTTP: JSON requests and answers, for clients with its token.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/live/http_server.hpp"
#include "pipeline/service/service.hpp"

namespace takt::pipeline {

/// Serves `GET /v1/streams`, `POST /v1/streams`, `DELETE /v1/streams/NAME`, `GET /v1/streams/NAME/log` and
/// `GET /v1/status`, each with `Authorization: Bearer TOKEN`; docs/how-to/streams.md describes them. All work
/// is done in `run_for`, in the thread of its caller.
class ServiceServer {
 public:
  /// Throws WorkError if it cannot listen on the address.
  ServiceServer(const HttpAddress& address, std::string token, Service& service);
  ServiceServer(const ServiceServer&) = delete;
  ServiceServer& operator=(const ServiceServer&) = delete;
  ~ServiceServer();

  [[nodiscard]] std::uint16_t port() const;
  void run_for(std::chrono::milliseconds time);

 private:
  struct Hub;
  std::unique_ptr<Hub> hub_;
};

}  // namespace takt::pipeline
