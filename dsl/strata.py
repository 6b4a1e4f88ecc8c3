"""What a statement's standing depends on, and whether that goes round in a circle."""

from . import core

Graph = dict[str, tuple[str, ...]]


def dependencies(book: core.Resolved) -> Graph:
    """Name of a statement or define -> the names it must wait for, sorted."""
    overriders: dict[str, set[str]] = {}
    for s in book.statements.values():
        for target in s.overrides:
            overriders.setdefault(target, set()).add(s.name)
    voids = [s for s in book.statements.values() if s.form == "void"]
    graph: Graph = {}
    for s in book.statements.values():
        needs = set(overriders.get(s.name, ()))
        if s.form not in ("void", "prepare"):
            needs |= {v.name for v in voids if s.name not in v.keeps}
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


def cycle_in(graph: Graph) -> list[str]:
    """The members of one cycle, in order from the first by name; empty where there is none."""
    state: dict[str, int] = {}
    for start in sorted(graph):
        path: list[str] = []
        found = _visit(start, graph, state, path)
        if found:
            return found
    return []


def _visit(name: str, graph: Graph, state: dict[str, int], path: list[str]) -> list[str]:
    if state.get(name) == 2:
        return []
    if state.get(name) == 1:
        return [*path[path.index(name) :], name]
    state[name] = 1
    path.append(name)
    for needed in graph.get(name, ()):
        found = _visit(needed, graph, state, path)
        if found:
            return found
    path.pop()
    state[name] = 2
    return []
