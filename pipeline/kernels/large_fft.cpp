#include "pipeline/kernels/large_fft.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "pipeline/kernels/fftw.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

using Complex = std::complex<float>;

/// std::complex's own product handles infinities, which is ten times as expensive.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The intersection of a block of rows of a row-major matrix with a block of its columns: runs of elements,
/// contiguous in the piece that two members exchange.
struct MatrixRuns {
  struct Run {
    std::size_t row, column, length;
    /// Offsets in the block, and in the piece.
    std::size_t in_block, in_piece;
  };
  std::vector<Run> runs;
  std::size_t elements = 0;

  MatrixRuns(Block block, std::size_t row_length, Block columns) {
    for (std::size_t row = block.begin / row_length; row * row_length < block.end; ++row) {
      const std::size_t begin = std::max(block.begin, row * row_length + columns.begin),
                        end = std::min(block.end, row * row_length + columns.end);
      if (begin >= end) continue;
      runs.push_back({row, begin - row * row_length, end - begin, begin - block.begin, elements});
      elements += end - begin;
    }
  }

  /// Calls visit(index in the piece, row, column) for all elements, several rows at a time, so that
  /// column-major memory is accessed line by line.
  template <class Visit>
  void for_each_transposed(Block columns, const Visit& visit) const {
    constexpr std::size_t rows_at_once = 16;
    for (std::size_t first = 0; first < runs.size(); first += rows_at_once) {
      const auto some = std::span(runs).subspan(first, std::min(rows_at_once, runs.size() - first));
      for (std::size_t column = columns.begin; column < columns.end; ++column)
        for (const Run& run : some)
          if (column - run.column < run.length) visit(run.in_piece + column - run.column, run.row, column);
    }
  }
};

FftwPlan transforms_in_place(Complex* data, std::size_t length, std::size_t count) {
  const int size = static_cast<int>(length);
  auto* const memory = reinterpret_cast<fftwf_complex*>(data);
  const std::scoped_lock lock(fftw_planner_mutex);
  return FftwPlan(fftwf_plan_many_dft(1, &size, static_cast<int>(count), memory, nullptr, 1, size, memory,
                                      nullptr, 1, size, FFTW_FORWARD, FFTW_ESTIMATE));
}

/// A member's part of the transpose method.
class TransposeFft {
 public:
  TransposeFft(Group& group, std::size_t rows, std::size_t columns)
      : group_(group),
        rows_(rows),
        columns_(columns),
        own_columns_(block_of(columns, group.size(), group.rank())),
        own_rows_(block_of(rows, group.size(), group.rank())),
        by_column_(own_columns_.size() * rows),
        by_row_(own_rows_.size() * columns) {
    const std::size_t members = group.size(), all = rows * columns;
    const Block own = block_of(all, members, group.rank());
    std::size_t most = std::max({own.size(), by_column_.size(), by_row_.size()});
    for (std::size_t member = 0; member < members; ++member) {
      const Block block = block_of(all, members, member);
      in_out_.emplace_back(own, columns, block_of(columns, members, member));
      in_in_.emplace_back(block, columns, own_columns_);
      out_out_.emplace_back(block, rows, own_rows_);
      out_in_.emplace_back(own, rows, block_of(rows, members, member));
    }
    outgoing_memory_.resize(most);
    incoming_memory_.resize(most);
    outgoing_.resize(members);
    incoming_.resize(members);
    column_plan_ = transforms_in_place(by_column_.data(), rows, own_columns_.size());
    row_plan_ = transforms_in_place(by_row_.data(), columns, own_rows_.size());
    for (std::size_t column = own_columns_.begin; column < own_columns_.end; ++column)
      for (std::size_t k = 0; k < rows; ++k) {
        const double turns = static_cast<double>(column * k % all) / static_cast<double>(all);
        const double angle = -2 * std::numbers::pi * turns, scale = 1 / std::sqrt(static_cast<double>(all));
        twiddles_.emplace_back(static_cast<float>(scale * std::cos(angle)),
                               static_cast<float>(scale * std::sin(angle)));
      }
  }

  /// `samples` and `spectrum` are the member's blocks.
  void run(std::span<const Complex> samples, std::span<Complex> spectrum) {
    give_columns(samples);
    fftwf_execute(column_plan_.get());
    for (std::size_t i = 0; i < by_column_.size(); ++i) by_column_[i] = product(by_column_[i], twiddles_[i]);
    give_rows();
    fftwf_execute(row_plan_.get());
    give_in_order(spectrum);
  }

 private:
  /// Divides the memory among the pieces; returns where each member's begins.
  template <class Sizes>
  static std::vector<std::span<Complex>>& cut(std::vector<Complex>& memory,
                                              std::vector<std::span<Complex>>& pieces, const Sizes& size_of) {
    std::size_t at = 0;
    for (std::size_t member = 0; member < pieces.size(); ++member) {
      pieces[member] = std::span(memory).subspan(at, size_of(member));
      at += pieces[member].size();
    }
    return pieces;
  }

  void exchange() {
    outgoing_bytes_.clear();
    incoming_bytes_.clear();
    for (const std::span<Complex> piece : outgoing_) outgoing_bytes_.push_back(std::as_bytes(piece));
    for (const std::span<Complex> piece : incoming_) incoming_bytes_.push_back(std::as_writable_bytes(piece));
    group_.exchange(outgoing_bytes_, incoming_bytes_);
  }

  [[nodiscard]] std::size_t members() const { return outgoing_.size(); }

  /// Converts blocks of the matrix's rows to contiguous columns.
  void give_columns(std::span<const Complex> samples) {
    cut(outgoing_memory_, outgoing_, [&](std::size_t m) { return in_out_[m].elements; });
    cut(incoming_memory_, incoming_, [&](std::size_t m) { return in_in_[m].elements; });
    for (std::size_t m = 0; m < members(); ++m)
      for (const auto& run : in_out_[m].runs)
        for (std::size_t i = 0; i < run.length; ++i) {
          // (-1)^n moves frequency 0 to the middle.
          const Complex sample = samples[run.in_block + i];
          const bool is_odd = (run.row * columns_ + run.column + i) % 2 != 0;
          outgoing_[m][run.in_piece + i] = is_odd ? -sample : sample;
        }
    exchange();
    for (std::size_t m = 0; m < members(); ++m)
      in_in_[m].for_each_transposed(own_columns_, [&](std::size_t at, std::size_t row, std::size_t column) {
        by_column_[(column - own_columns_.begin) * rows_ + row] = incoming_[m][at];
      });
  }

  /// Converts columns to contiguous rows.
  void give_rows() {
    const auto columns_of = [&](std::size_t m) { return block_of(columns_, members(), m); };
    const auto rows_of = [&](std::size_t m) { return block_of(rows_, members(), m); };
    cut(outgoing_memory_, outgoing_, [&](std::size_t m) { return own_columns_.size() * rows_of(m).size(); });
    cut(incoming_memory_, incoming_, [&](std::size_t m) { return columns_of(m).size() * own_rows_.size(); });
    for (std::size_t m = 0; m < members(); ++m) {
      const Block rows = rows_of(m);
      for (std::size_t c = 0; c < own_columns_.size(); ++c)
        std::copy_n(by_column_.data() + c * rows_ + rows.begin, rows.size(),
                    outgoing_[m].data() + c * rows.size());
    }
    exchange();
    constexpr std::size_t tile = 16;
    for (std::size_t m = 0; m < members(); ++m) {
      const Block columns = columns_of(m);
      for (std::size_t first = 0; first < columns.size(); first += tile)
        for (std::size_t row = 0; row < own_rows_.size(); ++row)
          for (std::size_t c = first; c < std::min(first + tile, columns.size()); ++c)
            by_row_[row * columns_ + columns.begin + c] = incoming_[m][c * own_rows_.size() + row];
    }
  }

  /// Channel k1 + N1 k2 is in row k1, column k2: converts rows to blocks of channels.
  void give_in_order(std::span<Complex> spectrum) {
    cut(outgoing_memory_, outgoing_, [&](std::size_t m) { return out_out_[m].elements; });
    cut(incoming_memory_, incoming_, [&](std::size_t m) { return out_in_[m].elements; });
    for (std::size_t m = 0; m < members(); ++m)
      out_out_[m].for_each_transposed(own_rows_, [&](std::size_t at, std::size_t k2, std::size_t k1) {
        outgoing_[m][at] = by_row_[(k1 - own_rows_.begin) * columns_ + k2];
      });
    exchange();
    for (std::size_t m = 0; m < members(); ++m)
      for (const auto& run : out_in_[m].runs)
        std::copy_n(incoming_[m].data() + run.in_piece, run.length, spectrum.data() + run.in_block);
  }

  Group& group_;
  std::size_t rows_, columns_;
  Block own_columns_, own_rows_;
  std::vector<Complex> by_column_, by_row_, twiddles_;
  FftwPlan column_plan_, row_plan_;
  /// By member: data to send and to receive in the first exchange; the same for the last one.
  std::vector<MatrixRuns> in_out_, in_in_, out_out_, out_in_;
  std::vector<Complex> outgoing_memory_, incoming_memory_;
  std::vector<std::span<Complex>> outgoing_, incoming_;
  std::vector<std::span<const std::byte>> outgoing_bytes_;
  std::vector<std::span<std::byte>> incoming_bytes_;
};

class LargeFft final : public Kernel {
 public:
  explicit LargeFft(const Parameters& /*parameters*/) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    const FrameType& input = inputs.front();
    if (input.element != ElementType::complex_float32 || input.axes.size() != 1)
      throw InputError(fmt::format("expected complex_float32 with one axis, got {}", input.to_string()));
    size_ = input.axes.front().size;
    if (size_ % 2 != 0)
      throw InputError(fmt::format("expected an even number of samples, got {}", input.to_string()));
    rows_ = 1;
    for (std::size_t divisor = 2; divisor * divisor <= size_; ++divisor)
      if (size_ % divisor == 0) rows_ = divisor;
    FrameType output = input;
    output.axes.front() = channels(input);
    return output;
  }

  [[nodiscard]] std::optional<BlockDistribution> distribution() const override {
    return BlockDistribution{.inputs = {0}, .output = 0, .most_members = rows_};
  }

  void join(Group& group) override { parallel_.emplace(group, rows_, size_ / rows_); }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::span<const Complex> samples = inputs.front().as<Complex>();
    const std::span<Complex> spectrum = output.as<Complex>();
    if (parallel_) {
      parallel_->run(samples, spectrum);
      return Outcome::produced;
    }
    if (!plan_) prepare();
    const float scale = 1 / std::sqrt(static_cast<float>(size_));
    // (-1)^n moves frequency 0 to the middle.
    const float* __restrict const from = inputs.front().as<float>().data();
    auto* __restrict const weighted = reinterpret_cast<float*>(weighted_.get());
    for (std::size_t i = 0; i < 2 * size_; i += 4) {
      weighted[i] = from[i] * scale;
      weighted[i + 1] = from[i + 1] * scale;
      weighted[i + 2] = from[i + 2] * -scale;
      weighted[i + 3] = from[i + 3] * -scale;
    }
    fftwf_execute_dft(plan_.get(), weighted_.get(), reinterpret_cast<fftwf_complex*>(spectrum.data()));
    mark_nan(output);
    return Outcome::produced;
  }

 private:
  /// For one rank: at the first frame, when it is known that there is no group.
  void prepare() {
    weighted_.reset(fftwf_alloc_complex(size_));
    const FftwComplex aligned(fftwf_alloc_complex(1));
    const std::scoped_lock lock(fftw_planner_mutex);
    plan_.reset(fftwf_plan_dft_1d(static_cast<int>(size_), weighted_.get(), aligned.get(), FFTW_FORWARD,
                                  FFTW_ESTIMATE));
  }

  static Axis channels(const FrameType& input) {
    const Axis& time = input.axes.front();
    Axis axis{"channel", time.size, {}};
    double rate = sample_rate(input);
    // The axis may have any name.
    if (!(rate > 0) && time.coordinates.size() >= 2 && time.coordinates.back() > time.coordinates.front())
      rate = static_cast<double>(time.size - 1) / (time.coordinates.back() - time.coordinates.front());
    if (!(rate > 0)) return axis;
    const auto n = static_cast<double>(time.size);
    for (std::size_t k = 0; k < time.size; ++k)
      axis.coordinates.push_back((static_cast<double>(k) - n / 2) * rate / n);
    return axis;
  }

  std::size_t size_ = 0, rows_ = 1;
  FftwComplex weighted_;
  FftwPlan plan_;
  std::optional<TransposeFft> parallel_;
};

}  // namespace

KernelKind large_fft_kernel() {
  return {.name = "large_fft",
          .summary = "one transform of a whole frame, on several ranks by the transpose method",
          .stateless = true,
          .make = make_from<LargeFft>};
}

}  // namespace takt::pipeline
