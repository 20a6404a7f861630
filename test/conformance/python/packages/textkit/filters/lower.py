def apply(text):
    return text.lower()
