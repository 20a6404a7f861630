/**
 * @typedef {object} Pattern
 * @property {string} name as in the list of allowed uses
 * @property {RegExp} found a space in it is any space or line break within a paragraph
 * @property {string} instead what to write
 * @property {RegExp | undefined} notIn paths where the word has its usual meaning
 */

/** @type {(name: string, found: RegExp, instead: string, notIn?: RegExp) => Pattern} */
const pattern = (name, found, instead, notIn) => ({
  name,
  found: new RegExp(found.source.replaceAll(' ', space), 'gi'),
  instead,
  notIn,
});

const space = String.raw`(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*)`;
const clauseEnd = String.raw`(?=\s*(?:[.,;:)|\0]|$|(?:and|but|or|now|before|there|when|in)\b))`;
/** Precedes the first word of a doc comment. Its markers are blanks: `/** ` on the same line, or ` * ` on the next. */
const docComment = String.raw`(?<=(?:^|\0)\n*[^\S\n]{4,}|(?:^|\0)\n*[^\S\n]{3}\n[^\S\n]+)`;
const place = '(?:in|on|at|within|beside|under|behind|inside|outside|there|around|between|before|after)';

/**
 * Wording to avoid. Each pattern should find stiff phrases and ignore normal uses of the same
 * words; exceptions are listed in allowed.txt.
 * @type {readonly Pattern[]}
 */
export const patterns = [
  pattern('told', /\btold\b(?! apart)/, 'reports, logs, emits, receives; an event'),
  pattern('says so', /\bsays? so\b/, 'reports, logs or prints it'),
  pattern('is said', /\b(?:is|are|was|were|be) said\b/, 'reports, logs, prints'),
  pattern('whoever', /\bwhom?ever\b/, 'the caller, the client, any user'),
  pattern(
    'whatever comes',
    /\bwhatever (?:is|has|may|can|else|comes|becomes|lies|stands|belongs|starts|happens|follows|remains|runs|arrives)\b/,
    'any, every, regardless of',
  ),
  pattern(
    'what comes of',
    /\bwhat (?:comes|came|becomes|became|stands|lies|there is)\b|\bwhat (?:[\w']+ ){1,4}comes? to\b/,
    'the result, the total, the input',
  ),
  pattern('that of', /\bthat of\b/, 'the noun itself'),
  pattern('those that', /\bthose (?:that|of|which|who)\b/, 'the noun itself'),
  pattern('one that', /\b(?<!\bthe )one (?:that|which|who)\b/, 'the noun itself'),
  pattern('nobody', /\b(?:no|some|any)body\b/, 'no user, no caller; another user'),
  pattern("another's", /\banother's\b/, "another user's, another key's"),
  pattern('stands in', new RegExp(`\\b(?:stands?|stood) ${place}\\b`), 'is in, is stored in, appears in'),
  pattern('lies in', new RegExp(`\\b(?:lies?|lay) ${place}\\b`), 'is in, is stored in'),
  pattern(
    'is there',
    /\b(?:is|are|was|were) (?:already |still |also )?there\b(?! (?:an?|any|no|is)\b)/,
    'exists, is available',
  ),
  pattern('otherwise than', /\botherwise than\b/, 'differs from, changed'),
  pattern('the other way round', /\bthe other way (?:a?round)\b/, 'conversely'),
  pattern('cannot be had', /\bbe had\b/, 'is unavailable'),
  pattern('goes on', /\b(?:go|goes|gone|going|went) on\b(?! (?:the|an?|its|stdout)\b)/, 'continues'),
  pattern(
    'comes',
    /\bas (?:it|they) (?:comes?|came)\b|\bcomes? to (?:an|its|their|the) ends?\b|(?<!\bwhat )\b(?:comes?|came) (?:of|over)\b(?! (?:TLS|HTTPS?)\b)/,
    'arrives, ends, follows from, is imported',
  ),
  pattern('is over', /\b(?:is|are|was|were) over\b(?! (?:the|an?|its|\d)\b)/, 'ends, ended, expired'),
  pattern('as it is', new RegExp(`\\bas (?:it|they) (?:is|are|was|were)${clauseEnd}`), 'unchanged'),
  pattern('mend', /\bmend(?:s|ed|ing)?\b/, 'fix, repair'),
  pattern('at once', /\bat once\b/, 'immediately, or: at the same time'),
  pattern('so that, twice', /\bso that\b(?:(?!\n\s*\n)(?:[^.!?\0]|\.(?=\S)))*?\bso that\b/, 'two sentences'),
  pattern(
    'fragment',
    new RegExp(`${docComment}(?:what|of|why|who|which|how|where)\\b`),
    'a noun ("The reason for …") or a sentence with a verb ("Explains why …")',
    /\.md$/,
  ),

  // Former names.
  pattern('door', /\bdoors?\b/, 'transport, entry point'),
  pattern('room', /\b(?:an?|the|each|every|this) room\b(?! (?:for|to|left)\b)|\brooms\b/, 'module'),
  pattern('wall', /\bwalls?\b(?!(?: |-)(?:clock|time)\b)/, 'sandbox'),
  pattern('gate', /\bgates?\b/, 'egress proxy; start barrier'),
  pattern('cell', /\b(?:in|into|from|of) (?:an?|the|its) cell\b/, 'cgroup'),
  pattern('accounts', /\b(?:kernel's|kernel's own|no|the) accounts\b(?! of the host)/, 'cgroup'),
  pattern('ceilings', /\b(?<!\bcapability )ceilings\b/, 'resource limit'),
  pattern('lent', /\blent\b/, 'borrowed; a reference-counted handle'),
  pattern('tied', /\buntied\b|\btied to (?:its|no|%)/, 'lifetime: client, watchers or detached'),
  pattern('masked', /\bmask(?:s|ed|ing)\b/, 'redacts, redacted', /text-redact/),
  pattern(
    'covered',
    /\b(?:is|are|was|were|be) covered\b(?! by\b)|\bcovers? (?:the )?(?:values of )?secrets?\b/,
    'redacted',
  ),
  pattern('learned', /\b(?:is|are|was|were|be|been|has|have|had) learn(?:ed|t)\b|\blearns of\b/, 'observed'),
  pattern("the log's key", /\blog's key\b/, 'the audit signing key'),
];
