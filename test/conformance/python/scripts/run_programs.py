"""Ask other programs, and go on without them."""
import shutil
import subprocess
import sys

print(shutil.which("no-such-program"))
try:
    result = subprocess.run(["no-such-program", "--version"], capture_output=True, text=True, check=True)
    print(result.stdout)
except FileNotFoundError as error:
    print("no such program:", error.filename)
result = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True)
print(result.returncode, result.stdout.strip())
