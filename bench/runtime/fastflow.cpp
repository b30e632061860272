/// FastFlow's pipe of two nodes with a thread each and a bounded queue between them; the first runs two
/// stages. (A farm has two more threads, to distribute and to reorder frames: slower on two cores.)

#include <memory>
#include <vector>

#include <ff/ff.hpp>

#include "bench/runtime/peer.hpp"

namespace takt::bench {

namespace {

constexpr int queue = 16;
/// One frame is written, one is read, the others wait in the queue.
constexpr std::size_t frames_under_way = queue + 4;

struct FirstStages : ff::ff_node_t<Frame> {
  explicit FirstStages(const Case& each) : one(each), source(each), a(each) {
    for (std::size_t i = 0; i < frames_under_way; ++i) pool.push_back(std::make_unique<Frame>(one));
  }
  Frame* svc(Frame*) override {
    const auto end = Clock::now() + one.duration;
    while (frames % batch != 0 || Clock::now() < end) {
      Frame& frame = *pool[frames++ % pool.size()];
      run_stage(one.work, source.data(), a.data(), one.count());
      run_stage(one.work, a.data(), frame.data(), one.count());
      ff_send_out(&frame);
    }
    return EOS;
  }
  const Case& one;
  const Frame source, a;
  std::vector<std::unique_ptr<Frame>> pool;
  std::uint64_t frames = 0;
};

struct LastStage : ff::ff_node_t<Frame> {
  explicit LastStage(const Case& each) : one(each), c(each) {}
  Frame* svc(Frame* frame) override {
    run_stage(one.work, frame->data(), c.data(), one.count());
    return GO_ON;
  }
  const Case& one;
  const Frame c;
};

}  // namespace

std::uint64_t run_fastflow(const Case& one) {
  FirstStages first(one);
  LastStage last(one);
  ff::ff_Pipe<> pipe(first, last);
  pipe.setXNodeInputQueueLength(queue, true);
  pipe.setXNodeOutputQueueLength(queue, true);
  pipe.run_and_wait_end();
  return first.frames;
}

}  // namespace takt::bench
