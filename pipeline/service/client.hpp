#pragma once
/// Client of a service.

#include <filesystem>
#include <string>

#include "pipeline/service/service.hpp"

namespace takt::pipeline {

/// Contact data of a service: two files in its directory.
struct ServiceContact {
  /// `127.0.0.1:40123`.
  std::string address;
  std::string token;
};

/// Returns $XDG_STATE_HOME/takt/service, or ~/.local/state/takt/service.
[[nodiscard]] std::filesystem::path usual_service_folder();

/// Returns the token in the directory; creates it if necessary, readable by this user only. Throws WorkError.
[[nodiscard]] std::string own_token(const std::filesystem::path& folder);
void write_address(const std::filesystem::path& folder, const std::string& address);

/// While an object exists, clients wait for the service that starts on the directory.
class StartingMark {
 public:
  /// The directory must exist. If it cannot be marked, clients do not wait.
  explicit StartingMark(const std::filesystem::path& folder);
  StartingMark(const StartingMark&) = delete;
  StartingMark& operator=(const StartingMark&) = delete;
  ~StartingMark();

 private:
  int file_ = -1;
};

/// Waits for a starting service, and briefly for one that may just have been launched. Throws WorkError if no
/// service has written its address to the directory.
[[nodiscard]] ServiceContact read_contact(const std::filesystem::path& folder);

/// Sends one request and waits for its answer without a time limit. Throws WorkError if there is no answer.
[[nodiscard]] ServiceAnswer ask(const ServiceContact& contact, const std::string& method,
                                const std::string& target, const std::string& body = {});

/// Encodes a name as part of a target.
[[nodiscard]] std::string encoded(const std::string& name);

}  // namespace takt::pipeline
