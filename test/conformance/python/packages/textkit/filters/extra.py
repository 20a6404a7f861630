from ..filters import upper

FILTERS = {"shout": lambda text: upper.apply(text) + "!"}
