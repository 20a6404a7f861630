import { oneLine } from '../../model-text/one-line.ts';
import type { EffectiveMcpServers, EffectiveTools } from '../../select/selection.ts';
import type { Composition } from './composition.ts';

/**
 * A composition for a person to read: each part with its tokens and reason, what was left out, what the tools and MCP
 * servers came to, and warnings. The prompt itself is not in it, nor are definitions of servers, which may hold secrets.
 * Names are on one line each; whoever prints it to a terminal takes control characters out, as with any text of others.
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

/** One line for all that are left out for one reason: a large catalog has hundreds of them. */
function leftOutLines(leftOut: Composition['leftOut']): string[] {
  const reasons = new Map<string, string[]>();
  for (const { id, what, because } of leftOut) {
    const words = because.startsWith(`${id} `) ? because.slice(id.length + 1) : because;
    const reason = `${what}: ${oneLine(words)}`;
    const ids = reasons.get(reason) ?? [];
    reasons.set(reason, ids);
    ids.push(oneLine(id));
  }
  return [...reasons].map(([reason, ids]) => `${reason} (${ids.join(', ')})`);
}

function toolLines({ allowed, withheld, beyondPhase, from }: EffectiveTools): string[] {
  return [
    `allowed: ${allowed.length === 0 ? 'none' : names(allowed)} (${originOfTools(from)})`,
    ...(withheld.length === 0
      ? []
      : [`withheld, because no selected skill asks for them: ${names(withheld)}`]),
    ...beyondPhase.map(
      ({ tool, skills }) =>
        `not given, because the phase does not have it: ${oneLine(tool)}, for ${names(skills)}`,
    ),
  ];
}

function originOfTools(from: EffectiveTools['from']): string {
  switch (from) {
    case 'configured':
      return "the phase's, as far as selected skills ask for them";
    case 'unnarrowed':
      return "the phase's: no selected skill speaks of tools";
    case 'unknown-phase':
      return 'nobody configured the phase';
    case 'no-phase':
      return 'no phase was asked for';
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
      return remedy === null ? what : `${what}; to grant it: ${oneLine(remedy)}`;
    }),
  ];
}

function names(all: readonly string[]): string {
  return all.map((name) => oneLine(name)).join(', ');
}
