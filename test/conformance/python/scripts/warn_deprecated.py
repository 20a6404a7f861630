"""Warn about old options, with filters and as errors."""
import sys
import warnings


class OldOption(UserWarning):
    pass


def option(name):
    warnings.warn(f"{name} is old", OldOption, stacklevel=2)
    return name


option("--first")
for _ in range(3):
    option("--loop")
warnings.warn("deprecated in main", DeprecationWarning)
warnings.warn("pending", PendingDeprecationWarning)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    option("--caught")
print([(each.category.__name__, str(each.message), each.lineno) for each in caught])
warnings.filterwarnings("ignore", message=r".*quiet")
option("--quiet")
warnings.showwarning = lambda message, category, *rest, **more: print("shown:", message, file=sys.stdout)
option("--shown")
eval("1 is 1")
if "--strict" in sys.argv:
    warnings.simplefilter("error")
    option("--strict")
