"""Plan shifts: rotations, pairs and batches of a team."""
import itertools as it
import sys

team = sys.argv[1:] or ["Ana", "Bo", "Cy", "Dee"]


def batched(items, size):
    iterator = iter(items)
    while batch := list(it.islice(iterator, size)):
        yield batch


days = ["Mon", "Tue", "Wed", "Thu", "Fri"]
for day, person, backup in zip(days, it.cycle(team), it.cycle(team[1:] + team[:1])):
    print(f"{day}: {person} (backup {backup})")
print("pairs:", ["+".join(pair) for pair in it.combinations(team, 2)])
print("batches:", list(batched(team, 3)))
print("hours:", list(it.accumulate([8, 7, 9, 6], initial=0)), list(it.pairwise("abcd")))
print("orders:", sum(1 for _ in it.permutations(team)), list(it.islice(it.product("ab", repeat=2), 3)))
print(list(it.chain.from_iterable([[1], [], [2, 3]])), list(it.compress("abcd", [1, 0, 1, 0])), list(it.starmap(pow, [(2, 5), (3, 2)])))
print(list(it.takewhile(str.islower, "abCd")), list(it.dropwhile(str.islower, "abCd")), list(it.filterfalse(str.islower, "aBc")))
print({key: len(list(group)) for key, group in it.groupby(sorted(team, key=len), key=len)}, list(it.zip_longest("ab", "x", fillvalue="-")))
first, second = it.tee(map(str.upper, team))
print(next(first), list(second)[-1], list(it.islice(it.count(10, -3), 4)), list(it.repeat("x", 2)), list(it.combinations_with_replacement("ab", 2)))
