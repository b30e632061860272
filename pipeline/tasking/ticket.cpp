#include "pipeline/tasking/ticket.hpp"

#include <mutex>
#include <stdexcept>

namespace takt::tasking::detail {

void Ticket::open(int priority) {
  const std::lock_guard lock(lock_);
  task_ = nullptr;
  is_closed_ = false;
  priority_ = priority;
}

void Ticket::release(Task& task) {
  const std::lock_guard lock(lock_);
  // One reference is the ticket's.
  task.has_handle = true;
  task.references.store(2, std::memory_order_relaxed);
  task.priority = static_cast<std::int8_t>(priority_);
  task_ = &task;
  Worker::here()->team().make_ready(&task);
}

void Ticket::close(Task& task) {
  {
    const std::lock_guard lock(lock_);
    task_ = nullptr;
    is_closed_ = true;
  }
  detail::release(&task);
}

bool Ticket::set_priority(int priority) {
  const std::lock_guard lock(lock_);
  if (task_ != nullptr && Worker::here() == nullptr)
    throw std::logic_error("priorities of ready tasks are changed inside of Pool::run");
  priority_ = priority;
  if (task_ != nullptr) return Worker::here()->team().change_priority(*task_, priority);
  return !is_closed_;
}

}  // namespace takt::tasking::detail
