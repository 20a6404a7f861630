import { verify } from 'node:crypto';
import { describeIssues } from '@ambit/core/skill';
import { z } from 'zod';
import { nodeAddress } from '../../config/file/node-address.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Store } from '../../store/store.ts';
import { certifyNode, type KeyAndCertificate } from '../identity/authority.ts';
import { type NodeIdentity, nodesMax } from '../identity/node-files.ts';
import { recordChange } from '../membership/cluster-statement.ts';
import { secretDigest } from './invitation.ts';

/** The request of a new node. */
export const EnrolmentRequest = z.strictObject({
  secret: z.string().regex(/^[0-9a-f]{64}$/),
  advertise: z.string().refine((text) => nodeAddress(text) !== undefined, 'write HOST:PORT'),
  /** Ed25519, SPKI in PEM. */
  publicKey: z.string().max(1000),
  /** A signature of `provedText` with that key, base64. */
  proof: z.string().max(200),
});

export type EnrolmentRequest = z.output<typeof EnrolmentRequest>;

/** The answer to a new node. */
export const Enrolment = z.strictObject({
  cluster: z.uuid(),
  id: z.int(),
  name: z.string(),
  certificate: z.string(),
  authority: z.string(),
});

export type Enrolment = z.output<typeof Enrolment>;

/** Returns the text that a new node signs, to show that it has the private key. */
export function provedText({ secret, advertise, publicKey }: Omit<EnrolmentRequest, 'proof'>): string {
  return JSON.stringify(['ambit-join', secret, advertise, publicKey]);
}

interface Certifier {
  store: Pick<Store, 'run'>;
  /** The node that certifies. */
  identity: NodeIdentity;
  authority: KeyAndCertificate;
}

/** Certifies and adds the node that a request is from. Rejects with `INVITATION_INVALID` and `CLUSTER_INVALID`. */
export async function enrol({ store, identity, authority }: Certifier, value: unknown): Promise<Enrolment> {
  const parsed = EnrolmentRequest.safeParse(value);
  if (!parsed.success)
    throw invalid(
      `the request is invalid: ${describeIssues(parsed.error, EnrolmentRequest, value).join('; ')}`,
    );
  const { secret, advertise, publicKey, proof } = parsed.data;
  if (!isProved(parsed.data, proof)) throw invalid('the new node did not prove that it has its private key');
  const invitation = secretDigest(secret);
  const name = await store.run('findInvitation', invitation);
  if (name === undefined) throw notInvited();
  return addNode({ store, identity, authority }, { name, advertise, publicKey }, invitation);
}

/** Certifies and adds a node; `invitation` is the digest of its secret, `null` for the first node. Rejects as `enrol` does. */
export async function addNode(
  {
    store,
    identity,
    authority,
  }: Omit<Certifier, 'identity'> & { identity: Pick<NodeIdentity, 'cluster' | 'key'> & { id?: number } },
  { name, advertise, publicKey }: { name: string; advertise: string; publicKey: string },
  invitation: string | null,
): Promise<Enrolment> {
  for (;;) {
    const { id, isTaken } = await store.run('nextNode', name);
    if (isTaken) throw nameTaken(name);
    if (id > nodesMax)
      throw new Refusal(
        'CLUSTER_INVALID',
        `the cluster has had ${nodesMax} nodes, retired ones included, which is the maximum; create a new cluster in another database`,
      );
    const certificate = await certifyNode(authority, id, publicKey);
    const signer = { ...identity, id: identity.id ?? id };
    const event = { kind: 'node.joined' as const, node: id, name, epoch: 0 };
    const added = await recordChange(
      store,
      signer,
      () => event,
      (entry) => store.run('addNode', { id, name, advertise, certificate }, invitation, entry),
    );
    if (added === 'refused') throw notInvited();
    if (added === 'added')
      return { cluster: identity.cluster, id, name, certificate, authority: authority.certificate };
  }
}

function isProved(request: EnrolmentRequest, proof: string): boolean {
  try {
    return verify(null, Buffer.from(provedText(request)), request.publicKey, Buffer.from(proof, 'base64'));
  } catch {
    return false;
  }
}

function invalid(why: string): Refusal {
  return new Refusal('INVITATION_INVALID', `${why}; run "ambit cluster join" again`);
}

function notInvited(): Refusal {
  return new Refusal(
    'INVITATION_INVALID',
    'the invitation is unknown, used or expired; create another with "ambit cluster invite"',
  );
}

function nameTaken(name: string): Refusal {
  return new Refusal(
    'CLUSTER_INVALID',
    `the cluster has or had a node ${name}; invite the new one under another name: "ambit cluster invite NAME"`,
  );
}
