#pragma once
/// Memory that the ranks of one node share, and that is gone with the last of them.

#include <cstddef>
#include <string>

namespace takt::pipeline {

/// Anonymous memory (memfd): it has no name in any file system, so nothing is left behind, however the
/// processes end. Zeroed; every page is there from the
/// start, so that no frame pays for a page fault.
class NodeMemory {
 public:
  /// Makes it. Throws WorkError.
  [[nodiscard]] static NodeMemory create(std::size_t bytes);
  /// Another process's, by the handle that it told us, while it lives. Throws WorkError.
  [[nodiscard]] static NodeMemory open(const std::string& handle, std::size_t bytes);

  NodeMemory() = default;
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;
  ~NodeMemory();

  /// For `open`, in processes of the same user on the same node.
  [[nodiscard]] std::string handle() const;
  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// No process can open it any more; those that have go on.
  void close_handle();

 private:
  NodeMemory(int file, std::size_t bytes);

  int file_ = -1;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace takt::pipeline
