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

/// The launcher's end. It listens in a folder that nobody else can enter, or on an address of this computer
/// with a key of the run (link_guard.hpp), so that only this run's ranks are heard.
class LauncherLink {
 public:
  /// Throws WorkError.
  explicit LauncherLink(const std::filesystem::path& folder, const std::optional<std::string>& address = {});
  LauncherLink(const LauncherLink&) = delete;
  LauncherLink& operator=(const LauncherLink&) = delete;
  ~LauncherLink();

  /// The value of link_variable for the ranks; on an address it holds the run's key.
  [[nodiscard]] std::string endpoints() const;
  /// Waits for a message, or for output of the child (when one is given), no longer than this.
  void wait(std::optional<int> child_output, std::chrono::milliseconds longest);
  /// Of both kinds of senders: an AssuredLink has its answer once its message is given here.
  [[nodiscard]] std::optional<RankMessage> receive();
  void ask_to_drain();
  /// That ranks whose stream has not begun end at once.
  void ask_to_leave();
  /// That transient buffers are written.
  void ask_to_trigger();
  /// That another plan is run from some frame on (a SharedPlan as text).
  void ask_to_change_plan(const std::string& plan);
  /// That a change of a parameter is prepared (a Change as text); that those up to a number begin.
  void ask_to_prepare(const std::string& change);
  void ask_to_begin(std::uint32_t number);

  /// What another program asks of the run (ask_run), once: nothing where nobody asks, or where the last one
  /// has no answer yet.
  [[nodiscard]] std::optional<std::string> request();
  void answer(const std::string& text);
  /// That sinks begin new files.
  void ask_for_new_files();
  /// That sinks write nothing, or go on writing, into new files.
  void ask_to_hold(bool are_held);
  /// That frames of this stage are shown (runtime/probe.hpp), or of none.
  void ask_to_probe(std::optional<std::size_t> stage);

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
  struct Commands {
    bool drain = false;
    bool leave = false;
    bool trigger = false;
    /// Another plan, as text.
    std::optional<std::string> plan = {};
    /// Changes to prepare, as text.
    std::vector<std::string> changes = {};
    /// The last change that may begin; 0: as before.
    std::uint32_t begins = 0;
    bool begin_files = false;
    std::optional<bool> hold = {};
    /// A stage, or none any more.
    std::optional<std::optional<std::size_t>> probe = {};

    [[nodiscard]] bool changes_outputs() const { return begin_files || hold; }
  };
  [[nodiscard]] Commands commands();

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

/// A rank's end for what must not die with it: it goes on when the launcher knows. Used by one thread.
class AssuredLink {
 public:
  explicit AssuredLink(const std::string& endpoints);
  AssuredLink(const AssuredLink&) = delete;
  AssuredLink& operator=(const AssuredLink&) = delete;
  ~AssuredLink();

  /// Waits until the launcher has the message, no longer than this; not at all while it has not answered the
  /// one before. Whether it has. Takes about 0.4 ms, the first time some ms.
  bool send(const RankMessage& message, std::chrono::milliseconds longest);

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

/// Asks the launcher of a run, by the run's folder, and waits for its answer; nothing where none has come in
/// time. Throws WorkError where there is none to ask.
[[nodiscard]] std::optional<std::string> ask_run(const std::filesystem::path& folder,
                                                 const std::string& request,
                                                 std::chrono::milliseconds longest);

/// The links of a rank that takt has launched; null under a user's own mpirun.
[[nodiscard]] std::unique_ptr<RankLink> link_to_launcher();
[[nodiscard]] std::unique_ptr<AssuredLink> assured_link_to_launcher();

}  // namespace takt::pipeline
