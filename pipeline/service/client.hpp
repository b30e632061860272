#pragma once
/// Who asks a service.

#include <filesystem>
#include <string>

#include "pipeline/service/service.hpp"

namespace takt::pipeline {

/// How clients find a service: two files in its folder.
struct ServiceContact {
  /// `127.0.0.1:40123`.
  std::string address;
  std::string token;
};

/// $XDG_STATE_HOME/takt/service, or ~/.local/state/takt/service.
[[nodiscard]] std::filesystem::path usual_service_folder();

/// The token in the folder; made when there is none yet, for this user's eyes only. Throws WorkError.
[[nodiscard]] std::string own_token(const std::filesystem::path& folder);
void write_address(const std::filesystem::path& folder, const std::string& address);

/// While it lives, clients wait for the service that starts on the folder.
class StartingMark {
 public:
  /// The folder exists. Where it cannot be marked, clients do not wait.
  explicit StartingMark(const std::filesystem::path& folder);
  StartingMark(const StartingMark&) = delete;
  StartingMark& operator=(const StartingMark&) = delete;
  ~StartingMark();

 private:
  int file_ = -1;
};

/// Waits for a service that starts, also for a moment for one that may just have been started. Throws
/// WorkError where no service has left its address in the folder.
[[nodiscard]] ServiceContact read_contact(const std::filesystem::path& folder);

/// One request, and its answer however long that takes. Throws WorkError when nobody answers.
[[nodiscard]] ServiceAnswer ask(const ServiceContact& contact, const std::string& method,
                                const std::string& target, const std::string& body = {});

/// A name as part of a target.
[[nodiscard]] std::string encoded(const std::string& name);

}  // namespace takt::pipeline
