"""Retry an interrupted read, and change folders."""
import io
import os


class Interrupted(io.RawIOBase):
    calls = 0

    def readable(self):
        return True

    def readinto(self, target):
        self.calls += 1
        if self.calls < 3:
            raise InterruptedError(4, "Interrupted")
        target[:1] = b"a"
        return 1 if self.calls == 3 else 0


print(io.BufferedReader(Interrupted()).read(1))
os.makedirs("one/two")
for folder in ("one/two", "..", ".", "../.."):
    os.chdir(folder)
    print(os.getcwd())
print(os.listdir("workspace"))
