"""Format fixed times with the time module, in UTC."""
import time

moment = time.gmtime(1_234_567_890)
print(time.strftime("%Y-%m-%d %H:%M:%S %a %b %j %p %I %% %c|%x|%X", moment), time.asctime(moment), moment.tm_yday, moment)
print(time.strptime("2 Jan 2006 15:04", "%d %b %Y %H:%M")[:5], time.mktime(time.strptime("1970-01-02", "%Y-%m-%d")), time.localtime(0)[:6], time.ctime(0), time.tzname, time.timezone, time.daylight)
first = time.monotonic()
second = time.perf_counter()
time.sleep(0.01)
print(time.monotonic() - first >= 0.01, 0.009 < time.perf_counter() - second < 5, time.time() > 1_600_000_000, time.process_time() >= 0, isinstance(time.time_ns(), int))
for call in (lambda: time.sleep(-1), lambda: time.strptime("x", "%d"), lambda: time.strftime("%Y", (2024, 13, 1, 0, 0, 0, 0, 0, 0))):
    try:
        call()
    except ValueError as error:
        print(error)
