"""Roman numerals, with doctests.

>>> to_roman(1994)
'MCMXCIV'
>>> [from_roman(to_roman(n)) for n in (1, 4, 9, 3999)]
[1, 4, 9, 3999]
>>> to_roman(0)
Traceback (most recent call last):
    ...
ValueError: 0 is not between 1 and 3999
>>> sorted(VALUES)  # doctest: +ELLIPSIS
['C', 'CD', ..., 'XL']
"""
import doctest
import sys

VALUES = {"M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1}


def to_roman(number):
    """
    >>> to_roman(3)
    'III'
    """
    if not 0 < number < 4000:
        raise ValueError(f"{number} is not between 1 and 3999")
    text = ""
    for numeral, value in VALUES.items():
        count, number = divmod(number, value)
        text += numeral * count
    return text


def from_roman(text):
    """
    >>> from_roman("XIV")
    15
    """
    total, position = 0, 0
    for numeral, value in VALUES.items():
        while text.startswith(numeral, position):
            total, position = total + value, position + len(numeral)
    return total


if __name__ == "__main__":
    if sys.argv[1:] == ["--test"]:
        results = doctest.testmod(verbose=False)
        print(results)
        sys.exit(results.failed)
    for word in sys.argv[1:]:
        print(to_roman(int(word)) if word.isdigit() else from_roman(word))
