#pragma once
/// MPI for as long as a program needs it.

namespace takt::mpi {

/// Initialises MPI for calls from one thread, and finalises it at its end. One a program.
class Session {
 public:
  /// What an MPI error does, by default MPI's own page and the end of all ranks. Does not return.
  using ErrorHandler = void (*)(const char* reason);

  explicit Session(ErrorHandler on_error = nullptr);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Of MPI_COMM_WORLD.
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace takt::mpi
