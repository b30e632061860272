#include "logp/mpi/blocking.hpp"

#include <cstdint>
#include <numeric>

#include "logp/mpi/backoff.hpp"

namespace takt::mpi {

namespace {

void wait(MPI_Request& request, Backoff backoff) {
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) backoff.wait();
}

}  // namespace

void wait(MPI_Request& request) {
  wait(request, Backoff());
}

void barrier(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator, &request);
  wait(request);
}

void await_others(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator, &request);
  wait(request, Backoff::patient());
}

MPI_Comm duplicate(MPI_Comm communicator) {
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(communicator, &duplicate, &request);
  wait(request);
  return duplicate;
}

std::vector<int> gather(int number, MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  std::vector<int> numbers(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, communicator, &request);
  wait(request);
  return numbers;
}

std::vector<std::string> gather(const std::string& text, MPI_Comm communicator) {
  const std::vector<int> lengths = gather(static_cast<int>(text.size()), communicator);
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgatherv(text.data(), static_cast<int>(text.size()), MPI_CHAR, all.data(), lengths.data(),
                  offsets.data(), MPI_CHAR, communicator, &request);
  wait(request);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
  return texts;
}

std::string broadcast(std::string text, MPI_Comm communicator) {
  auto broadcast = [&](void* data, int count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data, count, type, 0, communicator, &request);
    wait(request);
  };
  std::uint64_t size = text.size();
  broadcast(&size, 1, MPI_UINT64_T);
  text.resize(size);
  broadcast(text.data(), static_cast<int>(size), MPI_CHAR);
  return text;
}

}  // namespace takt::mpi
