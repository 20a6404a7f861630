# -*- coding: latin-1 -*-
"""A script in an old encoding: its text is Latin-1."""
text = "plain ascii in a latin-1 file"
print(text, len(text), __doc__)
print("caf\xe9", ascii("caf\xe9"))
