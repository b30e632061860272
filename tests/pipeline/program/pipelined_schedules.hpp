#pragma once
/// Random pipelined schedules (core/offsets.hpp) with any allocation and any order on each processor.

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt::pipeline::test {

/// Makes schedules for free communication. Each iteration does the tasks in a random order; the offsets are
/// the least ones for that order. Messages leave and arrive at random times while there is room for that.
class PipelinedSchedules {
 public:
  struct Shape {
    std::size_t processors = 2;
    std::uint32_t replicas = 1;
    /// By task: ranks that process a frame together; 1 if empty. Schedules with groups have no messages,
    /// since the execution adds its own.
    std::vector<std::size_t> members = {};
    /// By task: the processors of its frames; random if empty.
    std::vector<std::size_t> processor_of = {};
  };

  PipelinedSchedules(const TaskGraph& graph, Shape shape, std::mt19937& random)
      : graph_(graph), shape_(std::move(shape)), random_(random) {}

  Schedule make() {
    choose_processors();
    place(random_order());
    choose_offsets();
    return written();
  }

 private:
  struct Item {
    std::size_t task = 0;
    std::uint32_t instance = 0;
    std::vector<std::size_t> processors;
    Time start{0}, duration{1};
    [[nodiscard]] Time end() const { return start + duration; }
  };
  /// `later` starts at least `lag` iterations after the end of `earlier`.
  struct Constraint {
    std::size_t earlier = 0, later = 0;
    std::int64_t lag = 0;
  };

  [[nodiscard]] std::size_t index(std::size_t task, std::uint32_t instance) const {
    return task * shape_.replicas + instance;
  }

  void choose_processors() {
    for (std::size_t task = 0; task < graph_.task_count(); ++task) {
      std::vector<std::size_t> all(shape_.processors);
      for (std::size_t p = 0; p < all.size(); ++p) all[p] = p;
      for (std::uint32_t instance = 0; instance < shape_.replicas; ++instance) {
        const bool is_alone = graph_.task(TaskId(task)).stateless && shape_.members.empty();
        if (instance == 0 || is_alone) std::ranges::shuffle(all, random_);
        const std::size_t members = shape_.members.empty() ? 1 : shape_.members[task];
        Item item{.task = task, .instance = instance, .processors = {}};
        item.processors.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(members));
        if (!shape_.processor_of.empty()) item.processors = {shape_.processor_of[task]};
        item.duration = std::max(Time{1}, graph_.task(TaskId(task)).work);
        items_.push_back(item);
      }
    }
  }

  /// The frames of a task with a state are in a cyclic order.
  std::vector<std::size_t> random_order() {
    std::vector<std::size_t> order(items_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random_);
    for (std::size_t task = 0; task < graph_.task_count(); ++task) {
      if (graph_.task(TaskId(task)).stateless) continue;
      std::uint32_t next = static_cast<std::uint32_t>(random_() % shape_.replicas);
      for (std::size_t& each : order)
        if (items_[each].task == task) {
          each = index(task, next);
          next = (next + 1) % shape_.replicas;
        }
    }
    return order;
  }

  void place(const std::vector<std::size_t>& order) {
    std::vector<Time> free(shape_.processors, Time{0});
    for (const std::size_t each : order) {
      Item& item = items_[each];
      for (const std::size_t p : item.processors) item.start = std::max(item.start, free[p]);
      for (const std::size_t p : item.processors) free[p] = item.end();
    }
    repetition_ = std::ranges::max(free) + Time(random_() % 2);
    if (repetition_ == Time{0}) repetition_ = Time{1};
  }

  void choose_offsets() {
    std::vector<Constraint> constraints;
    for (const EdgeId id : graph_.edges())
      for (std::uint32_t instance = 0; instance < shape_.replicas; ++instance)
        constraints.push_back(
            {index(graph_.edge(id).from.index(), instance), index(graph_.edge(id).to.index(), instance), 0});
    for (std::size_t task = 0; task < graph_.task_count(); ++task)
      for (std::uint32_t instance = 0; !graph_.task(TaskId(task)).stateless && instance < shape_.replicas;
           ++instance) {
        const std::uint32_t next = (instance + 1) % shape_.replicas;
        constraints.push_back({index(task, instance), index(task, next), next == 0 ? -1 : 0});
      }
    bool has_changed = true;
    for (std::size_t turn = 0; has_changed; ++turn) {
      if (turn > 10'000) throw std::logic_error("the constraints of the schedule have no solution");
      has_changed = false;
      for (const Constraint& each : constraints)
        while (items_[each.later].start < items_[each.earlier].end() + each.lag * repetition_) {
          items_[each.later].start += repetition_;
          has_changed = true;
        }
    }
  }

  /// Returns a time from `from` to `until` at which some task of the processor begins, or `usual`.
  Time some_time(std::size_t processor, Time from, Time until, Time usual) {
    std::vector<Time> times{usual};
    for (const Item& item : items_) {
      if (!std::ranges::count(item.processors, processor)) continue;
      Time at = item.start % repetition_ + from / repetition_ * repetition_;
      for (; at <= until; at += repetition_)
        if (at >= from) times.push_back(at);
    }
    return times[random_() % times.size()];
  }

  Schedule written() {
    Schedule schedule("random", shape_.processors);
    schedule.replicas = shape_.replicas;
    schedule.repetition = repetition_;
    for (const Item& item : items_)
      for (const std::size_t p : item.processors)
        schedule.add_compute(ProcessorId(p), TaskId(item.task), item.start, item.end(), item.instance);
    for (const Item& item : items_)
      if (shape_.members.empty()) add_messages(item, schedule);
    for (std::vector<Operation>& operations : schedule.processors)
      std::ranges::stable_sort(operations, {}, [](const Operation& operation) {
        return std::pair(operation.start, operation.end > operation.start);
      });
    return schedule;
  }

  void add_messages(const Item& item, Schedule& schedule) {
    // By receiver: when it needs the frame.
    std::map<std::size_t, Time> needed;
    std::vector<DatumId> data;
    for (const EdgeId id : graph_.out_edges(TaskId(item.task))) {
      const Item& user = items_[index(graph_.edge(id).to.index(), item.instance)];
      data = {graph_.edge(id).datum};
      if (user.processors == item.processors) continue;
      const auto [found, is_new] = needed.try_emplace(user.processors.front(), user.start);
      found->second = std::min(found->second, user.start);
    }
    for (const auto& [receiver, latest] : needed) {
      const ProcessorId from(item.processors.front()), to(receiver);
      const Time received = some_time(receiver, item.end(), latest, latest);
      const Time sent = some_time(from.index(), item.end(), received, item.end());
      const MessageId message = schedule.add_message(from, to, graph_.datum_size(data.front()), data);
      schedule.add_send(from, message, sent, sent, item.instance);
      schedule.add_receive(to, message, received, received, item.instance);
    }
  }

  const TaskGraph& graph_;
  Shape shape_;
  std::mt19937& random_;
  std::vector<Item> items_;
  Time repetition_{1};
};

}  // namespace takt::pipeline::test
