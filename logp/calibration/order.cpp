#include "logp/calibration/order.hpp"

#include <bit>

namespace takt::logp {

namespace {

using Words = std::vector<std::uint64_t>;

/// Takes words in the order in which they were written.
class WordReader {
 public:
  explicit WordReader(const Words& words) : words_(words) {}
  std::uint64_t next() { return words_.at(at_++); }
  double next_number() { return std::bit_cast<double>(next()); }

 private:
  const Words& words_;
  std::size_t at_ = 0;
};

void write(Words& words, const std::vector<double>& numbers) {
  words.push_back(numbers.size());
  for (const double number : numbers) words.push_back(std::bit_cast<std::uint64_t>(number));
}

std::vector<double> read_numbers(WordReader& reader) {
  std::vector<double> numbers(reader.next());
  for (double& number : numbers) number = reader.next_number();
  return numbers;
}

}  // namespace

Words encode(const Order& order) {
  Words words{static_cast<std::uint64_t>(order.action),
              order.size.count,
              order.count,
              order.warm_up,
              order.batch,
              order.lead_in,
              order.repeats,
              order.settle,
              order.ranks.size(),
              order.programs.size()};
  for (const int rank : order.ranks) words.push_back(static_cast<std::uint64_t>(rank));
  for (const std::vector<ReplayStep>& program : order.programs) {
    words.push_back(program.size());
    for (const ReplayStep& step : program)
      words.insert(words.end(), {static_cast<std::uint64_t>(step.kind), step.partner, step.message,
                                 step.size.count, static_cast<std::uint64_t>(step.duration.count())});
  }
  return words;
}

Order decode_order(const Words& words) {
  WordReader reader(words);
  Order order{.action = static_cast<Action>(reader.next()), .size = Bytes{reader.next()}};
  order.count = reader.next();
  order.warm_up = reader.next();
  order.batch = reader.next();
  order.lead_in = reader.next();
  order.repeats = reader.next();
  order.settle = reader.next();
  order.ranks.resize(reader.next());
  order.programs.resize(reader.next());
  for (int& rank : order.ranks) rank = static_cast<int>(reader.next());
  for (std::vector<ReplayStep>& program : order.programs) {
    program.resize(reader.next());
    for (ReplayStep& step : program) {
      step.kind = static_cast<OperationKind>(reader.next());
      step.partner = static_cast<std::uint32_t>(reader.next());
      step.message = static_cast<std::uint32_t>(reader.next());
      step.size = Bytes{reader.next()};
      step.duration = Time(static_cast<std::int64_t>(reader.next()));
    }
  }
  return order;
}

Words encode(const Reply& reply) {
  Words words{reply.size()};
  for (const Block& block : reply) {
    words.push_back(block.switches);
    write(words, block.times);
    write(words, block.other_times);
  }
  return words;
}

Reply decode_reply(const Words& words) {
  WordReader reader(words);
  Reply reply(reader.next());
  for (Block& block : reply) {
    block.switches = reader.next();
    block.times = read_numbers(reader);
    block.other_times = read_numbers(reader);
  }
  return reply;
}

}  // namespace takt::logp
