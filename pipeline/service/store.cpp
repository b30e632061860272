#include "pipeline/service/store.hpp"

#include <array>
#include <functional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

constexpr std::array state_names{"running", "ended", "failed", "waiting"};

StreamState state_of(const std::string& name) {
  for (std::size_t i = 0; i < state_names.size(); ++i)
    if (name == state_names[i]) return static_cast<StreamState>(i);
  throw WorkError(fmt::format("the service's store has a stream in the unknown state '{}'", name));
}

/// Version of the tables, in the file's user_version.
constexpr int store_version = 2;

constexpr const char* tables = R"(
CREATE TABLE IF NOT EXISTS streams (
  name TEXT PRIMARY KEY, file TEXT NOT NULL, folder TEXT NOT NULL, costs TEXT NOT NULL, state TEXT NOT NULL,
  failure TEXT NOT NULL, overwrites INTEGER NOT NULL, required_hz REAL NOT NULL, promised_hz REAL NOT NULL,
  latency_ns INTEGER NOT NULL, pid INTEGER NOT NULL, added INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS timetable (only INTEGER PRIMARY KEY CHECK (only = 0), schedule TEXT NOT NULL);
PRAGMA user_version = 2;
)";

}  // namespace

std::string_view name_of(StreamState state) {
  return state_names[static_cast<std::size_t>(state)];
}

struct ServiceStore::Database {
  Database(const std::filesystem::path& path, StoreAccess access) : file(path) {
    const int flags =
        access == StoreAccess::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (::sqlite3_open_v2(path.c_str(), &handle, flags, nullptr) != SQLITE_OK) fail();
    constexpr int patience_ms = 5000;
    ::sqlite3_busy_timeout(handle, patience_ms);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { ::sqlite3_close(handle); }

  [[noreturn]] void fail() const {
    const std::string reason = handle != nullptr ? ::sqlite3_errmsg(handle) : "no memory";
    const int code = handle != nullptr ? ::sqlite3_errcode(handle) : SQLITE_NOMEM;
    const bool is_damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    throw WorkError(fmt::format(
        "the service's store {} {}: {}{}", file.string(), is_damaged ? "is damaged" : "cannot be used",
        reason,
        is_damaged ? "; remove that file to start without its streams, or use another --folder" : ""));
  }
  void run(const char* text) const {
    if (::sqlite3_exec(handle, text, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }

  std::filesystem::path file;
  sqlite3* handle = nullptr;
};

namespace {

/// One statement with its values.
class Statement {
 public:
  Statement(sqlite3* database, const char* text, std::function<void()> fail)
      : database_(database), fail_(std::move(fail)) {
    if (::sqlite3_prepare_v2(database_, text, -1, &statement_, nullptr) != SQLITE_OK) fail_();
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { ::sqlite3_finalize(statement_); }

  Statement& with(const std::string& text) {
    ::sqlite3_bind_text(statement_, ++bound_, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& with(std::int64_t number) {
    ::sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  Statement& with(double number) {
    ::sqlite3_bind_double(statement_, ++bound_, number);
    return *this;
  }
  /// Returns true if there is a row.
  bool step() {
    const int result = ::sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail_();
    return result == SQLITE_ROW;
  }
  [[nodiscard]] std::string text(int column) const {
    const auto* const value = ::sqlite3_column_text(statement_, column);
    return value == nullptr ? "" : reinterpret_cast<const char*>(value);
  }
  [[nodiscard]] std::int64_t whole(int column) const { return ::sqlite3_column_int64(statement_, column); }
  [[nodiscard]] double real(int column) const { return ::sqlite3_column_double(statement_, column); }

 private:
  sqlite3* database_;
  std::function<void()> fail_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// An atomic transaction.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database) {
    ::sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!is_done_) ::sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  /// Returns true if it was written.
  [[nodiscard]] bool commit() {
    is_done_ = ::sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK;
    return is_done_;
  }

 private:
  sqlite3* database_;
  bool is_done_ = false;
};

}  // namespace

ServiceStore::ServiceStore(const std::filesystem::path& file, StoreAccess access)
    : database_(std::make_unique<Database>(file, access)) {
  int version = 0;
  {
    Statement statement(database_->handle, "PRAGMA user_version", [this] { database_->fail(); });
    if (statement.step()) version = static_cast<int>(statement.whole(0));
  }
  if (version > store_version)
    throw WorkError(fmt::format("the service's store {} has version {}, of a later takt: expected at most {}",
                                file.string(), version, store_version));
  if (access == StoreAccess::read_only) {
    if (version == store_version) return;
    throw WorkError(fmt::format("{} is not a store of takt serve: its user_version is {}: expected {}",
                                file.string(), version, store_version));
  }
  database_->run("PRAGMA synchronous = FULL");
  database_->run(tables);
}

ServiceStore::~ServiceStore() = default;

std::vector<StoredStream> ServiceStore::streams() const {
  Statement rows(database_->handle,
                 "SELECT name, file, folder, costs, state, failure, overwrites, required_hz, promised_hz, "
                 "latency_ns, pid, added FROM streams ORDER BY added, rowid",
                 [this] { database_->fail(); });
  std::vector<StoredStream> streams;
  while (rows.step())
    streams.push_back({.name = rows.text(0),
                       .file = rows.text(1),
                       .folder = rows.text(2),
                       .costs = rows.text(3),
                       .state = state_of(rows.text(4)),
                       .failure = rows.text(5),
                       .overwrites = rows.whole(6) != 0,
                       .required_hz = rows.real(7),
                       .promised_hz = rows.real(8),
                       .latency_ns = rows.whole(9),
                       .pid = rows.whole(10),
                       .added = rows.whole(11)});
  return streams;
}

namespace {

void write_timetable(sqlite3* database, const std::string& timetable, const std::function<void()>& fail) {
  Statement(database, "INSERT OR REPLACE INTO timetable VALUES (0, ?)", fail).with(timetable).step();
}

}  // namespace

void ServiceStore::put(const StoredStream& stream, const std::string& timetable) {
  const auto fail = [this] { database_->fail(); };
  Transaction transaction(database_->handle);
  Statement(database_->handle, "INSERT OR REPLACE INTO streams VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", fail)
      .with(stream.name)
      .with(stream.file)
      .with(stream.folder)
      .with(stream.costs)
      .with(std::string(name_of(stream.state)))
      .with(stream.failure)
      .with(std::int64_t{stream.overwrites})
      .with(stream.required_hz)
      .with(stream.promised_hz)
      .with(stream.latency_ns)
      .with(stream.pid)
      .with(stream.added)
      .step();
  write_timetable(database_->handle, timetable, fail);
  if (!transaction.commit()) database_->fail();
}

void ServiceStore::remove(const std::string& name, const std::string& timetable) {
  const auto fail = [this] { database_->fail(); };
  Transaction transaction(database_->handle);
  Statement(database_->handle, "DELETE FROM streams WHERE name = ?", fail).with(name).step();
  write_timetable(database_->handle, timetable, fail);
  if (!transaction.commit()) database_->fail();
}

std::string ServiceStore::timetable() const {
  Statement row(database_->handle, "SELECT schedule FROM timetable", [this] { database_->fail(); });
  return row.step() ? row.text(0) : "";
}

}  // namespace takt::pipeline
