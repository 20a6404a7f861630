"""Solve linear equations exactly and print matrices; rows on stdin."""
import sys
from fractions import Fraction


class Matrix:
    def __init__(self, rows):
        self.rows = [[Fraction(value) for value in row] for row in rows]
        if len({len(row) for row in self.rows}) > 1:
            raise ValueError("rows of different lengths")

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self.rows])

    def __getitem__(self, position):
        row, column = position
        return self.rows[row][column]

    def __eq__(self, other):
        return self.rows == other.rows

    def __str__(self):
        cells = [[str(value) for value in row] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("[" + " ".join(cell.rjust(width) for cell, width in zip(row, widths)) + "]" for row in cells)

    @property
    def T(self):
        return Matrix(zip(*self.rows))

    def determinant(self):
        if len(self.rows) == 1:
            return self[0, 0]
        return sum((-1) ** n * value * Matrix([row[:n] + row[n + 1:] for row in self.rows[1:]]).determinant() for n, value in enumerate(self.rows[0]) if value)

    def inverse(self):
        size = len(self.rows)
        work = [row + [Fraction(int(n == m)) for m in range(size)] for n, row in enumerate(self.rows)]
        for column in range(size):
            pivot = next((row for row in range(column, size) if work[row][column]), None)
            if pivot is None:
                raise ZeroDivisionError("the matrix is singular")
            work[column], work[pivot] = work[pivot], work[column]
            work[column] = [value / work[column][column] for value in work[column]]
            for row in range(size):
                if row != column:
                    work[row] = [a - work[row][column] * b for a, b in zip(work[row], work[column])]
        return Matrix([row[size:] for row in work])


try:
    matrix = Matrix([line.split() for line in sys.stdin if line.strip()])
    print(matrix, matrix.T, f"determinant {matrix.determinant()}", matrix.inverse(), sep="\n\n")
    print(matrix @ matrix.inverse() == Matrix([[int(n == m) for m in range(len(matrix.rows))] for n in range(len(matrix.rows))]))
except (ValueError, ZeroDivisionError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
