/** The places of the skills around a skill. */
interface Neighbours {
  requirements: readonly { place: number | undefined }[];
  neededBy: readonly number[];
}

/** Longer chains are cut, because thousands of skills can be in one circle. */
const chainMax = 100;

/**
 * By place, a circle of requirements that the skill is in: places in the order of the requirements,
 * from the lowest, which is repeated at the end. Of a longer circle, only the first 100 places.
 * `circular` has all skills in circles, and may have skills that only depend on one.
 */
export function requirementCircles(
  skills: readonly Neighbours[],
  circular: readonly number[],
): ReadonlyMap<number, readonly number[]> {
  const isCircular = new Set(circular);
  const required = (place: number): number[] =>
    (skills[place]?.requirements ?? []).flatMap((each) =>
      each.place !== undefined && isCircular.has(each.place) ? [each.place] : [],
    );
  const dependents = (place: number): readonly number[] => skills[place]?.neededBy ?? [];
  const circles = new Map<number, readonly number[]>();
  const isGrouped = new Set<number>();
  // Kosaraju's algorithm: in the reverse of this order, a skill's group is what still reaches it.
  for (const root of finishOrder(circular, required).reverse()) {
    if (isGrouped.has(root)) continue;
    const towards = pathTree(root, dependents, (place) => isCircular.has(place) && !isGrouped.has(place));
    for (const place of towards.keys()) isGrouped.add(place);
    const isAlone = towards.size === 1 && !required(root).includes(root);
    if (isAlone) continue;
    const from = pathTree(root, required, (place) => towards.has(place));
    for (const place of [...towards.keys()].sort((a, b) => a - b)) {
      if (circles.has(place)) continue;
      const circle =
        place === root ? circleOfRoot(root, required, from) : circleThrough(place, from, towards);
      const chain = chainOf(circle);
      for (const member of circle) if (!circles.has(member)) circles.set(member, chain);
    }
  }
  return circles;
}

/** All places that are reached from `places`, each after the places that it leads to, except in circles. */
function finishOrder(places: readonly number[], next: (place: number) => readonly number[]): number[] {
  const finished: number[] = [];
  const isSeen = new Set<number>();
  for (const start of places) {
    if (isSeen.has(start)) continue;
    isSeen.add(start);
    const open = [{ place: start, rest: [...next(start)] }];
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const place = last.rest.pop();
      if (place === undefined) {
        finished.push(last.place);
        open.pop();
      } else if (!isSeen.has(place)) {
        isSeen.add(place);
        open.push({ place, rest: [...next(place)] });
      }
    }
  }
  return finished;
}

/** The reached places, each with the place before it on a shortest path from `root`. */
function pathTree(
  root: number,
  next: (place: number) => readonly number[],
  isIn: (place: number) => boolean,
): ReadonlyMap<number, number> {
  const before = new Map([[root, root]]);
  for (const place of before.keys()) {
    for (const reached of next(place)) if (isIn(reached) && !before.has(reached)) before.set(reached, place);
  }
  return before;
}

function circleOfRoot(
  root: number,
  required: (place: number) => readonly number[],
  from: ReadonlyMap<number, number>,
): number[] {
  const last = [...from.keys()].find((place) => required(place).includes(root)) ?? root;
  return pathBack(last, from).reverse();
}

/** The way from the root to the place and back, without the part that both ways share. */
function circleThrough(
  place: number,
  from: ReadonlyMap<number, number>,
  towards: ReadonlyMap<number, number>,
): number[] {
  const back = pathBack(place, towards);
  const onWayBack = new Map(back.map((each, at) => [each, at]));
  const there: number[] = [];
  let meeting = from.get(place) as number;
  while (!onWayBack.has(meeting)) {
    there.push(meeting);
    meeting = from.get(meeting) as number;
  }
  return [meeting, ...there.reverse(), ...back.slice(0, onWayBack.get(meeting))];
}

/** From the place to the root of the tree. */
function pathBack(place: number, before: ReadonlyMap<number, number>): number[] {
  const path = [place];
  for (let at = place; before.get(at) !== at; path.push(at)) at = before.get(at) as number;
  return path;
}

function chainOf(circle: readonly number[]): readonly number[] {
  const first = circle.indexOf(circle.reduce((lowest, place) => Math.min(lowest, place)));
  const whole = [...circle.slice(first), ...circle.slice(0, first), circle[first] as number];
  return whole.length > chainMax ? whole.slice(0, chainMax) : whole;
}
