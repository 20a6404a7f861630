/** What stands where a secret stood. */
export const redactedMark = '[redacted]';

/**
 * Redacts what looks like a secret, whoever's it is: tokens that say by their beginning what they are, private keys,
 * passwords in URLs, and what stands behind a name such as `password`. Time is linear in the text's length: every pattern
 * reads a run of characters once from where it begins, and takes what is cut off at the end for whole.
 */
export function redactShapes(text: string): string {
  const sofar = text
    .replace(privateKey, redactedMark)
    .replace(token, (found) => (isSkToken.test(found) && !looksRandom(found) ? found : redactedMark))
    .replace(jwt, redactedMark)
    .replace(urlPassword, coverSecond)
    .replace(authorization, coverSecond)
    .replace(awsSecret, coverSecond);
  // All that follow begin so, and most texts hold nothing of the kind: one look in the place of six.
  if (!named.test(sofar)) return sofar;
  return sofar
    .replace(member, coverBetween)
    .replace(quotedMember, coverBetween)
    .replace(memberInText, (_, before: string, _quote: string, after: string) =>
      coverBetween(_, before, after),
    )
    .replace(assignedInQuotes, (_, before: string, _quote: string, after: string) =>
      coverBetween(_, before, after),
    )
    .replace(assigned, coverSecond)
    .replace(afterColon, coverSecond);
}

function coverSecond(_: string, before: string): string {
  return `${before}${redactedMark}`;
}

function coverBetween(_: string, before: string, after: string): string {
  return `${before}${redactedMark}${after}`;
}

/**
 * What a word begins with, where others only hold it; in JSON, the `n` of a line break stands right before a line's first
 * word. Looked at from behind: at each place of a text, a look back costs more than the word's own first letter.
 */
function opening(word: string): string {
  return String.raw`${word}(?<=(?:^|[^A-Za-z0-9_-]|\\[nrtbf])${word})`;
}

/** RFC 7468. Without an end, which the cut of a text may have taken, all that follows is the key. */
const privateKey =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

const token = new RegExp(
  [
    // GitHub, GitLab
    'gh[opusr]_[A-Za-z0-9]{36,}',
    'github_pat_[A-Za-z0-9_]{22,}',
    'glpat-[A-Za-z0-9_.-]{20,}',
    // AWS, Slack, Google
    `${opening('A[KS]IA')}[A-Z0-9]{16}(?![A-Za-z0-9])`,
    'xox[abceoprs](?:[.]xox[bp])?-[A-Za-z0-9-]{10,}',
    'xapp-[A-Za-z0-9-]{10,}',
    'AIza[A-Za-z0-9_-]{35}',
    'ya29[.][A-Za-z0-9_-]{20,}',
    'GOCSPX-[A-Za-z0-9_-]{28}',
    // Stripe
    '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
    'whsec_[A-Za-z0-9+/=]{24,}',
    // npm, PyPI, Hugging Face, SendGrid
    'npm_[A-Za-z0-9]{36}',
    'pypi-[A-Za-z0-9_-]{50,}',
    'hf_[A-Za-z0-9]{34,}',
    'SG[.][A-Za-z0-9_.-]{60,}',
    // OpenAI, Anthropic and others
    `${opening('sk-')}[A-Za-z0-9_-]{20,}`,
    // Ambit
    'ambit_[A-Za-z0-9_-]{20,}',
  ].join('|'),
  'g',
);

const isSkToken = /^sk-/;

/** `sk-` begins names too, such as `sk-fading-circle-container-2`. A key has digits, and capitals or a long mixed piece. */
function looksRandom(found: string): boolean {
  return (
    /[0-9]/.test(found) &&
    (/[A-Z]/.test(found) || found.split(/[-_]/).some((piece) => piece.length >= 12 && /[0-9]/.test(piece)))
  );
}

/** RFC 7519, and encrypted ones (RFC 7516): `eyJ` is `{"`. */
const jwt = new RegExp(
  `${opening('eyJ')}[A-Za-z0-9_-]{7,}[.][A-Za-z0-9_-]{4,}(?:[.][A-Za-z0-9_-]*){1,3}`,
  'g',
);

/** `scheme://user:password@host` (RFC 3986, section 3.2.1). */
const urlPassword = /(:\/\/[^\s/?#\\"'`<>@:]*:)[^\s/?#\\"'`<>]+(?=@)/g;

/** A header's or a client's credentials: `Authorization: Basic …`, `"authorization":"Bearer …"`, `Bearer …` (RFC 6750). */
const authorization =
  /((?:authorization\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["']?(?:[A-Za-z]{1,20}[ \t]{1,4})?|bearer[ \t]{1,8}(?=[A-Za-z+/_.~-]{0,64}[0-9])))[A-Za-z0-9+/_=.~-]{8,}/gi;

/** It has no beginning of its own: forty characters of base64 are one where the name beside them says so. */
const awsSecret = /(secret_?access_?key[ =:"'\\>]{1,8})[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])/gi;

const names =
  '(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret)';

/** Such a name with what stands behind it in each of the forms below. */
const named = new RegExp(String.raw`${names}[\\"' \t:=]`, 'i');

/** `"password": "…"`; the end of the text is the end of one that was cut. */
const member = new RegExp(String.raw`(${names}["'][ \t]{0,4}:[ \t]{0,4}")(?:[^"\\]|\\[\s\S])*\\?("|$)`, 'gi');

/** `'api_key': '…'`, as other languages print it. */
const quotedMember = new RegExp(String.raw`(${names}["'][ \t]{0,4}:[ \t]{0,4}')[^'\n]*('|\n|$)`, 'gi');

/** The same in JSON that is text in JSON: `\"password\":\"…\"`. */
const memberInText = new RegExp(
  String.raw`(${names}\\{1,3}["'][ \t]{0,4}:[ \t]{0,4}(\\{1,3}["']))[\s\S]*?((?<!\\)\2|$)`,
  'gi',
);

/** `PASSWORD='several words'`. What follows a text that ends with `=` in JSON is not in quotes of its own. */
const assignedInQuotes = new RegExp(
  String.raw`(${names}[ \t]?=[ \t]?(\\{0,3}["']))(?!\2|[,:}\]])[^\n]*?((?<!\\)\2|\n|$)`,
  'gi',
);

/** `PASSWORD=…`, `--token=…`, `?api_key=…`. */
const assigned = new RegExp(
  String.raw`(${names}[ \t]?=[ \t]?(?:\\{0,3}["'])?)(?!\[redacted\])[^\s"'\\&;,<>]{3,}`,
  'gi',
);

/** `password: …` as YAML, headers and logs have it, and `"password":12345678`. */
const afterColon = new RegExp(
  String.raw`(${names}\\{0,3}["']?[ \t]{0,4}:[ \t]{0,4})(?!\[redacted\]|(?:null|true|false)\b)[^\s"'\\,;<>{}[\]()]{4,}`,
  'gi',
);
