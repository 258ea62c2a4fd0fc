"""Changes of a source that make no difference, whatever the program does: they are no mutants.

Only what the text proves is here; a place where a difference could show, if seldom, stays a mutant. The rules are:

- `a < b` or `a <= b`, where both ways are the same if a and b are equal: `a < b ? a : b`, `a > b ? a - b : 0`,
  `if (a < b) a = b;` without an else, and behind `if (a != b) return` or `a == b ? x :`.
- `if (n > 1)` before a sort of n things: one or none are sorted already. (An empty array may be NULL, which qsort must not get.)
- What a function tells qsort and nobody else of two things: the sort merges, and asks only whether the first one is greater.
  So "less" may as well be "equal".
- `middle = low + (high - low) / 2`: a search finds the same from any place between.
- A factor by which a buffer grows that is not a hash table's.
- A shift by one more of a product with a 64-bit multiplier, `key * 0x... >> 40`, or a number added to such a factor,
  `(key + 7) * 0x...`: a hash of other order. It does not get larger than before, so a table's place stays in the table.
- A number of at least 10 in the length of a pause that nothing but nanosleep gets, in a loop that polls: it waits a tenth longer.
- 0 things that memory_take gets for 1: it takes memory for at least one.
- The last arguments of a prefetch, and the condition under which nothing but a prefetch is done.

tests/run-self asks them about places of both sorts."""
import re

ORDER = ("<", "<=", ">", ">=")
CAST = r"(?:\([a-z0-9_ ]+\))?"


def closing(code, at):
    """Where the parenthesis closes that opens at `at`; -1 if it does not."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i
    return -1


def before(code, at):
    """Where the operand begins that ends at `at`."""
    depth = 0
    while at > 0:
        c = code[at - 1]
        if c in ")]":
            depth += 1
        elif c in "([" and depth > 0:
            depth -= 1
        elif depth == 0:
            if c in "([,;{}?:!" or code[at - 2:at] in ("&&", "||") or re.search(r"(?<![=!<>])= $|\breturn $", code[max(0, at - 8):at]):
                break
        at -= 1
    return at


def behind(code, at):
    """Where the operand ends that begins at `at`."""
    depth = 0
    while at < len(code):
        c = code[at]
        if c in "([":
            depth += 1
        elif c in ")]" and depth > 0:
            depth -= 1
        elif depth == 0 and (c in ")],;{}?:" or code[at:at + 2] in ("&&", "||")):
            break
        at += 1
    return at


def plain(text):
    """An operand in one line, without parentheses around it."""
    text = " ".join(text.split())
    while text.startswith("(") and closing(text, 0) == len(text) - 1:
        text = text[1:-1]
    return text


def same_if_equal(code, begin, end):
    """Both ways are the same if the operands of the comparison are equal."""
    left_at, right_at = before(code, begin), behind(code, end)
    left, right = plain(code[left_at:begin]), plain(code[end:right_at])
    if not left or not right or re.search(r"\+\+|--|[^=!<>]=[^=]", left + " " + right):
        return False
    pairs = ((re.escape(left), re.escape(right)), (re.escape(right), re.escape(left)))
    # Between integers of 64 bits, equal ones stay equal.
    wide = r"(?:\((?:u?int64_t|s?size_t|off_t)\))?"
    bare = tuple(wide + re.escape(re.sub("^" + wide, "", operand)) for operand in (left, right))
    rest = code[right_at:]
    if rest.startswith("?"):
        colon = behind(code, right_at + 1)
        if code[colon:colon + 1] != ":":
            return False
        yes, no = plain(code[right_at + 1:colon]), plain(code[colon + 1:behind(code, colon + 1)])
        if {yes, no} == {left, right}:
            return True
        other = yes if no == "0" else no if yes == "0" else ""
        if any(re.fullmatch(CAST + r"(\(%s - %s\)|%s - %s)( (>>|/) \w+)?" % (pair * 2), other) for pair in (*pairs, bare, bare[::-1])):
            return True
    assigned = re.match(r"\)\s*([^;{}=]*?) = ([^;]*);\s*(?!\s*else\b)", rest)
    if assigned and code[:left_at].endswith("if (") and not re.match(r"else\b", rest[assigned.end():]) and \
            {plain(assigned.group(1)), plain(assigned.group(2))} == {left, right}:
        return True
    flat = " ".join(code[max(0, left_at - 400):left_at].split())
    return any(re.search(r"\bif \(%s != %s\) return ?\(?$|[ (]%s == %s \? [^?:;]* : ?\(?$|[ (]%s != %s \? ?\(?$" % (pair * 3), flat)
               for pair in pairs)


def guards_sort(code, begin, end):
    """`n > 1` of an if before a sort of n things."""
    guard = re.compile(r"if \(([^()&|]+) > 1\)\s*(?:\{\s*)?qsort(?:_r)?\(([^;]*);")
    start = code.rfind("if (", 0, begin)
    match = guard.match(code, start) if start >= 0 else None
    return bool(match) and end <= match.start(2) and begin >= match.end(1) and (", %s," % match.group(1)) in " ".join(match.group(2).split())


def told_to_sort(code, begin, end):
    """What a function tells that only qsort calls: -1, or the comparison in its last return that gives it."""
    head = None
    for head in re.finditer(r"^(?:static )?int (\w+)\(const void \*\w+, const void \*\w+[^)]*\)\n\{\n", code[:begin], re.M):
        pass
    if not head or "\n}" in code[head.end():begin]:
        return False
    name = head.group(1)
    uses = [use.start() for use in re.finditer(r"\b%s\b" % name, code) if not head.start() <= use.start() < head.end()]
    sorts = [re.search(r"\bqsort(_r)?\([^;]*$", code[:use]) for use in uses]
    if not uses or not all(sorts) or any(code[use + len(name)] == "(" for use in uses):
        return False
    start = code.rfind("\n", 0, begin) + 1
    line = code[start:code.find("\n", end)]
    at = begin - start - (len(line) - len(line.lstrip()))
    line = line.strip()
    if code[begin:end] == "1":
        return code[begin - 3:begin] == "? -"
    last = re.fullmatch(r"return (\S+) ([<>]) (\S+) \? -1 : (\S+) ([<>]) (\S+);", line)
    if last and at == last.start(2) and last.group(2) != last.group(5):
        return (last.group(1), last.group(3)) == (last.group(4), last.group(6))
    less = re.fullmatch(r"return \((\S+) ([<>]) (\S+)\) - \((\S+) ([<>]) (\S+)\);", line)
    return bool(less) and at == less.start(5) and (less.group(1), less.group(3)) == (less.group(4), less.group(6)) and less.group(2) != less.group(5)


def only_quicker(code, begin, end):
    """The half of a search's step, or a factor by which a buffer grows."""
    if re.search(r"\bmiddle = ([\w.>-]+) \+ \([\w.>-]+(?: - 1)? - \1\) / $", code[max(0, begin - 200):begin]):
        return True
    statement = code[max(code.rfind(c, 0, begin) for c in ";{}") + 1:code.find(";", end)]
    return bool(re.match(r"\s*(?:size_t )?[\w.>-]*capacity (?:=|\*=) ", statement)) and not re.search(r"capacity - 1|mask", code) and \
        (code[begin - 2:begin] in ("* ", "= ") and code[begin - 3:begin] != "== " or code[end:end + 3] == " * ") and "*" in statement


def of_hash(code, begin, end):
    """A number that only decides on the order of a hash: a shift of the product by one more, or what is added to a factor."""
    number = r"0x[0-9a-f]{16}u?"
    if re.search(r"\* (?:%s|UINT64_C\(%s\))\)* >> \(?$" % (number, number), code[max(0, begin - 60):begin]):
        return bool(re.match(r"u?(?: - [A-Z_]+\))?[^\w.]", code[end:]))
    return bool(re.search(r"\([^()]* \+ $", code[max(0, begin - 80):begin])) and bool(re.match(r"u?\) \* %s" % number, code[end:]))


def of_pause(code, begin, end):
    """A number of the length of a pause that only nanosleep gets, in a loop."""
    start = code.rfind("\n", 0, begin) + 1
    pause = re.match(r"\s*(?:static )?const struct timespec (\w+) = \{\.tv_nsec = [^;,]*\};", code[start:])
    if not pause or end > start + pause.end() or int(code[begin:end], 0) < 10:
        return False
    rest = code[start + pause.end():]
    rest = rest[:rest.find("\n}")]
    uses = re.findall(r"\b%s\b" % pause.group(1), rest)
    sleeps = re.findall(r"\n\t\t+nanosleep\(&%s, NULL\);" % pause.group(1), rest)
    return bool(uses) and len(uses) == len(sleeps) and bool(re.search(r"\b(?:for|while) \(", rest))


def of_prefetch(code, begin, end):
    """How a prefetch is done, or whether: the condition of an if that has no call or step in it, and no else."""
    prefetch = r"__builtin_prefetch\("
    if re.search(prefetch + r"[^;]*, (?:\d, )?$", code[max(0, begin - 200):begin]) and re.match(r"(?:, \d)?\);", code[end:]):
        return True
    start = code.rfind("if (", 0, begin)
    if start < 0:
        return False
    close = closing(code, start + 3)
    behind_it = re.match(r"\s*" + prefetch + r"[^;]*;\s*", code[close + 1:])
    return start + 4 <= begin and end <= close and bool(behind_it) and not re.search(r"[\[\w]\(|\+\+|--|&&|\|\||[^=!<>]=[^=]", code[start + 4:close]) \
        and not re.match(r"else\b", code[close + 1 + behind_it.end():])


def makes_no_difference(code, begin, end, new):
    """Whether a change of the code (without comments and strings) from begin to end is one of the rules'."""
    old = code[begin:end]
    is_equality = old in ORDER and new in (old + "=", old[:-1])
    if is_equality and same_if_equal(code, begin, end):
        return True
    if (is_equality or old == "1" and new == "0") and (guards_sort(code, begin, end) or told_to_sort(code, begin, end)):
        return True
    if of_prefetch(code, begin, end):
        return True
    if old == "1" and new == "0" and code[:begin].endswith("memory_take(") and code[end] == ",":
        return True
    if re.fullmatch(r"[1-9]\d*|0x[0-9a-f]+", old) and re.fullmatch(r"\d+", new) and int(new) == int(old, 0) + 1 and \
            (of_hash(code, begin, end) or of_pause(code, begin, end)):
        return True
    return old == "2" and new == "3" and only_quicker(code, begin, end)
