#include "schedulers/search/stage_loads.hpp"

#include <algorithm>

#include "logp/message_costs.hpp"

namespace takt::schedulers {

StageLoads::StageLoads(const Workload& workload, std::vector<ProcessorId> chain,
                       std::vector<std::uint32_t> stage_of, Routing routing)
    : workload_(workload),
      chain_(std::move(chain)),
      stage_of_(std::move(stage_of)),
      routing_(routing),
      counts_messages_(!workload.machine().communication_is_free() ||
                       (routing == Routing::any_direction && !workload.machine().platform().network.empty())),
      load_(chain_.size()) {
  const TaskGraph& graph = workload.items();
  for (TaskId item : graph.tasks()) {
    const std::uint32_t stage = stage_of_[item.index()];
    load_[stage].busy += workload.time(item, workload.class_of(chain_[stage])).count();
  }
  if (!counts_messages_) return;

  made_offsets_.assign(graph.task_count() + 1, 0);
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    ++made_offsets_[graph.datum_task(datum).index() + 1];
  for (std::size_t i = 0; i < graph.task_count(); ++i) made_offsets_[i + 1] += made_offsets_[i];
  made_.resize(graph.datum_count());
  std::vector<std::uint32_t> next(made_offsets_.begin(), made_offsets_.end() - 1);
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    made_[next[graph.datum_task(datum).index()]++] = datum;

  prepare_needs();
  find_routes();
  last_need_.resize(graph.datum_count());
  const std::size_t links = routing == Routing::relay ? chain_.size() : chain_.size() * chain_.size();
  messages_.resize(links * workload.replicas());
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    last_need_[datum.index()] = stage_of_[graph.datum_task(datum).index()];
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    add_need(edge.datum, stage_of_[edge.from.index()], stage_of_[edge.to.index()]);
  }
}

void StageLoads::find_routes() {
  const Platform& platform = workload_.machine().platform();
  if (routing_ != Routing::any_direction || platform.network.empty()) return;
  link_load_.assign(platform.network.links.size(), 0);
  const Routes routes(platform.network);
  for (ProcessorId from : chain_)
    for (ProcessorId to : chain_)
      routes_.push_back(
          routes.route(NodeId(platform.node_of[from.index()]), NodeId(platform.node_of[to.index()])));
}

void StageLoads::prepare_needs() {
  const TaskGraph& graph = workload_.items();
  need_counts_.assign(graph.datum_count(), 0);
  need_offsets_.assign(graph.datum_count() + 1, 1);
  need_offsets_.front() = 0;
  for (EdgeId id : graph.edges()) ++need_offsets_[graph.edge(id).datum.index() + 1];
  for (std::size_t i = 0; i < graph.datum_count(); ++i) need_offsets_[i + 1] += need_offsets_[i];
  needs_.resize(need_offsets_.back());
}

std::pair<std::uint32_t, std::uint32_t> StageLoads::range_of(TaskId item) const {
  const TaskGraph& graph = workload_.items();
  std::uint32_t first = 0, last = static_cast<std::uint32_t>(chain_.size() - 1);
  if (routing_ == Routing::any_direction) return {first, last};
  for (EdgeId in : graph.in_edges(item)) first = std::max(first, stage_of_[graph.edge(in).from.index()]);
  for (EdgeId out : graph.out_edges(item)) last = std::min(last, stage_of_[graph.edge(out).to.index()]);
  return {first, last};
}

void StageLoads::move(TaskId item, std::uint32_t stage) {
  const std::uint32_t from = stage_of_[item.index()];
  if (from == stage) return;
  load_[from].busy -= workload_.time(item, workload_.class_of(chain_[from])).count();
  load_[stage].busy += workload_.time(item, workload_.class_of(chain_[stage])).count();
  stage_of_[item.index()] = stage;
  if (!counts_messages_) return;
  const TaskGraph& graph = workload_.items();
  for (EdgeId in : graph.in_edges(item)) {
    const Edge edge = graph.edge(in);
    const std::uint32_t maker = stage_of_[edge.from.index()];
    add_need(edge.datum, maker, stage);
    remove_need(edge.datum, maker, from);
  }
  for (std::uint32_t i = made_offsets_[item.index()]; i < made_offsets_[item.index() + 1]; ++i)
    move_maker(made_[i], from, stage);
}

Time::rep StageLoads::repetition() const {
  Time::rep largest = 0;
  for (std::size_t k = 0; k < load_.size(); ++k) largest = std::max(largest, load(k));
  for (const Time::rep link : link_load_) largest = std::max(largest, link);
  return largest;
}

Time::rep StageLoads::excess(Time::rep limit) const {
  Time::rep sum = 0;
  for (std::size_t k = 0; k < load_.size(); ++k) sum += std::max<Time::rep>(0, load(k) - limit);
  for (const Time::rep link : link_load_) sum += std::max<Time::rep>(0, link - limit);
  return sum;
}

/// Adds or removes a datum on the route from its producer's stage to a stage that needs it.
void StageLoads::connect(DatumId datum, std::uint32_t from, std::uint32_t to, bool add) {
  if (routing_ == Routing::relay)
    for (std::uint32_t k = from; k < to; ++k) change_link(datum, k, k + 1, add);
  else if (from != to)
    change_link(datum, from, to, add);
}

void StageLoads::change_link(DatumId datum, std::uint32_t from, std::uint32_t to, bool add) {
  const std::size_t link = routing_ == Routing::relay ? from : from * chain_.size() + to;
  Load& message = messages_[link * workload_.replicas() + workload_.instance_of(datum)];
  Stage& sender = load_[from];
  Stage& receiver = load_[to];
  sender.busy -= message.send;
  sender.send_gap -= message.send_gap;
  receiver.busy -= message.receive;
  receiver.receive_gap -= message.receive_gap;
  if (message.data > 0) add_to_links(from, to, message.size, -1);
  const Bytes size = workload_.items().datum_size(datum);
  if (add) {
    ++message.data;
    message.size += size;
  } else {
    --message.data;
    message.size = Bytes{message.size.count - size.count};
  }
  if (message.data == 0) {
    message = {};
    return;
  }
  const logp::MessageCosts costs(workload_.links(chain_[from], chain_[to]), message.size);
  message.send = costs.send_overhead.count();
  message.receive = costs.receive_overhead.count();
  message.send_gap = costs.send_gap.count();
  message.receive_gap = costs.receive_gap.count();
  sender.busy += message.send;
  sender.send_gap += message.send_gap;
  receiver.busy += message.receive;
  receiver.receive_gap += message.receive_gap;
  add_to_links(from, to, message.size, +1);
}

void StageLoads::add_to_links(std::uint32_t from, std::uint32_t to, Bytes size, Time::rep sign) {
  if (routes_.empty()) return;
  for (const LinkId link : routes_[from * chain_.size() + to])
    link_load_[link.index()] +=
        sign * workload_.machine().platform().network.link(link).transfer_time(size).count();
}

/// Returns the last stage that needs a datum, or `stage` if no later one does.
std::uint32_t StageLoads::last_need_from(DatumId datum, std::uint32_t stage) {
  for (const Need& need : needs(datum)) stage = std::max(stage, need.stage);
  return stage;
}

void StageLoads::add_need(DatumId datum, std::uint32_t maker, std::uint32_t stage) {
  for (Need& need : needs(datum))
    if (need.stage == stage) {
      ++need.edges;
      return;
    }
  ++need_counts_[datum.index()];
  needs(datum).back() = {stage, 1};
  std::uint32_t& last = last_need_[datum.index()];
  if (routing_ != Routing::relay) {
    connect(datum, maker, stage, true);
  } else if (stage > last) {
    connect(datum, last, stage, true);
    last = stage;
  }
}

void StageLoads::remove_need(DatumId datum, std::uint32_t maker, std::uint32_t stage) {
  const std::span<Need> row = needs(datum);
  const auto need = std::ranges::find(row, stage, &Need::stage);
  if (--need->edges > 0) return;
  *need = row.back();
  --need_counts_[datum.index()];
  std::uint32_t& last = last_need_[datum.index()];
  if (routing_ != Routing::relay) {
    connect(datum, maker, stage, false);
  } else if (stage == last) {
    last = last_need_from(datum, maker);
    connect(datum, last, stage, false);
  }
}

void StageLoads::move_maker(DatumId datum, std::uint32_t from, std::uint32_t to) {
  if (routing_ != Routing::relay) {
    for (const Need& need : needs(datum)) {
      connect(datum, from, need.stage, false);
      connect(datum, to, need.stage, true);
    }
    return;
  }
  std::uint32_t& last = last_need_[datum.index()];
  if (to < from)
    connect(datum, to, from, true);
  else
    connect(datum, from, std::min(to, last), false);
  last = std::max(last, to);
  if (to > from) return;
  const std::uint32_t still_needed = last_need_from(datum, to);
  connect(datum, still_needed, last, false);
  last = still_needed;
}

}  // namespace takt::schedulers
