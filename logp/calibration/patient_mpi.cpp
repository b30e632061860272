#include "logp/calibration/patient_mpi.hpp"

#include <cstdint>
#include <numeric>

#include "logp/calibration/patience.hpp"

namespace takt::logp {

void wait_patiently(MPI_Request& request) {
  Patience patience;
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) patience.wait();
}

void barrier_patiently(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator, &request);
  wait_patiently(request);
}

MPI_Comm duplicate_patiently(MPI_Comm communicator) {
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(communicator, &duplicate, &request);
  wait_patiently(request);
  return duplicate;
}

std::vector<int> gather_patiently(int number, MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  std::vector<int> numbers(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, communicator, &request);
  wait_patiently(request);
  return numbers;
}

std::vector<std::string> gather_patiently(const std::string& text, MPI_Comm communicator) {
  const std::vector<int> lengths = gather_patiently(static_cast<int>(text.size()), communicator);
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgatherv(text.data(), static_cast<int>(text.size()), MPI_CHAR, all.data(), lengths.data(),
                  offsets.data(), MPI_CHAR, communicator, &request);
  wait_patiently(request);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
  return texts;
}

std::string broadcast_patiently(std::string text, MPI_Comm communicator) {
  auto broadcast = [&](void* data, int count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data, count, type, 0, communicator, &request);
    wait_patiently(request);
  };
  std::uint64_t size = text.size();
  broadcast(&size, 1, MPI_UINT64_T);
  text.resize(size);
  broadcast(text.data(), static_cast<int>(size), MPI_CHAR);
  return text;
}

}  // namespace takt::logp
