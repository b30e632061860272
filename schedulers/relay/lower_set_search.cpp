#include "schedulers/relay/lower_set_search.hpp"

#include <algorithm>
#include <limits>

#include "core/random.hpp"
#include "logp/message_costs.hpp"
#include "schedulers/search/processor_kinds.hpp"

namespace takt::schedulers {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t word_bits = 64;
/// Comparisons of used processors allowed per allowed lower set.
constexpr std::size_t comparisons_per_lower_set = 1'000;

class LowerSetSearch {
 public:
  LowerSetSearch(const Workload& workload, Time::rep period, std::size_t most_lower_sets)
      : workload_(workload),
        graph_(workload.items()),
        kinds_(workload),
        period_(period),
        most_(most_lower_sets),
        words_((graph_.task_count() + word_bits - 1) / word_bits),
        is_free_(workload.machine().communication_is_free()) {
    Random random(1);
    for (std::size_t i = 0; i < graph_.task_count(); ++i)
      keys_.push_back(random.below(std::numeric_limits<std::uint64_t>::max()));
    table_.assign(1024, none);
  }

  LowerSetAnswer run() {
    if (!kinds_.fit_a_code()) return {};
    prepare_times();
    add_empty_set();
    for (std::uint32_t state = 0; state < states_.size(); ++state) {
      if (states_[state].size == graph_.task_count()) return answer(state);
      close_stages(state);
      for (std::uint32_t i = 0; i < states_[state].available_count; ++i)
        if (!add_item(state, available_[states_[state].first_available + i]) || steps() > most_)
          return {Verdict::unknown, std::nullopt, std::min(steps(), most_)};
    }
    return {Verdict::no, std::nullopt, steps()};
  }

 private:
  /// Number of lower sets; more if each is reached in many ways.
  [[nodiscard]] std::size_t steps() const {
    return std::max(states_.size(), comparisons_ / comparisons_per_lower_set);
  }

  /// A lower set. Its members are the words from index * words_ on.
  struct State {
    std::uint64_t hash = 0;
    std::uint32_t size = 0;
    std::uint32_t first_entry = none;
    std::uint32_t first_available = 0;
    std::uint32_t available_count = 0;
    /// Remaining work, each item at its least time, and the live data.
    Time::rep rest = 0;
    std::uint32_t live_count = 0;
    Bytes live;
  };
  /// A way to reach a lower set: the used processors, the kind of the last one, and its busy time so far.
  struct Entry {
    ProcessorKinds::Code code = 0;
    Time::rep busy = 0;
    std::uint32_t kind = 0;
    /// The previous entry, and the added item; none if a stage was begun.
    std::uint32_t parent = none;
    std::uint32_t item = none;
    std::uint32_t next = none;
  };

  void prepare_times() {
    for (std::size_t kind = 0; kind < kinds_.count(); ++kind) {
      std::vector<Time::rep>& times = times_.emplace_back();
      const std::uint32_t of_class = workload_.class_of(kinds_.first(kind));
      for (TaskId item : graph_.tasks()) times.push_back(workload_.time(item, of_class).count());
    }
    least_times_ = times_.front();
    for (const auto& times : times_)
      for (std::size_t i = 0; i < times.size(); ++i) least_times_[i] = std::min(least_times_[i], times[i]);
  }

  [[nodiscard]] bool has(std::uint32_t state, std::size_t item) const {
    return (members_[state * words_ + item / word_bits] >> (item % word_bits) & 1) != 0;
  }

  void add_empty_set() {
    State& state = states_.emplace_back();
    members_.resize(words_);
    for (TaskId item : graph_.tasks()) {
      state.rest += least_times_[item.index()];
      if (graph_.in_edges(item).empty()) available_.push_back(static_cast<std::uint32_t>(item.index()));
    }
    state.available_count = static_cast<std::uint32_t>(available_.size());
    insert_into_table(0);
    for (std::size_t kind = 0; kind < kinds_.count(); ++kind)
      if (kinds_.may_take(0, kind))
        add_entry(0, {.code = kinds_.take(0, kind), .kind = static_cast<std::uint32_t>(kind)});
  }

  /// Adds one item to the set; returns false if that exceeds the number of sets.
  bool add_item(std::uint32_t from, std::uint32_t item) {
    std::uint32_t to = none;
    for (std::uint32_t e = states_[from].first_entry; e != none; e = entries_[e].next) {
      const Entry entry = entries_[e];
      const Time::rep busy = entry.busy + times_[entry.kind][item];
      if (busy > period_ || !rest_fits(states_[from].rest - least_times_[item], entry, busy)) continue;
      if (to == none) to = find_or_add(from, item);
      if (to == none) return false;
      add_entry(to, {.code = entry.code, .busy = busy, .kind = entry.kind, .parent = e, .item = item});
    }
    return true;
  }

  /// Ends the last stage of each entry here, and begins another one.
  void close_stages(std::uint32_t state) {
    if (states_[state].size == 0) return;
    // A stage begun here does not end here. But it may remove an entry that ends here: from the kind of that
    // entry's last stage the next message may be cheaper.
    ended_.clear();
    for (std::uint32_t e = states_[state].first_entry; e != none; e = entries_[e].next) ended_.push_back(e);
    for (std::uint32_t e : ended_) {
      const Entry entry = entries_[e];
      for (std::size_t kind = 0; kind < kinds_.count(); ++kind) {
        if (!kinds_.may_take(entry.code, kind)) continue;
        const auto [send, receive, gap] = boundary(states_[state], entry.kind, kind);
        if (entry.busy + send > period_ || gap > period_) continue;
        const ProcessorKinds::Code code = kinds_.take(entry.code, kind);
        const Entry begun{
            .code = code, .busy = receive, .kind = static_cast<std::uint32_t>(kind), .parent = e};
        if (rest_fits(states_[state].rest, begun, receive)) add_entry(state, begun);
      }
    }
  }

  struct Boundary {
    Time::rep send = 0, receive = 0, gap = 0;
  };
  [[nodiscard]] Boundary boundary(const State& state, std::size_t before, std::size_t behind) const {
    if (is_free_ || state.live_count == 0) return {};
    const ProcessorId from = kinds_.first(before);
    ProcessorId to = kinds_.first(behind);
    if (to == from) to = kinds_.member(behind, 1);
    const logp::MessageCosts costs(workload_.links(from, to), state.live);
    return {costs.send_overhead.count(), costs.receive_overhead.count(), costs.gap().count()};
  }

  /// Whether the remaining processors can do the remaining work at all, as if it were divisible and each as
  /// fast as the fastest.
  [[nodiscard]] bool rest_fits(Time::rep rest, const Entry& entry, Time::rep busy) const {
    rest -= period_ - busy;
    if (rest <= 0) return true;
    const auto left = static_cast<Time::rep>(workload_.machine().processor_count() - kinds_.used(entry.code));
    return period_ > 0 && (rest - 1) / period_ < left;
  }

  /// Keeps the entry unless another one uses no more processors and no more time.
  void add_entry(std::uint32_t state, Entry entry) {
    std::uint32_t* link = &states_[state].first_entry;
    while (*link != none) {
      Entry& other = entries_[*link];
      comparisons_ += kinds_.count();
      if (other.kind == entry.kind) {
        if (other.busy <= entry.busy && kinds_.uses_at_most(other.code, entry.code)) return;
        if (entry.busy <= other.busy && kinds_.uses_at_most(entry.code, other.code)) {
          *link = other.next;
          continue;
        }
      }
      link = &other.next;
    }
    entry.next = states_[state].first_entry;
    states_[state].first_entry = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(entry);
  }

  // ---- the set of sets ----

  std::uint32_t find_or_add(std::uint32_t from, std::uint32_t item) {
    const std::uint64_t hash = states_[from].hash ^ keys_[item];
    for (std::size_t slot = hash % table_.size(); table_[slot] != none; slot = (slot + 1) % table_.size())
      if (states_[table_[slot]].hash == hash && is_extension(from, item, table_[slot])) return table_[slot];
    if (states_.size() >= most_) return none;
    return add_state(from, item, hash);
  }

  [[nodiscard]] bool is_extension(std::uint32_t from, std::uint32_t item, std::uint32_t to) const {
    if (states_[to].size != states_[from].size + 1) return false;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t expected = members_[from * words_ + word];
      if (word == item / word_bits) expected |= std::uint64_t{1} << (item % word_bits);
      if (members_[to * words_ + word] != expected) return false;
    }
    return true;
  }

  std::uint32_t add_state(std::uint32_t from, std::uint32_t item, std::uint64_t hash) {
    const auto index = static_cast<std::uint32_t>(states_.size());
    State state = states_[from];
    state.hash = hash;
    ++state.size;
    state.first_entry = none;
    state.rest -= least_times_[item];
    members_.resize(members_.size() + words_);
    std::copy_n(members_.begin() + static_cast<std::ptrdiff_t>(from * words_), words_,
                members_.begin() + static_cast<std::ptrdiff_t>(index * words_));
    members_[index * words_ + item / word_bits] |= std::uint64_t{1} << (item % word_bits);
    states_.push_back(state);
    update_available(from, item, index);
    if (!is_free_) update_live(item, index);
    insert_into_table(index);
    return index;
  }

  void update_available(std::uint32_t from, std::uint32_t item, std::uint32_t index) {
    const auto first = static_cast<std::uint32_t>(available_.size());
    for (std::uint32_t i = 0; i < states_[from].available_count; ++i) {
      const std::uint32_t other = available_[states_[from].first_available + i];
      if (other != item) available_.push_back(other);
    }
    for (EdgeId out : graph_.out_edges(TaskId(item))) {
      const TaskId next = graph_.edge(out).to;
      const auto in = graph_.in_edges(next);
      const bool is_ready = std::all_of(in.begin(), in.end(),
                                        [&](EdgeId e) { return has(index, graph_.edge(e).from.index()); });
      const auto number = static_cast<std::uint32_t>(next.index());
      const bool is_known =
          std::find(available_.begin() + first, available_.end(), number) != available_.end();
      if (is_ready && !is_known) available_.push_back(number);
    }
    states_[index].first_available = first;
    states_[index].available_count = static_cast<std::uint32_t>(available_.size()) - first;
  }

  void update_live(std::uint32_t item, std::uint32_t index) {
    State& state = states_[index];
    for_each_datum(graph_.out_edges(TaskId(item)), [&](DatumId datum) {
      ++state.live_count;
      state.live += graph_.datum_size(datum);
    });
    for_each_datum(graph_.in_edges(TaskId(item)), [&](DatumId datum) {
      for (EdgeId out : graph_.out_edges(graph_.datum_task(datum)))
        if (graph_.edge(out).datum == datum && !has(index, graph_.edge(out).to.index())) return;
      --state.live_count;
      state.live = Bytes{state.live.count - graph_.datum_size(datum).count};
    });
  }

  /// Visits each datum of these edges once.
  template <class Visit>
  void for_each_datum(std::span<const EdgeId> edges, const Visit& visit) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const DatumId datum = graph_.edge(edges[i]).datum;
      bool is_first = true;
      for (std::size_t j = 0; j < i && is_first; ++j) is_first = graph_.edge(edges[j]).datum != datum;
      if (is_first) visit(datum);
    }
  }

  void insert_into_table(std::uint32_t index) {
    if (states_.size() * 2 > table_.size()) {
      table_.assign(table_.size() * 2, none);
      for (std::uint32_t i = 0; i < states_.size(); ++i) put(i);
    } else {
      put(index);
    }
  }
  void put(std::uint32_t index) {
    std::size_t slot = states_[index].hash % table_.size();
    while (table_[slot] != none) slot = (slot + 1) % table_.size();
    table_[slot] = index;
  }

  [[nodiscard]] LowerSetAnswer answer(std::uint32_t full) const {
    // From the last entry back to the empty set: the kinds of the stages, last one first, and the items.
    std::vector<std::uint32_t> kinds;
    Stages stages{{}, std::vector<std::uint32_t>(graph_.task_count())};
    std::uint32_t later_stages = 0;
    for (std::uint32_t e = states_[full].first_entry; e != none; e = entries_[e].parent) {
      const Entry& entry = entries_[e];
      if (kinds.size() == later_stages) kinds.push_back(entry.kind);
      if (entry.item == none)
        ++later_stages;
      else
        stages.stage_of[entry.item] = later_stages;
    }
    std::vector<std::size_t> taken(kinds_.count(), 0);
    for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind)
      stages.chain.push_back(kinds_.member(*kind, taken[*kind]++));
    for (std::uint32_t& stage : stages.stage_of)
      stage = static_cast<std::uint32_t>(stages.chain.size()) - 1 - stage;
    return {Verdict::yes, std::move(stages), steps()};
  }

  const Workload& workload_;
  const TaskGraph& graph_;
  ProcessorKinds kinds_;
  Time::rep period_;
  std::size_t most_, words_;
  bool is_free_;
  std::vector<std::vector<Time::rep>> times_;
  std::vector<Time::rep> least_times_;
  std::vector<std::uint64_t> keys_;
  std::vector<State> states_;
  std::vector<std::uint64_t> members_;
  std::vector<std::uint32_t> available_;
  std::vector<Entry> entries_;
  /// The entries whose last stage is ended.
  std::vector<std::uint32_t> ended_;
  std::size_t comparisons_ = 0;
  std::vector<std::uint32_t> table_;
};

}  // namespace

std::uint64_t most_lower_sets(const Workload& workload) {
  constexpr std::uint64_t most_words = 2'000'000;
  return most_words / (workload.item_count() / 64 + 1);
}

LowerSetAnswer find_relay_chain(const Workload& workload, Time period, std::size_t most_lower_sets) {
  return LowerSetSearch(workload, period.count(), most_lower_sets).run();
}

}  // namespace takt::schedulers
