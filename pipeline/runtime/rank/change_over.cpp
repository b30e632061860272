#include "pipeline/runtime/rank/change_over.hpp"

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/formats/json.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

namespace {

/// Tag of no channel and no group. Kernels move between two ranks in the order of the stages.
constexpr int tag = 32767;

void send_bytes(std::span<const std::byte> bytes, std::size_t to, MPI_Comm communicator) {
  const std::uint64_t size = bytes.size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&size, 1, MPI_UINT64_T, static_cast<int>(to), tag, communicator, &request);
  mpi::wait(request);
  MPI_Isend(bytes.data(), static_cast<int>(size), MPI_BYTE, static_cast<int>(to), tag, communicator,
            &request);
  mpi::wait(request);
}

std::vector<std::byte> receive_bytes(std::size_t from, MPI_Comm communicator) {
  std::uint64_t size = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&size, 1, MPI_UINT64_T, static_cast<int>(from), tag, communicator, &request);
  mpi::wait(request);
  std::vector<std::byte> bytes(size);
  MPI_Irecv(bytes.data(), static_cast<int>(size), MPI_BYTE, static_cast<int>(from), tag, communicator,
            &request);
  mpi::wait(request);
  return bytes;
}

}  // namespace

std::optional<ChangeOver> agree_on_change(const Executor& executor, std::size_t source,
                                          const std::optional<std::string>& wanted, MPI_Comm communicator) {
  const SourceFeed* const feed = executor.source(source);
  std::string own;
  if (feed != nullptr && executor.was_paused() && wanted)
    own = nlohmann::json{{"plan", *wanted}, {"frames", feed->taken()}}.dump();
  std::string said;
  for (std::string& text : mpi::gather(own, communicator))
    if (!text.empty()) said = std::move(text);
  if (said.empty()) return std::nullopt;
  const nlohmann::json change = nlohmann::json::parse(said);
  return ChangeOver{shared_plan_from_text(change["plan"].get<std::string>()),
                    change["frames"].get<std::uint64_t>()};
}

namespace {

/// Returns the number of the last parameter update that a kernel has applied, followed by its state.
std::vector<std::byte> packed(const Pipeline& pipeline, std::size_t stage, const Kernel& kernel,
                              std::uint32_t last_change) {
  return as_stage(pipeline, stage, 0, [&] {
    const std::optional<std::vector<std::byte>> state = kernel.save();
    if (!state) throw WorkError("it cannot move its state to its rank in the new plan");
    std::vector<std::byte> bytes(sizeof(last_change));
    std::memcpy(bytes.data(), &last_change, sizeof(last_change));
    bytes.insert(bytes.end(), state->begin(), state->end());
    return bytes;
  });
}

/// Returns a kernel with the state and parameters of a moved one.
std::unique_ptr<Kernel> unpacked(const Pipeline& pipeline, std::size_t stage,
                                 std::span<const std::byte> bytes, UpdateQueue& changes) {
  return as_stage(pipeline, stage, 0, [&] {
    UpdateQueue::Known known;
    std::memcpy(&known.number, bytes.data(), sizeof(known.number));
    // Every rank receives every update before it begins.
    for (const Change& change : changes.between(0, known.number))
      if (change.stage == stage)
        known.parameters = with_change(
            pipeline, known.parameters ? *known.parameters : pipeline.stages[stage].parameters, change);
    std::unique_ptr<Kernel> kernel =
        pipeline.make_kernel(stage, known.parameters ? *known.parameters : pipeline.stages[stage].parameters);
    kernel->load(bytes.subspan(sizeof(known.number)));
    changes.known(stage) = std::move(known);
    return kernel;
  });
}

}  // namespace

void move_kernels(const Pipeline& pipeline, const RunPlan& from, const RunPlan& to, KeptStages& kept,
                  UpdateQueue& changes, MPI_Comm communicator) {
  int number = 0;
  MPI_Comm_rank(communicator, &number);
  const auto rank = static_cast<std::size_t>(number);
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    if (pipeline.stages[i].kind != StageKind::kernel || pipeline.stages[i].stateless) continue;
    const std::size_t before = from.stages[i].ranks.front(), now = to.stages[i].ranks.front();
    if (before == now) continue;
    if (rank == before)
      send_bytes(packed(pipeline, i, *kept.kernels[i], changes.known(i).number), now, communicator);
    if (rank == now) kept.kernels[i] = unpacked(pipeline, i, receive_bytes(before, communicator), changes);
  }
}

}  // namespace takt::pipeline
