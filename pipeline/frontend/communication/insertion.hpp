#pragma once
/// Inserts sends and receives into the calls of each rank.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/frontend/communication/assignment.hpp"
#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// Flows that go together from one rank to another.
struct Transfer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  /// In the order of their sections in the message.
  std::vector<FlowId> flows;
};

struct RankStep {
  enum class Kind : std::uint8_t { call, send, receive };
  Kind kind = Kind::call;
  /// Index of the call, or of the transfer.
  std::uint32_t subject = 0;
};

/// What each rank does, in order.
struct ParallelProgram {
  Assignment assignment;
  std::vector<std::vector<RankStep>> ranks;
  std::vector<Transfer> transfers;
};

struct InsertionOptions {
  /// Join transfers of one call to one rank that are received before the same call: they leave and are needed
  /// at the same time, so no call starts later.
  bool packs = true;
};

/// Inserts the communication of an assignment whose orders agree with the program's flows and precedences.
///
/// A flow goes to each other rank that reads it once: it is sent directly after its call, and received
/// before the first call there that reads it. Between two ranks, sends of one call take the order of their
/// receives; where the orders of sends and receives still differ, a receive moves up in front of the one that
/// follows it in the order of sends, unless a call in between uses the older version of its section. Sends
/// must be buffered; each transfer needs a tag of its own where such an exception occurs. Source: Ahmad et
/// al. (2000), "communication inserter"; receives move up, because exchanging their places would run calls
/// without their data. O(steps log steps).
[[nodiscard]] ParallelProgram insert_communication(const Program& program, Assignment assignment,
                                                   const InsertionOptions& options = {});

/// Returns the names of ranks in listings: `P0`, `P1`, ....
[[nodiscard]] std::vector<std::string> usual_rank_names(std::size_t ranks);

/// Returns the steps of all ranks in the form of the paper's figure 3: `receive(P0, data[2][3]);`.
[[nodiscard]] std::string listing(const Program& program, const ParallelProgram& parallel,
                                  const std::vector<std::string>& names);

}  // namespace takt::frontend
