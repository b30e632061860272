"""Scheduling on shared links, by definition. Links are pairs of processors, one for each direction.

A message passes its links one after another, each for the time of its size. Each link carries one message at a time."""

from itertools import combinations, count


class Intervals:
    """Busy times, and the idle intervals between them."""

    def __init__(self):
        self.taken = []

    def earliest(self, start, length, also_taken=()):
        """Returns the first time from `start` on in an idle interval that holds the length."""
        idle_from = 0
        for begin, end in sorted([*self.taken, *also_taken]):
            if begin > idle_from and begin - max(start, idle_from) >= length:
                break
            idle_from = max(idle_from, end)
        return max(start, idle_from)

    def reserve(self, start, end):
        if start < end:
            self.taken.append((start, end))


def shortest_ways(processors, links):
    """Returns routes with the fewest links; among equal ones, the route whose last link has the lowest number."""
    ways = {}
    for source in range(processors):
        distance = {source: 0}
        for step in count(1):
            found = {b for a, b in links if distance.get(a) == step - 1 and b not in distance}
            if not found:
                break
            distance.update(dict.fromkeys(found, step))
        ways[source, source] = []
        for target in sorted(distance, key=distance.get)[1:]:
            last = next(i for i, (a, b) in enumerate(links) if b == target and distance[a] == distance[target] - 1)
            ways[source, target] = ways[source, links[last][0]] + [last]
    return ways


class Routed:
    """A partial schedule with the times of messages on links."""

    def __init__(self, graph, processors, links):
        self.graph = graph
        self.processors = range(processors)
        self.ways = shortest_ways(processors, links)
        self.links = [Intervals() for _ in links]
        self.busy = [Intervals() for _ in self.processors]
        self.processor, self.start = {}, {}

    def end(self, t):
        return self.start[t] + self.graph.works[t]

    def messages(self, t, processor):
        """Returns the arrival of the last message, and the hops of all, in the order of the ends of their
        senders."""
        hops, latest = [], 0
        for p in sorted(self.graph.parents[t], key=lambda p: (self.end(p), p)):
            size, time = self.graph.size[p, t], self.end(p)
            others = list(hops)
            for link in self.ways[self.processor[p], processor]:
                start = time
                if size > 0:  # an empty message does not wait
                    start = self.links[link].earliest(time, size, [(s, e) for k, s, e in others if k == link])
                time = start + size
                hops.append((link, start, time))
            latest = max(latest, time)
        return latest, hops

    def ready(self, processor):
        return max((end for _, end in self.busy[processor].taken), default=0)

    def appended(self, t, processor):
        return max(self.messages(t, processor)[0], self.ready(processor))

    def inserted(self, t, processor):
        return self.busy[processor].earliest(self.messages(t, processor)[0], self.graph.works[t])

    def put(self, t, processor, start):
        for link, begin, end in self.messages(t, processor)[1]:
            self.links[link].reserve(begin, end)
        self.processor[t], self.start[t] = processor, start
        self.busy[processor].reserve(start, start + self.graph.works[t])

    def result(self):
        return self.processor, self.start


def mh(graph, processors, links):
    """Schedules by decreasing b-level, on the processor where the task ends first."""
    routed = Routed(graph, processors, links)
    for t in graph.list_by(graph.levels_down()):
        best = min(routed.processors, key=lambda p: routed.appended(t, p))
        routed.put(t, best, routed.appended(t, best))
    return routed.result()


def dls_apn(graph, processors, links):
    """Selects the ready task and processor of the highest dynamic level, static level - start."""
    routed = Routed(graph, processors, links)
    level = graph.static_levels()
    while len(routed.start) < len(graph.works):
        ready = [t for t in graph.tasks
                 if t not in routed.start and all(p in routed.start for p in graph.parents[t])]
        t, p = max(((t, p) for t in ready for p in routed.processors),
                   key=lambda pair: level[pair[0]] - routed.appended(*pair))
        routed.put(t, p, routed.appended(t, p))
    return routed.result()


def even_hops(graph, home, ways, processors):
    """Exchanges pairs of processors while the sum of the squared hop counts of all messages decreases."""
    place = list(range(processors))

    def squares():
        return sum(len(ways[place[home[a]], place[home[b]]]) ** 2 for a, b in graph.size)

    for _ in range(32):
        before = squares()
        for a, b in combinations(range(processors), 2):
            now = squares()
            place[a], place[b] = place[b], place[a]
            if squares() >= now:
                place[a], place[b] = place[b], place[a]
        if squares() == before:
            break
    return {t: place[p] for t, p in home.items()}


def bu(graph, processors, links):
    """Places the critical path on one processor, and other tasks from the last layer up on the least loaded one."""
    home = dict.fromkeys(graph.critical_path(), 0)
    load = [0] * processors
    load[0] = sum(graph.works[t] for t in home)
    layer = {}
    for t in graph.topological():
        layer[t] = 1 + max((layer[p] for p in graph.parents[t]), default=-1)

    def cost(a, b):
        return 0 if a in home and home[a] == home.get(b) else graph.size[a, b]

    for at in sorted(set(layer.values()), reverse=True):
        level = graph.levels_down(cost)
        for t in sorted((t for t in graph.tasks if layer[t] == at and t not in home), key=lambda t: (-level[t], t)):
            home[t] = min(range(processors), key=lambda p: load[p])
            load[home[t]] += graph.works[t]
    routed = Routed(graph, processors, links)
    home = even_hops(graph, home, routed.ways, processors)
    for t in graph.list_by(graph.levels_down(cost)):
        routed.put(t, home[t], routed.appended(t, home[t]))
    return routed.result()


def bsa(graph, processors, links):
    """Places all tasks on the pivot in serial order; then the tasks of each processor, one processor after
    another, may move to neighbours. Then all tasks may move any number of times, in the order of their
    current levels. Returns the shortest schedule found."""
    level, t_level = graph.levels_down(), graph.levels_up()
    order = []

    def append_with_ancestors(t):
        for p in sorted(graph.parents[t], key=lambda p: (-level[p], t_level[p], p)):
            if p not in order:
                append_with_ancestors(p)
        order.append(t)

    for t in graph.critical_path():
        if t not in order:
            append_with_ancestors(t)
    order += [t for t in graph.list_by(level) if t not in order]

    neighbours = [sorted(b for a, b in links if a == p) for p in range(processors)]
    turns = [max(range(processors), key=lambda p: len(neighbours[p]))]
    for p in turns:
        turns += [q for q in neighbours[p] if q not in turns]
    home = dict.fromkeys(graph.tasks, turns[0])

    def schedule(pivot):
        routed = Routed(graph, processors, links)
        for t in order:
            if home[t] == pivot:
                home[t] = best_home(routed, t, pivot)
            routed.put(t, home[t], routed.inserted(t, home[t]))
        return routed

    def best_home(routed, t, pivot):
        last_parent = max(graph.parents[t], key=lambda p: (routed.end(p) + graph.size[p, t], -p), default=None)
        best = pivot
        for p in neighbours[pivot]:
            gain = routed.inserted(t, best) - routed.inserted(t, p)
            if gain > 0 or (gain == 0 and last_parent is not None and home[last_parent] == p):
                best = p
        return best

    def length(routed):
        return max(routed.end(t) for t in graph.tasks)

    shortest = schedule(None)
    for _ in range(32):
        before = dict(home)
        for pivot in turns:
            if pivot in home.values():
                shortest = min(shortest, schedule(pivot), key=length)
        if home == before:
            break
    fruitless = 0
    for _ in range(32):
        order = graph.list_by(graph.levels_down(lambda a, b: 0 if home[a] == home[b] else graph.size[a, b]))
        routed = Routed(graph, processors, links)
        for t in order:
            while (better := best_home(routed, t, home[t])) != home[t]:
                home[t] = better
            routed.put(t, home[t], routed.inserted(t, home[t]))
        fruitless = 0 if length(routed) < length(shortest) else fruitless + 1
        shortest = min(shortest, routed, key=length)
        if fruitless == 4:
            break
    return shortest.result()
