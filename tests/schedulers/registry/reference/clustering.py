"""Clustering by definition. Each algorithm returns the cluster (with any name) and the start of every task."""


def run_in_list_order(graph, cluster, order):
    """Returns the starts if the tasks of a cluster follow each other in the order of the list."""
    start, ready = {}, {}
    for t in order:
        start[t] = max([ready.get(cluster[t], 0)] +
                       [start[p] + graph.works[p] + (cluster[p] != cluster[t]) * graph.size[p, t]
                        for p in graph.parents[t]])
        ready[cluster[t]] = start[t] + graph.works[t]
    return start


def ez(graph):
    """Considers edges by decreasing size: zeroes an edge if that does not make the schedule longer."""
    order = graph.list_by(graph.levels_down())

    def length(cluster):
        start = run_in_list_order(graph, cluster, order)
        return max(start[t] + graph.works[t] for t in graph.tasks)

    cluster = {t: t for t in graph.tasks}
    for a, b in sorted(graph.size, key=lambda e: (-graph.size[e], e)):
        merged = {t: cluster[a] if c == cluster[b] else c for t, c in cluster.items()}
        if length(merged) <= length(cluster):
            cluster = merged
    return cluster, run_in_list_order(graph, cluster, order)


def lc(graph):
    """Clusters the longest path of the remaining tasks, from a task without remaining parents to one without
    children, repeatedly."""
    left = set(graph.tasks)
    cluster = {}

    def longest_from(t):
        further = [longest_from(b) for b in graph.children[t] if b in left]
        if not further:
            return graph.works[t], [t]
        length, path = max(further, key=lambda f: (graph.size[t, f[1][0]] + f[0], -f[1][0]))
        return graph.works[t] + graph.size[t, path[0]] + length, [t] + path

    while left:
        entries = [t for t in left if not any(p in left for p in graph.parents[t])]
        _, path = max((longest_from(t) for t in entries), key=lambda f: (f[0], -f[1][0]))
        for t in path:
            cluster[t] = path[0]
        left -= set(path)
    return cluster, run_in_list_order(graph, cluster, graph.topological())


class Dsc:
    """Examines the free task of the highest t-level + b-level; it joins a parent's cluster if it then starts
    earlier."""

    def __init__(self, graph):
        self.graph = graph
        self.level = graph.levels_down()
        self.cluster, self.start = {}, {}
        self.sequences = []

    def run(self):
        while len(self.start) < len(self.graph.works):
            self.examine(max((t for t in self.unexamined() if self.is_free(t)), key=self.priority))
        return self.cluster, self.start

    def unexamined(self):
        return [t for t in self.graph.tasks if t not in self.start]

    def is_free(self, t):
        return all(p in self.start for p in self.graph.parents[t])

    def end(self, t):
        return self.start[t] + self.graph.works[t]

    def ready(self, cluster):
        return max((self.end(t) for t in self.sequences[cluster]), default=0)

    def arrival(self, t, cluster=None):
        """Returns the arrival of the data of examined parents in a cluster, or in a new one."""
        return max((self.end(p) + (self.cluster[p] != cluster) * self.graph.size[p, t]
                    for p in self.graph.parents[t] if p in self.start), default=0)

    def priority(self, t):
        return self.arrival(t) + self.level[t], -t

    def last_arrivals_first(self, t):
        return sorted(self.graph.parents[t], key=lambda p: (-(self.end(p) + self.graph.size[p, t]), p))

    def is_movable(self, parent):
        return len(self.graph.children[parent]) == 1 and self.sequences[self.cluster[parent]][-1] == parent

    def joins(self, t, cluster):
        """Returns the earliest start in the cluster, and the smallest set of parents to move there that achieves
        it."""
        others = [p for p in self.last_arrivals_first(t) if self.cluster[p] != cluster]
        movable = [self.is_movable(p) for p in others]
        ready = self.ready(cluster)
        choices = []
        for count in range(len(others) + 1):
            rest = [self.end(p) + self.graph.size[p, t] for p in others[count:]]
            choices.append((max([ready] + rest), count))
            if count < len(others):
                if not movable[count]:
                    break
                moved = others[count]
                ready = max(ready, self.arrival(moved, cluster)) + self.graph.works[moved]
        start, count = min(choices)
        return start, others[:count]

    def starts_in(self, t, cluster, ready):
        """Returns the start of a task with examined parents in the cluster, which would then be ready at
        `ready`."""
        return max([ready] + [self.end(p) + self.graph.size[p, t] for p in self.graph.parents[t]
                              if p in self.start and self.cluster[p] != cluster])

    def harms(self, t, cluster, start):
        partly_free = [u for u in self.unexamined()
                       if not self.is_free(u) and any(p in self.start for p in self.graph.parents[u])]
        if not partly_free:
            return False
        dominant = max(partly_free, key=self.priority)
        if self.priority(dominant)[0] <= self.priority(t)[0]:
            return False
        latest = self.last_arrivals_first_examined(dominant)[0]
        if self.cluster[latest] != cluster:
            return False
        now = self.arrival(dominant)
        return (self.starts_in(dominant, cluster, self.ready(cluster)) < now <=
                self.starts_in(dominant, cluster, start + self.graph.works[t]))

    def last_arrivals_first_examined(self, t):
        return sorted((p for p in self.graph.parents[t] if p in self.start),
                      key=lambda p: (-(self.end(p) + self.graph.size[p, t]), p))

    def examine(self, t):
        parents = self.last_arrivals_first(t)
        staying = [p for p in parents if not self.is_movable(p)]
        best = (self.arrival(t), None, [])
        for parent in parents[:1] + staying[:1]:
            cluster = self.cluster[parent]
            start, moved = self.joins(t, cluster)
            if start < best[0] and not self.harms(t, cluster, start):
                best = (start, cluster, moved)
        start, cluster, moved = best
        if cluster is None:
            cluster = len(self.sequences)
            self.sequences.append([])
        for parent in moved:
            self.sequences[self.cluster[parent]].remove(parent)
            self.put(parent, cluster, max(self.ready(cluster), self.arrival(parent, cluster)))
        self.put(t, cluster, start)

    def put(self, t, cluster, start):
        self.sequences[cluster].append(t)
        self.cluster[t] = cluster
        self.start[t] = start


def dsc(graph):
    return Dsc(graph).run()


class Sequences:
    """Tasks placed in any order: the tasks of a cluster follow each other, and edges within a cluster take no
    time."""

    def __init__(self, graph):
        self.graph = graph
        self.cluster = {}
        self.sequences = []
        self.find_levels()

    def cost(self, a, b):
        together = a in self.cluster and self.cluster[a] == self.cluster.get(b)
        return 0 if together else self.graph.size[a, b]

    def find_levels(self):
        works = self.graph.works
        follows = [(a, b) for tasks in self.sequences for a, b in zip(tasks, tasks[1:])]
        edges = [(a, b, self.cost(a, b)) for a, b in self.graph.size] + [(a, b, 0) for a, b in follows]
        order = self.graph.topological(follows)
        self.asap, level = {}, {}
        for t in order:
            self.asap[t] = max((self.asap[a] + works[a] + c for a, b, c in edges if b == t), default=0)
        for t in reversed(order):
            level[t] = works[t] + max((c + level[b] for a, b, c in edges if a == t), default=0)
        self.length = max(level.values())
        self.alap = {t: self.length - level[t] for t in self.graph.tasks}
        self.before = {t: set() for t in self.graph.tasks}
        for t in order:
            for a, b, _ in edges:
                if b == t:
                    self.before[t] |= self.before[a] | {a}

    def mobility(self, t):
        return self.alap[t] - self.asap[t]

    def end(self, t):
        return self.asap[t] + self.graph.works[t]

    def asap_in(self, t, cluster):
        return max((self.end(p) + (self.cluster.get(p) != cluster) * self.graph.size[p, t]
                    for p in self.graph.parents[t]), default=0)

    def alap_end_in(self, t, cluster):
        return min((self.alap[b] - (self.cluster.get(b) != cluster) * self.graph.size[t, b]
                    for b in self.graph.children[t]), default=self.length)

    def first_slot(self, t, cluster, limit):
        """Returns position and start of the first interval that holds the task, if later tasks may start as late
        as `limit`."""
        tasks = self.sequences[cluster]
        for i in range(len(tasks) + 1):
            if any(a in self.before[t] for a in tasks[i:]) or any(t in self.before[b] for b in tasks[:i]):
                continue
            start = max([self.asap_in(t, cluster)] + [self.end(a) for a in tasks[:i][-1:]])
            end = min([self.alap_end_in(t, cluster)] + [limit[b] for b in tasks[i:][:1]])
            if end - start >= self.graph.works[t]:
                return i, start
        return None

    def place(self, t, cluster, position):
        if cluster == len(self.sequences):
            self.sequences.append([])
        self.sequences[cluster].insert(position, t)
        self.cluster[t] = cluster
        self.find_levels()

    def unplaced(self):
        return [t for t in self.graph.tasks if t not in self.cluster]


def md(graph):
    """Selects the task of least relative mobility, for the first cluster in which the critical path does not
    become longer."""
    placed = Sequences(graph)

    def relative_mobility(t):
        mobility, work = placed.mobility(t), graph.works[t]
        return mobility / work if work else (float("inf") if mobility else 0)

    while placed.unplaced():
        least = min(map(relative_mobility, placed.unplaced()))
        group = [t for t in placed.unplaced() if relative_mobility(t) == least]
        t = next(t for t in group if not any(p in group for p in graph.parents[t]))
        for cluster in range(len(placed.sequences)):
            if slot := placed.first_slot(t, cluster, placed.alap):
                placed.place(t, cluster, slot[0])
                break
        else:
            placed.place(t, len(placed.sequences), 0)
    return placed.cluster, placed.asap


def dcp(graph):
    """Selects the task of least mobility, for the cluster of a parent or child, or a new one, in which it and
    its critical child start first."""
    placed = Sequences(graph)

    def urgency(t):
        return placed.mobility(t), placed.asap[t], t

    def start_after(child, cluster, position, t, start):
        """Returns the start of the child in the cluster after task t, without a delay of other tasks."""
        earliest = start + graph.works[t]
        for p in graph.parents[child]:
            if p != t:
                earliest = max(earliest, placed.end(p) + (placed.cluster.get(p) != cluster) * graph.size[p, child])
        tasks = placed.sequences[cluster][position:] if cluster < len(placed.sequences) else []
        for other in tasks:
            if placed.asap[other] - earliest >= graph.works[child]:
                break
            earliest = max(earliest, placed.end(other))
        return earliest

    while placed.unplaced():
        t = min(placed.unplaced(), key=urgency)
        child = min((b for b in graph.children[t] if b not in placed.cluster), key=urgency, default=None)
        near = {placed.cluster[u] for u in graph.parents[t] + graph.children[t] if u in placed.cluster}
        choices = []
        for cluster in sorted(near):
            slot = placed.first_slot(t, cluster, placed.asap) or placed.first_slot(t, cluster, placed.alap)
            if slot:
                choices.append((cluster, *slot))
        choices.append((len(placed.sequences), 0, placed.asap[t]))

        def cost(choice):
            cluster, position, start = choice
            return start + (start_after(child, cluster, position, t, start) if child is not None else 0)

        cluster, position, _ = min(choices, key=cost)
        placed.place(t, cluster, position)
    return placed.cluster, placed.asap
