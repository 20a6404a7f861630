"""Contexts, copies and tokens of contextvars."""
import contextvars
import threading

user = contextvars.ContextVar("user")
depth = contextvars.ContextVar("depth", default=0)


def nested(limit):
    token = depth.set(depth.get() + 1)
    try:
        return [depth.get()] + (nested(limit - 1) if limit else [])
    finally:
        depth.reset(token)


try:
    user.get()
except LookupError as error:
    print("LookupError", type(error.args[0]).__name__)
print(nested(3), depth.get(), user.get("nobody"))
context = contextvars.copy_context()
context.run(user.set, "ana")
print(context[user], user in contextvars.copy_context(), len(context), [variable.name for variable in context])
token = user.set("bo")
print(token.old_value is contextvars.Token.MISSING, token.var is user)
user.reset(token)
try:
    user.reset(token)
except RuntimeError as error:
    print("has already been used once" in str(error))
local = threading.local()
local.value = 1
print(vars(local), threading.current_thread().name, threading.Lock().locked())
