import { randomUUID } from 'node:crypto';
import { callAt, type FaultRound, leaseMs, oneOf } from './fault.ts';

/**
 * Cuts a node off from the database, lets it take calls meanwhile, and kills it for ever. Verification names it as lost, with the
 * last event that it sent. A new node replaces it.
 */
export async function loseNode({ world, random, report }: FaultRound): Promise<string> {
  const lost = oneOf(world.names.slice(1), random);
  const node = world.joined.indexOf(lost) + 1;
  world.link(lost).cut();
  // The last event on its disk that is known.
  let recorded = 0;
  let calls = 0;
  for (const until = performance.now() + leaseMs; performance.now() < until; ) {
    const { status, text } = await callAt(world, lost, 'traced', { key: `unsent-${randomUUID()}` });
    if (status !== 200) break;
    const { audit } = JSON.parse(text) as { audit: { sequence: number } };
    recorded = audit.sequence;
    calls += 1;
  }
  await world.node(lost).stop('SIGKILL');
  await world.command('cluster', 'retire', lost);
  const { code, stdout, stderr } = await world.cluster.command('a', 'cluster', 'verify', '--json');
  const found = JSON.parse(stdout || 'null') as {
    intact: boolean;
    nodes: { node: number; end: string; sentThrough: number; provenThrough: number }[];
  } | null;
  const named = found?.nodes.find((each) => each.node === node);
  if (code !== 0 || found?.intact !== true)
    report(`the logs are not intact after ${lost} was lost: ${stdout.slice(0, 1000)}${stderr.slice(-500)}`);
  else if (named?.end !== 'retired' || named.provenThrough > named.sentThrough)
    report(`${lost} was lost, and verification says ${JSON.stringify(named)}`);
  else if (world.audit === 'local' && calls > 0 && named.sentThrough >= recorded)
    report(`${lost} could send nothing, and verification has event ${recorded}: ${JSON.stringify(named)}`);
  const next = await world.replace(lost);
  return `lost ${lost} after ${calls} calls that it did not send, and added ${next}`;
}
