#include "core/graphs/complexity.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace takt {

std::optional<Complexity> complexity_named(std::string_view name) {
  constexpr std::array names{std::pair{std::string_view("linear"), Complexity::linear},
                             std::pair{std::string_view("log"), Complexity::log},
                             std::pair{std::string_view("matrix"), Complexity::matrix},
                             std::pair{std::string_view("mixed"), Complexity::mixed}};
  for (const auto& [text, complexity] : names)
    if (text == name) return complexity;
  return std::nullopt;
}

DataParallelTask draw_task(Complexity complexity, Random& random) {
  if (complexity == Complexity::mixed) complexity = static_cast<Complexity>(random.below(3));
  const std::int64_t rows = 1024 * random.between(2, 10), count = rows * rows;
  const auto numbers = static_cast<double>(count);
  const double iterations = 64 + (512 - 64) * random.unit();
  double operations = iterations * numbers;
  if (complexity == Complexity::log) operations *= std::log2(numbers);
  if (complexity == Complexity::matrix) operations = numbers * std::sqrt(numbers);
  return {std::llround(operations), 8 * count};
}

}  // namespace takt
