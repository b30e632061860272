"""Schedules many problems by plain references, written from the definitions in the papers and the tie-breaking rules in
the headers of schedulers/, not from takt's code.

    decide.py ALGORITHM PROBLEMS

Reads one JSON object per line: `works` by task, `edges` as [from, to, size], `processors`, and `links` as [from, to].
Prints a line with a list of [processor or cluster, start] by task for each.
"""

import json
import sys

sys.dont_write_bytecode = True

import clustering
import lists
import network
from task_graph import TaskGraph


def decide(algorithm, problem):
    graph = TaskGraph(problem["works"], problem["edges"])
    if function := getattr(clustering, algorithm, None):
        return graph, function(graph)
    if function := getattr(network, algorithm, None):
        return graph, function(graph, problem["processors"], [tuple(link) for link in problem["links"]])
    return graph, getattr(lists, algorithm)(graph, problem["processors"])


for line in open(sys.argv[2]):
    graph, (place, start) = decide(sys.argv[1], json.loads(line))
    print(json.dumps([[place[t], start[t]] for t in graph.tasks]))
