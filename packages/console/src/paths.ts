/** Below this path, all addresses are the console's. */
export const base = '/console';

export const paths = {
  home: `${base}/`,
  runs: `${base}/runs`,
  nodes: `${base}/nodes`,
  audit: `${base}/audit`,
  approvals: `${base}/approvals`,
  catalog: `${base}/catalog`,
  workspaces: `${base}/workspaces`,
  prompt: `${base}/prompt`,
  settings: `${base}/settings`,
} as const;

export function runPath(executionId: string): string {
  return `${paths.runs}/${encodeURIComponent(executionId)}`;
}

export function skillPath(id: string): string {
  return `${paths.catalog}/${encodeURIComponent(id)}`;
}

export function reviewPath(id: string): string {
  return `${paths.approvals}/${encodeURIComponent(id)}`;
}

export function workspacePath(id: string): string {
  return `${paths.workspaces}/${encodeURIComponent(id)}`;
}

/** The runs that match these filters, which are the ones of `GET /audit`. */
export function runsPath(filters: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(filters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return set.length === 0 ? paths.runs : `${paths.runs}?${new URLSearchParams(set)}`;
}

/** The question whether a skill may use a capability. `kind` is the one asked about. */
export function whatIfPath(skill: string, kind: string): string {
  return `${paths.settings}?${new URLSearchParams({ skill, kind })}`;
}
