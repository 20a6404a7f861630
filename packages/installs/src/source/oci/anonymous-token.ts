import { InstallError } from '../../install-error.ts';
import { checkedUrl } from '../checked-url.ts';
import { jsonOf } from '../json-of.ts';
import type { SourceHttp } from '../source-http.ts';

const answerBytesMax = 64 * 1024;

/**
 * The `Authorization` header for a public repository of a registry that answers with a challenge. `realm` is where the token
 * comes from: another host must be allowed like any other. Rejects with an `InstallError`.
 */
export async function anonymousToken(
  challenge: string,
  { base, name, http }: { base: string; name: string; http: SourceHttp },
): Promise<string> {
  const refuse = (why: string): InstallError =>
    new InstallError('SOURCE_UNREACHABLE', `${name} ${why}; Ambit reads only public repositories`);
  if (!/^bearer /i.test(challenge)) throw refuse('needs a login');
  const fields = Object.fromEntries(
    [...challenge.matchAll(/([a-z]+)="([^"]*)"/gi)].map(([, key = '', value = '']) => [
      key.toLowerCase(),
      value,
    ]),
  );
  const realm = checkedUrl(fields['realm'] ?? '');
  if (realm.protocol !== 'https:' && base.startsWith('https:')) throw refuse('sends its tokens unencrypted');
  if (fields['service'] !== undefined) realm.searchParams.set('service', fields['service']);
  realm.searchParams.set('scope', `repository:${new URL(base).pathname.slice('/v2/'.length)}:pull`);
  const { status, body } = await http.get(realm.href, { bytesMax: answerBytesMax });
  if (status !== 200)
    throw refuse(`gives no token to everyone: ${realm.origin} answered with status ${status}`);
  const { token, access_token: accessToken } = Object(jsonOf(realm.origin, body)) as Record<string, unknown>;
  const found = token ?? accessToken;
  if (typeof found !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(found)) throw refuse('sent no valid token');
  return `Bearer ${found}`;
}
