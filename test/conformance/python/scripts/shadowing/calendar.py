"""Not the calendar of Python."""
NAME = "mine"


def month_name(number):
    return f"month {number}"
