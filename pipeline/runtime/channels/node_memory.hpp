#pragma once
/// Memory shared by the ranks of one node, which the system frees after the last of them.

#include <cstddef>
#include <string>

namespace takt::pipeline {

/// Anonymous memory (memfd): it has no name in a file system, so nothing is left however the processes
/// end. It is zeroed. All of its pages are mapped from the start, so that no frame causes a page
/// fault.
class NodeMemory {
 public:
  /// Allocates memory. Throws WorkError.
  [[nodiscard]] static NodeMemory create(std::size_t bytes);
  /// Opens the memory of another process by its handle, while that process lives. Throws WorkError.
  [[nodiscard]] static NodeMemory open(const std::string& handle, std::size_t bytes);

  NodeMemory() = default;
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;
  ~NodeMemory();

  /// Returns the handle for `open` in processes of the same user on the same node.
  [[nodiscard]] std::string handle() const;
  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Prevents further opens; processes that have opened the memory keep it.
  void close_handle();

 private:
  NodeMemory(int file, std::size_t bytes);

  int file_ = -1;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace takt::pipeline
