"""What `sysconfig` knows of the build; `zoneinfo` imports it."""

build_time_vars = {"EXT_SUFFIX": ".so", "Py_DEBUG": 0, "TZPATH": "/usr/share/zoneinfo", "VERSION": "3.11"}
