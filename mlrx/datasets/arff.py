"""Reading and writing ARFF files: Mulan's with an XML file, MEKA's with a header; dense and sparse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mlrx.rules import TableColumns

from .arff_text import Attribute, Table, fault, read_table
from .data import MultilabelData
from .labels import label_columns


def read_arff(
    path: str | Path,
    labels: str | Path | Sequence[str] | int | None = None,
    *,
    drop_text: bool = False,
    sparse_labels: bool = False,
    name: str | None = None,
    encoding: str = "utf-8",
) -> MultilabelData:
    r"""Read a multi-label ARFF file.

    Parameters
    ----------
    path : str or Path
        The file. A sparse one whose features are all numeric or {0,1} gives X as CSR array, every other a DataFrame.
    labels : path of an XML file, list of str, int or None
        Which attributes are labels: those that a Mulan XML file names, those named in a list, the last so many, or, by
        default, those that a MEKA header tells (``-C 2`` the first two, ``-C -2`` the last two). An empty list takes
        every attribute for a feature.
    drop_text : bool
        Leave out attributes of the types string and date, which are refused by default.
    sparse_labels : bool
        Y as CSR array instead of a dense one.
    name : str, optional
        Name of the data set; by default the file's.
    encoding : str
        Encoding of the file.

    Returns
    -------
    MultilabelData
        Columns of X and Y in the file's order, whatever the order of the XML file or the list.

    Raises
    ------
    ValueError
        Naming file and line for what breaks the grammar, the attribute and its type for strings and dates, the labels
        that are absent from the file, come twice, are missing in a row or take other values than 0 and 1.

    Notes
    -----
    In a sparse file an omitted nominal takes the first declared value, as in Weka; omitted never means missing. A bare
    ``?`` is missing, a quoted one is a value. Cost: O(size of the file).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.arff")
    ...     _ = path.write_text("@relation 'toy: -C -1'\n@attribute f numeric\n@attribute L {0,1}\n@data\n2.5,1\n")
    ...     data = read_arff(path)
    >>> data
    MultilabelData(toy: 1 rows, 1 features, 1 labels)
    >>> data.Y
    array([[1]], dtype=uint8)
    """
    path = Path(path)
    table = read_table(path, encoding)
    names = [attribute.name for attribute in table.attributes]
    label_at = label_columns(labels, names, path, table.relation)
    feature_at = sorted(set(range(len(names))) - set(label_at))
    text = [column for column in feature_at if table.attributes[column].type in ("string", "date")]
    if text and not drop_text:
        which = ", ".join(f"{names[column]!r} ({table.attributes[column].type})" for column in text)
        raise ValueError(f"{path}: {which}: text and dates are no features; drop_text=True leaves these attributes out")
    feature_at = [column for column in feature_at if column not in set(text)]
    kinds = tuple(_kind(table.attributes[column]) for column in feature_at)
    return MultilabelData(
        X=_features(table, feature_at, kinds),
        Y=_labels(table, label_at, sparse_labels),
        feature_names=tuple(names[column] for column in feature_at),
        label_names=tuple(names[column] for column in label_at),
        kinds=kinds,
        name=path.stem if name is None else name,
    )


def _kind(attribute: Attribute) -> str:
    return "binary" if sorted(attribute.values) == ["0", "1"] else attribute.type


def _values(table: Table, columns: list[int]) -> np.ndarray | sp.csr_array:
    """Codes of some columns; those declared {1,0}, whose codes are 1 minus their values, turned into values."""
    codes = table.codes[:, columns]
    flip = np.array([table.attributes[column].values == ("1", "0") for column in columns], dtype=float)
    if not flip.any():
        return codes
    if isinstance(codes, np.ndarray):
        return codes * (1 - 2 * flip) + flip
    ones = sp.csr_array(np.ones((codes.shape[0], 1)))
    values = sp.csr_array(codes @ sp.diags_array(1 - 2 * flip) + ones @ sp.csr_array(flip[None, :]))
    values.eliminate_zeros()
    return values


def _features(table: Table, columns: list[int], kinds: tuple[str, ...]) -> pd.DataFrame | sp.csr_array:
    values = _values(table, columns)
    if sp.issparse(values):
        if "nominal" not in kinds:
            return values
        values = values.toarray()
    series = {}
    for at, (column, kind) in enumerate(zip(columns, kinds)):
        attribute = table.attributes[column]
        series[attribute.name] = values[:, at]
        if kind == "nominal":
            codes = np.nan_to_num(values[:, at], nan=-1).astype(int)
            series[attribute.name] = pd.Categorical.from_codes(codes, categories=list(attribute.values))
    return pd.DataFrame(series, index=pd.RangeIndex(len(values)))


def _labels(table: Table, columns: list[int], sparse: bool) -> np.ndarray | sp.csr_array:
    for column in columns:
        attribute = table.attributes[column]
        if attribute.type != "numeric" and sorted(attribute.values) not in (["0", "1"], ["0"]):
            declared = f"{{{', '.join(attribute.values[:10])}}}" if attribute.values else attribute.type
            raise ValueError(f"{table.path}: label {attribute.name!r} is declared {declared}; allowed is {{0,1}}")
    Y = _values(table, columns)
    if not np.isin(Y.data if sp.issparse(Y) else Y, (0, 1)).all():
        dense = Y.toarray() if sp.issparse(Y) else Y
        row, at = np.argwhere(~np.isin(dense, (0, 1)))[0]
        found = "is missing" if np.isnan(dense[row, at]) else f"has the value {dense[row, at]:g}"
        text = f"label {table.attributes[columns[at]].name!r} {found}; allowed are 0 and 1"
        raise fault(table.path, int(table.lines[row]), text)
    if sparse:
        return sp.csr_array(Y)
    return Y.toarray() if sp.issparse(Y) else Y


def write_arff(data: MultilabelData, path: str | Path) -> None:
    """Write a data set as an ARFF file with a MEKA header, which `read_arff` reads back to the same values.

    Parameters
    ----------
    data : MultilabelData
        Features come first, then the labels. X as CSR array gives a sparse file.
    path : str or Path
        The file; one that is there is replaced.

    Raises
    ------
    ValueError
        Before anything is written, naming the feature: for infinite numbers, binary features with other values than 0
        and 1, nominal ones without any category; or if there is no row or no label.
    TypeError
        Likewise, for a nominal feature that is no categorical of texts, or another one that does not hold numbers.

    Notes
    -----
    One thing does not come back: a nominal feature with the two categories "0" and "1" is declared {0,1}, which
    `read_arff` takes for a binary one, holding the numbers 0 and 1.
    """
    _check_writable(data)
    columns = [_declare(data, at) for at in range(data.n_features)]
    columns += [f"@attribute {_quote(name)} {{0,1}}" for name in data.label_names]
    relation = f"@relation {_quote(f'{data.name}: -C -{data.n_labels}')}"
    rows = _sparse_rows(data) if sp.issparse(data.X) else _dense_rows(data)
    Path(path).write_text("\n".join([relation, "", *columns, "", "@data", *rows, ""]), encoding="utf-8", newline="\n")


def _check_writable(data: MultilabelData) -> None:
    if not data.n_samples or not data.n_labels:
        raise ValueError(f"data has {data.n_samples} rows and {data.n_labels} labels; at least one of each is needed")
    columns = TableColumns(data.X)
    for at, (name, kind) in enumerate(zip(data.feature_names, data.kinds)):
        if kind == "nominal":
            _check_categories(name, data.X.dtypes.iloc[at])
            continue
        values = columns[at]
        if values.dtype == object:
            raise TypeError(f"feature {name!r} is {kind} but has the type {data.X.dtypes.iloc[at]}; give numbers")
        wrong = ~np.isin(values, (0, 1)) & ~np.isnan(values) if kind == "binary" else np.isinf(values)
        if wrong.any():
            allowed = "0 and 1" if kind == "binary" else "finite numbers"
            raise ValueError(f"{kind} feature {name!r} has the value {values[wrong][0]:g}; allowed are {allowed}")


def _check_categories(name: str, dtype: object) -> None:
    if not isinstance(dtype, pd.CategoricalDtype):
        raise TypeError(f"feature {name!r} is nominal but has the type {dtype}; give a categorical")
    if not len(dtype.categories):
        raise ValueError(f"nominal feature {name!r} has no category; ARFF needs at least one")
    other = [value for value in dtype.categories if not isinstance(value, str)]
    if other:
        raise TypeError(f"nominal feature {name!r} has the category {other[0]!r}; give texts")


def _quote(text: str) -> str:
    text = re.sub(r"(['\\])", r"\\\1", text).replace("\n", r"\n").replace("\r", r"\r")
    return f"'{text}'"


def _declare(data: MultilabelData, at: int) -> str:
    type_ = {"binary": "{0,1}", "numeric": "numeric"}.get(data.kinds[at])
    if type_ is None:
        type_ = "{" + ",".join(_quote(value) for value in data.X.iloc[:, at].cat.categories) + "}"
    return f"@attribute {_quote(data.feature_names[at])} {type_}"


def _number_text(value: float) -> str:
    return "?" if np.isnan(value) else str(int(value)) if value == int(value) else repr(float(value))


def _dense_rows(data: MultilabelData) -> Iterator[str]:
    table, columns = TableColumns(data.X), []
    for at, kind in enumerate(data.kinds):
        if kind == "nominal":
            columns.append(["?" if value is None else _quote(value) for value in table[at]])
        else:
            columns.append([_number_text(value) for value in table[at]])
    Y = data.Y.toarray() if sp.issparse(data.Y) else data.Y
    columns += Y.T.astype(str).tolist()
    return map(",".join, zip(*columns))


def _sparse_rows(data: MultilabelData) -> Iterator[str]:
    cells = sp.csr_array(sp.hstack([data.X, sp.csr_array(data.Y)], format="csr"))
    cells.sum_duplicates()
    for start, stop in zip(cells.indptr, cells.indptr[1:]):
        pairs = zip(cells.indices[start:stop], cells.data[start:stop])
        yield "{" + ",".join(f"{column} {_number_text(value)}" for column, value in pairs) + "}"
