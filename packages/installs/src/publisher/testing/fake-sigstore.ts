// The library below requires this for its registries.
import 'reflect-metadata';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';

/** The facts that a certificate states about its owner. */
export interface CertifiedIdentity {
  issuer: string;
  repository: string;
  ref: string;
  runner: string;
  workflow: string;
}

/** The content that a bundle signs: the bytes of a file, or an in-toto statement. */
type SignedContent = { file: string } | { statement: object };

/** The differences of a bundle from a usual one. */
export interface BundleOptions {
  identity?: Partial<CertifiedIdentity>;
  /** When it is signed; the certificate is valid for ten minutes from then, or from `certifiedAt`. */
  at?: Date;
  certifiedAt?: Date;
  /** Without the transparency log's signature over the time. */
  withoutTime?: boolean;
  /** The name of the log in the checkpoint. */
  checkpointName?: string;
  /** Without the signed certificate timestamp. */
  withoutSct?: boolean;
}

/** A certificate authority, a certificate log and a transparency log in the manner of Sigstore. */
export interface FakeSigstore {
  /** The content of a trusted root. */
  trustedRoot: object;
  bundle(content: SignedContent, options?: BundleOptions): Promise<Record<string, unknown>>;
}

export const someIdentity: CertifiedIdentity = {
  issuer: 'https://token.actions.githubusercontent.com',
  repository: 'https://github.com/acme/skills',
  ref: 'refs/tags/v1',
  runner: 'github-hosted',
  workflow: 'https://github.com/acme/skills/.github/workflows/release.yml',
};

const origin = 'log.sigstore.example';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const minuteMs = 60_000;

/** Creates authorities of its own. */
export async function fakeSigstore(): Promise<FakeSigstore> {
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(crypto);
  const authorityKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Fake Fulcio',
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    notBefore: new Date('2020-01-01'),
    notAfter: new Date('2040-01-01'),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const [certificateLog, transparencyLog] = [logKey(), logKey()];

  /** A certificate for a new key, with its timestamp by the certificate log. */
  const certify = async (identity: CertifiedIdentity, from: Date, hasSct: boolean) => {
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const extensions = [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.codeSigning]),
      new x509.SubjectAlternativeNameExtension(
        [{ type: 'url', value: `${identity.workflow}@${identity.ref}` }],
        true,
      ),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      ...Object.entries({
        8: identity.issuer,
        11: identity.runner,
        12: identity.repository,
        14: identity.ref,
      }).map(
        ([number, text]) => new x509.Extension(`1.3.6.1.4.1.57264.1.${number}`, false, utf8String(text)),
      ),
    ];
    const create = (more: typeof extensions) =>
      x509.X509CertificateGenerator.create({
        serialNumber: '02',
        subject: 'CN=leaf',
        issuer: authority.subject,
        publicKey: keys.publicKey,
        signingKey: authorityKeys.privateKey,
        signingAlgorithm: algorithm,
        notBefore: from,
        notAfter: new Date(from.getTime() + 10 * minuteMs),
        extensions: [...extensions, ...more],
      });
    const timestamp = await signedTimestamp(await create([]), from);
    const certificate = await create(
      hasSct ? [new x509.Extension('1.3.6.1.4.1.11129.2.4.2', false, timestamp)] : [],
    );
    const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return { certificate: Buffer.from(certificate.rawData), privateKey };
  };

  /** RFC 6962, section 3.2, over the certificate without its timestamp. */
  const signedTimestamp = async (before: { rawData: ArrayBuffer }, at: Date): Promise<Buffer> => {
    const certificate = Buffer.from(before.rawData);
    const body = elementAt(certificate, elementAt(certificate, 0).start);
    const time = uint(8, at.getTime());
    const issuer = Buffer.from(await crypto.subtle.exportKey('spki', authorityKeys.publicKey));
    const tbs = certificate.subarray(body.from, body.end);
    const signed = Buffer.concat([
      ...[Buffer.from([0, 0]), time, uint(2, 1), sha256(issuer), uint(3, tbs.length), tbs, uint(2, 0)],
    ]);
    const signature = sign('sha256', signed, certificateLog.privateKey);
    const sct = Buffer.concat([
      ...[Buffer.from([0]), certificateLog.id, time, uint(2, 0), Buffer.from([4, 3])],
      ...[uint(2, signature.length), signature],
    ]);
    return octetString(Buffer.concat([uint(2, sct.length + 2), uint(2, sct.length), sct]));
  };

  /** The entry of the transparency log, which is the only one in it. */
  const entry = (body: object, at: Date, { withoutTime = false, checkpointName = origin }: BundleOptions) => {
    const canonicalizedBody = Buffer.from(JSON.stringify(body));
    const seconds = Math.floor(at.getTime() / 1000);
    const promised = JSON.stringify({
      body: canonicalizedBody.toString('base64'),
      integratedTime: seconds,
      logID: transparencyLog.id.toString('hex'),
      logIndex: 7,
    });
    const rootHash = sha256(Buffer.concat([Buffer.from([0]), canonicalizedBody]));
    const note = `${origin}\n1\n${rootHash.toString('base64')}\n`;
    const noteSignature = sign('sha256', Buffer.from(note), transparencyLog.privateKey);
    const line = Buffer.concat([transparencyLog.id.subarray(0, 4), noteSignature]).toString('base64');
    const { kind, apiVersion } = body as { kind: string; apiVersion: string };
    return {
      logIndex: '7',
      logId: { keyId: transparencyLog.id.toString('base64') },
      kindVersion: { kind, version: apiVersion },
      integratedTime: String(seconds),
      inclusionPromise: withoutTime
        ? undefined
        : {
            signedEntryTimestamp: sign('sha256', Buffer.from(promised), transparencyLog.privateKey).toString(
              'base64',
            ),
          },
      inclusionProof: {
        logIndex: '0',
        rootHash: rootHash.toString('base64'),
        treeSize: '1',
        hashes: [],
        checkpoint: { envelope: `${note}\n\u2014 ${checkpointName} ${line}\n` },
      },
      canonicalizedBody: canonicalizedBody.toString('base64'),
    };
  };

  return {
    trustedRoot: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [trustedLog(transparencyLog)],
      ctlogs: [trustedLog(certificateLog)],
      certificateAuthorities: [
        {
          subject: { organization: 'Fake', commonName: 'Fake Fulcio' },
          uri: 'https://ca.example',
          certChain: { certificates: [{ rawBytes: Buffer.from(authority.rawData).toString('base64') }] },
          validFor: { start: '2020-01-01T00:00:00Z' },
        },
      ],
      timestampAuthorities: [],
    },
    async bundle(content, options = {}) {
      const { identity, at = new Date(), certifiedAt = new Date(at.getTime() - minuteMs) } = options;
      const { certificate, privateKey } = await certify(
        { ...someIdentity, ...identity },
        certifiedAt,
        options.withoutSct !== true,
      );
      const { signed, body } = signedContent(content, privateKey);
      return {
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: {
          certificate: { rawBytes: certificate.toString('base64') },
          tlogEntries: [entry(body, at, options)],
          timestampVerificationData: { rfc3161Timestamps: [] },
        },
        ...signed,
      };
    },
  };
}

function signedContent(content: SignedContent, privateKey: KeyObject): { signed: object; body: object } {
  if ('file' in content) {
    const digest = sha256(Buffer.from(content.file));
    const signature = sign('sha256', Buffer.from(content.file), privateKey).toString('base64');
    return {
      signed: {
        messageSignature: {
          messageDigest: { algorithm: 'SHA2_256', digest: digest.toString('base64') },
          signature,
        },
      },
      body: {
        apiVersion: '0.0.1',
        kind: 'hashedrekord',
        spec: {
          data: { hash: { algorithm: 'sha256', value: digest.toString('hex') } },
          signature: { content: signature },
        },
      },
    };
  }
  const [payloadType, payload] = [
    'application/vnd.in-toto+json',
    Buffer.from(JSON.stringify(content.statement)),
  ];
  // The encoding before authentication of DSSE.
  const encoded = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
  const sig = sign('sha256', encoded, privateKey).toString('base64');
  return {
    signed: {
      dsseEnvelope: { payload: payload.toString('base64'), payloadType, signatures: [{ sig, keyid: '' }] },
    },
    body: {
      apiVersion: '0.0.1',
      kind: 'dsse',
      spec: {
        payloadHash: { algorithm: 'sha256', value: sha256(payload).toString('hex') },
        signatures: [{ signature: sig }],
      },
    },
  };
}

interface LogKey {
  id: Buffer;
  privateKey: KeyObject;
  spki: Buffer;
}

function logKey(): LogKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return { id: sha256(spki), privateKey, spki };
}

function trustedLog({ id, spki }: LogKey): object {
  return {
    baseUrl: `https://${origin}`,
    hashAlgorithm: 'SHA2_256',
    logId: { keyId: id.toString('base64') },
    publicKey: {
      rawBytes: spki.toString('base64'),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: { start: '2020-01-01T00:00:00Z' },
    },
  };
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function uint(bytes: number, value: number): Buffer {
  const wide = Buffer.alloc(8);
  wide.writeBigUInt64BE(BigInt(value));
  return wide.subarray(8 - bytes);
}

/** An element in DER: where it begins, where its content does, and where it ends. */
function elementAt(bytes: Buffer, from: number): { from: number; start: number; end: number } {
  const first = bytes[from + 1] ?? 0;
  const more = first < 0x80 ? 0 : first - 0x80;
  const length = more === 0 ? first : bytes.readUIntBE(from + 2, more);
  const start = from + 2 + more;
  return { from, start, end: start + length };
}

function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

function octetString(content: Buffer): Buffer {
  return element(0x04, content);
}

function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), content]);
}
