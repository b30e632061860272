#pragma once
/// A unit of computation: a procedure with its arguments, its place in the graph, and how far its entries
/// have got.

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "pipeline/tasking/ticket.hpp"

namespace takt::tasking::schedule {

/// Any procedure; a call converts it to its own type.
using Procedure = void (*)();

/// A call of a procedure that was recorded.
struct Call {
  static constexpr std::size_t most_parameters = 20;
  using Parameters = std::array<void*, most_parameters>;

  /// How `procedure` is called: as a Fortran subroutine with 20 arguments, of which it uses the first ones,
  /// or as `procedure(tag, parameters[0])`.
  enum class Kind { fortran, with_context };

  Procedure procedure = nullptr;
  Kind kind = Kind::fortran;
  Parameters parameters{};

  void operator()(std::int64_t tag) const;
};

struct Unit {
  std::int64_t tag = 0;
  detail::Ticket ticket;
  /// Units on which it depends that are not complete.
  std::atomic<std::int64_t> open{0};
  /// Tag of the unit that has spawned this one; 0 for a static unit.
  std::int64_t parent = 0;
  Call call;

  std::int64_t icango = 0;
  std::vector<std::int64_t> dependents;
  bool has_dep = false;
  bool has_putq = false;

  /// The entry of this execution, from 1; the label of a `wait` that was .false. counts as entered.
  std::int64_t entry = 0;
  std::int64_t next_entry = 1;
  /// Number of entries, from the call of `ientry`; 0 before that call.
  std::int64_t entries = 0;
  /// `wait` has said .true. in this execution: the next entry is its label.
  bool is_to_return = false;
  bool has_spawned = false;
  bool has_spawned_in_this_execution = false;
  /// From `nxtag`, for the `spawn` that follows; 0: none.
  std::int64_t claimed_tag = 0;
  Unit* claimed = nullptr;
};

}  // namespace takt::tasking::schedule
