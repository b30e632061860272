#include "logp/mpi/session.hpp"

#include <array>
#include <cstdlib>

#include <mpi.h>
#include <sys/prctl.h>

#include "core/system/allowed_processors.hpp"

namespace takt::mpi {

namespace {

Session::ErrorHandler chosen_handler = nullptr;

void handle_error(MPI_Comm* /*communicator*/, int* error, ...) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(*error, text.data(), &length);
  chosen_handler(text.data());
}

/// Returns the ranks of this host per processor, from mpirun or Slurm; 1 if neither defines it.
unsigned long ranks_per_processor() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_TASKS_PER_NODE"})
    if (const char* ranks = std::getenv(variable))
      return std::strtoul(ranks, nullptr, 10) / allowed_processors().size();
  return 1;
}

/// With oversubscribed processors, MPI_Init polls every 100 us: the waiting ranks would take the time from
/// those that are still starting. With timer slack the system wakes them later, so that all polls together
/// cost a few percent of a processor, at about 10 us a poll.
class LateTimers {
 public:
  LateTimers() {
    constexpr unsigned long for_each_rank_ns = 200'000;
    if (const unsigned long ranks = ranks_per_processor(); ranks > 1)
      ::prctl(PR_SET_TIMERSLACK, ranks * for_each_rank_ns);
  }
  LateTimers(const LateTimers&) = delete;
  LateTimers& operator=(const LateTimers&) = delete;
  /// Restores the default of the thread.
  ~LateTimers() { ::prctl(PR_SET_TIMERSLACK, 0UL); }
};

}  // namespace

Session::Session(ErrorHandler on_error) {
  int provided = 0;
  {
    const LateTimers late;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  if (on_error != nullptr) {
    chosen_handler = on_error;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(handle_error, &handler);
    // Communicators derived from this one inherit it.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Session::~Session() {
  const LateTimers late;
  MPI_Finalize();
}

}  // namespace takt::mpi
