#pragma once
/// What ranks tell their launcher, and the launcher's wishes: to stop, to write transient buffers.

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace takt::pipeline {

/// A kind (`status`, `plan`, `progress`, ...) and what it says.
struct RankMessage {
  std::string kind, text;
};

/// Environment variable by which ranks find their launcher.
inline constexpr const char* link_variable = "TAKT_LINK";

/// The launcher's end. It listens in a folder that nobody else can enter, so that only this run's ranks are
/// heard.
class LauncherLink {
 public:
  /// Throws WorkError.
  explicit LauncherLink(const std::filesystem::path& folder);
  LauncherLink(const LauncherLink&) = delete;
  LauncherLink& operator=(const LauncherLink&) = delete;
  ~LauncherLink();

  /// The value of link_variable for the ranks.
  [[nodiscard]] std::string endpoints() const;
  /// Waits for a message, or for output of the child (when one is given), no longer than this.
  void wait(std::optional<int> child_output, std::chrono::milliseconds longest);
  [[nodiscard]] std::optional<RankMessage> receive();
  void ask_to_drain();
  /// That transient buffers are written.
  void ask_to_trigger();
  /// That another plan is run from some frame on (a SharedPlan as text).
  void ask_to_change_plan(const std::string& plan);

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

/// A rank's end. Used by one thread.
class RankLink {
 public:
  explicit RankLink(const std::string& endpoints);
  RankLink(const RankLink&) = delete;
  RankLink& operator=(const RankLink&) = delete;
  /// Gives what was sent last two seconds to leave.
  ~RankLink();

  /// Never waits: what a stopped launcher has no room for is thrown away. Whether there was room.
  bool send(const RankMessage& message);
  /// What the launcher has asked for since the last call.
  struct Wishes {
    bool drain = false;
    bool trigger = false;
    /// Another plan, as text.
    std::optional<std::string> plan = {};
  };
  [[nodiscard]] Wishes wishes();

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

/// The link of a rank that takt has launched; null under a user's own mpirun.
[[nodiscard]] std::unique_ptr<RankLink> link_to_launcher();

}  // namespace takt::pipeline
