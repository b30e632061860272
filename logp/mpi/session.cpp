#include "logp/mpi/session.hpp"

#include <array>

#include <mpi.h>

namespace takt::mpi {

namespace {

Session::ErrorHandler chosen_handler = nullptr;

void handle_error(MPI_Comm* /*communicator*/, int* error, ...) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(*error, text.data(), &length);
  chosen_handler(text.data());
}

}  // namespace

Session::Session(ErrorHandler on_error) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (on_error != nullptr) {
    chosen_handler = on_error;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(handle_error, &handler);
    // Communicators made from this one inherit it.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Session::~Session() {
  MPI_Finalize();
}

}  // namespace takt::mpi
