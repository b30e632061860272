/// FastFlow's pipe of two nodes, a thread each, with a bounded queue between them; the first has two stages.
/// (A farm has two threads more, for handing out and for putting in order: slower on two cores.)

#include <memory>
#include <vector>

#include <ff/ff.hpp>

#include "bench/runtime/peer.hpp"

namespace takt::bench {

namespace {

constexpr int queue = 16;
/// A frame is written, one is read, the others wait.
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
