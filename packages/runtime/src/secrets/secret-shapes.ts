/** Replaces a redacted secret. */
const redactedMark = '[redacted]';

/**
 * Redacts anything that looks like a secret: tokens with known prefixes, private keys, passwords in
 * URLs, and values after a name such as `password`. Time is linear in the text's length: each
 * pattern reads a run of characters once from its start, and accepts a secret truncated at the end
 * of the text.
 */
export function redactShapes(text: string): string {
  const result = text
    .replace(privateKey, redactedMark)
    .replace(token, (found) => (isSkToken.test(found) && !looksRandom(found) ? found : redactedMark))
    .replace(jwt, redactedMark)
    .replace(urlPassword, redactSecond)
    .replace(authorization, redactSecond)
    .replace(awsSecret, redactSecond);
  // All patterns below begin with such a name, and most texts contain none, so one test saves six.
  if (!named.test(result)) return result;
  return result
    .replace(member, redactBetween)
    .replace(quotedMember, redactBetween)
    .replace(memberInText, (_, before: string, _quote: string, after: string) =>
      redactBetween(_, before, after),
    )
    .replace(assignedInQuotes, (_, before: string, _quote: string, after: string) =>
      redactBetween(_, before, after),
    )
    .replace(assigned, redactSecond)
    .replace(afterColon, redactSecond);
}

/**
 * Like `redactShapes`, for texts that are stored: a run of base64 is also searched as the bytes that it encodes, because Ambit
 * itself writes bytes so. A run with a secret in them is redacted as a whole.
 */
export function redactStored(text: string): string {
  // Most texts have no such secret: one search instead of one for each run.
  const runs = text.match(base64Run) ?? [];
  if (!hasShape(runs.map(decodeRun).join('\n'))) return redactShapes(text);
  return redactShapes(text.replace(base64Run, (run) => (hasShape(decodeRun(run)) ? redactedMark : run)));
}

/** Long enough for the shortest secrets. */
const base64Run = /[A-Za-z0-9+/]{16,}={0,2}/g;

/** Without NUL, so that text in UTF-16 is read too. */
function decodeRun(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1').replaceAll('\0', '');
}

function hasShape(text: string): boolean {
  return redactShapes(text) !== text;
}

/**
 * The positions of what is certainly a secret: tokens with known prefixes, private keys and
 * signed tokens. Unlike `redactShapes`, it leaves out values after a name such as `password`,
 * which are often names themselves. Time is linear in the text's length.
 */
export function secretsIn(text: string): { index: number; length: number }[] {
  const found = [privateKey, token, jwt, awsSecret].flatMap((shape) => [...text.matchAll(shape)]);
  return found
    .filter(([secret]) => !isSkToken.test(secret) || looksRandom(secret))
    .map(({ index, 0: secret }) => ({ index, length: secret.length }));
}

function redactSecond(_: string, before: string): string {
  return `${before}${redactedMark}`;
}

function redactBetween(_: string, before: string, after: string): string {
  return `${before}${redactedMark}${after}`;
}

/**
 * Matches at the start of a word, not inside one. In JSON, the `n` of a line break may directly
 * precede a line's first word. The lookbehind comes after the word, because looking back at every
 * position costs more than comparing the first letter.
 */
function wordStart(word: string): string {
  return String.raw`${word}(?<=(?:^|[^A-Za-z0-9_-]|\\[nrtbf])${word})`;
}

/** RFC 7468. Without an end, which may have been truncated, everything that follows is the key. */
const privateKey =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** A kind of token. */
interface TokenShape {
  /** The beginning of all tokens of this kind. */
  beginning: string;
  /** The rest of a token, at least as long as in any token. */
  rest: string;
  /** The public parts of a token that are long, besides its beginning: a header, an id. */
  known?: string;
}

const tokenShapes: readonly TokenShape[] = [
  // GitHub, GitLab
  { beginning: 'gh[opusr]_', rest: '[A-Za-z0-9]{36,}' },
  { beginning: 'github_pat_', rest: '[A-Za-z0-9_]{22,}', known: '[A-Za-z0-9]{22}_' },
  { beginning: 'glpat-', rest: '[A-Za-z0-9_.-]{20,}' },
  // AWS, Slack, Google
  { beginning: wordStart('A[KS]IA'), rest: '[A-Z0-9]{16}(?![A-Za-z0-9])' },
  { beginning: 'xox[abceoprs](?:[.]xox[bp])?-', rest: '[A-Za-z0-9-]{10,}' },
  { beginning: 'xapp-', rest: '[A-Za-z0-9-]{10,}' },
  { beginning: 'AIza', rest: '[A-Za-z0-9_-]{35}' },
  { beginning: 'ya29[.]', rest: '[A-Za-z0-9_-]{20,}' },
  { beginning: 'GOCSPX-', rest: '[A-Za-z0-9_-]{28}' },
  // Stripe
  { beginning: '[rs]k_(?:live|test)_', rest: '[A-Za-z0-9]{16,}' },
  { beginning: 'whsec_', rest: '[A-Za-z0-9+/=]{24,}' },
  // npm, PyPI, Hugging Face, SendGrid
  { beginning: 'npm_', rest: '[A-Za-z0-9]{36}' },
  { beginning: 'pypi-', rest: '[A-Za-z0-9_-]{50,}', known: 'AgEIcHlwaS5vcmcC' },
  { beginning: 'hf_', rest: '[A-Za-z0-9]{34,}' },
  { beginning: 'SG[.]', rest: '[A-Za-z0-9_.-]{60,}' },
  // OpenAI, Anthropic and others
  { beginning: wordStart('sk-'), rest: '[A-Za-z0-9_-]{20,}' },
  // Ambit: API keys, and codes and sessions of the console. Names of metrics have neither digits nor capitals.
  { beginning: 'ambit_', rest: '(?=[a-z_-]{0,64}[A-Z0-9])[A-Za-z0-9_-]{20,}' },
  // Ambit: invitations to a cluster
  { beginning: 'ambit-join-', rest: '[A-Za-z0-9_-]{20,}', known: 'eyJhZGRyZXNzIjoi' },
];

const token = new RegExp(tokenShapes.map(({ beginning, rest }) => beginning + rest).join('|'), 'g');

/** A header of credentials, a URL up to what may be random, and the beginning of a token, as far as others know them. */
const knownBeginning = new RegExp(
  `^(?:(?:[Bb]asic|[Bb]earer|[Tt]oken) +)?(?:[A-Za-z][A-Za-z0-9+.-]{0,30}://[^/?#]{0,255}(?:[/?#]+(?:[A-Za-z]{1,30}[0-9]{0,2}[/._=&?#-]+)*)?)?(?:${[
    ...tokenShapes.map(({ beginning, known }) => beginning + (known ? `(?:${known})?` : '')),
    // The header and, if it is signed, the claims of a JSON Web Token.
    'eyJ[A-Za-z0-9_-]*[.](?:eyJ[A-Za-z0-9_-]*[.])?',
  ].join('|')})?`,
);

/**
 * Counts the characters at the beginning of a secret that are not secret, because many secrets share them or
 * others may read them: `Bearer `, `https://hooks.example/services/`, `ghp_`, the header and claims of a
 * signed token.
 */
export function publicBeginning(secret: string): number {
  return knownBeginning.exec(secret)?.[0].length ?? 0;
}

const isSkToken = /^sk-/;

/**
 * `sk-` also begins names such as `sk-fading-circle-container-2`. A key has digits, and capitals or
 * a long mixed part.
 */
function looksRandom(found: string): boolean {
  return (
    /[0-9]/.test(found) &&
    (/[A-Z]/.test(found) || found.split(/[-_]/).some((piece) => piece.length >= 12 && /[0-9]/.test(piece)))
  );
}

/** RFC 7519, and encrypted tokens (RFC 7516): `eyJ` encodes `{"`. */
const jwt = new RegExp(
  `${wordStart('eyJ')}[A-Za-z0-9_-]{7,}[.][A-Za-z0-9_-]{4,}(?:[.][A-Za-z0-9_-]*){1,3}`,
  'g',
);

/** `scheme://user:password@host` (RFC 3986, section 3.2.1). */
const urlPassword = /(:\/\/[^\s/?#\\"'`<>@:]*:)[^\s/?#\\"'`<>]+(?=@)/g;

/**
 * The credentials of a header or client: `Authorization: Basic …`, `"authorization":"Bearer …"`,
 * `Bearer …` (RFC 6750).
 */
const authorization =
  /((?:authorization\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["']?(?:[A-Za-z]{1,20}[ \t]{1,4})?|bearer[ \t]{1,8}(?=[A-Za-z+/_.~-]{0,64}[0-9])))[A-Za-z0-9+/_=.~-]{8,}/gi;

/** These keys have no prefix: forty base64 characters after such a name are one. */
const awsSecret = /(secret_?access_?key[ =:"'\\>]{1,8})[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])/gi;

const names =
  '(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret)';

/** Such a name with the character that follows it in each of the forms below. */
const named = new RegExp(String.raw`${names}[\\"' \t:=]`, 'i');

/** `"password": "…"`; the end of the text also ends a truncated value. */
const member = new RegExp(String.raw`(${names}["'][ \t]{0,4}:[ \t]{0,4}")(?:[^"\\]|\\[\s\S])*\\?("|$)`, 'gi');

/** `'api_key': '…'`, as printed by other languages. */
const quotedMember = new RegExp(String.raw`(${names}["'][ \t]{0,4}:[ \t]{0,4}')[^'\n]*('|\n|$)`, 'gi');

/** The same in JSON nested in a JSON string: `\"password\":\"…\"`. */
const memberInText = new RegExp(
  String.raw`(${names}\\{1,3}["'][ \t]{0,4}:[ \t]{0,4}(\\{1,3}["']))[\s\S]*?((?<!\\)\2|$)`,
  'gi',
);

/** `PASSWORD='several words'`. What follows a JSON string that ends with `=` is not its value. */
const assignedInQuotes = new RegExp(
  String.raw`(${names}[ \t]?=[ \t]?(\\{0,3}["']))(?!\2|[,:}\]])[^\n]*?((?<!\\)\2|\n|$)`,
  'gi',
);

/** `PASSWORD=…`, `--token=…`, `?api_key=…`. */
const assigned = new RegExp(
  String.raw`(${names}[ \t]?=[ \t]?(?:\\{0,3}["'])?)(?!\[redacted\])[^\s"'\\&;,<>]{3,}`,
  'gi',
);

/** `password: …` as in YAML, headers and logs, and `"password":12345678`. */
const afterColon = new RegExp(
  String.raw`(${names}\\{0,3}["']?[ \t]{0,4}:[ \t]{0,4})(?!\[redacted\]|(?:null|true|false)\b)[^\s"'\\,;<>{}[\]()]{4,}`,
  'gi',
);
