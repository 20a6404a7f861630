import { searchWords } from './search-words.ts';

/**
 * Words that people and authors of skills use for the same thing: names of programs and of their files, and usual
 * abbreviations. Two words that belong together are written as one.
 */
const groups: readonly (readonly string[])[] = `
  powerpoint ppt pptx
  word docx
  excel xlsx spreadsheet
  markdown md
  picture image photo
  jpg jpeg
  email mail
  pr pullrequest mergerequest
  repository repo
  ci pipeline
  cv resume
  kubernetes k8s
  javascript js
  typescript ts
  postgresql postgres
  database db
  documentation docs
  speech voice
  movie video film
  website webpage site`
  .trim()
  .split('\n')
  .map((line) => searchWords(line));

/** The other words of a group, by each of its normalized words. */
export const sameMeaning: ReadonlyMap<string, readonly string[]> = new Map(
  groups.flatMap((group) => group.map((word) => [word, group.filter((other) => other !== word)] as const)),
);
