"""List scheduling by definition: the methods that list_oracle_test.cpp does not have."""


def ish(graph, processors):
    """As HLFET. Fills the hole before a task with ready tasks that do not start earlier on another processor."""
    level = graph.static_levels()
    processor, start = {}, {}

    def end(t):
        return start[t] + graph.works[t]

    def ready_time(p):
        return max((end(t) for t in start if processor[t] == p), default=0)

    def arrival(t, p):
        return max((end(a) + (processor[a] != p) * graph.size[a, t] for a in graph.parents[t]), default=0)

    def appended(t, p):
        return max(arrival(t, p), ready_time(p))

    def put(t, p, at):
        processor[t], start[t] = p, at

    def ready():
        """Returns the ready tasks, with the highest static level first."""
        return sorted((t for t in graph.tasks if t not in start and all(p in start for p in graph.parents[t])),
                      key=lambda t: (-level[t], t))

    def fills(t, p, hole):
        at = max(hole[0], arrival(t, p))
        return (at + graph.works[t] <= hole[1] and
                not any(appended(t, q) < at for q in range(processors) if q != p))

    while ready():
        task = ready()[0]
        p = min(range(processors), key=lambda p: appended(task, p))
        hole = (ready_time(p), appended(task, p))
        put(task, p, appended(task, p))
        while hole[0] < hole[1] and (filling := [t for t in ready() if fills(t, p, hole)]):
            put(filling[0], p, max(hole[0], arrival(filling[0], p)))
            hole = (end(filling[0]), hole[1])
    return processor, start
