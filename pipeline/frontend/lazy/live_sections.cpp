#include "pipeline/frontend/lazy/live_sections.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "core/error.hpp"
#include "pipeline/frontend/reading/dependences.hpp"

namespace takt::frontend {

namespace {

/// Adds a run of bytes to a hash (the finaliser of MurmurHash3).
std::uint64_t mixed(std::uint64_t hash, std::uint64_t begin, std::uint64_t end) {
  for (const std::uint64_t number : {begin, end}) {
    hash = (hash ^ number) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    hash ^= hash >> 33;
  }
  return hash;
}

template <class Action>
void for_each_block(const Section& section, unsigned shift, const Action& action) {
  for (std::uint64_t row = 0; row < section.rows; ++row) {
    const std::uint64_t begin = section.offset + row * section.pitch, end = begin + section.bytes;
    for (std::uint64_t index = begin >> shift; index << shift < end; ++index) {
      const std::uint64_t start = index << shift;
      action(index, std::max(begin, start) - start, std::min(end - start, std::uint64_t{1} << shift));
    }
  }
}

}  // namespace

void LastUses::add(const Program& program, const Call& call) {
  if (calls_ == 0xfffffffe) throw ConfigError(program.source.name() + ": main makes more than 2^32 calls");
  while (arrays_.size() < program.arrays.size()) {
    const std::uint64_t bytes = program.arrays[arrays_.size()].bytes;
    const std::uint64_t block =
        std::bit_ceil(std::max(sizes_.least_bytes, (bytes + sizes_.most_blocks - 1) / sizes_.most_blocks));
    const auto shift = static_cast<unsigned>(std::countr_zero(block));
    if (shift > 31) throw ConfigError(program.source.name() + ": an array is too large to plan");
    arrays_.push_back({.shift = shift, .last_call = std::vector<std::uint32_t>((bytes >> shift) + 1, 0)});
  }
  for (const Argument& argument : call.arguments) {
    if (!argument.section) continue;
    Blocks& blocks = arrays_[argument.section->array.index()];
    for_each_block(*argument.section, blocks.shift, [&](std::uint64_t index, std::uint64_t, std::uint64_t) {
      blocks.last_call[index] = calls_;
    });
  }
  ++calls_;
}

LiveSections::LiveSections(const Program& program, LastUses uses)
    : program_(program), uses_(std::move(uses)) {
  for (const LastUses::Blocks& blocks : uses_.arrays_) blocks_.emplace_back(blocks.last_call.size());
}

template <class Action>
void LiveSections::for_each_part(const Section& section, const Action& action) {
  for_each_block(section, uses_.arrays_[section.array.index()].shift,
                 [&](std::uint64_t index, std::uint64_t begin, std::uint64_t end) {
                   action(index, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
                 });
}

LiveSections::Block& LiveSections::block(ArrayId array, std::uint64_t index) {
  Block& found = blocks_[array.index()][index];
  if (found.intervals.empty())
    found.intervals.push_back({0, program_.arrays[array.index()].is_initialised ? initial : none});
  return found;
}

std::uint32_t LiveSections::new_writer() {
  if (free_writers_.empty()) {
    writers_.emplace_back();
    return static_cast<std::uint32_t>(writers_.size() - 1);
  }
  const std::uint32_t writer = free_writers_.back();
  free_writers_.pop_back();
  return writer;
}

void LiveSections::release(std::uint32_t writer) {
  if (writer < initial && --writers_[writer].intervals == 0) free_writers_.push_back(writer);
}

void LiveSections::add_input(std::size_t first_of_argument, ArrayId array, std::uint32_t writer,
                             std::uint64_t begin, std::uint64_t end) {
  std::uint32_t& known = writers_[writer].input;
  if (known < first_of_argument || known >= inputs_.size() || inputs_[known].writer != writer) {
    known = static_cast<std::uint32_t>(inputs_.size());
    inputs_.push_back({.writer = writer, .array = array, .first = begin, .begin = begin, .end = begin});
  }
  Input& input = inputs_[known];
  input.bytes += end - begin;
  if (input.end != begin) {
    input.runs = mixed(input.runs, input.begin, input.end);
    input.begin = begin;
  }
  input.end = end;
}

std::vector<Violation> LiveSections::read(const Call& call) {
  inputs_.clear();
  if (std::optional<Violation> found = aliasing_of(program_, call)) return {std::move(*found)};
  std::vector<Violation> violations;
  const Procedure& procedure = program_.procedure(call);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.arguments[i].section || procedure.parameters[i].access == Access::out) continue;
    const Section& section = *call.arguments[i].section;
    const unsigned shift = uses_.arrays_[section.array.index()].shift;
    const std::size_t first = inputs_.size();
    std::optional<Section> missing;
    for_each_part(section, [&](std::uint64_t index, std::uint32_t begin, std::uint32_t end) {
      const std::vector<Interval>& known = block(section.array, index).intervals;
      const std::uint64_t start = index << shift;
      auto each = std::prev(std::ranges::upper_bound(known, begin, {}, &Interval::begin));
      for (; each != known.end() && each->begin < end; ++each) {
        const std::uint64_t from = std::max(begin, each->begin);
        const std::uint64_t to = std::next(each) == known.end() ? end : std::min(end, std::next(each)->begin);
        if (each->writer == none && !missing) missing = {section.array, start + from, to - from};
        if (each->writer < initial) add_input(first, section.array, each->writer, start + from, start + to);
      }
    });
    for (std::size_t input = first; input < inputs_.size(); ++input)
      inputs_[input].runs = mixed(inputs_[input].runs, inputs_[input].begin, inputs_[input].end);
    if (missing) violations.push_back(read_before_written(program_, call, i, *missing));
  }
  return violations;
}

bool LiveSections::is_first_transfer(const Input& input, std::uint32_t processor) {
  const unsigned shift = uses_.arrays_[input.array.index()].shift;
  const std::uint64_t index = input.first >> shift;
  std::vector<Transfer>& transfers = block(input.array, index).transfers;
  const Transfer transfer{static_cast<std::uint32_t>(input.first - (index << shift)), input.writer, processor,
                          input.runs};
  const auto place = std::ranges::lower_bound(transfers, transfer);
  if (place != transfers.end() && *place == transfer) return false;
  transfers.insert(place, transfer);
  return true;
}

std::size_t LiveSections::cut(Block& block, std::uint32_t position) {
  const auto behind = std::ranges::upper_bound(block.intervals, position, {}, &Interval::begin);
  const auto found = std::prev(behind);
  const auto index = static_cast<std::size_t>(found - block.intervals.begin());
  if (found->begin == position) return index;
  const std::uint32_t writer = found->writer;
  if (writer < initial) ++writers_[writer].intervals;
  block.intervals.insert(behind, {position, writer});
  return index + 1;
}

std::vector<Violation> LiveSections::write(const Call& call, std::optional<std::uint32_t>& writer) {
  std::vector<Violation> violations;
  const Procedure& procedure = program_.procedure(call);
  writer.reset();
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.arguments[i].section || procedure.parameters[i].access == Access::in) continue;
    const Section& section = *call.arguments[i].section;
    const unsigned shift = uses_.arrays_[section.array.index()].shift;
    if (!writer) writer = new_writer();
    bool is_written_twice = false;
    for_each_part(section, [&](std::uint64_t index, std::uint32_t begin, std::uint32_t end) {
      Block& here = block(section.array, index);
      const std::size_t first = cut(here, begin);
      const std::size_t last = end >> shift == 0 ? cut(here, end) : here.intervals.size();
      for (std::size_t each = first; each < last; ++each) {
        is_written_twice |= here.intervals[each].writer < initial;
        release(here.intervals[each].writer);
      }
      here.intervals[first] = {begin, *writer};
      ++writers_[*writer].intervals;
      const auto at = here.intervals.begin();
      here.intervals.erase(at + static_cast<std::ptrdiff_t>(first) + 1,
                           at + static_cast<std::ptrdiff_t>(last));
      // No call reads these transfers any more.
      const auto gone = std::ranges::lower_bound(here.transfers, begin, {}, &Transfer::first);
      here.transfers.erase(gone,
                           std::ranges::lower_bound(gone, here.transfers.end(), end, {}, &Transfer::first));
    });
    if (is_written_twice && procedure.parameters[i].access == Access::out)
      violations.push_back(written_twice(program_, call, i, "an earlier call", {}));
  }
  for (const Argument& argument : call.arguments) {
    if (!argument.section) continue;
    const ArrayId array = argument.section->array;
    for_each_part(*argument.section, [&](std::uint64_t index, std::uint32_t, std::uint32_t) {
      if (uses_.arrays_[array.index()].last_call[index] != call_) return;
      Block& gone = blocks_[array.index()][index];
      for (const Interval& interval : gone.intervals) release(interval.writer);
      gone = {};
    });
  }
  ++call_;
  return violations;
}

}  // namespace takt::frontend
