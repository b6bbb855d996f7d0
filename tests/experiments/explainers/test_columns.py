import numpy as np

from experiments.explainers.columns import Columns

from .small_folds import make_mixed_fold


def test_columns_of_a_category_are_one_part():
    columns = Columns.of(make_mixed_fold())
    assert (columns.numeric, columns.nominal) == ((0, 1), ((3, 4, 5), (2,)))
    assert columns.parts == ((0,), (1,), (3, 4, 5), (2,))


def test_mismatches_count_a_category_once():
    columns = Columns((0, 1), ((3, 4, 5), (2,)))
    X = np.array([[0, 0, 1, 1, 0, 0], [9, 9, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1.0]])
    assert columns.mismatches(X, X[0]).tolist() == [[False, False], [True, False], [True, True]]
    assert Columns((0,)).mismatches(X, X[0]).shape == (3, 0)


def test_redrawn_parts_come_from_the_source_and_others_stay():
    fold = make_mixed_fold()
    columns = Columns.of(fold)
    X = np.tile(fold.X_train[0], (400, 1))
    chosen = np.random.default_rng(0).random((400, 4)) < 0.5
    columns.redraw(X, fold.X_train, chosen, np.random.RandomState(0))
    for k, part in enumerate(columns.parts):
        known = {tuple(row) for row in fold.X_train[:, part].tolist()}
        drawn = {tuple(row) for row in X[:, part].tolist()}
        # Of 60 numbers, 200 draws leave out 2 on average.
        assert drawn <= known
        assert len(drawn) > 0.8 * len(known)
        assert (X[~chosen[:, k]][:, part] == fold.X_train[0, list(part)]).all()
    assert (X[:, 3:].sum(axis=1) == 1).all()
