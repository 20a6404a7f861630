import { oneLine } from '../../model-text/one-line.ts';
import type { EffectiveMcpServers, EffectiveTools } from '../../select/selection.ts';
import type { Composition } from './composition.ts';

/**
 * Explains a composition to a person: each part with its tokens and reason, what was left out,
 * tools, MCP servers and warnings. Contains neither the prompt nor the definitions of servers,
 * which may hold secrets. Every name is on one line. Remove control characters before printing it
 * to a terminal.
 */
export function explainText({
  prompt,
  tokens,
  parts,
  leftOut,
  tools,
  mcpServers,
  warnings,
}: Composition): string {
  const header = ['', 'tokens', 'characters', 'part', 'origin', 'why'];
  const rows = parts.map(({ order, tokens, characters, kind, origin, because }) =>
    [order, tokens, characters, kind, origin, because].map((cell) => oneLine(String(cell))),
  );
  return [
    `${tokens} tokens, ${prompt.length} characters, ${plural(parts.length, 'part')}`,
    ...section('Parts, in order', rows.length === 0 ? [] : table([header, ...rows])),
    ...section('Left out', leftOutLines(leftOut)),
    ...section('Tools', toolLines(tools)),
    ...section('MCP servers', serverLines(mcpServers)),
    ...section(
      'Warnings',
      warnings.map((warning) => oneLine(warning)),
    ),
  ].join('\n');
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

const numeric = 3;

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < numeric ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** One line per reason, because a large catalog leaves out hundreds of skills. */
function leftOutLines(leftOut: Composition['leftOut']): string[] {
  const reasons = new Map<string, string[]>();
  for (const { id, what, because } of leftOut) {
    const words = because.startsWith(`${id} `) ? because.slice(id.length + 1) : because;
    const reason = JSON.stringify([what, oneLine(words.replace(/^is /, ''))]);
    const ids = reasons.get(reason) ?? [];
    reasons.set(reason, ids);
    ids.push(oneLine(id));
  }
  return [...reasons].map(([reason, ids]) => {
    const [what, words] = JSON.parse(reason) as [string, string];
    return `${what} ${ids.join(', ')}: ${words}`;
  });
}

function toolLines({ allowed, withheld, beyondPhase, from }: EffectiveTools): string[] {
  return [
    `allowed: ${allowedText(allowed)} (${originOfTools(from)})`,
    ...(withheld.length === 0
      ? []
      : [`withheld, because no selected skill requests them: ${names(withheld)}`]),
    ...(beyondPhase.length === 0
      ? []
      : [
          `not available in this phase: ${beyondPhase.map(({ tool, skills }) => `${oneLine(tool)} (${names(skills)})`).join(', ')}`,
        ]),
  ];
}

function allowedText(allowed: EffectiveTools['allowed']): string {
  if (allowed === 'all') return 'every tool of the agent';
  return allowed.length === 0 ? 'none' : names(allowed);
}

function originOfTools(from: EffectiveTools['from']): string {
  switch (from) {
    case 'configured':
      return "the phase's tools that selected skills request";
    case 'unnarrowed':
      return "all of the phase's tools: no selected skill names tools";
    case 'unknown-phase':
      return 'the phase is not configured';
    case 'no-phase':
      return 'no phase was requested';
    default:
      return from satisfies never;
  }
}

function serverLines({ servers, origins, refused }: EffectiveMcpServers): string[] {
  return [
    ...Object.keys(servers).map((name) => {
      const origin = Object.hasOwn(origins, name) ? origins[name] : undefined;
      return origin === undefined ? oneLine(name) : `${oneLine(name)}, from ${oneLine(origin)}`;
    }),
    ...refused.map(({ server, skill, reason, remedy }) => {
      const what = `refused: ${oneLine(server)}, from ${oneLine(skill)}: ${oneLine(reason)}`;
      return remedy === null ? what : `${what}; add to ambit.config.yaml: ${oneLine(remedy)}`;
    }),
  ];
}

function names(all: readonly string[]): string {
  return all.map((name) => oneLine(name)).join(', ');
}
