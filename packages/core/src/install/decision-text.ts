/**
 * The decisions about installed skills that a session of the web console needs a code for: the last
 * parts of their routes.
 */
const decisionActions = [
  'add',
  'approve',
  'outdated',
  'packages',
  'remove',
  'restore',
  'revoke',
  'sync',
  'update',
] as const;

/** One version of a skill, as a decision names it. */
interface NamedVersion {
  id: string;
  digest?: string | undefined;
  review?: string | undefined;
}

/**
 * A decision about installed skills, as `ambit console confirm` names it: the action, its objects, and every other field of
 * the request, so that another request has another text. `fields` are the parsed path and body of the request:
 * `approve acme:docx@sha256:… tier=local`, `revoke publisher:acme`, `update skills=all`.
 */
export function decisionText(action: string, fields: Readonly<Record<string, unknown>>): string {
  const { id, digest, review, subject, source, skills, ...others } = fields;
  const named = (skills ?? []) as readonly (string | NamedVersion)[];
  const versions = named.map((each) => versionText(typeof each === 'string' ? { id: each } : each)).sort();
  const objects = [subject, source].flatMap((each) => (each === undefined ? [] : [word(each)]));
  const rest: Record<string, unknown> = id === undefined ? { ...others, digest, review } : others;
  if (id !== undefined) objects.unshift(versionText({ id, digest, review } as NamedVersion));
  if (objects.length > 0) rest['skills'] = versions;
  else objects.push(...(versions.length === 0 ? ['skills=all'] : versions));
  const more = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== null && value !== false && String(value) !== '')
    .map(
      ([name, value]) =>
        `${name}=${Array.isArray(value) ? value.map(word).sort().join(',') : word(String(value))}`,
    )
    .sort();
  return [action, ...objects, ...more].join(' ');
}

/** Returns why a decision gets no code: it names no action or no object. `undefined`: it names both. */
export function decisionFlaw(decision: string): string | undefined {
  const [action = '', object, ...others] = decision.split(' ');
  if (!(decisionActions as readonly string[]).includes(action))
    return `it does not begin with one of ${decisionActions.join(', ')}`;
  const objects = [object, ...others].filter(
    (each) => each !== undefined && each !== '' && !/^[a-zA-Z]+=/.test(each),
  );
  if (objects.length === 0 && object !== 'skills=all') return `it does not say what to ${action}`;
  if (action === 'approve' && !objects.every((each) => each?.includes('@')))
    return 'it does not name the digest of each skill: approve ID@DIGEST@REVIEW';
  return undefined;
}

function versionText({ id, digest, review }: NamedVersion): string {
  return [id, digest, review].flatMap((each) => (each === undefined ? [] : [word(each)])).join('@');
}

/** Quoted if it could be read as something else. */
function word(text: unknown): string {
  const written = String(text);
  return /^[\w./][\w:./#+-]*$/.test(written) ? written : JSON.stringify(written);
}
