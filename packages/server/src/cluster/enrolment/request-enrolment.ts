import { sign } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { thrownText } from '@ambit/core/outcome';
import { nodeAddress } from '../../config/file/node-address.ts';
import { Refusal } from '../../errors/refusal.ts';
import { newPrivateKey, publicKeyOf } from '../identity/authority.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { Enrolment, provedText } from './enrol.ts';
import { fingerprintOf, type Invitation } from './invitation.ts';

const timeoutMs = 15_000;

/**
 * Asks the node of an invitation for a certificate. Sends the secret only if that node belongs to the cluster of the invitation.
 * Rejects with `INVITATION_INVALID` and `CLUSTER_INVALID`.
 */
export async function requestEnrolment(
  { address, authority, secret }: Invitation,
  advertise: string,
): Promise<NodeIdentity> {
  const key = newPrivateKey();
  const unproved = { secret, advertise, publicKey: publicKeyOf(key) };
  const proof = sign(null, Buffer.from(provedText(unproved)), key).toString('base64');
  let answer: { status: number; body: unknown };
  try {
    const socket = await connectTo(address, authority);
    answer = await post(socket, { ...unproved, proof });
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(
      'CLUSTER_INVALID',
      `cannot join at ${address}: ${thrownText(cause)}. The node that invited must run, and this machine must reach it`,
      { cause },
    );
  }
  if (answer.status !== 200) throw refusalOf(answer.body);
  const { cluster, id, name, certificate, authority: certified } = Enrolment.parse(answer.body);
  return { cluster, id, name, key, certificate, authority: certified, instance: null, nextInstance: null };
}

/** Connects to a node whose certificate the authority of that fingerprint has signed. */
async function connectTo(address: string, authority: string): Promise<TLSSocket> {
  const { host, port } = nodeAddress(address) ?? { host: '', port: 0 };
  // The authority is known by its fingerprint, which the check below compares.
  const socket = connect({
    host,
    port,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    timeout: timeoutMs,
  });
  socket.once('timeout', () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  const issuer = certificate?.issuerCertificate;
  const isOwn =
    certificate !== undefined &&
    issuer !== undefined &&
    fingerprintOf(issuer.toString()) === authority &&
    certificate.verify(issuer.publicKey);
  if (isOwn) return socket;
  socket.destroy();
  throw new Refusal(
    'CLUSTER_INVALID',
    'the node at the address of the invitation belongs to another cluster; ask for another invitation',
  );
}

async function post(socket: TLSSocket, body: unknown): Promise<{ status: number; body: unknown }> {
  const outgoing = request({
    method: 'POST',
    path: '/cluster/join',
    host: 'node',
    createConnection: () => socket,
    headers: { 'content-type': 'application/json' },
  });
  outgoing.end(JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  const answer = { status: response.statusCode as number, body: await json(response) };
  socket.destroy();
  return answer;
}

function refusalOf(body: unknown): Refusal {
  const { code, message } = body as { code?: unknown; message?: unknown };
  return new Refusal(code === 'CLUSTER_INVALID' ? code : 'INVITATION_INVALID', String(message));
}
