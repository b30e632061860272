#pragma once
/// A service over HTTP: JSON in and out, for whoever has its token.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/live/http_server.hpp"
#include "pipeline/service/service.hpp"

namespace takt::pipeline {

/// `GET /v1/streams`, `POST /v1/streams`, `DELETE /v1/streams/NAME`, `GET /v1/streams/NAME/log` and
/// `GET /v1/status`, each with `Authorization: Bearer TOKEN`; docs/streams.md says what is in them.
/// Everything happens in `run_for`, in the thread that calls it.
class ServiceServer {
 public:
  /// Throws WorkError when it cannot listen there.
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
