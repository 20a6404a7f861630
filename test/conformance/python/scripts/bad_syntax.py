"""Does not compile."""
print("never printed")


def broken(a, b):
    return a +
