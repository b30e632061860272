#include "core/random.hpp"

namespace takt {

namespace {

std::mt19937_64 engine_of(std::uint64_t seed, std::uint32_t stream) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), stream};
  return std::mt19937_64(sequence);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint32_t stream) : engine_(engine_of(seed, stream)) {}

std::uint64_t Random::below(std::uint64_t bound) {
  // Numbers under 2^64 mod bound would make small remainders more likely: they are drawn again.
  const std::uint64_t rejected = (0 - bound) % bound;
  std::uint64_t number = engine_();
  while (number < rejected) number = engine_();
  return number % bound;
}

std::int64_t Random::between(std::int64_t least, std::int64_t most) {
  const std::uint64_t span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) + 1;
  const std::uint64_t offset = span == 0 ? engine_() : below(span);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + offset);
}

double Random::unit() {
  return static_cast<double>(engine_() >> 11) * 0x1p-53;
}

}  // namespace takt
