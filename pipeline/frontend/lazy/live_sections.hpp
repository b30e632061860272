#pragma once
/// Which calls wrote the data that later calls still read, in memory for these data only.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// How arrays are divided into blocks, each of which is forgotten as a whole.
struct BlockSizes {
  /// A power of two.
  std::uint64_t least_bytes = 4096;
  /// For each array; small enough to be kept for all arrays of a program.
  std::uint64_t most_blocks = 1 << 16;
};

/// The last call that uses each block of each array: the result of a first pass over the calls.
class LastUses {
 public:
  explicit LastUses(BlockSizes sizes = {}) : sizes_(sizes) {}

  /// Adds the next call. O(blocks of its sections).
  void add(const Program& program, const Call& call);

  [[nodiscard]] std::uint64_t call_count() const { return calls_; }

 private:
  friend class LiveSections;
  struct Blocks {
    unsigned shift = 0;
    std::vector<std::uint32_t> last_call;
  };
  BlockSizes sizes_;
  std::uint32_t calls_ = 0;
  std::vector<Blocks> arrays_;
};

/// The last writers of all data that later calls use: a second pass over the same calls. A writer is a number
/// that is used again once nothing depends on it.
///
/// For each call, in this order: read(), is_first_transfer() for its inputs on other processors, write().
/// The rules are those of Dependences, and the inputs its flows. Memory: 8 bytes for each run of data with
/// one writer, 8 for each writer and 24 for each transfer, as long as a later call uses their block.
class LiveSections {
 public:
  /// Data that a call reads from one writer by one argument.
  struct Input {
    std::uint32_t writer = 0;
    ArrayId array;
    /// The first byte, the number of bytes, and a hash of all runs of bytes.
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;
    std::uint64_t runs = 0;
    /// The run at the end.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  LiveSections(const Program& program, LastUses uses);

  /// Finds the inputs of the next call. Returns its violations of the rules.
  [[nodiscard]] std::vector<Violation> read(const Call& call);
  /// Returns those that earlier calls wrote.
  [[nodiscard]] std::span<const Input> inputs() const { return inputs_; }
  /// Adds the transfer of an input to a processor; returns false if one took the same data there before.
  [[nodiscard]] bool is_first_transfer(const Input& input, std::uint32_t processor);
  /// Makes the call the writer of its results, and forgets all blocks that it is the last to use. Sets
  /// `writer` to its number; to nothing if it writes no data. Returns its violations of the rules.
  [[nodiscard]] std::vector<Violation> write(const Call& call, std::optional<std::uint32_t>& writer);

  /// Returns the largest writer's number that has been used, plus 1.
  [[nodiscard]] std::size_t writer_count() const { return writers_.size(); }

 private:
  /// Data from `begin` up to the next interval, relative to the block.
  struct Interval {
    std::uint32_t begin = 0;
    std::uint32_t writer = 0;
  };
  struct Transfer {
    std::uint32_t first = 0;
    std::uint32_t writer = 0;
    std::uint32_t processor = 0;
    std::uint64_t runs = 0;
    friend auto operator<=>(const Transfer&, const Transfer&) = default;
  };
  struct Block {
    std::vector<Interval> intervals;
    /// In ascending order.
    std::vector<Transfer> transfers;
  };
  struct Writer {
    std::uint32_t intervals = 0;
    /// Position in inputs_, if the input there is of this writer.
    std::uint32_t input = 0;
  };
  static constexpr std::uint32_t none = 0xffffffff, initial = 0xfffffffe;

  /// Calls `action(block index, begin, end)` for a section's parts in each block, relative to the block.
  template <class Action>
  void for_each_part(const Section& section, const Action& action);
  [[nodiscard]] Block& block(ArrayId array, std::uint64_t index);
  [[nodiscard]] std::size_t cut(Block& block, std::uint32_t position);
  void add_input(std::size_t first_of_argument, ArrayId array, std::uint32_t writer, std::uint64_t begin,
                 std::uint64_t end);
  [[nodiscard]] std::uint32_t new_writer();
  void release(std::uint32_t writer);

  const Program& program_;
  LastUses uses_;
  std::vector<std::vector<Block>> blocks_;
  std::vector<Writer> writers_;
  std::vector<std::uint32_t> free_writers_;
  std::vector<Input> inputs_;
  std::uint32_t call_ = 0;
};

}  // namespace takt::frontend
