#include "pipeline/frontend/communication/owner_computes.hpp"

#include <algorithm>
#include <set>

namespace takt::frontend {

namespace {

const Section* written_section(const Program& program, const Call& call) {
  const Procedure& procedure = program.procedure(call);
  for (std::size_t i = 0; i < call.arguments.size() && i < procedure.parameters.size(); ++i)
    if (call.arguments[i].section && procedure.parameters[i].access != Access::in)
      return &*call.arguments[i].section;
  return nullptr;
}

/// The partitions of one array.
class Partitions {
 public:
  explicit Partitions(const Array& array) : array_(array) {}

  void add(const Section& section) {
    begins_.insert(section.offset);
    smallest_ = smallest_ == 0 ? section.size() : std::min(smallest_, section.size());
    is_regular_ = is_regular_ && section.rows == 1;
  }

  /// Finds the dimension whose elements have the size of the smallest section.
  void finish() {
    if (!is_regular_ || array_.extents.size() < 2) return;
    std::uint64_t bytes = array_.bytes;
    for (const std::uint64_t extent : array_.extents) {
      if (extent == 0) return;
      bytes /= extent;
      if (bytes == smallest_ && extent > 1) {
        element_bytes_ = bytes;
        count_ = static_cast<std::size_t>(extent);
        return;
      }
    }
  }

  [[nodiscard]] std::size_t count() const { return element_bytes_ > 0 ? count_ : begins_.size(); }
  [[nodiscard]] std::size_t index(const Section& section) const {
    if (element_bytes_ > 0) return static_cast<std::size_t>(section.offset / element_bytes_ % count_);
    return static_cast<std::size_t>(std::distance(begins_.begin(), begins_.find(section.offset)));
  }

 private:
  const Array& array_;
  std::set<std::uint64_t> begins_;
  std::uint64_t smallest_ = 0;
  bool is_regular_ = true;
  std::uint64_t element_bytes_ = 0;
  std::size_t count_ = 0;
};

std::vector<Partitions> partitions_of(const Program& program) {
  std::vector<Partitions> partitions(program.arrays.begin(), program.arrays.end());
  for (const Call& call : program.calls)
    if (const Section* section = written_section(program, call))
      partitions[section->array.index()].add(*section);
  for (Partitions& each : partitions) each.finish();
  return partitions;
}

}  // namespace

std::vector<std::size_t> partition_counts(const Program& program) {
  std::vector<std::size_t> counts;
  for (const Partitions& each : partitions_of(program)) counts.push_back(each.count());
  return counts;
}

Assignment owner_computes(const Program& program, Distribution distribution, std::size_t ranks) {
  const std::vector<Partitions> partitions = partitions_of(program);
  std::vector<std::uint32_t> rank_of;
  for (const Call& call : program.calls) {
    const Section* section = written_section(program, call);
    if (section == nullptr) {
      rank_of.push_back(0);
      continue;
    }
    const Partitions& each = partitions[section->array.index()];
    rank_of.push_back(owner_of(distribution, each.index(*section), each.count(), ranks));
  }
  return assignment_on(program, std::move(rank_of), std::vector<Time>(program.calls.size(), Time{0}), ranks);
}

}  // namespace takt::frontend
