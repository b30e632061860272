#include "pipeline/tasks.hpp"

#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

namespace takt::pipeline {

namespace {

class SerialTasks final : public Tasks {
 public:
  [[nodiscard]] std::size_t cores() const override { return 1; }

  void run(const std::function<void()>& work) override {
    std::vector<std::function<void()>> children;
    std::vector<std::function<void()>>* const before = std::exchange(children_, &children);
    std::exception_ptr failure;
    for (const std::function<void()>& step : {work, std::function<void()>([this] { wait(); })}) try {
        step();
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    children_ = before;
    if (failure) std::rethrow_exception(failure);
  }

  void spawn(std::function<void()> work) override { children().push_back(std::move(work)); }

  void wait() override {
    std::exception_ptr failure;
    // A child may spawn children of its own only.
    for (const std::function<void()>& child : std::exchange(children(), {})) try {
        run(child);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    if (failure) std::rethrow_exception(failure);
  }

 protected:
  void for_ranges(std::size_t count, std::size_t grain, RangeBody body) override {
    for (std::size_t first = 0; first < count; first += grain)
      body.call(body.body, first, std::min(count, first + grain));
  }

 private:
  static std::vector<std::function<void()>>& children() {
    if (children_ == nullptr) throw std::logic_error("tasks are spawned and awaited within Tasks::run");
    return *children_;
  }

  /// Children of the current task.
  static thread_local std::vector<std::function<void()>>* children_;
};

thread_local std::vector<std::function<void()>>* SerialTasks::children_ = nullptr;

}  // namespace

Tasks& serial_tasks() {
  static SerialTasks tasks;
  return tasks;
}

}  // namespace takt::pipeline
