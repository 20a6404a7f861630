"""A cache that forgets what nothing else uses."""
import gc
import weakref


class Image:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Image({self.name})"


cache = weakref.WeakValueDictionary()


def load(name):
    image = cache.get(name)
    if image is None:
        print("loading", name)
        image = cache[name] = Image(name)
    return image


first = load("a")
print(load("a") is first, sorted(cache))
reference = weakref.ref(first, lambda _: print("a is gone"))
proxy = weakref.proxy(first)
print(reference() is first, proxy.name)
del first
print(reference(), len(cache))
try:
    proxy.name
except ReferenceError as error:
    print(error)
one, two = Image("one"), Image("two")
one.other, two.other = two, one
weakref.finalize(one, print, "finalized", "one")
del one, two
print("collecting", gc.collect() > 0)
kept = Image("kept")
print(len(weakref.WeakSet([kept, kept])), weakref.getweakrefcount(kept))
weakref.finalize(kept, print, "finalized at exit")
method = weakref.WeakMethod(kept.__repr__)
print(method()())
