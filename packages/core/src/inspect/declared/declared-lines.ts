/** The kinds of what a skill declares for other tools. `any-program`: one of several is enough. */
export const declaredKinds = [
  'program',
  'any-program',
  'environment',
  'system',
  'mcp-server',
  'python',
  'node',
] as const;

/** Something that a skill declares for another tool. Ambit grants none of it. */
export interface DeclaredNeed {
  kind: (typeof declaredKinds)[number];
  /** A program, a variable, a system, a server and its URL, or a range of versions. Safe for terminals and models. */
  name: string;
  /** The file that declares it. */
  file: string;
}

/** Describes the needs that a skill declares: `programs ffmpeg, jq  (SKILL.md)`, a line for each kind and file. */
export function declaredLines(needs: readonly DeclaredNeed[]): string[] {
  return declaredKinds.flatMap((kind) => {
    const byFile = Map.groupBy(
      needs.filter((need) => need.kind === kind),
      ({ file }) => file,
    );
    return [...byFile].map(
      ([file, found]) => `${words[kind]} ${found.map(({ name }) => name).join(', ')}  (${file})`,
    );
  });
}

const words = {
  program: 'programs',
  'any-program': 'one of the programs',
  environment: 'variables',
  system: 'systems',
  'mcp-server': 'MCP servers',
  python: 'Python',
  node: 'Node',
} as const;
