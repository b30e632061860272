#pragma once
/// The link between ranks and launcher: messages of the ranks, commands of the launcher, and requests of
/// other programs to the launcher.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/protocol/message_kind.hpp"

namespace takt::pipeline {

/// A message of a rank.
struct RankMessage {
  RankMessageKind kind = RankMessageKind::status;
  std::string text = {};
};

/// Environment variable by which ranks find their launcher.
inline constexpr const char* link_variable = "TAKT_LINK";

/// The launcher's end. Only ranks of this run can connect: it listens in a folder that only this user can
/// enter, or on an address of this computer with a key of the run (link_guard.hpp).
class LauncherLink {
 public:
  /// Throws WorkError.
  explicit LauncherLink(const std::filesystem::path& folder, const std::optional<std::string>& address = {});
  LauncherLink(const LauncherLink&) = delete;
  LauncherLink& operator=(const LauncherLink&) = delete;
  ~LauncherLink();

  /// Returns the value of link_variable for the ranks; on an address it contains the run's key.
  [[nodiscard]] std::string endpoints() const;
  /// Waits for a message, or for output of the child if one is given, at most `longest`.
  void wait(std::optional<int> child_output, std::chrono::milliseconds longest);
  /// Returns the next message of a RankLink or AssuredLink, and acknowledges the latter's.
  [[nodiscard]] std::optional<RankMessage> receive();
  void ask_to_drain();
  /// Makes ranks whose stream has not begun end immediately.
  void ask_to_leave();
  /// Makes sinks write their transient buffers.
  void ask_to_trigger();
  /// Makes ranks run another plan from some frame on (a SharedPlan as text).
  void ask_to_change_plan(const std::string& plan);
  /// Makes ranks prepare a parameter update (a Change as text); makes updates up to a number begin.
  void ask_to_prepare(const std::string& change);
  void ask_to_begin(std::uint32_t number);

  /// Returns the request of another program (ask_run), once; nothing if there is none, or while the previous
  /// one has no answer.
  [[nodiscard]] std::optional<std::string> request();
  void answer(const std::string& text);
  /// Makes sinks begin new files.
  void ask_for_new_files();
  /// Makes sinks stop writing, or continue in new files.
  void ask_to_hold(bool are_held);
  /// Makes the ranks send frames of this stage (runtime/probe.hpp), or of none.
  void ask_to_probe(std::optional<std::size_t> stage);

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

/// The rank's end, used by one thread.
class RankLink {
 public:
  explicit RankLink(const std::string& endpoints);
  RankLink(const RankLink&) = delete;
  RankLink& operator=(const RankLink&) = delete;
  /// Waits up to 2 s until the last messages have left.
  ~RankLink();

  /// Sends without waiting; discards the message and returns false if a stopped launcher's queue is full.
  bool send(const RankMessage& message);
  /// Commands of the launcher since the last call.
  struct Commands {
    bool drain = false;
    bool leave = false;
    bool trigger = false;
    /// Another plan, as text.
    std::optional<std::string> plan = {};
    /// Changes to prepare, as text.
    std::vector<std::string> changes = {};
    /// Number of the last update that may begin; 0: unchanged.
    std::uint32_t begins = 0;
    bool begin_files = false;
    std::optional<bool> hold = {};
    /// The stage to observe, or none from now on.
    std::optional<std::optional<std::size_t>> probe = {};

    [[nodiscard]] bool changes_outputs() const { return begin_files || hold; }
  };
  [[nodiscard]] Commands commands();

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

/// The rank's end for acknowledged messages, which must outlive the rank. Used by one thread.
class AssuredLink {
 public:
  explicit AssuredLink(const std::string& endpoints);
  AssuredLink(const AssuredLink&) = delete;
  AssuredLink& operator=(const AssuredLink&) = delete;
  ~AssuredLink();

  /// Sends a message and waits until the launcher has it, at most `longest`; never waits if the previous one
  /// is not acknowledged. Returns whether the launcher has it. Takes about 0.4 ms, the first time some ms.
  bool send(const RankMessage& message, std::chrono::milliseconds longest);

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

/// Sends a request to the launcher of a run, found by the run's folder, and waits for its answer; returns
/// nothing if none arrives in time. Throws WorkError if there is no launcher.
[[nodiscard]] std::optional<std::string> ask_run(const std::filesystem::path& folder,
                                                 const std::string& request,
                                                 std::chrono::milliseconds longest);

/// The links of a rank that takt has launched; null under a user's own mpirun.
[[nodiscard]] std::unique_ptr<RankLink> link_to_launcher();
[[nodiscard]] std::unique_ptr<AssuredLink> assured_link_to_launcher();

}  // namespace takt::pipeline
