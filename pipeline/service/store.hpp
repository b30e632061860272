#pragma once
/// What a service remembers when it is not there: its streams and where they are in the timetable.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace takt::pipeline {

enum class StreamState : std::uint8_t {
  /// It has its places and runs, or is to be run when the service comes back.
  running,
  /// It came to its end; its places are free.
  ended,
  /// It failed; its places are free.
  failed,
  /// A host of its was lost; it is admitted again once there are places for it.
  waiting,
};

[[nodiscard]] std::string_view name_of(StreamState state);

/// A row of the store.
struct StoredStream {
  std::string name;
  /// Absolute.
  std::string file;
  /// Where its relative outputs are.
  std::string folder;
  /// As takt profile writes them.
  std::string costs;
  StreamState state = StreamState::running;
  /// Why it failed, or waits.
  std::string failure;
  bool overwrites = false;
  double required_hz = 0, promised_hz = 0;
  std::int64_t latency_ns = 0;
  /// Of its launcher; 0 where none runs.
  std::int64_t pid = 0;
  /// Seconds since 1970.
  std::int64_t added = 0;
};

enum class StoreAccess : std::uint8_t { read_write, read_only };

/// An SQLite database in one file: each change is on disk when the call returns, or not there at all.
class ServiceStore {
 public:
  /// Makes the file where there is none and it may write. Throws WorkError, also for one that is no store of
  /// takt's.
  explicit ServiceStore(const std::filesystem::path& file, StoreAccess access = StoreAccess::read_write);
  ServiceStore(const ServiceStore&) = delete;
  ServiceStore& operator=(const ServiceStore&) = delete;
  ~ServiceStore();

  /// By the time that they were added.
  [[nodiscard]] std::vector<StoredStream> streams() const;
  /// Adds a stream, or replaces the one of this name, together with the timetable.
  void put(const StoredStream& stream, const std::string& timetable);
  void remove(const std::string& name, const std::string& timetable);
  /// As a schedule file; empty where no stream runs.
  [[nodiscard]] std::string timetable() const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace takt::pipeline
