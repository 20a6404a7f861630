import { cutText } from '../model-text/listed-text.ts';
import type { Skill } from '../skill/skill.ts';
import { sameMeaning } from './same-meaning.ts';
import { searchWords } from './search-words.ts';

/** Ranks skills by the words of a request. */
export interface SkillSearch {
  /** Indexes a skill, which takes some tenths of a millisecond; `false`: it is indexed. `rank` does it too. */
  add(skill: Skill): boolean;
  /** The skills that have any word of the request, the best match first; all of them if it has no word. */
  rank(skills: readonly Skill[], request: string): readonly Skill[];
}

/** The words of a request that count. A model may send a whole task. */
const requestWordsMax = 64;

/** Words that are in every other sentence, and tell nothing about a task. */
const fillers: ReadonlySet<string> = new Set(
  searchWords(
    `a about all am an and any are as at be been by can could do does for from get give has have help how i if in into is
    it its let like make me my need of on or our out please shall should so some something that the their them then there
    these they this to up us use used using want was we what when where which while who why will with would you your`,
  ),
);

/** The weight of a word in each part of a skill, and the number of words that the part usually has. */
const parts: readonly { textOf(skill: Skill): string; weight: number; usualWords: number }[] = [
  { textOf: ({ id, alias = '' }) => `${id} ${alias}`, weight: 3, usualWords: 2 },
  { textOf: ({ sidecar }) => cutText(sidecar.tags.join(' ')), weight: 2, usualWords: 4 },
  { textOf: ({ manifest }) => cutText(manifest.description), weight: 1.5, usualWords: 40 },
  { textOf: ({ body }) => headingsOf(body), weight: 0.5, usualWords: 40 },
];

/** The parameters of BM25: k1 limits what more occurrences of a word add, b is the share by which long texts dilute. */
const [saturation, dilution] = [1.2, 0.75];

/** The weight of a word with the same meaning. */
const sameMeaningWeight = 0.5;

/** The weight of a longer word that begins with the one of the request. */
const beginningWeight = 0.4;
const beginningCharactersMin = 3;

/** The words of a skill, by their numbers in ascending order, and how much each says about it. */
interface SkillWords {
  words: Uint32Array;
  weights: Float32Array;
}

/**
 * Ranks skills by BM25 over names, tags, descriptions and headings. A skill is indexed at its first search, and
 * again when the catalog has another object for it. How rare a word is counts only among the given skills, so the
 * order tells nothing about others.
 */
export function skillSearch(): SkillSearch {
  let index = emptyIndex();
  return {
    add(skill) {
      if (index.of.has(skill)) return false;
      skillWords(skill, index);
      return true;
    },
    rank(skills, request) {
      const asked = requestWords(request);
      if (asked.length === 0) return skills;
      const found = ranked(skills, index, asked);
      // Words of skills that are gone stay numbered, so an index is replaced before most of it is such words.
      index.skillsMax = Math.max(index.skillsMax, skills.length);
      if (index.skillsAdded > 1000 + 4 * index.skillsMax) index = emptyIndex();
      return found;
    },
  };
}

interface SearchIndex {
  of: WeakMap<Skill, SkillWords>;
  numbers: Map<string, number>;
  /** The numbered words in order; shorter than `numbers` while words were added. */
  sorted: readonly string[];
  skillsAdded: number;
  /** The most skills of one search. */
  skillsMax: number;
}

function emptyIndex(): SearchIndex {
  return { of: new WeakMap(), numbers: new Map(), sorted: [], skillsAdded: 0, skillsMax: 0 };
}

/** Each word once. The words that only fill a sentence count if there are no others. */
function requestWords(request: string): string[] {
  const words = [...new Set(searchWords(request))];
  const telling = words.filter((word) => !fillers.has(word));
  return (telling.length > 0 ? telling : words).slice(0, requestWordsMax);
}

function ranked(skills: readonly Skill[], index: SearchIndex, asked: readonly string[]): readonly Skill[] {
  const indexed = skills.map((skill) => skillWords(skill, index));
  const wanted = wantedWords(index, asked);
  /** By skill: the weight of each word in it, and then of the longer words that begin with each. */
  const found = indexed.map((skill) => matched(skill, wanted, 2 * asked.length));
  const having = new Array<number>(2 * asked.length).fill(0);
  for (const weights of found)
    for (const [at, weight] of weights?.entries() ?? []) if (weight > 0) having[at] = (having[at] ?? 0) + 1;
  const rarity = having.map((count, at) => {
    // Longer words count only if no given skill has the word itself. The index may have it from another skill.
    const isUsed = at < asked.length || having[at - asked.length] === 0;
    return isUsed ? Math.log(1 + (skills.length - count + 0.5) / (count + 0.5)) : 0;
  });
  return found
    .flatMap((weights, at) => {
      const skill = skills[at];
      if (weights === undefined || skill === undefined) return [];
      const score = weights.reduce(
        (sum, weight, word) => sum + ((rarity[word] ?? 0) * weight) / (saturation + weight),
        0,
      );
      return score > 0 ? [{ skill, score }] : [];
    })
    .sort((a, b) => b.score - a.score || (a.skill.id < b.skill.id ? -1 : 1))
    .map(({ skill }) => skill);
}

/** The words of the index that match the request: by their number, a position in `matched`, and how well they match. */
type WantedWords = ReadonlyMap<number, { at: number; weight: number }>;

function wantedWords(index: SearchIndex, asked: readonly string[]): WantedWords {
  if (index.sorted.length !== index.numbers.size) index.sorted = [...index.numbers.keys()].sort();
  const wanted = new Map<number, { at: number; weight: number }>();
  const want = (word: string, at: number, weight: number): void => {
    const number = index.numbers.get(word);
    if (number !== undefined && weight > (wanted.get(number)?.weight ?? 0))
      wanted.set(number, { at, weight });
  };
  for (const [at, word] of asked.entries()) {
    // With the next one, because others write two words as one: flow chart, flowchart.
    for (const written of [word, `${word}${asked[at + 1] ?? ''}`]) {
      want(written, at, 1);
      for (const other of sameMeaning.get(written) ?? []) want(other, at, sameMeaningWeight);
    }
    if (word.length < beginningCharactersMin) continue;
    for (let from = firstFrom(index.sorted, word); index.sorted[from]?.startsWith(word); from += 1)
      want(index.sorted[from] ?? '', asked.length + at, beginningWeight);
  }
  return wanted;
}

/** The position of the first word that does not come before `word`. */
function firstFrom(sorted: readonly string[], word: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The weight of each of `count` matches in a skill; `undefined`: it has none. */
function matched({ words, weights }: SkillWords, wanted: WantedWords, count: number): number[] | undefined {
  let matches: number[] | undefined;
  for (const [at, number] of words.entries()) {
    const word = wanted.get(number);
    if (word === undefined) continue;
    matches ??= new Array<number>(count).fill(0);
    matches[word.at] = (matches[word.at] ?? 0) + word.weight * (weights[at] ?? 0);
  }
  return matches;
}

function skillWords(skill: Skill, index: SearchIndex): SkillWords {
  const known = index.of.get(skill);
  if (known !== undefined) return known;
  const weights = new Map<number, number>();
  for (const { textOf, weight, usualWords } of parts) {
    const words = searchWords(textOf(skill));
    const each = weight / (1 - dilution + (dilution * words.length) / usualWords);
    for (const word of words) {
      const number = index.numbers.get(word) ?? index.numbers.size;
      if (number === index.numbers.size) index.numbers.set(word, number);
      weights.set(number, (weights.get(number) ?? 0) + each);
    }
  }
  const indexed = { words: Uint32Array.from(weights.keys()), weights: Float32Array.from(weights.values()) };
  index.of.set(skill, indexed);
  index.skillsAdded += 1;
  return indexed;
}

/** The headings of instructions, outside of code. */
function headingsOf(body: string): string {
  const text = body.slice(0, bodyCharactersMax).replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
  return cutText((text.match(/^ {0,3}#{1,6}[ \t].*$/gm) ?? []).join('\n'), headingCharactersMax);
}

const [bodyCharactersMax, headingCharactersMax] = [256 * 1024, 2048];
