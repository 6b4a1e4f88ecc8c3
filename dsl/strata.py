"""What a statement's standing depends on, and whether that goes round in a circle."""

from . import core

Graph = dict[str, tuple[str, ...]]


def dependencies(book: core.Resolved) -> Graph:
    """Name of a statement or define -> the names it must wait for, sorted."""
    graph: Graph = {}
    for s in book.statements.values():
        needs = set(book.defeaters[s.name])
        for node in (s.condition, *s.unless, *((s.each,) if s.each and s.form != "choice" else ())):
            needs |= _named(node)
        graph[s.name] = tuple(sorted(needs))
    for d in book.defines.values():
        graph[d.name] = tuple(sorted(_named(d.value)))
    for name, value in book.sets.items():
        graph[name] = tuple(sorted(_named(value)))
    return graph


def _named(node: object) -> set[str]:
    found: set[str] = set()
    for part in core.walk(node):
        if isinstance(part, core.Stands):
            found.add(part.statement)
        elif isinstance(part, core.Standing):
            found.update(part.statements)
        elif isinstance(part, core.DefineRef):
            found.add(part.name)
    return found


def ranks(graph: Graph) -> dict[str, int]:
    """How long the longest chain below each name is; names on a circle, or above one, have no rank."""
    users: dict[str, list[str]] = {}
    missing = {}
    for name, needed in graph.items():
        known = {other for other in needed if other in graph}
        missing[name] = len(known)
        for other in known:
            users.setdefault(other, []).append(name)
    found = {name: 0 for name, count in missing.items() if count == 0}
    waiting = list(found)
    while waiting:
        below = waiting.pop()
        for name in users.get(below, ()):
            missing[name] -= 1
            if missing[name] == 0:
                found[name] = 1 + max(found[other] for other in graph[name] if other in graph)
                waiting.append(name)
    return found


def cycle_in(graph: Graph) -> list[str]:
    """The members of one cycle, in order from the first by name; empty where there is none."""
    stuck = graph.keys() - ranks(graph).keys()
    if not stuck:
        return []
    path = [min(stuck)]
    while True:
        following = next(name for name in graph[path[-1]] if name in stuck)
        if following in path:
            circle = path[path.index(following) :]
            first = circle.index(min(circle))
            return [*circle[first:], *circle[:first], circle[first]]
        path.append(following)
