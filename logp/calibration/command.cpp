#include "logp/calibration/command.hpp"

#include <algorithm>
#include <bit>

namespace takt::logp {

namespace {

using Words = std::vector<std::uint64_t>;

/// Reads words in the order in which they were written.
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

std::uint64_t bursts_one_way(const Command& command) {
  return std::max<std::uint64_t>(command.slots / std::max<std::uint64_t>(command.count, 1), 1);
}

Words encode(const Command& command) {
  Words words{static_cast<std::uint64_t>(command.action),
              command.size.count,
              command.count,
              command.warm_up,
              command.batch,
              command.slots,
              command.lead_in,
              command.repeats,
              command.settle,
              command.ranks.size(),
              command.programs.size()};
  for (const int rank : command.ranks) words.push_back(static_cast<std::uint64_t>(rank));
  for (const std::vector<ReplayStep>& program : command.programs) {
    words.push_back(program.size());
    for (const ReplayStep& step : program)
      words.insert(words.end(), {static_cast<std::uint64_t>(step.kind), step.partner, step.message,
                                 step.size.count, static_cast<std::uint64_t>(step.duration.count())});
  }
  return words;
}

Command decode_command(const Words& words) {
  WordReader reader(words);
  Command command{.action = static_cast<Action>(reader.next()), .size = Bytes{reader.next()}};
  command.count = reader.next();
  command.warm_up = reader.next();
  command.batch = reader.next();
  command.slots = reader.next();
  command.lead_in = reader.next();
  command.repeats = reader.next();
  command.settle = reader.next();
  command.ranks.resize(reader.next());
  command.programs.resize(reader.next());
  for (int& rank : command.ranks) rank = static_cast<int>(reader.next());
  for (std::vector<ReplayStep>& program : command.programs) {
    program.resize(reader.next());
    for (ReplayStep& step : program) {
      step.kind = static_cast<OperationKind>(reader.next());
      step.partner = static_cast<std::uint32_t>(reader.next());
      step.message = static_cast<std::uint32_t>(reader.next());
      step.size = Bytes{reader.next()};
      step.duration = Time(static_cast<std::int64_t>(reader.next()));
    }
  }
  return command;
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
