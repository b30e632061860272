"""GNU Radio flow graphs as peers of takt's streams, for tests. Sample n is n - n * j.

flowgraph.py check                           exits with 0 if GNU Radio is installed
flowgraph.py udp PORT HEADER BYTES ITEMS     UDP sink, header type 0 or 1, BYTES of samples per datagram
flowgraph.py pub ENDPOINT TAGS               ZMQ PUB sink, which binds, until it is killed
flowgraph.py push ENDPOINT TAGS              ZMQ PUSH sink
flowgraph.py sub ENDPOINT TAGS ITEMS FILE    ZMQ SUB source: writes ITEMS items, then ends
"""

import array
import os
import sys
import time

from gnuradio import blocks, gr, network, zeromq

ITEM = gr.sizeof_gr_complex
RATE = 200e3


def ramp(items, repeat=False):
    return blocks.vector_source_c([complex(i, -i) for i in range(items)], repeat)


def run(*chain):
    graph = gr.top_block()
    graph.connect(*chain)
    graph.run()


def udp(port, header, size, items):
    header = int(header)
    # The block's payload includes the number.
    sink = network.udp_sink(ITEM, 1, "127.0.0.1", int(port), header, int(size) + 8 * header, True)
    run(ramp(int(items)), blocks.throttle(ITEM, RATE), sink)


def pub(endpoint, tags):
    run(ramp(1000, True), blocks.throttle(ITEM, RATE), zeromq.pub_sink(ITEM, 1, endpoint, 100, tags == "1"))


def push(endpoint, tags):
    run(ramp(1000, True), blocks.throttle(ITEM, RATE), zeromq.push_sink(ITEM, 1, endpoint, 100, tags == "1"))


def sub(endpoint, tags, items, file):
    graph, sink = gr.top_block(), blocks.vector_sink_c()
    graph.connect(zeromq.sub_source(ITEM, 1, endpoint, 100, tags == "1"), sink)
    graph.start()
    while len(sink.data()) < int(items):
        time.sleep(0.02)
    with open(file, "wb") as out:
        out.write(array.array("f", (x for z in sink.data()[:int(items)] for x in (z.real, z.imag))).tobytes())
    os._exit(0)  # The graph would wait for further items.


if sys.argv[1] != "check":
    {"udp": udp, "pub": pub, "push": push, "sub": sub}[sys.argv[1]](*sys.argv[2:])
