"""Import helpers from the script's own folder and from a package in it."""
import os
import sys

import helper_text
from helpers import VERSION, shout
from helpers.numbers import total as add_up
import helpers.numbers

print(helper_text.title("hello from a sibling"), shout("package"), VERSION, add_up([1, 2, 3]))
print(os.path.relpath(helper_text.__file__, os.path.dirname(__file__)), helpers.numbers.__name__, helpers.__path__ == [os.path.join(os.path.dirname(os.path.abspath(__file__)), "helpers")])
print(sys.path[0], __name__, __package__, __spec__, helper_text.__spec__.name)
try:
    from helpers import missing
except ImportError as error:
    print(type(error).__name__, error)
try:
    from . import helper_text as relative
except ImportError as error:
    print(type(error).__name__, error)
if "--broken" in sys.argv:
    import helpers.broken
