#include "pipeline/group.hpp"

namespace takt::pipeline {

BlockSharing::BlockSharing(Group& group, std::span<std::byte> whole, std::size_t size) : group_(group) {
  const std::size_t bytes = whole.size() / size;
  for (std::size_t member = 0; member < group.size(); ++member) {
    const Block block = block_of(size, group.size(), member);
    incoming_.push_back(whole.subspan(block.begin * bytes, block.size() * bytes));
  }
  outgoing_.assign(group.size(), incoming_[group.rank()]);
}

}  // namespace takt::pipeline
