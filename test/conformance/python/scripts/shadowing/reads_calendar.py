"""A sibling shadows a module of the standard library."""
import sys

import calendar
import json

print(calendar.NAME, calendar.month_name(3), json.dumps({"real": True}))
print(calendar.__file__, sorted(name for name in vars(calendar) if name.isupper()), "calendar" in sys.stdlib_module_names)
sys.path.pop(0)
del sys.modules["calendar"]
import calendar as real

print(real.month_name[3], real.__name__)
