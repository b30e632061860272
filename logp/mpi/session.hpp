#pragma once
/// Lifetime of MPI in a program.

namespace takt::mpi {

/// Initialises MPI for calls from one thread, and finalises it at its end. One per program.
class Session {
 public:
  /// Handler of MPI errors; by default MPI prints them and ends all ranks. Does not return.
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
