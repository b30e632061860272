"""Task graphs and their levels by definition, for references that are plain rather than fast."""


class TaskGraph:
    """Task graph with numbered tasks; `size[a, b]` is the time of an edge's message between processors."""

    def __init__(self, works, edges):
        self.works = works
        self.tasks = range(len(works))
        self.size = {(a, b): size for a, b, size in edges}
        self.parents = [sorted(a for a, b in self.size if b == t) for t in self.tasks]
        self.children = [sorted(b for a, b in self.size if a == t) for t in self.tasks]

    def topological(self, more_edges=()):
        """Returns all tasks, parents first; `more_edges` are additional edges."""
        edges = [*self.size, *more_edges]
        order = []
        while len(order) < len(self.works):
            order.append(next(t for t in self.tasks
                              if t not in order and all(a in order for a, b in edges if b == t)))
        return order

    def levels_down(self, cost=None):
        """Returns the longest path from each task to an exit, including the task; `cost(a, b)` replaces an
        edge's size."""
        cost = cost or (lambda a, b: self.size[a, b])
        level = {}
        for t in reversed(self.topological()):
            level[t] = self.works[t] + max((cost(t, b) + level[b] for b in self.children[t]), default=0)
        return level

    def levels_up(self):
        """Returns the longest path from an entry to each task, excluding the task."""
        level = {}
        for t in self.topological():
            level[t] = max((level[a] + self.works[a] + self.size[a, t] for a in self.parents[t]), default=0)
        return level

    def static_levels(self):
        return self.levels_down(lambda a, b: 0)

    def list_by(self, urgency):
        """Returns all tasks, parents first: in each step the ready task of the highest urgency, then the lowest
        number."""
        order = []
        while len(order) < len(self.works):
            ready = [t for t in self.tasks if t not in order and all(p in order for p in self.parents[t])]
            order.append(max(ready, key=lambda t: (urgency[t], -t)))
        return order

    def critical_path(self):
        level = self.levels_down()
        path = [max(self.tasks, key=lambda t: (level[t], -t))]
        while self.children[path[-1]]:
            a = path[-1]
            path.append(max(self.children[a], key=lambda b: (self.size[a, b] + level[b], -b)))
        return path
