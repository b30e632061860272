#include "pipeline/config/connections.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Sets Input::from where there is a stage of that name. Whether there is one for every input.
bool find_inputs(std::vector<Draft>& drafts, ErrorList& errors) {
  std::vector<std::string_view> producers;
  for (const Draft& draft : drafts)
    if (draft.kind != StageKind::sink) producers.push_back(draft.name);

  bool all_are_known = true;
  for (Draft& draft : drafts) {
    if (draft.inputs.empty() && draft.kind != StageKind::source) all_are_known = false;
    for (Draft::Input& input : draft.inputs) {
      const auto found = std::ranges::find(drafts, input.name, &Draft::name);
      if (found != drafts.end() && found->kind != StageKind::sink) {
        input.from = static_cast<std::size_t>(found - drafts.begin());
        continue;
      }
      const std::string message = found == drafts.end()
                                      ? unknown_name("input", input.name, producers)
                                      : fmt::format("'{}' is a sink: nothing comes out of it", input.name);
      errors.add(input.where, fmt::format("{}: {}", draft.title(), message));
      draft.is_broken = true;
      all_are_known = false;
    }
  }
  return all_are_known;
}

/// What nobody takes costs time for nothing, and is more likely a slip than meant.
void check_consumers(const std::vector<Draft>& drafts, ErrorList& errors) {
  std::vector<bool> is_taken(drafts.size());
  for (const Draft& draft : drafts)
    for (const Draft::Input& input : draft.inputs) is_taken[*input.from] = true;
  for (std::size_t i = 0; i < drafts.size(); ++i)
    if (!is_taken[i] && drafts[i].kind != StageKind::sink)
      errors.add(
          drafts[i].where,
          fmt::format("{}: nobody takes its output; name it as the input of a task or a sink (one of type "
                      "null throws it away)",
                      drafts[i].title()));
}

/// Reports a cycle among the stages that are not done and breaks its stages; the first of them.
std::size_t break_cycle(std::vector<Draft>& drafts, const std::vector<bool>& is_done, ErrorList& errors) {
  // Each of them waits for another one of them, so that walking backwards must meet one again.
  auto at = static_cast<std::size_t>(std::ranges::find(is_done, false) - is_done.begin());
  std::vector<std::size_t> walk;
  while (std::ranges::find(walk, at) == walk.end()) {
    walk.push_back(at);
    for (const Draft::Input& input : drafts[at].inputs)
      if (input.from && !is_done[*input.from]) {
        at = *input.from;
        break;
      }
  }
  walk.erase(walk.begin(), std::ranges::find(walk, at));
  std::ranges::reverse(walk);
  std::ranges::rotate(walk, std::ranges::min_element(walk));

  std::string names;
  for (std::size_t i : walk) {
    names += drafts[i].name + " -> ";
    drafts[i].is_broken = true;
  }
  const Draft& first = drafts[walk.front()];
  errors.add(first.where, fmt::format("the tasks wait for each other in a circle: {}{}", names, first.name));
  return walk.front();
}

/// Stages after their inputs, otherwise in their order. O(n^2), since pipelines are written by people.
std::vector<std::size_t> topological_order(std::vector<Draft>& drafts, ErrorList& errors) {
  std::vector<std::size_t> order;
  std::vector<bool> is_done(drafts.size());
  const auto is_open = [&](const Draft::Input& input) { return input.from && !is_done[*input.from]; };
  while (order.size() < drafts.size()) {
    std::size_t next = 0;
    while (next < drafts.size() && (is_done[next] || std::ranges::any_of(drafts[next].inputs, is_open)))
      ++next;
    if (next == drafts.size()) next = break_cycle(drafts, is_done, errors);
    is_done[next] = true;
    order.push_back(next);
  }
  return order;
}

}  // namespace

void connect(std::vector<Draft>& drafts, ErrorList& errors) {
  if (find_inputs(drafts, errors)) check_consumers(drafts, errors);

  const std::vector<std::size_t> order = topological_order(drafts, errors);
  std::vector<std::size_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<Draft> sorted;
  for (std::size_t i : order) {
    for (Draft::Input& input : drafts[i].inputs)
      if (input.from) input.from = position[*input.from];
    sorted.push_back(std::move(drafts[i]));
  }
  drafts = std::move(sorted);
}

}  // namespace takt::pipeline
