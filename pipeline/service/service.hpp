#pragma once
/// A service: admits and drops streams on a shared set of processors.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "logp/machine.hpp"
#include "pipeline/streams/processor_places.hpp"

namespace takt::pipeline {

struct ServiceOptions {
  logp::Machine machine;
  /// Directory of the store, the logs and the streams' files; one service at a time.
  std::filesystem::path folder;
  /// Places of the machine's processors.
  ProcessorPlaces places;
  /// Hosts that do not answer, with reasons.
  std::map<std::string, std::string> lost = {};
};

/// Answer to a request: an HTTP status, and JSON, with `error` after a failure.
struct ServiceAnswer {
  unsigned status = 200;
  std::string body;
};

/// Callback for an answer: measuring a stream and ending one take time.
using Reply = std::function<void(const ServiceAnswer&)>;

/// Admits streams one at a time without moving the running ones. It runs each stream in its own processes
/// (stream_job.hpp), so that a failure, also of a plug-in, does not affect the others, and stores its state
/// (store.hpp). One thread must make all calls, because it starts the processes.
class Service {
 public:
  /// Restarts the streams that ran at the end of the last service on this directory, in
  /// their old places; streams of lost hosts wait. Throws WorkError when another
  /// service uses the directory, ConfigError when its streams were admitted to another
  /// machine.
  explicit Service(ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  /// Accepts {file, folder, name?, costs?, overwrite?}: measures the tasks, unless costs (from takt profile)
  /// are given, and admits the stream or rejects it with the reason and the nearest feasible rate.
  void add(const std::string& request, Reply reply);
  /// Ends a stream after delivering the frames it has read.
  void drop(const std::string& name, Reply reply);
  [[nodiscard]] ServiceAnswer list() const;
  [[nodiscard]] ServiceAnswer log(const std::string& name) const;
  [[nodiscard]] ServiceAnswer status() const;

  /// Maintains the streams; call several times a second.
  void step();
  /// Ends all streams, which the next service restarts; a second call ends them immediately.
  void stop();
  /// Returns true if no process of a stream is left.
  [[nodiscard]] bool is_idle() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace takt::pipeline
