"""A module for the scripts beside it."""


def title(text):
    return text.title()


if __name__ == "__main__":
    print("run directly")
