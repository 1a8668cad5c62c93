"""Minimum-cost assignment in which a row may stay unassigned, as `lap.lapjv` with a cost limit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def assign(cost: NDArray[Any], limit: float) -> list[int]:
    """Return the column of each row of `cost` [n, m], -1 for unassigned rows, which cost `limit`.

    It uses shortest augmenting paths (Jonker and Volgenant, 1987), with an extra column per row for "unassigned".
    """
    rows, columns = cost.shape
    whole = np.concatenate([cost, np.full((rows, rows), limit)], 1)
    row_of = np.full(rows + columns, -1)
    row_potential, column_potential = np.zeros(rows), np.zeros(rows + columns)
    for first in range(rows):
        row, path = first, np.full(rows + columns, -1)  # the column before each on the path, -1 for the first row
        distance, done = np.full(rows + columns, np.inf), np.zeros(rows + columns, bool)
        column, reached = -1, 0.0
        while row >= 0:
            candidate = reached + whole[row] - row_potential[row] - column_potential
            shorter = ~done & (candidate < distance)
            distance[shorter], path[shorter] = candidate[shorter], column
            column = int(np.where(done, np.inf, distance).argmin())
            done[column], reached, row = True, distance[column], int(row_of[column])
        visited = done & (row_of >= 0)
        row_potential[first] += reached
        row_potential[row_of[visited]] += reached - distance[visited]
        column_potential[visited] -= reached - distance[visited]
        while path[column] >= 0:
            row_of[column] = row_of[path[column]]
            column = path[column]
        row_of[column] = first
    column_of_row = [-1] * rows
    for column in range(columns):
        if row_of[column] >= 0:
            column_of_row[row_of[column]] = column
    return column_of_row
