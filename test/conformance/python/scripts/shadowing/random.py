"""Named like a module that it needs: fails as it does everywhere."""
import random

print(random.randint(1, 1))
