"""Rules over names that look like the grammar, for the tests of text and JSON."""

import math

from hypothesis import strategies as st

from mlrx.rules import Condition, Rule

# Names that people have, and names that look like the grammar.
NASTY = [
    "a <= 1 and b",
    "class",
    "x[0]",
    "größe",
    "1st",
    "",
    "Air temp [K]",
    "<b>",
    'say "hi"',
    "back\\slash",
    "a AND b",
]
NASTY += [
    "{1,2}",
    "IF",
    "and",
    "Then",
    "or",
    "in",
    "not",
    "is",
    "missing",
    "present",
    "absent",
    "no",
    "label",
    "no label",
]
NASTY += [
    "inf",
    "nan",
    "-1",
    "1e5",
    " x",
    "x ",
    "line\nend",
    "tab\t",
    "\u2028",
    "\x00",
    "\ud800",
    "é",
    "e\u0301",
    "🙂",
    "a!",
    "=",
]


names = st.sampled_from(NASTY) | st.text(max_size=6)
some_names = st.lists(names, min_size=1, max_size=5, unique=True)
numbers = st.sampled_from(
    [0.0, -0.0, 0.1, 0.30000000074505806, 2.0000000517939043e-06, 5e-324, 1e300, math.inf, -math.inf]
)
numbers |= st.floats(allow_nan=False) | st.floats(allow_nan=False, width=32)


@st.composite
def printed_rules(draw):
    """A rule, the names it speaks in and the kinds of the columns."""
    feature_names, label_names = draw(some_names), draw(some_names)
    kinds = [draw(st.sampled_from(["numeric", "binary", "nominal"])) for _ in feature_names]
    conditions = []
    for feature in draw(st.lists(st.sampled_from(range(len(feature_names))), unique=True)):
        missing = draw(st.booleans())
        if kinds[feature] == "nominal":
            categories, negated = draw(st.lists(names, max_size=3)), draw(st.booleans())
            conditions.append(Condition(feature, categories=categories, negated=negated, missing=missing))
        else:
            bounds = draw(st.sampled_from([(0.5, math.inf), (-math.inf, 0.5)]) | st.tuples(numbers, numbers))
            conditions.append(Condition(feature, *bounds, missing=missing))
    consequent = draw(st.lists(st.sampled_from(range(len(label_names))), unique=True))
    dtype = draw(st.sampled_from(["float64", "float32"]))
    return Rule(conditions, consequent, dtype=dtype), feature_names, label_names, kinds
