"""What a module may hold at its top level: names, and nothing that happens."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

MUTABLE_CALLS = {"list", "dict", "set", "bytearray", "defaultdict", "deque", "OrderedDict", "Counter", "WeakValueDictionary"}

HARMLESS_CALLS = {
    "re.compile",
    "TypeVar",
    "ParamSpec",
    "NewType",
    "frozenset",
    "tuple",
    "str",
    "Path",
    "float",
    "type",
    "getattr",
    "lower",
    "fold",
    "sorted",
    "range",
    "MappingProxyType",
    "types.MappingProxyType",
    "namedtuple",
    "dataclass",
    "field",
    "cache",
    "functools.cache",
    "lru_cache",
    "runtime_checkable",
    "Decimal",
    "timedelta",
    "str.maketrans",
    "join",
    "strip",
    "split",
    "items",
    "values",
    "keys",
    "msgspec.json.Encoder",
    "msgspec.json.Decoder",
    "msgspec.field",
    "ConfigDict",
    "Field",
    "BeforeValidator",
    "AfterValidator",
    "TypeAdapter",
    "chr",
    "ord",
    "len",
    "zip",
    "enumerate",
    "dict.fromkeys",
    "field_validator",
    "model_validator",
}
"""What may be called while a module is imported: it makes a value and touches nothing else."""


ALLOWED = {("cli/_help.py", "highlights")}
"""What must be a list since a library says so: rich-argparse takes its highlights from one."""


def mutable_state(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Assignments, in a module or a class body, of a value that could be changed in place; and `global`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield node.lineno, f"global {', '.join(node.names)}"
    for node in _top(tree.body, classes=True):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            names = [ast.unparse(target) for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
            if names != ["__all__"] and _is_mutable(node.value):
                yield node.lineno, f"{names[0]} = {ast.unparse(node.value)[:40]}"


def _is_mutable(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in MUTABLE_CALLS


def effects(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Statements at the top of a module, or in a class body, that do something when it is imported."""
    harmless = HARMLESS_CALLS | _pure(tree)
    own = {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    own |= {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in _top(tree.body, classes=True):
        if isinstance(node, ast.For | ast.While | ast.With | ast.Delete | ast.AugAssign | ast.Raise | ast.Assert):
            yield node.lineno, type(node).__name__.lower()
        elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            yield node.lineno, ast.unparse(node)[:60]
        for call in _calls_now(node):
            name = ast.unparse(call.func)
            short = name.rpartition(".")[2]
            makes_own = name in own and name[0].isupper()
            if not makes_own and name not in harmless and short not in harmless:
                yield call.lineno, ast.unparse(call)[:60]


def _pure(tree: ast.Module) -> set[str]:
    """Functions of the module that only make a value: one `return`, and harmless calls in it."""
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and isinstance(node.body[-1], ast.Return)
        and all(isinstance(each, ast.Return) or _is_docstring(each) for each in node.body)
        and all(
            {ast.unparse(call.func), ast.unparse(call.func).rpartition(".")[2]} & HARMLESS_CALLS
            for call in ast.walk(node)
            if isinstance(call, ast.Call)
        )
    }


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _top(body: list[ast.stmt], *, classes: bool) -> Iterator[ast.stmt]:
    """Statements that run on import: also inside `if`, `try` and class bodies, but not under TYPE_CHECKING."""
    for node in body:
        if isinstance(node, ast.If):
            if ast.unparse(node.test) not in ("TYPE_CHECKING", "__name__ == '__main__'"):
                yield from _top(node.body, classes=classes)
            yield from _top(node.orelse, classes=classes)
        elif isinstance(node, ast.Try):
            for part in (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody):
                yield from _top(part, classes=classes)
        else:
            yield node
            if classes and isinstance(node, ast.ClassDef):
                yield from _top(node.body, classes=classes)


def _calls_now(node: ast.stmt) -> Iterator[ast.Call]:
    """Calls that run when the statement does: of a definition, its decorators and defaults alone."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parts: list[ast.expr] = [*node.decorator_list, *node.args.defaults, *(each for each in node.args.kw_defaults if each)]
    elif isinstance(node, ast.ClassDef):
        parts = [*node.decorator_list, *node.bases, *(each.value for each in node.keywords)]
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        parts = [node.value] if node.value is not None else []
    else:
        parts = []
    waiting: list[ast.AST] = list(parts)
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Lambda):
            continue
        if isinstance(each, ast.Call):
            yield each
        waiting.extend(ast.iter_child_nodes(each))


def test_no_module_level_mutable_state(modules):
    found = [
        f"{module.at(line)}: {what}"
        for module in modules
        if module.name != "__init__.py"  # the root has a stricter rule of its own
        for line, what in mutable_state(module.tree)
        if (module.name, what.split(" ")[0]) not in ALLOWED
    ]
    assert found == []


def test_nothing_happens_at_import(modules):
    assert [f"{module.at(line)}: {what}" for module in modules for line, what in effects(module.tree)] == []


@pytest.mark.parametrize(
    "text",
    [
        "SEEN = []",
        "SEEN: dict[str, int] = {}",
        "SEEN = set()",
        "if True:\n    SEEN = [1]",
        "class A:\n    seen = {}",
        "def f():\n    global x",
    ],
)
def test_mutable_state_is_seen(text):
    assert list(mutable_state(ast.parse(text)))


@pytest.mark.parametrize(
    "text", ["SEEN = (1, 2)", "SEEN = frozenset({1})", "SEEN = MappingProxyType({1: 2})", "__all__ = ['A']"]
)
def test_constants_are_let_pass(text):
    assert not list(mutable_state(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "print('hello')",
        "logging.basicConfig()",
        "HOME = os.getenv('HOME')",
        "NOW = time.time()",
        "@register('x')\nclass A: pass",
        "for x in y: z(x)",
        "def f(x):\n    return open(x)\nP = f('x')",
        "class A:\n    home = Path.home()",
        "def f(now=time.time()): pass",
        "try:\n    import a\nexcept ImportError:\n    os.environ.setdefault('A', 'b')",
    ],
)
def test_effects_are_seen(text):
    assert list(effects(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "import re\nP = re.compile('x')",
        "from a import B\nNONE = B(x=1)",
        "@dataclass(frozen=True)\nclass A:\n    b: int = field(default_factory=lambda: f())",
        "def f():\n    g()",
        "if TYPE_CHECKING:\n    g()",
        "def f(x):\n    return re.compile(x)\nP = f('x')",
    ],
)
def test_definitions_are_let_pass(text):
    assert not list(effects(ast.parse(text)))


def test_packages_hold_no_code(modules):
    bodies = {module.name: module.tree.body for module in modules if module.is_init and module.name != "__init__.py"}
    assert len(bodies) >= 12
    only_docstring = [name for name, body in bodies.items() if len(body) == 1 and isinstance(body[0], ast.Expr)]
    assert sorted(bodies) == sorted(only_docstring)


def test_the_root_only_hands_out_names(modules):
    (root,) = (module for module in modules if module.name == "__init__.py")
    kinds = [type(node).__name__ for node in root.tree.body]
    assert set(kinds) == {"Expr", "Import", "ImportFrom", "If", "Assign", "FunctionDef"}
    assigned = [ast.unparse(node.targets[0]) for node in root.tree.body if isinstance(node, ast.Assign)]
    assert assigned == ["TYPE_CHECKING", "__version__", "_HOMES", "__all__"]
    defined = [node.name for node in root.tree.body if isinstance(node, ast.FunctionDef)]
    assert defined == ["__getattr__", "__dir__"]
