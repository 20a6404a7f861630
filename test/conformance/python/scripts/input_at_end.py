"""Read one line with input() and do not handle its end."""
answer = input("Continue? [y/n] ")
print("yes" if answer.strip().lower().startswith("y") else "no")
