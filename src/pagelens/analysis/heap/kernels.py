"""The loops over nodes and edges, each written once and run in two ways.

As they stand they are plain Python over lists: that is what small files get, and what works where numpy and numba are
not installed. `jit.py` compiles the very same functions for numpy arrays. So they are written in the part of Python
that both understand: integers, indexing, `while` and `for`, calls of each other, and scratch arrays from the three
functions at the top (which `jit.py` replaces). What is about text happens elsewhere: here a name is a number.

Arrays all along: ``first_edge[u]`` to ``first_edge[u + 1]`` are the edges of node ``u``, and edge ``e`` leads to node
``targets[e]``, its type is ``edge_types[e]`` and its name or index ``edge_names[e]``. Nodes are numbered as they lie in
the file. A number that is not there is `NONE`; the types of nodes and edges are passed as the file numbers them, -1
for one it lacks.
"""

# ruff: noqa: SIM109 (compiled code compares numbers, not tuples)
from __future__ import annotations

from typing import Any

__all__ = [
    "ESSENTIAL",
    "NONE",
    "NO_CONTEXT",
    "PAIR",
    "SHARED_CONTEXT",
    "SKIPPED",
    "UNREACHED",
    "array_sizes",
    "attribute_contexts",
    "class_table",
    "dominators",
    "edge_flags",
    "find_distances",
    "gather_nodes",
    "gather_strings",
    "internal_targets",
    "locate_classes",
    "mark_names",
    "match_objects",
    "name_classes",
    "nearest_retainers",
    "own_shallow_sizes",
    "parse_numbers",
    "plain_shapes",
    "reach",
    "retainer_index",
    "spread_detachedness",
]

#: "There is none", in arrays of node, edge or string numbers.
NONE = 0xFFFFFFFF
#: The distance of a node that nothing reaches.
UNREACHED = -5
#: The distance of the root when there are user roots: what only it reaches is far away.
FAR = 100_000_000

# Bits of an edge's flags.
#: It counts for dominators.
ESSENTIAL = 1
#: Half of a WeakMap entry: it leads on only when the other half was met as well.
PAIR = 2
#: Distances don't follow it.
SKIPPED = 4

# Owners of a node that is of no single native context.
NO_CONTEXT = -1
SHARED_CONTEXT = -2

# In own_shallow_sizes: not met yet, met from several sides.
_UNVISITED = 0xFFFFFFFF
_MULTIPLE = 0xFFFFFFFE

# The most steps that the tree of property names in plain_shapes takes.
_MOST_STEPS = 8_000_000

# -- scratch arrays of zeros ---------------------------------------------------------------------------


def uint8s(n: int) -> Any:
    return [0] * n


def uint32s(n: int) -> Any:
    return [0] * n


def int64s(n: int) -> Any:
    return [0] * n


# -- reading -------------------------------------------------------------------------------------------

# What comes next in an array of numbers: `parse_numbers` keeps it in state[0] from one piece of the file to the next.
# 0 the first number or the end, 1 a comma or the end, 2 a number, 3 more digits, 4 a digit after a minus, 5 nothing.


def parse_numbers(buffer: Any, begin: int, end: int, out: Any, at: int, state: Any) -> int:
    """Read integers between ``begin`` and ``end`` into ``out`` from ``at`` on; returns where it stopped.

    state: [mode, value, negative, digits, place in out, what is wrong]. Wrong is 0 nothing, 1 no integer array, 2 a
    number of more than 16 digits. Mode 5: the array's end was met, and lies at the returned place.
    """
    mode = state[0]
    value = state[1]
    negative = state[2]
    digits = state[3]
    wrong = 0
    i = begin
    while i < end:
        byte = buffer[i]
        if mode == 3:
            if 48 <= byte <= 57:
                if value == 0:  # JSON has no leading zeros
                    wrong = 1
                    break
                value = value * 10 + (byte - 48)
                digits += 1
                if digits > 16:
                    wrong = 2
                    break
                i += 1
                continue
            if negative:
                value = -value
            out[at] = value
            at += 1
            mode = 1
        if byte == 44:
            if mode != 1:
                wrong = 1
                break
            mode = 2
        elif 48 <= byte <= 57:
            if mode == 1:
                wrong = 1
                break
            if mode != 4:
                negative = 0
            value = byte - 48
            digits = 1
            mode = 3
        elif byte == 93:
            if mode > 1:
                wrong = 1
            else:
                mode = 5
            break
        elif byte == 45:
            if mode != 0 and mode != 2:
                wrong = 1
                break
            negative = 1
            mode = 4
        elif not (byte == 10 or byte == 32 or byte == 13 or byte == 9) or mode == 4:
            wrong = 1
            break
        i += 1
    state[0] = mode
    state[1] = value
    state[2] = negative
    state[3] = digits
    state[4] = at
    state[5] = wrong
    return i


# -- the state of DOM nodes ----------------------------------------------------------------------------


def spread_detachedness(
    first_edge: Any,
    targets: Any,
    edge_types: Any,
    node_types: Any,
    state: Any,
    native: int,
    hidden: int,
    weak: int,
) -> None:
    """Carry 1 (attached) and then 2 (detached) from native node to native node; the first to come wins.

    ``state`` holds what the file says (0 unknown), and is 6 afterwards where a native node is detached.
    """
    count = len(node_types)
    visited = uint8s(count)
    attached = uint32s(count)
    detached = uint32s(count)
    attached_count = 0
    detached_count = 0
    for u in range(count):
        if state[u] == 0:
            continue
        visited[u] = 1
        if node_types[u] != native:
            continue
        if state[u] == 1:
            attached[attached_count] = u
            attached_count += 1
        elif state[u] == 2:
            state[u] = 6
            detached[detached_count] = u
            detached_count += 1
    _spread(
        first_edge, targets, edge_types, node_types, state, native, hidden, weak, visited, attached, attached_count, 1
    )
    _spread(
        first_edge, targets, edge_types, node_types, state, native, hidden, weak, visited, detached, detached_count, 6
    )


def _spread(
    first_edge: Any,
    targets: Any,
    edge_types: Any,
    node_types: Any,
    state: Any,
    native: int,
    hidden: int,
    weak: int,
    visited: Any,
    stack: Any,
    depth: int,
    value: int,
) -> None:
    while depth > 0:
        depth -= 1
        u = stack[depth]
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] == hidden or edge_types[e] == weak:
                continue
            v = targets[e]
            if visited[v]:
                continue
            visited[v] = 1
            if node_types[v] == native:
                state[v] = value
                stack[depth] = v
                depth += 1


# -- which edges count ---------------------------------------------------------------------------------


def edge_flags(
    first_edge: Any,
    targets: Any,
    edge_types: Any,
    edge_names: Any,
    ids: Any,
    page_seeds: Any,
    pair_of_string: Any,
    table_of_string: Any,
    strings: int,
    root: int,
    weak: int,
    shortcut: int,
    internal: int,
    element: int,
    hidden: int,
    flags: Any,
) -> int:
    """Set each edge's flags; returns the first edge whose name is no string of the file, -1 when all are well.

    ``page_seeds``: where the page's own objects begin. ``pair_of_string[s]``: 0, or the number of the WeakMap entry of
    which the name ``s`` speaks, and ``table_of_string[s]`` the id of its table (both empty when there are none).
    """
    count = len(first_edge) - 1
    owned = uint8s(count)
    some_owned = len(page_seeds) > 0
    if some_owned:
        _flood(first_edge, targets, edge_types, page_seeds, weak, owned)
    pairs = len(pair_of_string) > 0
    for u in range(count):
        owned_here = owned[u]
        for e in range(first_edge[u], first_edge[u + 1]):
            kind = edge_types[e]
            name = edge_names[e]
            if name >= strings and kind != element and kind != hidden:
                return e
            if kind == weak:
                flags[e] = SKIPPED
                continue
            flag = ESSENTIAL
            v = targets[e]
            if u == v or (u != root and (kind == shortcut or (some_owned and owned[v] and not owned_here))):
                flag = 0
            if pairs and kind == internal and pair_of_string[name]:
                flag |= PAIR
                if ids[u] == table_of_string[name]:
                    flag &= ~ESSENTIAL
            flags[e] = flag
    return -1


def _flood(first_edge: Any, targets: Any, edge_types: Any, seeds: Any, weak: int, met: Any) -> None:
    stack = uint32s(len(met))
    depth = 0
    for i in range(len(seeds)):
        u = seeds[i]
        if not met[u]:
            met[u] = 1
            stack[depth] = u
            depth += 1
    while depth > 0:
        depth -= 1
        u = stack[depth]
        for e in range(first_edge[u], first_edge[u + 1]):
            v = targets[e]
            if edge_types[e] != weak and not met[v]:
                met[v] = 1
                stack[depth] = v
                depth += 1


# -- shallow sizes -------------------------------------------------------------------------------------


def own_shallow_sizes(
    first_edge: Any,
    targets: Any,
    edge_types: Any,
    node_types: Any,
    node_names: Any,
    self_sizes: Any,
    root: int,
    weak: int,
    hidden: int,
    array: int,
    native: int,
    external: int,
    synthetic: int,
) -> None:
    """Give the size of engine-internal nodes to the one object that reaches them through such nodes only.

    Internal are hidden nodes, arrays, and native nodes named ``external``. With two owners, or a synthetic one or the
    root, a node keeps its size.
    """
    count = len(node_types)
    owner = uint32s(count)
    stack = uint32s(count * 2 + 1)
    depth = 0
    for u in range(count):
        kind = node_types[u]
        if kind == hidden or kind == array or (kind == native and node_names[u] == external):
            owner[u] = _UNVISITED
        else:
            owner[u] = u
            stack[depth] = u
            depth += 1
    while depth > 0:
        depth -= 1
        u = stack[depth]
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] == weak:
                continue
            v = targets[e]
            if owner[v] == _UNVISITED:
                owner[v] = owner[u]
            elif owner[v] == v or owner[v] == owner[u] or owner[v] == _MULTIPLE:
                continue
            else:
                owner[v] = _MULTIPLE
            stack[depth] = v
            depth += 1
    for u in range(count):
        o = owner[u]
        if o >= _MULTIPLE or o == u or o == root or node_types[o] == synthetic:
            continue
        self_sizes[o] += self_sizes[u]
        self_sizes[u] = 0


# -- dominators and retained sizes ---------------------------------------------------------------------


def dominators(
    first_edge: Any, targets: Any, flags: Any, root: int, self_sizes: Any, dominator: Any, retained: Any
) -> int:
    """Immediate dominators and retained sizes (Lengauer and Tarjan 1979, simple path compression).

    What no counting edge reaches hangs below the root; returns how many such nodes there were.
    Semi-NCA would be shorter, but goes quadratic on the long linked lists that heaps are full of.
    """
    count = len(first_edge) - 1
    # Counting edges by target.
    first_source = uint32s(count + 1)
    for e in range(len(targets)):
        if flags[e] & ESSENTIAL:
            first_source[targets[e]] += 1
    total = 0
    for u in range(count):
        total += first_source[u]
        first_source[u] = total
    first_source[count] = total
    sources = uint32s(total)
    for u in range(count):
        for e in range(first_edge[u], first_edge[u + 1]):
            if flags[e] & ESSENTIAL:
                first_source[targets[e]] -= 1
                sources[first_source[targets[e]]] = u
    # Depth first from the root. From here on nodes are known by the order in which they were met.
    order = uint32s(count)
    for u in range(count):
        order[u] = NONE
    node_at = uint32s(count)
    parent = uint32s(count)
    cursor = uint32s(count)
    stack = uint32s(count)
    met = _search(first_edge, targets, flags, root, order, node_at, parent, 0, cursor, stack)
    reached = met
    for u in range(count):
        if order[u] == NONE and first_source[u] == first_source[u + 1]:
            met = _search(first_edge, targets, flags, u, order, node_at, parent, met, cursor, stack)
    if met < count:
        for u in range(count):
            if order[u] == NONE:  # a cycle, or what only cycles hold
                order[u] = met
                node_at[met] = u
                met += 1
    semi = uint32s(count)
    label = uint32s(count)
    # Nodes that wait for the dominator of their semidominator, in lists: the first by semidominator, then the next.
    waiting = uint32s(count)
    for i in range(count):
        semi[i] = i
        label[i] = i
        waiting[i] = NONE
    following = cursor
    # A node's parent is read before its way up is first shortened, so both live in one array.
    ancestor = parent
    found = uint32s(count)
    for i in range(count - 1, 0, -1):
        w = waiting[i]
        while w != NONE:
            u = _best(w, i, ancestor, semi, label, stack)
            if semi[u] < semi[w]:
                found[w] = u
            else:
                found[w] = i
            w = following[w]
        least = parent[i]  # the root's, for what hangs below it for want of anything better
        node = node_at[i]
        for k in range(first_source[node], first_source[node + 1]):
            v = order[sources[k]]
            if v > i:
                v = _best(v, i, ancestor, semi, label, stack)
            if semi[v] < least:
                least = semi[v]
        semi[i] = least
        if least == parent[i]:
            found[i] = least
        else:
            following[i] = waiting[least]
            waiting[least] = i
    w = waiting[0]
    while w != NONE:
        found[w] = 0
        w = following[w]
    for i in range(1, count):
        if found[i] != semi[i]:
            found[i] = found[found[i]]
    for u in range(count):
        retained[u] = self_sizes[u]
    dominator[root] = root
    for i in range(1, count):
        dominator[node_at[i]] = node_at[found[i]]
    for i in range(count - 1, 0, -1):
        retained[node_at[found[i]]] += retained[node_at[i]]
    return count - reached


def _search(
    first_edge: Any,
    targets: Any,
    flags: Any,
    start: int,
    order: Any,
    node_at: Any,
    parent: Any,
    met: int,
    cursor: Any,
    stack: Any,
) -> int:
    order[start] = met
    node_at[met] = start
    parent[met] = 0
    met += 1
    cursor[start] = first_edge[start]
    stack[0] = start
    depth = 1
    while depth > 0:
        u = stack[depth - 1]
        e = cursor[u]
        end = first_edge[u + 1]
        while e < end:
            v = targets[e]
            e += 1
            if flags[e - 1] & ESSENTIAL and order[v] == NONE:
                order[v] = met
                node_at[met] = v
                parent[met] = order[u]
                met += 1
                cursor[u] = e
                cursor[v] = first_edge[v]
                stack[depth] = v
                depth += 1
                break
        else:
            depth -= 1
    return met


def _best(v: int, limit: int, ancestor: Any, semi: Any, label: Any, stack: Any) -> int:
    """The node with the least semidominator on the way up from ``v``, nodes after ``limit`` only; shortens the way."""
    depth = 0
    x = v
    while ancestor[x] > limit:
        stack[depth] = x
        depth += 1
        x = ancestor[x]
    while depth > 0:
        depth -= 1
        y = stack[depth]
        if semi[label[x]] < semi[label[y]]:
            label[y] = label[x]
        ancestor[y] = ancestor[x]
        x = y
    return label[v]  # type: ignore[no-any-return]


# -- distances -----------------------------------------------------------------------------------------


def find_distances(
    first_edge: Any,
    targets: Any,
    edge_names: Any,
    flags: Any,
    pair_of_string: Any,
    pairs: int,
    user_roots: Any,
    root: int,
    distance: Any,
) -> None:
    """Edges to each node from the user roots (1), then from the root for what is left. All begin as `UNREACHED`."""
    count = len(first_edge) - 1
    half = uint8s(pairs + 1)
    queue = uint32s(count + 1)
    length = 0
    for i in range(len(user_roots)):
        if distance[user_roots[i]] == UNREACHED:
            distance[user_roots[i]] = 1
            queue[length] = user_roots[i]
            length += 1
    _widen(first_edge, targets, edge_names, flags, pair_of_string, half, queue, length, distance)
    distance[root] = FAR if length > 0 else 0
    queue[0] = root
    _widen(first_edge, targets, edge_names, flags, pair_of_string, half, queue, 1, distance)


def _widen(
    first_edge: Any,
    targets: Any,
    edge_names: Any,
    flags: Any,
    pair_of_string: Any,
    half: Any,
    queue: Any,
    length: int,
    distance: Any,
) -> None:
    i = 0
    while i < length:
        u = queue[i]
        i += 1
        next_distance = distance[u] + 1
        for e in range(first_edge[u], first_edge[u + 1]):
            v = targets[e]
            if distance[v] != UNREACHED or flags[e] & SKIPPED:
                continue
            if flags[e] & PAIR:
                pair = pair_of_string[edge_names[e]]
                if not half[pair]:
                    half[pair] = 1
                    continue
                half[pair] = 0
            distance[v] = next_distance
            queue[length] = v
            length += 1


# -- classes -------------------------------------------------------------------------------------------


def mark_names(node_types: Any, node_names: Any, first_type: int, second_type: int, used: Any) -> None:
    """Set ``used[name]`` for the names of nodes of two types."""
    for u in range(len(node_types)):
        if node_types[u] == first_type or node_types[u] == second_type:
            used[node_names[u]] = 1


def name_classes(
    node_types: Any,
    node_names: Any,
    class_of_type: Any,
    class_of_string: Any,
    object_type: int,
    native: int,
    shape_of: Any,
    class_of_shape: Any,
    classes: Any,
) -> None:
    """The class of each node: by its type, for objects and native nodes by name, for plain objects by shape."""
    shapes = len(class_of_shape) > 0
    for u in range(len(node_types)):
        if node_types[u] != object_type and node_types[u] != native:
            classes[u] = class_of_type[node_types[u]]
        elif shapes and shape_of[u] != NONE:
            classes[u] = class_of_shape[shape_of[u]]
        else:
            classes[u] = class_of_string[node_names[u]]


def plain_shapes(
    first_edge: Any,
    edge_types: Any,
    edge_names: Any,
    node_types: Any,
    node_names: Any,
    object_type: int,
    plain_name: int,
    property_type: int,
    shape_of: Any,
    examples: Any,
    counts: Any,
) -> int:
    """Sort plain objects by the sequence of their property names; returns how many different ones there are.

    A shape's number is its place in order of appearance, ``examples`` has the first node of each and ``counts`` how
    many. The sequences are kept as a tree, its steps in one hash table of (step, name): nothing is ever mistaken for
    something else. When the tree has grown too large, objects that would add to it get shapes of their own.
    """
    size = 1024
    mask = size - 1
    from_step = uint32s(size)
    by_name = uint32s(size)
    to_step = uint32s(size)  # 0: free
    shape_at = uint32s(size)  # by step: its shape plus one
    steps = 1
    shapes = 0
    for u in range(len(node_types)):
        if node_types[u] != object_type or node_names[u] != plain_name:
            shape_of[u] = NONE
            continue
        step = 0
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] != property_type or step == NONE:
                continue
            name = edge_names[e]
            slot = _slot(step, name, mask)
            while to_step[slot] and not (from_step[slot] == step and by_name[slot] == name):
                slot = (slot + 1) & mask
            if to_step[slot]:
                step = to_step[slot]
                continue
            if steps > _MOST_STEPS:
                step = NONE
                continue
            from_step[slot] = step
            by_name[slot] = name
            to_step[slot] = steps
            step = steps
            steps += 1
            if steps * 2 > size:
                size *= 2
                mask = size - 1
                from_step, by_name, to_step, shape_at = _wider(from_step, by_name, to_step, shape_at, size)
        if step != NONE and shape_at[step]:
            shape = shape_at[step] - 1
        else:
            shape = shapes
            shapes += 1
            examples[shape] = u
            counts[shape] = 0
            if step != NONE:
                shape_at[step] = shapes
        shape_of[u] = shape
        counts[shape] += 1
    return shapes


def _slot(step: int, name: int, mask: int) -> int:
    mixed = (step * 1000003 + name * 8191) & 0x7FFFFFFF
    return ((mixed * 40503) >> 9) & mask


def _wider(from_step: Any, by_name: Any, to_step: Any, shape_at: Any, size: int) -> Any:
    mask = size - 1
    new_from = uint32s(size)
    new_name = uint32s(size)
    new_to = uint32s(size)
    new_shape = uint32s(size)
    for i in range(len(to_step)):
        new_shape[i] = shape_at[i]
        if to_step[i]:
            slot = _slot(from_step[i], by_name[i], mask)
            while new_to[slot]:
                slot = (slot + 1) & mask
            new_from[slot] = from_step[i]
            new_name[slot] = by_name[i]
            new_to[slot] = to_step[i]
    return new_from, new_name, new_to, new_shape


def locate_classes(
    objects: Any,
    scripts: Any,
    lines: Any,
    columns: Any,
    node_types: Any,
    object_type: int,
    classes: Any,
    first_key: int,
    keys: Any,
    examples: Any,
) -> int:
    """Tell objects of one class apart by where they were made: writes ``keys``, returns how many new ones there are.

    ``examples`` has a row of the locations for each new key. A later row about the same object wins.
    """
    rows = len(objects)
    size = 16
    while size < rows * 2:
        size *= 2
    mask = size - 1
    table = uint32s(size)  # the key's place plus one
    found = 0
    for row in range(rows):
        u = objects[row]
        if node_types[u] != object_type:
            continue
        mixed = (scripts[row] * 1000003 + lines[row] * 8191 + columns[row] * 131 + classes[u]) & 0x7FFFFFFF
        slot = ((mixed * 40503) >> 9) & mask
        while table[slot]:
            other = examples[table[slot] - 1]
            if (
                scripts[other] == scripts[row]
                and lines[other] == lines[row]
                and columns[other] == columns[row]
                and classes[objects[other]] == classes[u]
            ):
                break
            slot = (slot + 1) & mask
        if not table[slot]:
            examples[found] = row
            found += 1
            table[slot] = found
        keys[u] = first_key + table[slot] - 1
    return found


def class_table(
    keys: Any, self_sizes: Any, retained: Any, dominator: Any, root: int, included: Any, rows: Any, first: Any
) -> None:
    """Count, self size and retained size by key into ``rows`` (three numbers each), the first node into ``first``.

    Only included nodes count. Retained sizes are added for nodes with no included node of the same key above them in
    the dominator tree.
    """
    count = len(keys)
    for u in range(count):
        if included[u]:
            key = keys[u]
            if rows[key * 3] == 0:
                first[key] = u
            rows[key * 3] += 1
            rows[key * 3 + 1] += self_sizes[u]
    child = uint32s(count)
    sibling = uint32s(count)
    above = uint32s(len(first))
    stack = uint32s(count)
    for u in range(count):
        child[u] = NONE
    for u in range(count):
        if u != root:
            sibling[u] = child[dominator[u]]
            child[dominator[u]] = u
    stack[0] = root
    depth = 1
    if included[root]:
        above[keys[root]] += 1
        rows[keys[root] * 3 + 2] += retained[root]
    while depth > 0:
        u = stack[depth - 1]
        v = child[u]
        if v != NONE:
            child[u] = sibling[v]
            stack[depth] = v
            depth += 1
            if included[v]:
                key = keys[v]
                if above[key] == 0:
                    rows[key * 3 + 2] += retained[v]
                above[key] += 1
        else:
            depth -= 1
            if included[u]:
                above[keys[u]] -= 1


# -- native contexts -----------------------------------------------------------------------------------


def attribute_contexts(
    first_edge: Any,
    targets: Any,
    edge_types: Any,
    edge_names: Any,
    node_names: Any,
    is_context_name: Any,
    internal: int,
    shortcut: int,
    weak: int,
    map_name: int,
    context_name: int,
    owner: Any,
) -> None:
    """The native context (a page's or frame's world) that each node belongs to, `SHARED_CONTEXT` or `NO_CONTEXT`.

    Contexts own themselves, and objects whose map's map names a context belong to it: these are fixed. From them
    ownership spreads along edges; where two meet, a node is shared.
    """
    count = len(node_names)
    map_of = uint32s(count)
    context_of = uint32s(count)
    for u in range(count):
        map_of[u] = NONE
        context_of[u] = NONE
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] != internal:
                continue
            if edge_names[e] == context_name:
                if context_of[u] == NONE and is_context_name[node_names[targets[e]]]:
                    context_of[u] = targets[e]
            elif edge_names[e] == map_name and map_of[u] == NONE:
                map_of[u] = targets[e]
    fixed = uint8s(count)
    stack = uint32s(count * 2 + 1)
    depth = 0
    for u in range(count):
        owner[u] = NO_CONTEXT
        if is_context_name[node_names[u]]:
            owner[u] = u
        elif map_of[u] != NONE and map_of[map_of[u]] != NONE and context_of[map_of[map_of[u]]] != NONE:
            owner[u] = context_of[map_of[map_of[u]]]
        if owner[u] >= 0:
            fixed[u] = 1
            stack[depth] = u
            depth += 1
    while depth > 0:
        depth -= 1
        u = stack[depth]
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] == shortcut or edge_types[e] == weak:
                continue
            v = targets[e]
            if fixed[v] or owner[v] == SHARED_CONTEXT or owner[v] == owner[u]:
                continue
            owner[v] = owner[u] if owner[v] == NO_CONTEXT else SHARED_CONTEXT
            stack[depth] = v
            depth += 1


# -- reachability, retainers, choosing nodes -----------------------------------------------------------


def reach(
    first_edge: Any,
    targets: Any,
    edge_types: Any,
    edge_names: Any,
    node_types: Any,
    root: int,
    weak: int,
    blocked: Any,
    blocked_names: Any,
    source_type: int,
    element: int,
    hidden: int,
    shortcut: int,
    reached: Any,
) -> None:
    """Mark what the root reaches without entering ``blocked`` nodes.

    Where ``blocked_names`` is not empty: and without following edges of those names from nodes of ``source_type``; 1
    is for edges of all types whose names are text, 2 for all but shortcuts.
    """
    stack = uint32s(len(node_types))
    by_name = len(blocked_names) > 0
    reached[root] = 1
    stack[0] = root
    depth = 1
    while depth > 0:
        depth -= 1
        u = stack[depth]
        named = by_name and node_types[u] == source_type
        for e in range(first_edge[u], first_edge[u + 1]):
            kind = edge_types[e]
            v = targets[e]
            if kind == weak or reached[v] or blocked[v]:
                continue
            if named and kind != element and kind != hidden:
                block = blocked_names[edge_names[e]]
                if block == 1 or (block == 2 and kind != shortcut):
                    continue
            reached[v] = 1
            stack[depth] = v
            depth += 1


def retainer_index(first_edge: Any, targets: Any, first_retainer: Any, retaining: Any) -> None:
    """The edges that lead to each node, the last of the file first."""
    count = len(first_edge) - 1
    for e in range(len(targets)):
        first_retainer[targets[e]] += 1
    total = 0
    for u in range(count):
        total += first_retainer[u]
        first_retainer[u] = total
    first_retainer[count] = total
    for e in range(len(targets)):
        first_retainer[targets[e]] -= 1
        retaining[first_retainer[targets[e]]] = e


def nearest_retainers(
    first_retainer: Any,
    retaining: Any,
    first_edge: Any,
    edge_types: Any,
    distances: Any,
    node: int,
    weak: int,
    most: int,
    edges: Any,
    sources: Any,
) -> tuple[int, int]:
    """The up to ``most`` retainers of a node that are nearest to the roots, by distance, ties as they come.

    Weak edges and sources that nothing reaches are left out. Returns how many were found, and the greatest distance of
    any retainer (0 when there is none). Some nodes have a million retainers.
    """
    found = 0
    farthest = 0
    for k in range(first_retainer[node], first_retainer[node + 1]):
        e = retaining[k]
        if edge_types[e] == weak:
            continue
        low = 0
        high = len(first_edge) - 1
        while low < high:
            middle = (low + high) // 2
            if first_edge[middle + 1] <= e:
                low = middle + 1
            else:
                high = middle
        distance = distances[low]
        if distance < 0:
            continue
        if distance > farthest:
            farthest = distance
        if found == most and distance >= distances[sources[found - 1]]:
            continue
        place = found
        if found == most:
            place -= 1
        else:
            found += 1
        while place > 0 and distances[sources[place - 1]] > distance:
            edges[place] = edges[place - 1]
            sources[place] = sources[place - 1]
            place -= 1
        edges[place] = e
        sources[place] = low
    return found, farthest


def gather_nodes(
    node_types: Any, node_names: Any, only_type: int, wanted_names: Any, self_sizes: Any, least: int, out: Any
) -> int:
    """Collect nodes of a type (-1 any) whose name is wanted (any when empty), of at least ``least`` bytes."""
    by_name = len(wanted_names) > 0
    found = 0
    for u in range(len(node_types)):
        if only_type >= 0 and node_types[u] != only_type:
            continue
        if self_sizes[u] < least or (by_name and not wanted_names[node_names[u]]):
            continue
        out[found] = u
        found += 1
    return found


def gather_strings(
    first_edge: Any,
    edge_types: Any,
    edge_names: Any,
    node_types: Any,
    node_names: Any,
    self_sizes: Any,
    string: int,
    cut_name: int,
    internal: int,
    counts: Any,
    cut: Any,
) -> int:
    """Count string nodes of some size by their text; those that may be cut short are put into ``cut`` instead."""
    found = 0
    for u in range(len(node_types)):
        if node_types[u] != string or self_sizes[u] == 0:
            continue
        is_cut = False
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] == internal and edge_names[e] == cut_name:
                is_cut = True
        if is_cut:
            cut[found] = u
            found += 1
        else:
            counts[node_names[u]] += 1
    return found


def internal_targets(
    first_edge: Any, targets: Any, edge_types: Any, edge_names: Any, nodes: Any, name: int, internal: int, out: Any
) -> None:
    """Where the first internal edge of that name leads from each of some nodes, else `NONE`."""
    for i in range(len(nodes)):
        u = nodes[i]
        out[i] = NONE
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] == internal and edge_names[e] == name:
                out[i] = targets[e]
                break


# -- statistics and comparison -------------------------------------------------------------------------


def array_sizes(
    first_edge: Any,
    targets: Any,
    edge_types: Any,
    edge_names: Any,
    node_types: Any,
    node_names: Any,
    self_sizes: Any,
    is_other: Any,
    array_name: int,
    elements_name: int,
    internal: int,
    native: int,
    buffer_name: int,
    sums: Any,
) -> None:
    """Sizes by node type into ``sums``, then those of JavaScript arrays, then those of array buffers.

    An array counts with its elements when nothing else holds these; ``is_other`` says which types are never arrays.
    """
    types = len(is_other)
    count = len(node_types)
    holders = uint8s(count)
    if array_name >= 0:
        for e in range(len(targets)):
            if holders[targets[e]] < 2:
                holders[targets[e]] += 1
    for u in range(count):
        kind = node_types[u]
        sums[kind] += self_sizes[u]
        if kind == native and node_names[u] == buffer_name:
            sums[types + 1] += self_sizes[u]
        if node_names[u] != array_name or is_other[kind]:
            continue
        sums[types] += self_sizes[u]
        for e in range(first_edge[u], first_edge[u + 1]):
            if edge_types[e] == internal and edge_names[e] == elements_name:
                if holders[targets[e]] == 1:
                    sums[types] += self_sizes[targets[e]]
                break


def match_objects(
    base_order: Any,
    base_ids: Any,
    base_keys: Any,
    base_sizes: Any,
    order: Any,
    ids: Any,
    keys: Any,
    sizes: Any,
    removed: Any,
    added: Any,
    rows: Any,
) -> None:
    """Pair the objects of two snapshots by id and class; both orders go by id, nodes without size are passed over.

    Marks what is in one only, and sums up by key: added count and size, removed count and size.
    """
    i = 0
    j = 0
    while i < len(base_order) or j < len(order):
        if i < len(base_order) and base_sizes[base_order[i]] == 0:
            i += 1
            continue
        if j < len(order) and sizes[order[j]] == 0:
            j += 1
            continue
        take_base = j == len(order)
        take_new = i == len(base_order)
        if not take_base and not take_new:
            before = base_ids[base_order[i]]
            now = ids[order[j]]
            take_base = before < now
            take_new = now < before
            if before == now:
                if base_keys[base_order[i]] == keys[order[j]]:
                    i += 1
                    j += 1
                    continue
                take_base = True
                take_new = True
        if take_new:
            u = order[j]
            added[u] = 1
            rows[keys[u] * 4] += 1
            rows[keys[u] * 4 + 1] += sizes[u]
            j += 1
        if take_base:
            u = base_order[i]
            removed[u] = 1
            rows[base_keys[u] * 4 + 2] += 1
            rows[base_keys[u] * 4 + 3] += base_sizes[u]
            i += 1
