#pragma once
/// Stores the streams of a service and their places in the timetable.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace takt::pipeline {

enum class StreamState : std::uint8_t {
  /// It has its places and runs, or restarts with the service.
  running,
  /// It ended; its places are free.
  ended,
  /// It failed; its places are free.
  failed,
  /// One of its hosts was lost; it is readmitted when places are free.
  waiting,
};

[[nodiscard]] std::string_view name_of(StreamState state);

/// A row of the store.
struct StoredStream {
  std::string name;
  /// Absolute.
  std::string file;
  /// Directory of its relative outputs.
  std::string folder;
  /// In the format of takt profile.
  std::string costs;
  StreamState state = StreamState::running;
  /// Why it failed or waits.
  std::string failure;
  bool overwrites = false;
  double required_hz = 0, promised_hz = 0;
  std::int64_t latency_ns = 0;
  /// Process id of its launcher; 0 if none runs.
  std::int64_t pid = 0;
  /// Seconds since 1970.
  std::int64_t added = 0;
};

enum class StoreAccess : std::uint8_t { read_write, read_only };

/// An SQLite database in one file: when a call returns, its change is on disk or not made at all.
class ServiceStore {
 public:
  /// Creates the file if necessary and permitted. Throws WorkError, also for another kind of
  /// file.
  explicit ServiceStore(const std::filesystem::path& file, StoreAccess access = StoreAccess::read_write);
  ServiceStore(const ServiceStore&) = delete;
  ServiceStore& operator=(const ServiceStore&) = delete;
  ~ServiceStore();

  /// Returns the streams in the order of addition.
  [[nodiscard]] std::vector<StoredStream> streams() const;
  /// Adds a stream, or replaces the one of this name, together with the timetable.
  void put(const StoredStream& stream, const std::string& timetable);
  void remove(const std::string& name, const std::string& timetable);
  /// Returns the timetable as a schedule file; empty if no stream runs.
  [[nodiscard]] std::string timetable() const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace takt::pipeline
