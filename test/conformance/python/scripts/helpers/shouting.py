def shout(text):
    return f"{text.upper()}!"
