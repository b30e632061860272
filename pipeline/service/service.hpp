#pragma once
/// Streams that come and go on one set of processors, while the service lives.

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
  /// Where the store, the logs and the streams' files are; one service at a time.
  std::filesystem::path folder;
  /// Of the machine's processors.
  ProcessorPlaces places;
  /// Hosts of theirs that do not answer, and why.
  std::map<std::string, std::string> lost = {};
};

/// The answer to a request: an HTTP status, and JSON, with `error` where something is wrong.
struct ServiceAnswer {
  unsigned status = 200;
  std::string body;
};

/// What is to be done with an answer, once it is there: measuring a stream, and letting one end, take time.
using Reply = std::function<void(const ServiceAnswer&)>;

/// Admits streams one at a time beside those that run, none of which moves; runs each in processes of its own
/// (stream_job.hpp), so that one which fails, its plug-ins included, leaves the others as they are; and
/// remembers all of it (store.hpp). One thread calls everything, since it is the one that starts processes.
class Service {
 public:
  /// Starts the streams again that ran when the last service on this folder ended, on their old places; those
  /// of lost hosts wait.
  /// Throws WorkError when another service has the folder, ConfigError when the streams in it were admitted
  /// to another machine.
  explicit Service(ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  /// {file, folder, name?, costs?, overwrite?}: measures the tasks, unless costs (as of takt profile) are
  /// given, and admits the stream or refuses it with the reason and the nearest rate that would fit.
  void add(const std::string& request, Reply reply);
  /// Takes a stream away; what it took in is delivered first.
  void drop(const std::string& name, Reply reply);
  [[nodiscard]] ServiceAnswer list() const;
  [[nodiscard]] ServiceAnswer log(const std::string& name) const;
  [[nodiscard]] ServiceAnswer status() const;

  /// Looks after the streams; to be called several times a second.
  void step();
  /// Lets all streams end, which the next service starts again; calls after the first end them at once.
  void stop();
  /// Whether no process of a stream is left.
  [[nodiscard]] bool is_idle() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace takt::pipeline
